package interp

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
)

// fieldKind returns the constant field of a tvm_struct_get or tvm_struct_set.
func (c *compiler) fieldKind(e *tir.Call) abi.StructField {
	n, ok := tir.AsInt(e.Args[2])
	if !ok || n < 0 || n >= int64(abi.KTVMValueKindBound) {
		c.fail("%s names an unknown field", e.Op.CalleeName())
	}
	return abi.StructField(n)
}

func (c *compiler) structGet(e *tir.Call) value {
	base, index, kind := c.int(e.Args[0]), c.int(e.Args[1]), c.fieldKind(e)
	if kind < abi.KArrKindBound {
		return value{i: func(fr *frame) int64 {
			h := base(fr) + index(fr)*dlTensorSize
			dl := fr.m.dlAt(h)
			if dl == nil {
				fr.fail("reads %s of something that is not a DLTensor", kind)
			}
			if kind == abi.KArrShape && dl.shape == 0 && dl.tensorShape != nil {
				dl.shape = fr.m.add(&region{data: int64Bytes(dl.tensorShape)})
			}
			return dl.get(kind, h)
		}}
	}
	off, width, ok := kind.Offset(abi.PtrBits)
	if !ok {
		c.fail("reads unknown field %s", kind)
	}
	read := func(fr *frame) []byte {
		return fr.m.bytesAt(fr, base(fr)+index(fr)*cellSize+int64(off), int64(width), "a packed argument")
	}
	if e.Type.IsFloat() {
		return value{f: func(fr *frame) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(read(fr)))
		}}
	}
	d := e.Type.Elem()
	return value{i: func(fr *frame) int64 {
		b := read(fr)
		if len(b) == 4 {
			return int64(int32(binary.LittleEndian.Uint32(b)))
		}
		return wrap(d, int64(binary.LittleEndian.Uint64(b)))
	}}
}

func int64Bytes(xs []int64) []byte {
	out := make([]byte, 8*max(1, len(xs)))
	for k, x := range xs {
		binary.LittleEndian.PutUint64(out[8*k:], uint64(x))
	}
	return out
}

func (dl *dlTensor) get(kind abi.StructField, self int64) int64 {
	switch kind {
	case abi.KArrAddr:
		return self
	case abi.KArrData:
		return dl.data
	case abi.KArrShape:
		return dl.shape
	case abi.KArrStrides:
		return dl.strides
	case abi.KArrNDim:
		return dl.ndim
	case abi.KArrTypeCode:
		return int64(dl.dtype.Code)
	case abi.KArrTypeBits:
		return int64(dl.dtype.Bits)
	case abi.KArrTypeLanes:
		return int64(dl.dtype.Lanes)
	case abi.KArrByteOffset:
		return dl.byteOffset
	case abi.KArrDeviceID:
		return dl.deviceID
	}
	return dl.deviceType
}

func (c *compiler) structSet(e *tir.Call) value {
	base, index, kind, v := c.int(e.Args[0]), c.int(e.Args[1]), c.fieldKind(e), c.expr(e.Args[3])
	if kind < abi.KArrKindBound {
		if v.i == nil {
			c.fail("writes a float to %s", kind)
		}
		return value{i: func(fr *frame) int64 {
			dl := fr.m.dlAt(base(fr) + index(fr)*dlTensorSize)
			if dl == nil {
				fr.fail("writes %s of something that is not a DLTensor", kind)
			}
			dl.set(kind, v.i(fr))
			return 0
		}}
	}
	off, width, ok := kind.Offset(abi.PtrBits)
	if !ok {
		c.fail("writes unknown field %s", kind)
	}
	return value{i: func(fr *frame) int64 {
		b := fr.m.bytesAt(fr, base(fr)+index(fr)*cellSize+int64(off), int64(width), "a packed value")
		bits := uint64(0)
		if v.f != nil {
			bits = math.Float64bits(v.f(fr))
		} else {
			bits = uint64(v.i(fr))
		}
		if width == 4 {
			binary.LittleEndian.PutUint32(b, uint32(bits))
		} else {
			binary.LittleEndian.PutUint64(b, bits)
		}
		return 0
	}}
}

func (dl *dlTensor) set(kind abi.StructField, v int64) {
	switch kind {
	case abi.KArrData:
		dl.data = v
	case abi.KArrShape:
		dl.shape, dl.tensorShape = v, nil
	case abi.KArrStrides:
		dl.strides = v
	case abi.KArrNDim:
		dl.ndim = v
	case abi.KArrTypeCode:
		dl.dtype.Code = dtype.Code(v)
	case abi.KArrTypeBits:
		dl.dtype.Bits = uint8(v)
	case abi.KArrTypeLanes:
		dl.dtype.Lanes = uint16(v)
	case abi.KArrByteOffset:
		dl.byteOffset = v
	case abi.KArrDeviceID:
		dl.deviceID = v
	case abi.KArrDeviceType:
		dl.deviceType = v
	}
}

func (c *compiler) stackAlloca(e *tir.Call) value {
	kind, _ := e.Args[0].(*tir.StringImm)
	n := c.int(e.Args[1])
	if kind == nil {
		c.fail("tvm_stack_alloca needs a kind of struct")
	}
	switch kind.Value {
	case "array":
		return value{i: func(fr *frame) int64 {
			return fr.m.add(&region{dls: make([]dlTensor, max(1, min(n(fr), 1<<20)))})
		}}
	case "shape":
		return value{i: func(fr *frame) int64 { return fr.m.alloc(fr, 8*n(fr)) }}
	}
	return value{i: func(fr *frame) int64 { return fr.m.alloc(fr, cellSize*n(fr)) }}
}

func (c *compiler) makeShape(e *tir.Call) value {
	dims := c.ints(e.Args)
	return value{i: func(fr *frame) int64 {
		xs := make([]int64, len(dims))
		for k, d := range dims {
			xs[k] = d(fr)
		}
		return fr.m.add(&region{data: int64Bytes(xs)})
	}}
}

// makeArray compiles tvm_stack_make_array(data, shape, strides, ndim, a value of the
// element type, element offset).
func (c *compiler) makeArray(e *tir.Call) value {
	data, shape, strides, ndim, off := c.int(e.Args[0]), c.int(e.Args[1]), c.int(e.Args[2]), c.int(e.Args[3]), c.int(e.Args[5])
	d := e.Args[4].DType()
	return value{i: func(fr *frame) int64 {
		return fr.m.add(&region{dls: []dlTensor{{
			data: data(fr), shape: shape(fr), strides: strides(fr), ndim: ndim(fr), dtype: d,
			byteOffset: off(fr) * int64(d.Bytes()), deviceType: 1,
		}}})
	}}
}
