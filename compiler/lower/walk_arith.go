package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// binary translates an operation on two values of one type.
func (w *Walker) binary(e *tir.Binary) Value {
	what := KindName(e)
	if (e.Op == tir.OpAnd || e.Op == tir.OpOr) && e.DType().Lanes == 1 && MayFail(e.B) {
		// The first operand may say that the second can be computed.
		if e.Op == tir.OpAnd {
			return w.ifThenElse(e.A, e.B, tir.Bool(false), what)
		}
		return w.ifThenElse(e.A, tir.Bool(true), e.B, what)
	}
	if all := w.allLanes(e); all != nil {
		return One(dtype.BoolT, all)
	}
	if v, ok := w.acrossLanes(e); ok {
		return v
	}
	a, b := w.Expr(e.A), w.Expr(e.B)
	w.squares.watch(w, e.A, a)
	w.squares.watch(w, e.B, b)
	if a.DType.Elem() == b.DType.Elem() {
		a, b = w.spread(a, b.Lanes()), w.spread(b, a.Lanes())
	}
	if a.DType != b.DType {
		w.Fail(what, "operands have types %s and %s, expected the same type", a.DType, b.DType)
	}
	switch {
	case e.Op == tir.OpAnd || e.Op == tir.OpOr || a.DType.IsBool():
		return w.logic(e.Op, a, b, what)
	case e.Op.IsCompare():
		return w.Compare(e.Op, a, b, what)
	}
	return w.arith(e.Op, a, b, what)
}

// logic combines bools; comparisons of bools are among it.
func (w *Walker) logic(op tir.BinaryOp, a, b Value, what string) Value {
	if !a.DType.IsBool() {
		w.Fail(what, "operands of type %s, expected bool", a.DType)
	}
	fn := And
	switch op {
	case tir.OpAnd, tir.OpMin, tir.OpMul:
	case tir.OpOr, tir.OpMax, tir.OpAdd:
		fn = Or
	case tir.OpNE, tir.OpEQ:
		fn = Xor
	case tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE: // as the numbers 0 and 1
		u := dtype.Int32T.WithLanes(a.Lanes())
		return w.Compare(op, w.Cast(a, u, what), w.Cast(b, u, what), what)
	default:
		w.Fail(what, "arithmetic on %s is not supported", a.DType)
	}
	a, b = w.alike(a, b)
	out := w.bits(fn, a, b)
	if op == tir.OpEQ {
		return w.not(out)
	}
	return out
}

// bits computes an integer function of values in one form, or of the bits of their parts.
func (w *Walker) bits(fn Fn, args ...Value) Value {
	a := args[0]
	return Each(a.DType, a.Mask, len(a.Parts), func(i int) *Node {
		x := make([]*Node, len(args))
		for k := range args {
			x[k] = args[k].Parts[i]
		}
		if a.Packed() {
			return w.gen.PartBits(fn, x...)
		}
		return w.Fn(fn, x...)
	})
}

// not negates a bool.
func (w *Walker) not(a Value) Value { return w.bits(Eqz, a) }

// The comparisons of integers, in the order of tir.OpEQ to tir.OpGE.
var (
	signedCompares   = [6]Fn{Eq, Ne, LtS, LeS, GtS, GeS}
	unsignedCompares = [6]Fn{Eq, Ne, LtU, LeU, GtU, GeU}
)

// Compare translates EQ, NE, LT, LE, GT and GE.
func (w *Walker) Compare(op tir.BinaryOp, a, b Value, what string) Value {
	if SmallFloat(a.DType) {
		f := dtype.Float32T.WithLanes(a.Lanes())
		return w.Compare(op, w.Cast(a, f, what), w.Cast(b, f, what), what)
	}
	if a.Packed() && b.Packed() {
		if out, ok := w.gen.VectorBinary(op, a, b); ok {
			return out
		}
	}
	as, bs := w.Scalars(a), w.Scalars(b)
	return Each(dtype.BoolT.WithLanes(a.Lanes()), 0, len(as), func(i int) *Node {
		switch k := op - tir.OpEQ; {
		case a.DType.IsFloat():
			return w.gen.FloatBinary(op, as[i], bs[i], a.DType.Elem(), what)
		case a.DType.IsInt():
			return w.Fn(signedCompares[k], as[i], bs[i])
		default:
			return w.Fn(unsignedCompares[k], as[i], bs[i])
		}
	})
}

// arith translates Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min and Max.
func (w *Walker) arith(op tir.BinaryOp, a, b Value, what string) Value {
	d := a.DType.Elem()
	switch {
	case SmallFloat(d):
		return w.viaFloat(dtype.Float32T, a.DType, what, func(x ...Value) Value { return w.arith(op, x[0], x[1], what) }, a, b)
	case a.Packed() && b.Packed():
		if op == tir.OpMax && w.squares != nil && d.IsFloat() {
			return Each(a.DType, 0, len(a.Parts), func(i int) *Node { return w.Machine.MaxOfNumbers(a.Parts[i], b.Parts[i], d) })
		}
		if out, ok := w.gen.VectorBinary(op, a, b); ok {
			return out
		}
	}
	as, bs := w.Scalars(a), w.Scalars(b)
	xs := make([]*Node, len(as))
	for i := range xs {
		if d.IsFloat() {
			xs[i] = w.gen.FloatBinary(op, as[i], bs[i], d, what)
		} else {
			xs[i] = w.scalarInt(op, as[i], bs[i], d, what)
		}
	}
	return w.Pack(a.DType, xs)
}

// viaFloat computes on float16 or bfloat16 by way of a wider type, rounding the result to d.
func (w *Walker) viaFloat(wide, d dtype.DType, what string, f func(...Value) Value, args ...Value) Value {
	xs := make([]Value, len(args))
	for i, a := range args {
		xs[i] = w.Cast(a, wide.WithLanes(int(d.Lanes)), what)
	}
	return w.Cast(f(xs...), d, what)
}

// scalarInt computes with integers of type d.
func (w *Walker) scalarInt(op tir.BinaryOp, a, b *Node, d dtype.DType, what string) *Node {
	signed := !d.IsUInt()
	pick := func(s, u Fn) *Node {
		if signed {
			u = s
		}
		return w.Pick(w.Fn(u, a, b), a, b)
	}
	switch op {
	case tir.OpAdd:
		return w.narrow(w.Fn(Add, a, b), d)
	case tir.OpSub:
		return w.narrow(w.Fn(Sub, a, b), d)
	case tir.OpMul:
		return w.narrow(w.Mul(a, b), d)
	case tir.OpMin:
		return pick(LtS, LtU)
	case tir.OpMax:
		return pick(GtS, GtU)
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		return w.narrow(w.Divide(Division{
			Floor: op == tir.OpFloorDiv || op == tir.OpFloorMod, Rest: op == tir.OpMod || op == tir.OpFloorMod, Signed: signed,
		}, a, b), d)
	}
	w.Fail(what, "arithmetic on %s is not supported", d)
	return nil
}

// narrow brings the result of 32-bit arithmetic back to the range of an 8- or 16-bit integer, the form in which such values are kept.
func (w *Walker) narrow(n *Node, d dtype.DType) *Node {
	switch {
	case d.IsBool() || d.Bits >= 32:
		return n
	case d.Bits == 8 && d.IsInt():
		return w.Fn(Extend8S, n)
	case d.Bits == 16 && d.IsInt():
		return w.Fn(Extend16S, n)
	case d.Bits == 16:
		return w.Fn(And, n, w.Int(32, 0xffff))
	}
	return w.Fn(And, n, w.Int(32, 0xff))
}
