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
	from, data, to := c.Data.DType(), c.Data.Stored(), dtype.Int8T
	switch {
	case from.IsInteger() && from.Bits < 8: // each has a byte
		if from.IsUInt() {
			to = dtype.UInt8T
		}
	case from.IsFloat() && from.Bits <= 8:
		to = dtype.Float32T
		var numbers [256][]byte
		wide := make([]byte, 0, len(data)*to.Bytes())
		for _, b := range data {
			if numbers[b] == nil {
				numbers[b] = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32((&host.Tensor{DType: from, Data: []byte{b}}).Float(0))))
			}
			wide = append(wide, numbers[b]...)
		}
		data = wide
	default:
		return c
	}
	of := ir.NewBlob
	if c.Data.IsSplat() {
		of = ir.NewSplat
	}
	b, err := of(to, c.Data.Shape(), data)
	n.check(err)
	return &relax.Constant{Base: c.Base, Data: b}
}
