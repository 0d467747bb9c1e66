package lower

import (
	"maps"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// form is an index as Independent reads it: turn times the variable of the loop, and multiples of variables from outside of it, and something from lo to hi.
type form struct {
	turn   int64
	outer  map[*tir.Var]int64
	lo, hi int64
}

// formLimit bounds the numbers of forms, so that none overflows.
const formLimit = 1 << 40

func fits(xs ...int64) bool {
	for _, x := range xs {
		if x > formLimit || x < -formLimit {
			return false
		}
	}
	return true
}

// add returns f + k*g, nil where numbers are too large; k is 1 or -1.
func (f *form) add(g *form, k int64) *form {
	if g == nil {
		return nil
	}
	out := &form{turn: f.turn + k*g.turn, outer: maps.Clone(f.outer), lo: f.lo + g.lo, hi: f.hi + g.hi}
	if k < 0 {
		out.lo, out.hi = f.lo-g.hi, f.hi-g.lo
	}
	for v, c := range g.outer {
		if out.outer == nil {
			out.outer = map[*tir.Var]int64{}
		}
		if out.outer[v] += k * c; out.outer[v] == 0 {
			delete(out.outer, v)
		} else if !fits(out.outer[v]) {
			return nil
		}
	}
	if !fits(out.turn, out.lo, out.hi) {
		return nil
	}
	return out
}

// scale returns k*f, nil where numbers are too large.
func (f *form) scale(k int64) *form {
	for _, x := range []int64{f.turn, f.lo, f.hi} {
		if !fits(k) || k != 0 && max(x, -x) > formLimit/max(k, -k) {
			return nil
		}
	}
	out := &form{turn: k * f.turn, lo: min(k*f.lo, k*f.hi), hi: max(k*f.lo, k*f.hi)}
	if k != 0 && len(f.outer) > 0 {
		out.outer = map[*tir.Var]int64{}
		for v, c := range f.outer {
			if max(c, -c) > formLimit/max(k, -k) {
				return nil
			}
			out.outer[v] = k * c
		}
	}
	return out
}

// constant is the value of a form that has only one.
func (f *form) constant() (int64, bool) {
	return f.lo, f.turn == 0 && len(f.outer) == 0 && f.lo == f.hi
}

// form returns an integer expression as a form, that of all its lanes; nil where it has none.
func (t *turns) form(e tir.Expr) *form {
	switch e := e.(type) {
	case *tir.IntImm:
		if fits(e.Value) {
			return &form{lo: e.Value, hi: e.Value}
		}
		return nil
	case *tir.Var:
		switch f, bound := t.lets[e]; {
		case bound:
			return f
		case e == t.turn:
			return &form{turn: 1}
		case !t.inner[e] && e.DType().IsInteger():
			return &form{outer: map[*tir.Var]int64{e: 1}}
		}
		return t.between(e)
	case *tir.Cast:
		if d := e.Type; d.IsInteger() && e.Value.DType().IsInteger() && d.Bits >= e.Value.DType().Bits && !e.Value.DType().IsBool() {
			return t.form(e.Value)
		}
	case *tir.Broadcast:
		return t.form(e.Value)
	case *tir.Ramp:
		start, step := t.form(e.Start), t.form(e.Stride)
		if start == nil || step == nil || e.Scalable {
			return nil
		}
		k, ok := step.constant()
		if !ok || !fits(k) {
			return nil
		}
		last := k * int64(e.Lanes-1)
		return start.add(&form{lo: min(0, last), hi: max(0, last)}, 1)
	case *tir.Binary:
		if f := t.sum(e); f != nil {
			return f
		}
		if v := t.unchanged(e); v != nil {
			return &form{outer: map[*tir.Var]int64{v: 1}}
		}
	}
	return t.between(e)
}

// unchanged returns a variable that stands for an integer expression of variables from outside of the loop only, which is the same in all turns; nil if e is another one.
func (t *turns) unchanged(e *tir.Binary) *tir.Var {
	same := e.DType().IsInteger() && e.DType().Lanes == 1
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			same = same && n != t.turn && !t.inner[n]
		case *tir.Binary, *tir.IntImm, *tir.Cast:
		default:
			same = false
		}
		return same
	})
	if !same {
		return nil
	}
	for _, x := range t.terms {
		if tir.Equal(x.is, e) {
			return x.name
		}
	}
	if len(t.terms) == mostTerms {
		return nil
	}
	v := tir.NewVar("unchanged", e.DType())
	t.terms = append(t.terms, term{v, e})
	return v
}

// mostTerms bounds the expressions that a loop's are compared with.
const mostTerms = 16

// term is a variable that stands for an expression.
type term struct {
	name *tir.Var
	is   tir.Expr
}

// sum is the form of a sum, a difference, or a product with a constant.
func (t *turns) sum(e *tir.Binary) *form {
	switch e.Op {
	case tir.OpAdd, tir.OpSub, tir.OpMul:
	default:
		return nil
	}
	x, y := t.form(e.A), t.form(e.B)
	if x == nil || y == nil {
		return nil
	}
	switch e.Op {
	case tir.OpAdd:
		return x.add(y, 1)
	case tir.OpSub:
		return x.add(y, -1)
	}
	if k, ok := y.constant(); ok {
		return x.scale(k)
	}
	if k, ok := x.constant(); ok {
		return y.scale(k)
	}
	return nil
}

// between is the form of what lies between two numbers in every turn.
func (t *turns) between(e tir.Expr) *form {
	if !e.DType().IsInteger() || e.DType().Lanes != 1 {
		return nil
	}
	b := t.a.ConstIntBound(e)
	if !fits(b.Min, b.Max) {
		return nil
	}
	return &form{lo: b.Min, hi: b.Max}
}
