package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxCompared bounds the checks of a statement that a new one is compared with.
const maxCompared = 32

// check notes that index must be at least 0 and below extent where guards hold, unless that is
// provable or noted already.
func (c *accessChecks) check(buf *tir.Buffer, guards []guard, index, extent tir.Expr, text string) {
	if c.proven(guards, index, extent) {
		return
	}
	x, n := index, extent
	if d := x.DType(); d != n.DType() || d.IsUInt() {
		x, n = tir.CastTo(dtype.Int64T, x), tir.CastTo(dtype.Int64T, n)
	}
	k := boundCheck{data: buf.Data, text: text, index: x, extent: n, cond: tir.And(tir.LE(tir.Const(x.DType(), 0), x), tir.LT(x, n))}
	for i := len(guards) - 1; i >= 0; i-- {
		if l := guards[i].let; l != nil {
			in := func(e tir.Expr) tir.Expr { return &tir.Let{Base: l.Base, Var: l.Var, Value: l.Value, Body: e} }
			k.cond, k.index = in(k.cond), in(k.index)
		} else {
			k.cond = tir.IfThenElseExpr(guards[i].cond, k.cond, tir.Bool(true)) // which reads nothing that is not there
		}
	}
	for _, old := range c.list[max(0, len(c.list)-maxCompared):] {
		if old.data == k.data && ir.StructuralEqual(old.cond, k.cond, ir.EqualOpts{}) {
			return
		}
	}
	c.list = append(c.list, k)
}

// proven reports whether an index is surely within its extent. What is read from memory may have
// changed since a condition on it was tested, so such conditions prove nothing.
func (c *accessChecks) proven(guards []guard, index, extent tir.Expr) bool {
	an := c.b.An
	if !exact(an, index) {
		return false
	}
	var exits []func()
	for _, g := range guards {
		if g.cond != nil && arith.SideEffect(g.cond) <= tir.Pure {
			exits = append(exits, an.EnterConstraint(g.cond))
		}
	}
	ok := an.CanProve(tir.GE(index, tir.Const(index.DType(), 0)))
	if ok {
		x, n := index, extent
		if x.DType() != n.DType() {
			x, n = tir.CastTo(dtype.Int64T, x), tir.CastTo(dtype.Int64T, n)
		}
		ok = an.CanProve(tir.LT(x, n))
	}
	for i := len(exits) - 1; i >= 0; i-- {
		exits[i]()
	}
	return ok
}

// exact reports whether what is proven of index as a number of any size holds of the number that
// the machine computes. Sums and products that are out of the range of their type on the way come
// back to the same result; quotients, minima, casts and comparisons of such numbers do not.
func exact(an *arith.Analyzer, index tir.Expr) bool {
	ring := true
	ir.Walk(index, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Binary:
			ring = ring && n.Op <= tir.OpMul
		case *tir.Var, *tir.IntImm:
		default:
			ring = false
		}
		return ring
	})
	if ring {
		return true
	}
	ok := true
	within := func(e tir.Expr, d dtype.DType) bool {
		b, all := an.ConstIntBound(e), arith.DTypeBound(d)
		return b.Min > arith.NegInf && b.Max < arith.PosInf && b.Min >= all.Min && b.Max <= all.Max
	}
	ir.Walk(index, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Binary:
			ok = ok && (n.Op > tir.OpMul || within(n, n.DType()))
		case *tir.Cast:
			ok = ok && n.Value.DType().IsInteger() && within(n.Value, n.Type)
		}
		return ok
	})
	return ok
}

// laneOf returns lane l of e as a scalar; ok is false for what cannot be taken apart. A scalar
// is the same in all lanes.
func laneOf(e tir.Expr, l int) (out tir.Expr, ok bool) {
	d := e.DType()
	if d.Lanes <= 1 {
		return e, true
	}
	switch e := e.(type) {
	case *tir.Ramp:
		return tir.Add(e.Start, tir.Mul(e.Stride, tir.Const(e.Stride.DType(), int64(l)))), true
	case *tir.Broadcast:
		if n := int(e.Value.DType().Lanes); n > 1 {
			l %= n
		}
		return laneOf(e.Value, l)
	case *tir.Cast:
		v, ok := laneOf(e.Value, l)
		if !ok {
			return nil, false
		}
		return tir.CastTo(d.Elem(), v), true
	case *tir.Binary:
		a, ok1 := laneOf(e.A, l)
		b, ok2 := laneOf(e.B, l)
		if !ok1 || !ok2 {
			return nil, false
		}
		return tir.BinaryExpr(e.Op, a, b), true
	case *tir.Not:
		a, ok := laneOf(e.A, l)
		if !ok {
			return nil, false
		}
		return tir.LogicalNot(a), true
	case *tir.BufferLoad:
		if e.Buffer.DType.Lanes > 1 || e.Predicate != nil {
			return nil, false
		}
		idx := make([]tir.Expr, len(e.Indices))
		for i, x := range e.Indices {
			if idx[i], ok = laneOf(x, l); !ok {
				return nil, false
			}
		}
		return tir.Load(e.Buffer, idx...), true
	}
	return nil, false
}
