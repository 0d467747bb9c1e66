package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// narrow brings the result of 32-bit arithmetic back to the range of an 8- or 16-bit type,
// the form in which such values are kept.
func (g *gen) narrow(n *node, d dtype.DType) *node {
	switch {
	case d.IsBool() || d.Bits >= 32:
		return n
	case d.Bits == 8 && d.IsInt():
		return g.op(wasmbin.I32Extend8S, n)
	case d.Bits == 16 && d.IsInt():
		return g.op(wasmbin.I32Extend16S, n)
	case d.Bits == 16:
		return g.op(wasmbin.I32And, n, g.i32(0xffff))
	}
	return g.op(wasmbin.I32And, n, g.i32(0xff))
}

// intOps are the instructions on integers of one width.
type intOps struct {
	add, sub, mul, divS, divU, remS, remU, and, or, xor, shl, shrS, shrU, ltS, ltU, gtS, gtU, ne wasmbin.Op
}

func intOpsOf(wide bool) intOps {
	if wide {
		return intOps{wasmbin.I64Add, wasmbin.I64Sub, wasmbin.I64Mul, wasmbin.I64DivS, wasmbin.I64DivU, wasmbin.I64RemS, wasmbin.I64RemU, wasmbin.I64And, wasmbin.I64Or, wasmbin.I64Xor, wasmbin.I64Shl, wasmbin.I64ShrS, wasmbin.I64ShrU, wasmbin.I64LtS, wasmbin.I64LtU, wasmbin.I64GtS, wasmbin.I64GtU, wasmbin.I64Ne}
	}
	return intOps{wasmbin.I32Add, wasmbin.I32Sub, wasmbin.I32Mul, wasmbin.I32DivS, wasmbin.I32DivU, wasmbin.I32RemS, wasmbin.I32RemU, wasmbin.I32And, wasmbin.I32Or, wasmbin.I32Xor, wasmbin.I32Shl, wasmbin.I32ShrS, wasmbin.I32ShrU, wasmbin.I32LtS, wasmbin.I32LtU, wasmbin.I32GtS, wasmbin.I32GtU, wasmbin.I32Ne}
}

// scalarInt computes with integers of type d.
func (g *gen) scalarInt(op tir.BinaryOp, a, b *node, d dtype.DType, what string) *node {
	wide := g.valType(d, what) == wasmbin.I64
	t := intOpsOf(wide)
	signed := !d.IsUInt()
	switch op {
	case tir.OpAdd:
		return g.narrow(g.op(t.add, a, b), d)
	case tir.OpSub:
		return g.narrow(g.op(t.sub, a, b), d)
	case tir.OpMul:
		return g.narrow(g.Mul(a, b), d)
	case tir.OpMin:
		if signed {
			return g.pick(g.op(t.ltS, a, b), a, b)
		}
		return g.pick(g.op(t.ltU, a, b), a, b)
	case tir.OpMax:
		if signed {
			return g.pick(g.op(t.gtS, a, b), a, b)
		}
		return g.pick(g.op(t.gtU, a, b), a, b)
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		return g.narrow(g.Divide(lower.Division{
			Floor: op == tir.OpFloorDiv || op == tir.OpFloorMod, Rest: op == tir.OpMod || op == tir.OpFloorMod, Signed: signed,
		}, a, b), d)
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return nil
}
