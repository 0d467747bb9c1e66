package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// binary translates an operation on two values of one type.
func (g *gen) binary(e *tir.Binary) value {
	what := lower.KindName(e)
	if (e.Op == tir.OpAnd || e.Op == tir.OpOr) && e.DType().Lanes == 1 && lower.MayFail(e.B) {
		// The first operand may say that the second can be computed.
		if e.Op == tir.OpAnd {
			return g.ifThenElse(e.A, e.B, tir.Bool(false), what)
		}
		return g.ifThenElse(e.A, tir.Bool(true), e.B, what)
	}
	if all := g.allLanes(e); all != nil {
		return one(dtype.BoolT, all)
	}
	a, b := g.expr(e.A), g.expr(e.B)
	if a.dt != b.dt {
		switch {
		case a.dt.Elem() == b.dt.Elem() && a.lanes() == 1:
			a = g.splat(b.dt, a.scalar())
		case a.dt.Elem() == b.dt.Elem() && b.lanes() == 1:
			b = g.splat(a.dt, b.scalar())
		default:
			g.fail(what, "operands have types %s and %s, expected the same type", a.dt, b.dt)
		}
	}
	switch {
	case e.Op == tir.OpAnd || e.Op == tir.OpOr || a.dt.IsBool():
		return g.logic(e.Op, a, b, what)
	case e.Op.IsCompare():
		return g.compare(e.Op, a, b, what)
	}
	return g.arith(e.Op, a, b, what)
}

// logic combines bools; comparisons of bools are among it.
func (g *gen) logic(o tir.BinaryOp, a, b value, what string) value {
	if !a.dt.IsBool() {
		g.fail(what, "operands of type %s, expected bool", a.dt)
	}
	scalar, vector, flip := lower.And, pVAnd, false
	switch o {
	case tir.OpAnd, tir.OpMin, tir.OpMul:
	case tir.OpOr, tir.OpMax, tir.OpAdd:
		scalar, vector = lower.Or, pVOr
	case tir.OpNE:
		scalar, vector = lower.Xor, pVXor
	case tir.OpEQ:
		scalar, vector, flip = lower.Xor, pVXor, true
	case tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE: // as the numbers 0 and 1
		u := dtype.Int32T.WithLanes(int(a.dt.Lanes))
		return g.compare(o, g.cast(a, u, what), g.cast(b, u, what), what)
	default:
		g.fail(what, "arithmetic on %s is not supported", a.dt)
	}
	a, b = g.alike(a, b)
	out := each(a.dt, a.mask, a.packed, len(a.parts), func(i int) *node {
		if a.packed {
			return g.vop(vector, 0, a.parts[i], b.parts[i])
		}
		return g.fn(scalar, a.parts[i], b.parts[i])
	})
	if flip {
		return g.not(out)
	}
	return out
}

// not negates a bool.
func (g *gen) not(a value) value {
	return each(a.dt, a.mask, a.packed, len(a.parts), func(i int) *node {
		if a.packed {
			return g.vnot(a.parts[i])
		}
		return g.fn(lower.Eqz, a.parts[i])
	})
}

func (g *gen) vnot(x *node) *node {
	return g.vop(pVXor, 0, x, g.splatConst(^uint64(0), 8, widthOfNode(x)))
}

// arith translates Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min and Max.
func (g *gen) arith(o tir.BinaryOp, a, b value, what string) value {
	d := a.dt.Elem()
	switch {
	case smallFloat(d):
		return g.viaFloat32(a.dt, what, func(x ...value) value { return g.arith(o, x[0], x[1], what) }, a, b)
	case a.packed && b.packed:
		if out, ok := g.vectorArith(o, a, b); ok {
			return out
		}
	}
	as, bs := g.scalars(a), g.scalars(b)
	xs := make([]*node, len(as))
	for i := range xs {
		if d.IsFloat() {
			xs[i] = g.scalarFloat(o, as[i], bs[i], d, what)
		} else {
			xs[i] = g.scalarInt(o, as[i], bs[i], d, what)
		}
	}
	if a.lanes() == 1 {
		return one(a.dt, xs[0])
	}
	return g.pack(a.dt, xs)
}

// viaFloat32 computes on float16 or bfloat16 by way of float32, rounding the result.
func (g *gen) viaFloat32(dt dtype.DType, what string, f func(...value) value, args ...value) value {
	wide := dtype.Float32T.WithLanes(int(dt.Lanes))
	xs := make([]value, len(args))
	for i, a := range args {
		xs[i] = g.cast(a, wide, what)
	}
	return g.cast(f(xs...), dt, what)
}

// scalarInt computes with integers of type d.
func (g *gen) scalarInt(o tir.BinaryOp, a, b *node, d dtype.DType, what string) *node {
	signed := !d.IsUInt()
	pick := func(s, u lower.Fn) *node {
		if signed {
			u = s
		}
		return g.fn(lower.Select, a, b, g.fn(u, a, b))
	}
	switch o {
	case tir.OpAdd:
		return g.narrow(g.fn(lower.Add, a, b), d)
	case tir.OpSub:
		return g.narrow(g.fn(lower.Sub, a, b), d)
	case tir.OpMul:
		return g.narrow(g.Mul(a, b), d)
	case tir.OpMin:
		return pick(lower.LtS, lower.LtU)
	case tir.OpMax:
		return pick(lower.GtS, lower.GtU)
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		return g.narrow(g.Divide(lower.Division{
			Floor: o == tir.OpFloorDiv || o == tir.OpFloorMod, Rest: o == tir.OpMod || o == tir.OpFloorMod, Signed: signed,
		}, a, b), d)
	}
	g.fail(what, "arithmetic on %s is not supported", d)
	return nil
}

// narrow brings the result of 32-bit arithmetic back to the range of an 8- or 16-bit type, the form in which such values are kept.
func (g *gen) narrow(n *node, d dtype.DType) *node {
	switch {
	case d.IsBool() || d.Bits >= 32:
		return n
	case d.Bits == 8 && d.IsInt():
		return g.conv(lower.Extend8S, n)
	case d.Bits == 16 && d.IsInt():
		return g.conv(lower.Extend16S, n)
	case d.Bits == 16:
		return g.fn(lower.And, n, g.i32(0xffff))
	}
	return g.fn(lower.And, n, g.i32(0xff))
}

// floatOps are the instructions of float32 and float64: scalar, and on vectors.
var floatOps = map[tir.BinaryOp][4]asm.Op{
	tir.OpAdd: {asm.VADDSS, asm.VADDPS, asm.VADDSD, asm.VADDPD},
	tir.OpSub: {asm.VSUBSS, asm.VSUBPS, asm.VSUBSD, asm.VSUBPD},
	tir.OpMul: {asm.VMULSS, asm.VMULPS, asm.VMULSD, asm.VMULPD},
	tir.OpDiv: {asm.VDIVSS, asm.VDIVPS, asm.VDIVSD, asm.VDIVPD},
	tir.OpMin: {asm.VMINSS, asm.VMINPS, asm.VMINSD, asm.VMINPD},
	tir.OpMax: {asm.VMAXSS, asm.VMAXPS, asm.VMAXSD, asm.VMAXPD},
}

// floatForm is the column of tables of instructions on floats.
func floatForm(d dtype.DType, packed bool) int {
	form := 0
	if d.Bits == 64 {
		form = 2
	}
	if packed {
		form++
	}
	return form
}

// floatIns is an instruction on floats of type d, on scalars or on vectors.
func (g *gen) floatIns(ops [4]asm.Op, d dtype.DType, packed bool, args ...*node) *node {
	o := ops[floatForm(d, packed)]
	if packed {
		return g.vins(o, args...)
	}
	return g.ins(o, args...)
}

// scalarFloat computes with float32 or float64. Min and Max are NaN where an operand is.
func (g *gen) scalarFloat(o tir.BinaryOp, a, b *node, d dtype.DType, what string) *node {
	switch o {
	case tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv:
		return g.floatIns(floatOps[o], d, false, a, b)
	case tir.OpMin, tir.OpMax:
		return g.floatMinMax(o, a, b, d, false)
	case tir.OpFloorDiv, tir.OpFloorMod:
		// The interpreter computes in float64 and rounds at the end.
		if d.Bits == 32 {
			a, b = g.ins(asm.VCVTSS2SD, a, a), g.ins(asm.VCVTSS2SD, b, b)
		}
		x := g.imm(pRound64, roundDown, g.ins(asm.VDIVSD, a, b))
		if o == tir.OpFloorMod {
			x = g.ins(asm.VSUBSD, a, g.ins(asm.VMULSD, x, b))
		}
		if d.Bits == 32 {
			x = g.ins(asm.VCVTSD2SS, x, x)
		}
		return x
	}
	if o == tir.OpMod {
		return g.hostFloat("fmod", []*node{a, b}, d, what)
	}
	g.fail(what, "there is no instruction for %s of %s", o, d)
	return nil
}

// vectorArith is arith where there are instructions on vectors.
func (g *gen) vectorArith(o tir.BinaryOp, a, b value) (value, bool) {
	d := a.dt.Elem()
	by := func(f func(x, y *node) *node) (value, bool) {
		return each(a.dt, 0, true, len(a.parts), func(i int) *node { return f(a.parts[i], b.parts[i]) }), true
	}
	simple := func(o asm.Op) (value, bool) {
		return by(func(x, y *node) *node { return g.vins(o, x, y) })
	}
	if d.IsFloat() {
		switch o {
		case tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv:
			return by(func(x, y *node) *node { return g.floatIns(floatOps[o], d, true, x, y) })
		case tir.OpMin, tir.OpMax:
			return by(func(x, y *node) *node { return g.floatMinMax(o, x, y, d, true) })
		}
		return value{}, false
	}
	wide, signed := d.Bits == 64, d.IsInt()
	switch {
	case o == tir.OpAdd && wide:
		return simple(asm.VPADDQ)
	case o == tir.OpAdd:
		return simple(asm.VPADDD)
	case o == tir.OpSub && wide:
		return simple(asm.VPSUBQ)
	case o == tir.OpSub:
		return simple(asm.VPSUBD)
	case o == tir.OpMul && wide:
		return by(g.mulWide)
	case o == tir.OpMul:
		return simple(asm.VPMULLD)
	case (o == tir.OpMin || o == tir.OpMax) && wide:
		return g.selectValue(g.compare(tir.OpLT, a, b, "Min"), pickFirst(o, a, b), pickFirst(o, b, a)), true
	case o == tir.OpMin && signed:
		return simple(asm.VPMINSD)
	case o == tir.OpMin:
		return simple(asm.VPMINUD)
	case o == tir.OpMax && signed:
		return simple(asm.VPMAXSD)
	case o == tir.OpMax:
		return simple(asm.VPMAXUD)
	}
	return value{}, false
}

func pickFirst(o tir.BinaryOp, a, b value) value {
	if o == tir.OpMin {
		return a
	}
	return b
}

// mulWide multiplies lanes of 64 bits by their halves.
func (g *gen) mulWide(x, y *node) *node {
	high := func(v *node) *node { return g.imm(vec(op(asm.VPSRLQ), widthOfNode(v)), 32, v) }
	cross := g.vins(asm.VPADDQ, g.vins(asm.VPMULUDQ, high(x), y), g.vins(asm.VPMULUDQ, x, high(y)))
	return g.vins(asm.VPADDQ, g.vins(asm.VPMULUDQ, x, y), g.imm(vec(op(asm.VPSLLQ), widthOfNode(x)), 32, cross))
}
