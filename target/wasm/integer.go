package wasm

import (
	"math"
	"math/bits"

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
		return g.narrow(g.mulInt(t, a, b), d)
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
		return g.narrow(g.divide(op, a, b, t, wide, signed), d)
	}
	g.fail(what, "cannot compute %s", d)
	return nil
}

func (g *gen) mulInt(t intOps, a, b *node) *node {
	if !b.isConst() {
		a, b = b, a
	}
	if v := b.imm; b.isConst() && v > 1 && v&(v-1) == 0 && v < math.MaxInt32 {
		return g.op(t.shl, a, g.intLike(a, int64(bits.TrailingZeros64(v))))
	}
	return g.op(t.mul, a, b)
}

// intLike is a constant of the type of n.
func (g *gen) intLike(n *node, v int64) *node {
	if n.typ == wasmbin.I64 {
		return g.i64(v)
	}
	return g.i32(int32(v))
}

func constOf(n *node) (int64, bool) {
	switch n.op {
	case wasmbin.OpI32Const:
		return int64(int32(n.imm)), true
	case wasmbin.OpI64Const:
		return int64(n.imm), true
	}
	return 0, false
}

// divide translates the four divisions. Constant positive divisors, which index arithmetic is
// full of, need no division instruction; floor of a negative a is found from the bitwise
// complement: floor(a/c) = ~(~a / c).
func (g *gen) divide(op tir.BinaryOp, a, b *node, t intOps, wide, signed bool) *node {
	c, known := constOf(b)
	floor := op == tir.OpFloorDiv || op == tir.OpFloorMod
	rest := op == tir.OpMod || op == tir.OpFloorMod
	if known && c > 0 && (signed || a.nonneg) {
		return g.divideConst(a, c, t, wide, floor, rest)
	}
	if !signed {
		if rest {
			return g.op(t.remU, a, b)
		}
		return g.op(t.divU, a, b)
	}
	switch op {
	case tir.OpDiv:
		return g.op(t.divS, a, b)
	case tir.OpMod:
		return g.op(t.remS, a, b)
	}
	r := g.op(t.remS, a, b)
	zero := g.intLike(a, 0)
	// The remainder has the sign of a: correct it where that is not the sign of b.
	off := g.op(wasmbin.I32And, g.op(t.ne, r, zero), g.op(t.ltS, g.op(t.xor, r, b), zero))
	if rest {
		return g.pick(off, g.op(t.add, r, b), r)
	}
	if wide {
		off = g.op(wasmbin.I64ExtendI32U, off)
	}
	return g.op(t.sub, g.op(t.divS, a, b), off)
}

func (g *gen) divideConst(a *node, c int64, t intOps, wide, floor, rest bool) *node {
	if c&(c-1) == 0 && (floor || a.nonneg) {
		if rest {
			return g.op(t.and, a, g.intLike(a, c-1))
		}
		return g.op(t.shrS, a, g.intLike(a, int64(bits.TrailingZeros64(uint64(c)))))
	}
	width := int64(31)
	if wide {
		width = 63
	}
	var q *node
	switch {
	case a.nonneg:
		q = g.divideNonneg(a, c, t, wide)
	case floor:
		sign := g.op(t.shrS, a, g.intLike(a, width))
		q = g.op(t.xor, g.divideNonneg(g.op(t.xor, a, sign), c, t, wide), sign)
	default:
		q = g.op(t.divS, a, g.intLike(a, c))
	}
	if !rest {
		return q
	}
	r := g.op(t.sub, a, g.op(t.mul, q, g.intLike(a, c)))
	if r.op == t.sub {
		r.nonneg = r.nonneg || floor || a.nonneg
	}
	return r
}

// divideNonneg divides a number that is not negative by a positive constant. In 32 bits it
// multiplies by a rounded-up reciprocal: with 2^(l-1) < c <= 2^l the factor
// ceil(2^(31+l) / c) gives the exact quotient of every 31-bit number (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication", 1994, theorem 4.2).
func (g *gen) divideNonneg(a *node, c int64, t intOps, wide bool) *node {
	if wide || c > math.MaxInt32 {
		return g.op(t.divU, a, g.intLike(a, c))
	}
	if c&(c-1) == 0 {
		return g.op(t.shrU, a, g.intLike(a, int64(bits.TrailingZeros64(uint64(c)))))
	}
	shift := 31 + bits.Len64(uint64(c-1))
	factor := (uint64(1)<<shift + uint64(c) - 1) / uint64(c)
	wideA := g.op(wasmbin.I64ExtendI32U, a)
	q := g.op(wasmbin.I32WrapI64, g.op(wasmbin.I64ShrU, g.op(wasmbin.I64Mul, wideA, g.i64(int64(factor))), g.i64(int64(shift))))
	q.nonneg = true
	return q
}
