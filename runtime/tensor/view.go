package tensor

import (
	"fmt"
	"unsafe"

	"github.com/irscope/irscope/runtime/dtype"
)

// Scalar lists the Go types that tensors are made from and viewed as.
type Scalar interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// TypeOf is the element type that stands for T.
func TypeOf[T Scalar]() dtype.DType {
	var z T
	switch any(z).(type) {
	case bool:
		return dtype.BoolT
	case int8:
		return dtype.Int8T
	case int16:
		return dtype.Int16T
	case int32:
		return dtype.Int32T
	case int64:
		return dtype.Int64T
	case uint8:
		return dtype.UInt8T
	case uint16:
		return dtype.UInt16T
	case uint32:
		return dtype.UInt32T
	case uint64:
		return dtype.UInt64T
	case float32:
		return dtype.Float32T
	}
	return dtype.Float64T
}

// Of makes a tensor of vals, whose memory it shares.
func Of[T Scalar](shape []int64, vals []T) (*Tensor, error) {
	dt := TypeOf[T]()
	var data []byte
	if len(vals) > 0 {
		data = unsafe.Slice((*byte)(unsafe.Pointer(&vals[0])), len(vals)*dt.Bytes())
	}
	return FromBytes(dt, shape, data)
}

// MustOf is Of for values known to fit; it panics where they do not.
func MustOf[T Scalar](shape []int64, vals []T) *Tensor {
	t, err := Of(shape, vals)
	if err != nil {
		panic(err)
	}
	return t
}

// View returns t's elements as a slice that shares its memory. The element type must be
// T's own, except that uint16 also views float16 and bfloat16 and uint8 every type of
// one byte, bit for bit.
func View[T Scalar](t *Tensor) ([]T, error) {
	want := TypeOf[T]()
	raw := want == dtype.UInt16T && (t.DType == dtype.Float16T || t.DType == dtype.BFloat16T) ||
		want == dtype.UInt8T && t.DType.Bytes() == 1 && t.DType.IsScalar()
	if t.DType != want && !raw {
		return nil, fmt.Errorf("a %v tensor cannot be viewed as %v", t.DType, want)
	}
	if len(t.Data) == 0 {
		return nil, nil
	}
	p := unsafe.Pointer(&t.Data[0])
	if uintptr(p)%uintptr(elemAlign(want)) != 0 {
		return nil, fmt.Errorf("the data of %v is not aligned for %v: make the tensor with FromBytes", t, want)
	}
	return unsafe.Slice((*T)(p), len(t.Data)/want.Bytes()), nil
}
