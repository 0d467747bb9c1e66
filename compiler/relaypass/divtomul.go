package relaypass

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// DivToMul multiplies by the inverse of a constant. After src/relay/transforms/div_to_mul.cc of TVM v0.18, which inverts the first element alone.
var DivToMul = &pass.Pass{
	Name: "relay.DivToMul", Kind: pass.Function, Required: []string{inferType, "relay.FoldConstant"},
	Doc: "Replaces a division by a constant of floats by a multiplication with its inverse. Not if an element is zero or its inverse too large or too small to be a normal number.",
	Run: rewriting("multiply by the inverse", func(s *site) relax.Expr {
		c := s.call(s.value, "relax.divide")
		if c == nil {
			return nil
		}
		k := s.constant(c.Args[1])
		if k == nil || !k.Data.DType().IsFloat() {
			return nil
		}
		inverse, ok := inverted(k.Data)
		if !ok {
			return s.declined("an element of the divisor has no inverse that is a normal number")
		}
		return op.Multiply(c.Args[0], &relax.Constant{Base: k.Base, Data: inverse})
	}),
}

// inverted holds the inverses of a tensor of floats.
func inverted(d *ir.Blob) (*ir.Blob, bool) {
	var out []byte
	smallest := 0.0 // positive number that is normal
	switch d.DType() {
	case dtype.Float32T:
		smallest = 0x1p-126
	case dtype.Float64T:
		smallest = 0x1p-1022
	default:
		return nil, false
	}
	for i := range d.NumElements() {
		v, ok := element(d, i)
		inverse := 1 / v
		if d.DType() == dtype.Float32T {
			inverse = float64(float32(inverse))
		}
		if normal := math.Abs(inverse) >= smallest && !math.IsInf(inverse, 0); !ok || !normal && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return nil, false
		}
		if d.DType() == dtype.Float32T {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(inverse)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(inverse))
		}
	}
	b, err := ir.NewBlob(d.DType(), d.Shape(), out)
	return b, err == nil
}
