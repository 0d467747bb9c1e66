package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// fact says that the elements of buffer for which where holds have the value. A fact without a buffer says
// that where holds. Facts never change.
type fact struct {
	buffer *tir.Buffer
	where  tir.Expr
	value  tir.Expr // nil in facts on elements that nothing reads
}

// state is what is known at a place.
type state []*fact

// The bounds of what is kept: facts in a state, and nodes of the condition of one.
const (
	maxFacts = 32
	maxWhere = 160
)

// simplify returns a condition that implies e, mostly e itself in conjunctive normal form.
func (f *flow) simplify(e tir.Expr) tir.Expr {
	f.step(10)
	if arith.LargerThan(e, 4*maxWhere) {
		return tir.Bool(false)
	}
	if e = f.a.SimplifyAsAndOfOrs(e); arith.LargerThan(e, maxWhere) {
		return tir.Bool(false)
	}
	return e
}

// with returns the fact with another condition, simplified; nil if it says nothing.
func (f *flow) with(x *fact, where tir.Expr) *fact {
	switch where = f.simplify(where); {
	case tir.IsConst(where, 0), x.buffer == nil && tir.IsConst(where, 1):
		return nil
	case arith.Equal(where, x.where):
		return x
	}
	return &fact{x.buffer, where, x.value}
}

// sameValue reports whether two values are certainly the same. Of floats those that look the same are: +0
// and -0 are equal, and NaN is not.
func (f *flow) sameValue(x, y tir.Expr) bool {
	switch {
	case x == nil || y == nil:
		return x == y
	case arith.Equal(x, y):
		return true
	}
	return x.DType().IsInteger() && x.DType() == y.DType() && f.a.CanProveEqual(x, y)
}

// add adds x, which may be nil, to a state, joined with what has the same value.
func (f *flow) add(s state, x *fact) state {
	if x == nil {
		return s
	}
	for i, old := range s {
		if old == x {
			return s
		}
		if old.buffer == x.buffer && x.buffer != nil && f.sameValue(old.value, x.value) {
			if arith.Equal(old.where, x.where) {
				return s
			}
			if wider := f.with(old, tir.Or(old.where, x.where)); wider != nil {
				out := append(state{}, s...)
				out[i] = wider
				return out
			}
			return s
		}
	}
	if len(s) >= maxFacts {
		return s
	}
	return append(s[:len(s):len(s)], x)
}

// drop returns the state without the facts for which gone holds.
func (s state) drop(gone func(*fact) bool) state {
	var out state
	for _, x := range s {
		if !gone(x) {
			out = append(out, x)
		}
	}
	return out
}

// join returns what holds where two ways meet, of which the first was taken if cond holds; cond is nil if
// nothing tells.
func (f *flow) join(x, y state, cond tir.Expr) state {
	var out state
	both := map[*fact]bool{}
	for _, p := range x {
		for _, q := range y {
			if p == q {
				both[p] = true
				out = append(out, p)
			}
		}
	}
	for i, side := range [2]state{x, y} {
		if cond == nil {
			break
		}
		c := cond
		if i == 1 {
			c = tir.LogicalNot(cond)
		}
		for _, p := range side {
			switch {
			case both[p]:
			case p.buffer == nil:
				out = f.add(out, f.with(p, tir.Or(tir.LogicalNot(c), p.where)))
			default:
				out = f.add(out, f.with(p, tir.And(p.where, c)))
			}
		}
	}
	if cond != nil {
		return out
	}
	for _, p := range x {
		for _, q := range y {
			if !both[p] && !both[q] && p.buffer != nil && p.buffer == q.buffer && f.sameValue(p.value, q.value) {
				out = f.add(out, f.with(p, tir.And(p.where, q.where)))
			}
		}
	}
	return out
}

// substitute replaces a variable.
func (f *flow) substitute(x *fact, v *tir.Var, e tir.Expr) *fact {
	if !x.uses(v) {
		return x
	}
	sub := map[*tir.Var]tir.Expr{v: e}
	out := &fact{x.buffer, x.where, x.value}
	if x.value != nil {
		out.value = f.a.Simplify(tir.SubstExpr(x.value, sub))
	}
	return f.with(out, tir.SubstExpr(x.where, sub))
}

func (x *fact) uses(v *tir.Var) bool {
	return uses(x.where, v) || x.value != nil && uses(x.value, v)
}

// same reports whether two states certainly say the same.
func (f *flow) same(x, y state) bool {
	if len(x) != len(y) {
		return false
	}
	for i, p := range x {
		q := y[i]
		if p == q {
			continue
		}
		if p.buffer != q.buffer || !f.sameValue(p.value, q.value) {
			return false
		}
		if !arith.Equal(p.where, q.where) && !(f.implies(p.where, q.where) && f.implies(q.where, p.where)) {
			return false
		}
	}
	return true
}

func (f *flow) implies(x, y tir.Expr) (proved bool) {
	f.step(10)
	f.a.With(x, func() { proved = f.a.CanProve(y) })
	return proved
}
