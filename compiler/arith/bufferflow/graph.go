package bufferflow

import (
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Analysis is what is known of the buffers of one function.
type Analysis struct {
	scan   *scan
	body   tir.Stmt
	budget *budget.Budget
	max    int
	known  *flow
	unread *backward // what Unread asks
	// Refused says why nothing is known, if nothing is.
	Refused string
}

// New prepares to follow the buffers of f under a budget, which may be nil. maxRewrites bounds the rewrites
// of one question to the analyzer; 0 is its default.
func New(f *tir.PrimFunc, b *budget.Budget, maxRewrites int) *Analysis {
	a := &Analysis{scan: newScan(f), body: f.Body, budget: b, max: maxRewrites}
	a.Refused = a.scan.refused
	return a
}

// refusedTime is the reason where a walk took too many steps.
const refusedTime = "following what buffers hold took too many steps"

// Overwritten returns the stores whose elements are all stored to again, or gone, before anything reads them.
// All of them together may be removed.
func (a *Analysis) Overwritten() map[*tir.BufferStore]bool {
	out := map[*tir.BufferStore]bool{}
	if a.Refused != "" {
		return out
	}
	b := &backward{newFlow(a.scan, a.budget, a.max)}
	if !b.run(func() { b.stmt(a.body, nil) }) {
		a.Refused = refusedTime
		return out
	}
	var conds []tir.Expr
	var visit func(n ir.Node)
	visit = func(n ir.Node) {
		switch n := n.(type) {
		case *tir.BufferStore:
			if b.unused(n, conds) {
				out[n] = true
			}
			return
		case *tir.IfThenElse:
			c := b.condition(n.Cond)
			if c == nil {
				break
			}
			conds = append(conds, c)
			visit(n.Then)
			conds[len(conds)-1] = tir.LogicalNot(c)
			if n.Else != nil {
				visit(n.Else)
			}
			conds = conds[:len(conds)-1]
			return
		case tir.Expr:
			return
		}
		n.EachChild(visit)
	}
	if !b.run(func() { visit(a.body) }) {
		a.Refused = refusedTime
		return map[*tir.BufferStore]bool{}
	}
	return out
}

// unused reports whether what x stores to is unused after it, where the conditions hold.
func (b *backward) unused(x *tir.BufferStore, conds []tir.Expr) bool {
	return b.unusedIn(b.notes[x], x, conds)
}

// unusedIn is unused at a place with other facts.
func (b *backward) unusedIn(facts state, x *tir.BufferStore, conds []tir.Expr) bool {
	for _, p := range facts {
		if p.buffer != x.Buffer {
			continue
		}
		t := b.touchOf(x.Buffer, x.Indices, nil)
		b.step(10)
		where := tir.Expr(tir.Bool(true))
		for _, c := range append([]tir.Expr{t.at}, conds...) {
			where = tir.And(where, c)
		}
		if tir.IsConst(p.where, 1) || t.exact && b.implies(where, b.at(p.where, t)) {
			return true
		}
		if tir.IsConst(b.a.SimplifyAsAndOfOrs(tir.And(where, tir.LogicalNot(p.where))), 0) {
			return true
		}
	}
	return false
}

// Unread reports whether what x stores to, if it ran right before after, is stored to again, or gone, before anything behind after
// reads it. after is a side of a branch of the function, conds are conditions that hold there, and x any store of the function.
func (a *Analysis) Unread(x *tir.BufferStore, after tir.Stmt, conds []tir.Expr) (unread bool) {
	if a.Refused != "" {
		return false
	}
	if a.unread == nil {
		a.unread = &backward{newFlow(a.scan, a.budget, a.max)}
		if !a.unread.run(func() { a.unread.stmt(a.body, nil) }) {
			a.Refused = refusedTime
			return false
		}
	}
	b := a.unread
	if b.touchOf(x.Buffer, x.Indices, x.Predicate) == nil {
		return false
	}
	var known []tir.Expr
	for _, c := range conds {
		if c = b.condition(c); c != nil {
			known = append(known, c)
		}
	}
	facts := b.notes[after]
	if !b.run(func() { unread = b.unusedIn(facts, x, known) }) {
		a.Refused = refusedTime
		return false
	}
	return unread
}

// at returns a condition on the positions in a buffer for those that t touches.
func (f *flow) at(where tir.Expr, t *touch) tir.Expr {
	sub := map[*tir.Var]tir.Expr{}
	for d, e := range t.index {
		if e != nil {
			sub[f.axes[t.buffer][d]] = e
		}
	}
	return tir.SubstExpr(where, sub)
}

// Follow finds out what is known before each statement, where the stores of removed are taken to be gone.
func (a *Analysis) Follow(removed map[*tir.BufferStore]bool) {
	if a.Refused != "" {
		return
	}
	f := &forward{newFlow(a.scan, a.budget, a.max), removed}
	if !f.run(func() { f.stmt(a.body, nil) }) {
		a.Refused = refusedTime
	}
	a.known = f.flow
}
