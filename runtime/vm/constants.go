package vm

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Int is the argument for an integer: an immediate where 56 bits suffice, else a constant.
func (b *Builder) Int(v int64) Arg {
	if v >= -maxImm && v <= maxImm {
		return makeArg(ArgImm, v)
	}
	return b.constant(Const{Kind: ConstInt, Int: v}, binary.LittleEndian.AppendUint64(nil, uint64(v)))
}

// Float is the argument for a floating-point constant.
func (b *Builder) Float(v float64) Arg {
	return b.constant(Const{Kind: ConstFloat, Float: v}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
}

// String is the argument for a string constant.
func (b *Builder) String(s string) Arg {
	return b.constant(Const{Kind: ConstString, Str: s}, []byte(s))
}

// DType is the argument for an element type.
func (b *Builder) DType(d dtype.DType) Arg {
	return b.constant(Const{Kind: ConstDType, DType: d}, []byte(d.String()))
}

// Shape is the argument for a shape constant.
func (b *Builder) Shape(dims []int64) Arg {
	return b.constant(Const{Kind: ConstShape, Shape: slices.Clone(dims)}, shapeBytes(nil, dims))
}

// Tensor is the argument for a tensor constant. Its data is shared and must not change.
func (b *Builder) Tensor(t *tensor.Tensor) Arg {
	return b.constant(Const{Kind: ConstTensor, Tensor: t}, shapeBytes([]byte(t.DType.String()), t.Shape))
}

// Splat is the argument for a tensor constant of the given shape whose elements all have
// the bytes of elem: it takes no room in the executable.
func (b *Builder) Splat(dt dtype.DType, shape []int64, elem []byte) Arg {
	t := &tensor.Tensor{DType: dt, Shape: slices.Clone(shape), Data: slices.Clone(elem)}
	return b.constant(Const{Kind: ConstSplat, Tensor: t}, shapeBytes([]byte(dt.String()), shape))
}

func shapeBytes(b []byte, dims []int64) []byte {
	for _, d := range dims {
		b = binary.LittleEndian.AppendUint64(b, uint64(d))
	}
	return b
}

// constant adds c, or finds an equal one. head distinguishes it together with its kind
// and the data of its tensor.
func (b *Builder) constant(c Const, head []byte) Arg {
	if err := c.validate(); err != nil {
		b.fail("constant: %w", err)
		return Void()
	}
	var h maphash.Hash
	h.SetSeed(b.seed)
	h.WriteByte(byte(c.Kind))
	h.Write(head)
	if c.Tensor != nil {
		h.Write(c.Tensor.Data)
	}
	sum := h.Sum64()
	for _, i := range b.consts[sum] {
		if b.exec.Consts[i].equal(c) {
			return makeArg(ArgConst, i)
		}
	}
	i := int64(len(b.exec.Consts))
	b.exec.Consts = append(b.exec.Consts, c)
	b.consts[sum] = append(b.consts[sum], i)
	return makeArg(ArgConst, i)
}

func (c Const) equal(d Const) bool {
	if c.Kind != d.Kind || c.Int != d.Int || math.Float64bits(c.Float) != math.Float64bits(d.Float) ||
		c.Str != d.Str || c.DType != d.DType || !slices.Equal(c.Shape, d.Shape) || (c.Tensor == nil) != (d.Tensor == nil) {
		return false
	}
	x, y := c.Tensor, d.Tensor
	return x == y || x.DType == y.DType && slices.Equal(x.Shape, y.Shape) && bytes.Equal(x.Data, y.Data)
}
