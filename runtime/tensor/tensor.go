package tensor

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"

	"github.com/irscope/irscope/runtime/dtype"
)

// MaxBytes is the largest tensor that this package makes: what fits in the linear memory
// of a device. It also keeps a shape read from a file from asking for more.
const MaxBytes = 4 << 30

// ErrTooLarge is wrapped by errors about shapes whose size overflows or exceeds MaxBytes.
var ErrTooLarge = errors.New("tensor too large")

// Tensor is an array on the host. Data holds NumElements(Shape)*DType.Bytes() bytes in
// row-major order, little-endian. A Tensor is shared freely; whoever writes Data must be
// its only user.
type Tensor struct {
	DType dtype.DType
	Shape []int64
	Data  []byte
}

// NumElements is the product of the dimensions, 1 for a scalar. It reports negative
// dimensions and products beyond int64.
func NumElements(shape []int64) (int64, error) {
	n, zero := uint64(1), false
	for i, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %s: dimension %d is %d, expected zero or more", ShapeString(shape), i, d)
		}
		zero = zero || d == 0
	}
	if zero {
		return 0, nil
	}
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > 1<<63-1 {
			return 0, fmt.Errorf("shape %s: the number of elements overflows: %w", ShapeString(shape), ErrTooLarge)
		}
		n = lo
	}
	return int64(n), nil
}

// ByteSize is the number of bytes of a tensor of type dt and the given shape; it reports
// what NumElements does, the void type, and sizes beyond MaxBytes.
func ByteSize(dt dtype.DType, shape []int64) (int64, error) {
	if dt.IsVoid() || dt.Bytes() == 0 {
		return 0, fmt.Errorf("a tensor of element type %v has no size", dt)
	}
	n, err := NumElements(shape)
	if err != nil {
		return 0, err
	}
	if n > MaxBytes/int64(dt.Bytes()) {
		return 0, fmt.Errorf("a %v tensor of shape %s has more than the %d bytes allowed: %w", dt, ShapeString(shape), int64(MaxBytes), ErrTooLarge)
	}
	return n * int64(dt.Bytes()), nil
}

// New returns a zeroed tensor.
func New(dt dtype.DType, shape []int64) (*Tensor, error) {
	size, err := ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	return &Tensor{DType: dt, Shape: append([]int64{}, shape...), Data: make([]byte, size)}, nil
}

// MustNew is New for shapes known to be good; it panics on a bad one.
func MustNew(dt dtype.DType, shape ...int64) *Tensor {
	t, err := New(dt, shape)
	if err != nil {
		panic(err)
	}
	return t
}

// FromBytes wraps data, which the tensor then owns. Data that is not aligned for its
// element type (a slice of a file) is copied, so that View works.
func FromBytes(dt dtype.DType, shape []int64, data []byte) (*Tensor, error) {
	size, err := ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != size {
		return nil, fmt.Errorf("a %v tensor of shape %s takes %d bytes, got %d", dt, ShapeString(shape), size, len(data))
	}
	if a := uintptr(elemAlign(dt)); size > 0 && uintptr(unsafe.Pointer(&data[0]))%a != 0 {
		data = append(make([]byte, 0, size), data...)
	}
	return &Tensor{DType: dt, Shape: append([]int64{}, shape...), Data: data}, nil
}

func elemAlign(dt dtype.DType) int {
	switch b := dt.Elem().Bytes(); b {
	case 2, 4, 8:
		return b
	}
	return 1
}

// Len is the number of elements.
func (t *Tensor) Len() int {
	if b := t.DType.Bytes(); b > 0 {
		return len(t.Data) / b
	}
	return 0
}

// Clone returns a tensor with its own copy of the data.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{DType: t.DType, Shape: append([]int64{}, t.Shape...), Data: append(make([]byte, 0, len(t.Data)), t.Data...)}
}

// Reshape returns a tensor that shares t's data under another shape of as many elements.
func (t *Tensor) Reshape(shape []int64) (*Tensor, error) {
	size, err := ByteSize(t.DType, shape)
	if err != nil {
		return nil, err
	}
	if size != int64(len(t.Data)) {
		return nil, fmt.Errorf("cannot reshape %s to %s: the number of elements differs", ShapeString(t.Shape), ShapeString(shape))
	}
	return &Tensor{DType: t.DType, Shape: append([]int64{}, shape...), Data: t.Data}, nil
}

// String names the type and shape: float32[1, 3, 224, 224].
func (t *Tensor) String() string { return t.DType.String() + ShapeString(t.Shape) }

// ShapeString writes a shape as [1, 3, 224, 224]; beyond 16 dimensions it abbreviates.
func ShapeString(shape []int64) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 16 {
			fmt.Fprintf(&b, "... %d dimensions", len(shape))
			break
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	b.WriteByte(']')
	return b.String()
}
