package tirpass

import (
	"maps"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// overcompute judges the statements of a side of a branch that would run at the place of the other side as well, without effect there.
type overcompute struct {
	r        *branchReducer
	place    tir.Stmt                  // the other side, about which the analysis knows
	conds    []tir.Expr                // what holds there
	deadHere map[*tir.Buffer]bool      // stored to although nothing reads it
	asked    map[*tir.BufferStore]bool // stores about which was asked what the buffer holds at the place
	gone     map[*tir.BufferStore]bool // stores without effect; true for those that nothing reads
	why      string                    // why the statements must not run there, "" if they may
}

// overwritten reports whether nothing reads what x would store.
func (o *overcompute) overwritten(x *tir.BufferStore) bool {
	if o.r.flow == nil || !o.r.flow.Unread(x, o.place, o.conds) {
		return false
	}
	o.deadHere[x.Buffer], o.gone[x] = true, true
	return true
}

// removed hears that x has no effect at the place, where out is left of it. It still would run: it must not fail there.
func (o *overcompute) removed(x, out tir.Stmt) {
	if x == out || o.why != "" {
		return
	}
	switch x := x.(type) {
	case *tir.BufferStore:
		dead := o.gone[x]
		o.gone[x] = dead
		if o.r.parallel > 0 {
			o.why = "the loop runs its iterations side by side, and a store that is added may fall between a load and a store of another"
			return
		}
		if !inBounds(o.r.An, x.Buffer, x.Indices) || x.Predicate != nil {
			o.why = "a store that is added may be out of bounds"
			return
		}
	case *tir.AttrStmt:
		if x.Key == "pragma_debug_skip_region" {
			o.why = "a region is marked to be skipped"
		}
	case *tir.AssertStmt, *tir.While:
		o.why = "an assertion or a loop without bounds is added"
	}
	for _, e := range ownExprs(x) {
		o.evaluated(e)
	}
}

// ownExprs returns the expressions of a statement itself.
func ownExprs(x tir.Stmt) (out []tir.Expr) {
	x.EachChild(func(n ir.Node) {
		if e, ok := n.(tir.Expr); ok {
			out = append(out, e)
		}
	})
	return out
}

// evaluated checks that computing e does not fail.
func (o *overcompute) evaluated(e tir.Expr) {
	if why := addedValue(o.r.An, e); why != "" {
		o.why = why
	}
}

// addedValue returns why computing e where it was not computed before may fail, or do more than that; "" if it does neither.
func addedValue(an *arith.Analyzer, e tir.Expr) (why string) {
	if arith.SideEffect(e) > tir.ReadState || mayFail(e) {
		return "a value that is computed in addition may fail, or has an effect"
	}
	ir.Walk(e, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok && (l.Predicate != nil || !inBounds(an, l.Buffer, l.Indices)) {
			why = "a load that is added may be out of bounds"
		}
		return why == ""
	})
	return why
}

// inBounds reports whether an access certainly is within the bounds of b.
func inBounds(an *arith.Analyzer, b *tir.Buffer, indices []tir.Expr) bool {
	for i, e := range indices {
		if i >= len(b.Shape) || !e.DType().IsScalar() || !an.CanProveGreaterEqual(e, 0) || !an.CanProve(tir.LT(e, b.Shape[i])) {
			return false
		}
	}
	return true
}

// settle accepts the whole side, unless it, or another one, reads elements that stores which nothing was to read have changed, or a
// store of what is there follows one that changes it.
func (o *overcompute) settle(general tir.Stmt) {
	reads, writes, known := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
	ir.Walk(general, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferStore:
			dead, gone := o.gone[n]
			switch {
			case !gone:
				writes[n.Buffer] = true
			case !dead && o.asked[n]:
				known[n.Buffer] = true
				eachLoaded(n, func(b *tir.Buffer) { known[b] = true })
			}
			return !dead
		case *tir.BufferLoad:
			reads[n.Buffer] = true
		}
		return true
	})
	for _, b := range tir.BuffersByName(known) {
		if writes[b] {
			o.why = "what it takes to be in " + b.Name + " would be changed by another of its stores"
			return
		}
	}
	for _, b := range tir.BuffersByName(reads) {
		if o.deadHere[b] || o.r.dead[b] {
			o.why = "what it reads of " + b.Name + " would be changed by a store that is added"
			return
		}
	}
	for _, b := range tir.BuffersByName(o.deadHere) {
		if o.r.read[b] {
			o.why = "a store to " + b.Name + " would be added, which a side reads that was taken for both"
			return
		}
	}
	maps.Copy(o.r.dead, o.deadHere)
	maps.Copy(o.r.read, reads)
}

// eachLoaded calls f for the buffer of each load in x.
func eachLoaded(x tir.Stmt, f func(*tir.Buffer)) {
	ir.Walk(x, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok {
			f(l.Buffer)
		}
		return true
	})
}
