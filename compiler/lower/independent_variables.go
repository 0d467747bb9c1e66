package lower

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Sums of a tile are allocated around all loops, as one allocation serves all tiles. Where it is kept in variables, each thread has them for itself, and turns are
// independent if every turn writes an element before it reads it, and nothing but the loop uses them.

// Divisible reports whether the turns of a loop that is said to be parallel may run on several threads: they only store to buffers, none of which
// is kept in variables by what is around the loop, and end where they end, or by an error, as where there is no memory.
func (e *Effects) Divisible(loop *tir.For, variables func(*tir.Var) bool) bool {
	eff := e.Loops[loop]
	return loop.Kind == tir.Parallel && stepsByOne(loop) && !eff.Jumps && !eff.ends && !eff.cells && !eff.opaque && !slices.ContainsFunc(eff.order, variables)
}

// written is what a turn has written for sure so far: by allocation, which of its elements.
type written map[*tir.Var]map[int64]bool

func (w written) clone() written {
	out := make(written, len(w))
	for v, at := range w {
		out[v] = maps.Clone(at)
	}
	return out
}

// both keeps what is written on both of two ways.
func (w written) both(x written) {
	for v, at := range w {
		maps.DeleteFunc(at, func(i int64, _ bool) bool { return !x[v][i] })
	}
}

// variable notes an access to an allocation that is kept in variables.
func (t *turns) variable(b *tir.Buffer, indices []tir.Expr, store bool) {
	t.uses[b.Data]++
	elements, _ := constantElements(b, indices)
	at := t.written[b.Data]
	if at == nil {
		at = map[int64]bool{}
		t.written[b.Data] = at
	}
	for _, i := range elements {
		if store {
			at[i] = true
		} else if !at[i] {
			t.dependent = true
			return
		}
	}
}

// maybe visits what a turn may pass over or leave: what it writes is not written for sure.
func (t *turns) maybe(n ir.Node) {
	before := t.written.clone()
	t.visit(n)
	t.written = before
}

// conditional visits both ways of a condition.
func (t *turns) conditional(n *tir.IfThenElse) {
	t.visit(n.Cond)
	if n.Else == nil {
		t.maybe(n.Then)
		return
	}
	before := t.written.clone()
	t.visit(n.Then)
	then := t.written
	t.written = before
	t.visit(n.Else)
	t.written.both(then)
}

// surely reports whether a loop has a turn that ends.
func (t *turns) surely(s *tir.For) bool {
	n, ok := tir.AsInt(s.Extent)
	eff := t.effects.Loops[s]
	return ok && n > 0 && eff != nil && !eff.Jumps
}

// keeps reports whether the loop alone uses the variables that it writes.
func (t *turns) keeps() bool {
	for v, n := range t.uses {
		if n != len(t.effects.allocs[v].indices) {
			return false
		}
	}
	return true
}
