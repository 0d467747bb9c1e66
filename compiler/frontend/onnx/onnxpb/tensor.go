package onnxpb

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Tensor is a TensorProto. Its elements are in Data as raw_data would hold them, whatever
// field they came in: little-endian, row-major, types under a byte packed from the low
// bits up. String tensors have Strings instead.
type Tensor struct {
	Name      string
	DocString string
	Type      DataType
	Dims      []int64
	Data      []byte   // aliases the file where that has raw_data
	Strings   [][]byte // alias the file
	Pos       int
}

// Elements is the number of elements of t. The reader has checked that it fits.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// bytesFor is the length of raw_data for n elements of type t.
func bytesFor(t DataType, n int64) int64 { return (n*int64(t.Bits()) + 7) / 8 }

// Unpacked returns the elements of a type under a byte one to a byte, signed ones
// sign-extended; for all other types it returns Data itself.
func (t *Tensor) Unpacked() []byte {
	bits := t.Type.Bits()
	if bits == 0 || bits >= 8 {
		return t.Data
	}
	per := 8 / bits
	signed := t.Type == Int4 || t.Type == Int2
	var elements [256][]byte // of each byte
	for b := range elements {
		for i := range per {
			v := byte(b) >> (bits * i) & (1<<bits - 1)
			if signed && v>>(bits-1) != 0 {
				v |= 0xff << bits
			}
			elements[b] = append(elements[b], v)
		}
	}
	out := make([]byte, 0, len(t.Data)*per)
	for _, b := range t.Data {
		out = append(out, elements[b]...)
	}
	return out[:t.Elements()]
}

// Ints returns the elements of an integer or bool tensor.
func (t *Tensor) Ints() ([]int64, error) {
	data := t.Unpacked()
	out := make([]int64, t.Elements())
	le := binary.LittleEndian
	for i := range out {
		switch t.Type {
		case Int8, Int4, Int2:
			out[i] = int64(int8(data[i]))
		case Uint8, Uint4, Uint2:
			out[i] = int64(data[i])
		case Bool:
			if data[i] != 0 {
				out[i] = 1
			}
		case Int16:
			out[i] = int64(int16(le.Uint16(data[2*i:])))
		case Uint16:
			out[i] = int64(le.Uint16(data[2*i:]))
		case Int32:
			out[i] = int64(int32(le.Uint32(data[4*i:])))
		case Uint32:
			out[i] = int64(le.Uint32(data[4*i:]))
		case Int64:
			out[i] = int64(le.Uint64(data[8*i:]))
		case Uint64:
			v := le.Uint64(data[8*i:])
			if v > math.MaxInt64 {
				return nil, fmt.Errorf("element %d is %d, beyond the range of int64", i, v)
			}
			out[i] = int64(v)
		default:
			return nil, fmt.Errorf("elements are %v, expected integers", t.Type)
		}
	}
	return out, nil
}

// Floats returns the elements of a float32 or float64 tensor as float64.
func (t *Tensor) Floats() ([]float64, error) {
	out := make([]float64, t.Elements())
	for i := range out {
		switch t.Type {
		case Float:
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
		case Double:
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
		default:
			return nil, fmt.Errorf("elements are %v, expected float32 or float64", t.Type)
		}
	}
	return out, nil
}

// elements multiplies the dimensions of a tensor; it refuses negative ones and products
// beyond the limit. A zero anywhere makes the product zero, but not an overflow legal.
func (d *decoder) elements(t *Tensor, pos int) (int64, *Error) {
	n, zero := int64(1), false
	for i, dim := range t.Dims {
		switch {
		case dim < 0:
			return 0, errAt(pos, "dims[%d] is %d, expected a size of 0 or more", i, dim)
		case dim == 0:
			zero = true
		case dim > d.lim.Elements/n:
			return 0, limitAt(pos, "dims %v make more than %d elements", t.Dims, d.lim.Elements)
		default:
			n *= dim
		}
	}
	if zero {
		return 0, nil
	}
	return n, nil
}
