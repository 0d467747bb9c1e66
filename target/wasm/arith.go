package wasm

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// vectorArith is VectorBinary for what gives vectors of the same type.
func (g *gen) vectorArith(op tir.BinaryOp, a, b value) (value, bool) {
	t := vectorOps(a.DType)
	each := func(f func(x, y *node) *node) (value, bool) {
		return lower.Each(a.DType, 0, len(a.Parts), func(i int) *node { return f(a.Parts[i], b.Parts[i]) }), true
	}
	simple := func(w wasmbin.Op) (value, bool) {
		return each(func(x, y *node) *node { return g.op(w, x, y) })
	}
	switch op {
	case tir.OpAdd:
		return simple(t.add)
	case tir.OpSub:
		return simple(t.sub)
	case tir.OpMul:
		if t.mul != 0 {
			return simple(t.mul)
		}
		return each(g.mulBytes)
	case tir.OpMin, tir.OpMax:
		if t.min == 0 {
			return g.Select(g.Compare(tir.OpLT, a, b, "Min"), pickFirst(op, a, b), pickFirst(op, b, a)), true
		}
		w := t.min
		if op == tir.OpMax {
			w = t.max
		}
		if a.DType.IsFloat() {
			ne := wasmbin.F32x4Ne
			if a.DType.Bits == 64 {
				ne = wasmbin.F64x2Ne
			}
			return each(func(x, y *node) *node { return g.pseudoMinMax(w, ne, x, y) })
		}
		return simple(w)
	case tir.OpDiv:
		if t.div != 0 {
			return simple(t.div)
		}
	case tir.OpFloorDiv:
		if t.div != 0 {
			return each(func(x, y *node) *node { return g.op(t.floor, g.op(t.div, x, y)) })
		}
	}
	return value{}, false
}

func pickFirst(op tir.BinaryOp, a, b value) value {
	if op == tir.OpMin {
		return a
	}
	return b
}

// pseudoMinMax computes a minimum or maximum that is NaN where an operand is, by the
// instruction w: pmin(x, y) is y < x ? y : x, and pmax alike, so a NaN in x stays. One in y is
// put in by its comparison with itself, whose ones in all bits are a NaN. That is three machine
// instructions, where f32x4.min has eight on amd64 to order the zeros as well; of zeros with
// different signs the result may be either.
func (g *gen) pseudoMinMax(w, ne wasmbin.Op, x, y *node) *node {
	bits := 32
	if ne == wasmbin.F64x2Ne {
		bits = 64
	}
	if numbers(x, bits) {
		x, y = y, x
	}
	out := g.op(w, x, y)
	if numbers(y, bits) {
		return out
	}
	return g.op(wasmbin.V128Or, out, g.op(ne, y, y))
}

// numbers reports whether x is a constant vector of floats none of which is NaN.
func numbers(x *node, bits int) bool {
	if opOf(x) != wasmbin.OpV128Const {
		return false
	}
	for _, w := range []uint64{x.Imm, x.Hi} {
		if bits == 64 && math.IsNaN(math.Float64frombits(w)) {
			return false
		}
		if lo, hi := math.Float32frombits(uint32(w)), math.Float32frombits(uint32(w>>32)); bits == 32 && (lo != lo || hi != hi) {
			return false
		}
	}
	return true
}

// mulBytes multiplies bytes, which wasm lacks, by halves.
func (g *gen) mulBytes(x, y *node) *node {
	low := g.konst(wasmbin.OpV128Const, 0x00ff00ff00ff00ff, 0x00ff00ff00ff00ff)
	lo := g.op(wasmbin.V128And, g.op(wasmbin.I16x8ExtmulLowI8x16U, x, y), low)
	hi := g.op(wasmbin.V128And, g.op(wasmbin.I16x8ExtmulHighI8x16U, x, y), low)
	return g.op(wasmbin.I8x16NarrowI16x8U, lo, hi)
}

// vecOps are the arithmetic instructions on one kind of vector; 0 where there is none.
type vecOps struct{ add, sub, mul, div, min, max, floor wasmbin.Op }

func vectorOps(d dtype.DType) vecOps {
	signed := d.IsInt()
	pick := func(s, u wasmbin.Op) wasmbin.Op {
		if signed {
			return s
		}
		return u
	}
	switch {
	case d.IsFloat() && d.Bits == 32:
		return vecOps{wasmbin.F32x4Add, wasmbin.F32x4Sub, wasmbin.F32x4Mul, wasmbin.F32x4Div, wasmbin.F32x4Pmin, wasmbin.F32x4Pmax, wasmbin.F32x4Floor}
	case d.IsFloat():
		return vecOps{wasmbin.F64x2Add, wasmbin.F64x2Sub, wasmbin.F64x2Mul, wasmbin.F64x2Div, wasmbin.F64x2Pmin, wasmbin.F64x2Pmax, wasmbin.F64x2Floor}
	case d.Bits == 64:
		return vecOps{add: wasmbin.I64x2Add, sub: wasmbin.I64x2Sub, mul: wasmbin.I64x2Mul}
	case d.Bits == 32:
		return vecOps{add: wasmbin.I32x4Add, sub: wasmbin.I32x4Sub, mul: wasmbin.I32x4Mul, min: pick(wasmbin.I32x4MinS, wasmbin.I32x4MinU), max: pick(wasmbin.I32x4MaxS, wasmbin.I32x4MaxU)}
	case d.Bits == 16:
		return vecOps{add: wasmbin.I16x8Add, sub: wasmbin.I16x8Sub, mul: wasmbin.I16x8Mul, min: pick(wasmbin.I16x8MinS, wasmbin.I16x8MinU), max: pick(wasmbin.I16x8MaxS, wasmbin.I16x8MaxU)}
	}
	return vecOps{add: wasmbin.I8x16Add, sub: wasmbin.I8x16Sub, min: pick(wasmbin.I8x16MinS, wasmbin.I8x16MinU), max: pick(wasmbin.I8x16MaxS, wasmbin.I8x16MaxU)}
}

// FloatBinary computes or compares float32 or float64. Min and Max are NaN where an operand is.
func (g *gen) FloatBinary(op tir.BinaryOp, a, b *node, d dtype.DType, what string) *node {
	if op.IsCompare() {
		return g.op(floatCompare(d)[op-tir.OpEQ], a, b)
	}
	by := func(s, w wasmbin.Op) *node {
		if d.Bits == 32 {
			return g.op(s, a, b)
		}
		return g.op(w, a, b)
	}
	un := func(x *node, s, w wasmbin.Op) *node {
		if d.Bits == 32 {
			return g.op(s, x)
		}
		return g.op(w, x)
	}
	switch op {
	case tir.OpAdd:
		return by(wasmbin.F32Add, wasmbin.F64Add)
	case tir.OpSub:
		return by(wasmbin.F32Sub, wasmbin.F64Sub)
	case tir.OpMul:
		return by(wasmbin.F32Mul, wasmbin.F64Mul)
	case tir.OpDiv:
		return by(wasmbin.F32Div, wasmbin.F64Div)
	case tir.OpMin, tir.OpMax:
		if n := g.clampFloat(op, a, b, d); n != nil {
			return n
		}
		if op == tir.OpMin {
			return by(wasmbin.F32Min, wasmbin.F64Min)
		}
		return by(wasmbin.F32Max, wasmbin.F64Max)
	case tir.OpFloorDiv:
		return un(by(wasmbin.F32Div, wasmbin.F64Div), wasmbin.F32Floor, wasmbin.F64Floor)
	case tir.OpMod:
		return g.hostFloat("fmod", d, what, a, b)
	case tir.OpFloorMod:
		q := g.FloatBinary(tir.OpFloorDiv, a, b, d, what)
		return g.FloatBinary(tir.OpSub, a, g.FloatBinary(tir.OpMul, q, b, d, what), d, what)
	}
	g.Fail(what, "arithmetic on %s is not supported", d)
	return nil
}
