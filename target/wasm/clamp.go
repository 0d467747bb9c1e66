package wasm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// clampFloat computes the minimum or maximum of x and a constant by a comparison and a select,
// which leave a NaN as it is: f32.min and its kin have eight machine instructions on amd64 to
// order zeros as well. nil where neither operand is a constant other than zero and NaN.
func (g *gen) clampFloat(op tir.BinaryOp, x, c *node, d dtype.DType) *node {
	if x.IsConst() {
		x, c = c, x
	}
	var v float64
	switch opOf(c) {
	case wasmbin.OpF32Const:
		v = float64(math.Float32frombits(uint32(c.Imm)))
	case wasmbin.OpF64Const:
		v = math.Float64frombits(c.Imm)
	}
	if v == 0 || v != v {
		return nil
	}
	beyond := pickOp(d.Bits == 32, wasmbin.F32Gt, wasmbin.F64Gt)
	if op == tir.OpMax {
		beyond = pickOp(d.Bits == 32, wasmbin.F32Lt, wasmbin.F64Lt)
	}
	return g.Pick(g.op(beyond, x, c), c, x)
}
