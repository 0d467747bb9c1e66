package onnx

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
	host "github.com/irscope/irscope/runtime/tensor"
)

// as is x as type d. A constant of a type that only a byte or less holds, for which machines have no instructions, is read during the import: integers as
// those of 8 bits, floats as float32.
func (n *node) as(x relax.Expr, d dtype.DType) relax.Expr {
	if c, ok := x.(*relax.Constant); ok && c.Data.DType() != d {
		x = n.readable(c)
	}
	if t, ok := relax.SInfoOf(x).(*relax.TensorStructInfo); ok && t.DType == d {
		return x
	}
	return n.emit("relax.astype", args(x), "dtype", d)
}

// readable is a constant in a type that machines compute with.
func (n *node) readable(c *relax.Constant) relax.Expr {
	from := c.Data.DType()
	shape, elem := c.Data.Shape(), func(raw []byte) []byte { return raw }
	to := dtype.Int8T
	switch {
	case from.IsInteger() && from.Bits < 8:
		if from.IsUInt() {
			to = dtype.UInt8T
		}
	case from.IsFloat() && from.Bits <= 8:
		to = dtype.Float32T
		table := map[byte][]byte{}
		elem = func(raw []byte) []byte {
			if table[raw[0]] == nil {
				table[raw[0]] = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32((&host.Tensor{DType: from, Data: raw}).Float(0))))
			}
			return table[raw[0]]
		}
	default:
		return c
	}
	var b *ir.Blob
	var err error
	if c.Data.IsSplat() {
		b, err = ir.NewSplat(to, shape, elem(c.Data.Elem(0)))
	} else {
		data := make([]byte, 0, c.Data.NumElements()*int64(to.Bytes()))
		for i := range c.Data.NumElements() {
			data = append(data, elem(c.Data.Elem(i))...)
		}
		b, err = ir.NewBlob(to, shape, data)
	}
	n.check(err)
	return &relax.Constant{Base: c.Base, Data: b}
}
