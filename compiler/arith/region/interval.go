package region

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// interval is the set of integers from lo to hi; both nil is every integer.
type interval struct{ lo, hi tir.Expr }

func (s interval) everything() bool { return s.lo == nil }

// domain gives the values of the variables that a region must not mention any more.
type domain map[*tir.Var]interval

// mentions reports whether e uses a variable of d.
func (d domain) mentions(e tir.Expr) bool {
	if len(d) == 0 {
		return false
	}
	return arith.UsesVar(e, func(v *tir.Var) bool { _, in := d[v]; return in })
}

// eval returns an interval that holds all values of e, over variables outside of d.
func (d domain) eval(e tir.Expr) interval {
	if !d.mentions(e) {
		return interval{e, e}
	}
	switch e := e.(type) {
	case *tir.Var:
		return d[e]
	case *tir.Binary:
		return d.binary(e)
	case *tir.Cast:
		s := d.eval(e.Value)
		if s.everything() || !e.Type.IsInteger() || !e.Value.DType().IsInteger() {
			return interval{}
		}
		return interval{tir.CastTo(e.Type, s.lo), tir.CastTo(e.Type, s.hi)}
	case *tir.Select:
		return d.eval(e.True).union(d.eval(e.False))
	case *tir.Call:
		if c, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
			return d.eval(c.Args[1]).union(d.eval(c.Args[2]))
		}
		if c, ok := tir.IsCallTo(e, tir.OpLikely); ok {
			return d.eval(c.Args[0])
		}
	case *tir.Ramp:
		s := d.eval(e.Start)
		n, ok := tir.AsInt(e.Stride)
		if s.everything() || !ok {
			return interval{}
		}
		span := tir.Const(s.hi.DType(), n*int64(e.Lanes-1))
		if n < 0 {
			return interval{tir.Add(s.lo, span), s.hi}
		}
		return interval{s.lo, tir.Add(s.hi, span)}
	case *tir.Broadcast:
		return d.eval(e.Value)
	}
	return interval{}
}

func (d domain) binary(e *tir.Binary) interval {
	a, b := d.eval(e.A), d.eval(e.B)
	if a.everything() || b.everything() {
		if c, ok := tir.AsInt(e.B); ok && e.Op == tir.OpFloorMod && c > 0 {
			return interval{tir.Const(e.DType(), 0), tir.Const(e.DType(), c-1)}
		}
		return interval{}
	}
	switch e.Op {
	case tir.OpAdd:
		return interval{tir.Add(a.lo, b.lo), tir.Add(a.hi, b.hi)}
	case tir.OpSub:
		return interval{tir.Sub(a.lo, b.hi), tir.Sub(a.hi, b.lo)}
	case tir.OpMin:
		return interval{tir.Min(a.lo, b.lo), tir.Min(a.hi, b.hi)}
	case tir.OpMax:
		return interval{tir.Max(a.lo, b.lo), tir.Max(a.hi, b.hi)}
	case tir.OpMul:
		return scale(a, b)
	case tir.OpFloorDiv:
		if c, ok := tir.AsInt(e.B); ok && c > 0 {
			return interval{tir.FloorDiv(a.lo, b.lo), tir.FloorDiv(a.hi, b.lo)}
		}
	case tir.OpFloorMod:
		return remainder(e, a)
	}
	return interval{}
}

// scale multiplies an interval by a constant, or by an expression that is not negative.
func scale(a, b interval) interval {
	if a.lo == a.hi && b.lo == b.hi {
		p := tir.Mul(a.lo, b.lo)
		return interval{p, p}
	}
	if a.lo == a.hi {
		a, b = b, a
	}
	if b.lo != b.hi {
		return interval{}
	}
	c, ok := tir.AsInt(b.lo)
	if !ok {
		bound := arith.NewAnalyzer().ConstIntBound(b.lo)
		if bound.Min < 0 {
			return interval{}
		}
		c = 1
	}
	lo, hi := tir.Mul(a.lo, b.lo), tir.Mul(a.hi, b.lo)
	if c < 0 {
		lo, hi = hi, lo
	}
	return interval{lo, hi}
}

func remainder(e *tir.Binary, a interval) interval {
	c, ok := tir.AsInt(e.B)
	if !ok || c <= 0 {
		return interval{}
	}
	first, last := arith.SimplifyAlone(tir.FloorDiv(a.lo, e.B)), arith.SimplifyAlone(tir.FloorDiv(a.hi, e.B))
	if ir.StructuralEqual(first, last, ir.EqualOpts{}) {
		return interval{tir.FloorMod(a.lo, e.B), tir.FloorMod(a.hi, e.B)}
	}
	return interval{tir.Const(e.DType(), 0), tir.Const(e.DType(), c-1)}
}

// union returns the smallest interval known to hold both.
func (s interval) union(o interval) interval {
	if s.everything() || o.everything() {
		return interval{}
	}
	return interval{lesser(s.lo, o.lo, true), lesser(s.hi, o.hi, false)}
}

// lesser returns the lesser (or greater) of a and b, one of them if their difference is
// a constant.
func lesser(a, b tir.Expr, least bool) tir.Expr {
	if a == b || ir.StructuralEqual(a, b, ir.EqualOpts{}) {
		return a
	}
	a, b = tir.MatchTypes(a, b)
	if n, ok := tir.AsInt(arith.SimplifyAlone(tir.Sub(b, a))); ok {
		if (n >= 0) == least {
			return a
		}
		return b
	}
	if least {
		return tir.Min(a, b)
	}
	return tir.Max(a, b)
}
