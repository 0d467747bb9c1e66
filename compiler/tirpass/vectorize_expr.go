package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// widen gives e the given number of lanes.
func widen(e tir.Expr, lanes int) tir.Expr {
	have := int(e.DType().Lanes)
	if have == lanes {
		return e
	}
	if have == 1 {
		return &tir.Broadcast{Value: e, Lanes: lanes}
	}
	return &tir.Broadcast{Value: e, Lanes: lanes / have}
}

func (v *vectorizer) pair(a, b tir.Expr) (tir.Expr, tir.Expr) {
	lanes := max(int(a.DType().Lanes), int(b.DType().Lanes))
	return widen(a, lanes), widen(b, lanes)
}

func (v *vectorizer) expr(e tir.Expr) tir.Expr {
	if v.scalar {
		return e
	}
	switch e := e.(type) {
	case *tir.Var:
		if e == v.loop {
			return v.ramp
		}
		if x := v.lets[e]; x != nil {
			return x
		}
		return e
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm:
		return e
	case *tir.Binary:
		return v.binary(e)
	case *tir.Cast:
		x := v.expr(e.Value)
		if x == e.Value {
			return e
		}
		return v.cast(e.Type.WithLanes(int(x.DType().Lanes)), x)
	case *tir.Not:
		if x := v.expr(e.A); x != e.A {
			return &tir.Not{Base: e.Base, A: x}
		}
		return e
	case *tir.Select:
		c, t, f := v.expr(e.Cond), v.expr(e.True), v.expr(e.False)
		if c == e.Cond && t == e.True && f == e.False {
			return e
		}
		lanes := max(int(c.DType().Lanes), int(t.DType().Lanes), int(f.DType().Lanes))
		if !(v.computable(e.True, e.Cond) && v.computable(e.False, e.Cond)) {
			if c.DType().Lanes > 1 {
				v.refuse("the value that a lane does not choose may not be computed")
				return e
			}
			// The condition stays a scalar, so that RewriteUnsafeSelect makes a branch of it. TVM computes both values all the same.
			return &tir.Select{Base: e.Base, Cond: c, True: widen(t, lanes), False: widen(f, lanes)}
		}
		return &tir.Select{Base: e.Base, Cond: widen(c, lanes), True: widen(t, lanes), False: widen(f, lanes)}
	case *tir.BufferLoad:
		return v.load(e)
	case *tir.Broadcast:
		if x := v.expr(e.Value); x != e.Value {
			v.refuse("it would be a vector of vectors")
		}
		return e
	case *tir.Ramp:
		if s, t := v.expr(e.Start), v.expr(e.Stride); s != e.Start || t != e.Stride {
			v.refuse("it would be a vector of vectors")
		}
		return e
	case *tir.Let:
		return v.let(e)
	case *tir.Call:
		return v.call(e)
	}
	if v.depends(e) {
		v.refuse("an expression has no vector form")
	}
	return e
}

func (v *vectorizer) binary(e *tir.Binary) tir.Expr {
	a, b := v.expr(e.A), v.expr(e.B)
	if a == e.A && b == e.B {
		return e
	}
	if (e.Op == tir.OpAnd || e.Op == tir.OpOr) && !v.computable(e.B, e.A) {
		v.refuse("a lane whose first operand decides may not compute the second")
		return e
	}
	if r := rampOf(e.Op, a, b); r != nil {
		return r
	}
	a, b = v.pair(a, b)
	return tir.BinaryAt(e.Base, e.Op, a, b)
}

// cast converts x; a ramp of integers stays one, as in the reference, if no lane leaves its type before the cast.
func (v *vectorizer) cast(d dtype.DType, x tir.Expr) tir.Expr {
	r, ok := x.(*tir.Ramp)
	if !ok || r.Scalable || !d.IsInteger() {
		return tir.CastTo(d, x)
	}
	limit, start, stride := arith.DTypeBound(r.Start.DType()), v.an.ConstIntBound(r.Start), v.an.ConstIntBound(r.Stride)
	last, small := int64(r.Lanes-1), arith.DTypeBound(dtype.Int32T)
	for _, b := range []arith.Bound{start, stride} {
		if b.Min < small.Min || b.Max > small.Max {
			return tir.CastTo(d, x)
		}
	}
	if start.Min+last*min(stride.Min, 0) < limit.Min || start.Max+last*max(stride.Max, 0) > limit.Max {
		return tir.CastTo(d, x)
	}
	return &tir.Ramp{Start: tir.CastTo(d.Elem(), r.Start), Stride: tir.CastTo(d.Elem(), r.Stride), Lanes: r.Lanes}
}

// rampOf returns the ramp that a sum or difference of a ramp and a scalar is, and the product with a scalar that is known to be positive; nil for
// others, which Simplify may make ramps of (TVM's AddSubVec and its rule for products).
func rampOf(op tir.BinaryOp, a, b tir.Expr) tir.Expr {
	x, left := a.(*tir.Ramp)
	y, right := b.(*tir.Ramp)
	positive := func(e tir.Expr) bool { return arith.NewAnalyzer().CanProve(tir.GT(e, tir.Const(e.DType(), 0))) }
	switch {
	case left && b.DType().Lanes == 1 && (op == tir.OpAdd || op == tir.OpSub):
		return &tir.Ramp{Start: tir.BinaryExpr(op, x.Start, b), Stride: x.Stride, Lanes: x.Lanes, Scalable: x.Scalable}
	case left && b.DType().Lanes == 1 && op == tir.OpMul && positive(b):
		return &tir.Ramp{Start: tir.Mul(x.Start, b), Stride: tir.Mul(x.Stride, b), Lanes: x.Lanes, Scalable: x.Scalable}
	case right && a.DType().Lanes == 1 && (op == tir.OpAdd || op == tir.OpSub):
		return &tir.Ramp{Start: tir.BinaryExpr(op, a, y.Start), Stride: tir.BinaryExpr(op, tir.Const(y.Stride.DType(), 0), y.Stride), Lanes: y.Lanes, Scalable: y.Scalable}
	case right && a.DType().Lanes == 1 && op == tir.OpMul && positive(a):
		return &tir.Ramp{Start: tir.Mul(y.Start, a), Stride: tir.Mul(y.Stride, a), Lanes: y.Lanes, Scalable: y.Scalable}
	}
	return nil
}
