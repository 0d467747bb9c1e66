package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// layoutWrite is a store to the buffer whose layout changes.
type layoutWrite struct {
	store   *tir.BufferStore
	realize *tir.BlockRealize // the innermost around it
	nest    []*tir.For        // the loops on which its indices depend, with those between
	whole   bool              // the nest runs over the elements in order, and over nothing else
}

// plan decides what writes the padding: what runs over all elements, a block behind the last write, or, where nothing writes the buffer of a
// function, who calls it (TVM's TransformLayoutPlanner).
func (t *layoutRewrite) plan(root site, parameter bool) {
	writes := t.writes(root.Block())
	if len(writes) == 0 {
		if parameter {
			t.before = t.assumption()
		}
		return
	}
	t.replace, t.became = map[tir.Stmt]tir.Stmt{}, reuse{}
	for _, w := range writes {
		if !w.whole || t.replace[w.nest[0]] != nil {
			continue
		}
		if by, became := t.over(w); by != nil {
			t.replace[w.nest[0]] = by
			for a, b := range became {
				t.became[a] = b
			}
		}
	}
	if len(t.replace) > 0 {
		return
	}
	last := writes[len(writes)-1]
	behind := tir.Stmt(last.realize)
	if len(last.nest) > 0 {
		behind = last.nest[0]
	}
	t.behind = map[tir.Stmt]tir.Stmt{behind: t.filling()}
}

// writes finds the stores to the buffer with the loops on which they depend.
func (t *layoutRewrite) writes(scope *tir.Block) []*layoutWrite {
	var out []*layoutWrite
	var loops []*tir.For
	depth := map[*tir.Var][2]int{}
	values := map[*tir.Var]tir.Expr{}
	span := func(list ...tir.Expr) (lo, hi int, ok bool) {
		used := map[*tir.Var]bool{}
		for _, e := range list {
			varsOf(e, used)
		}
		for v := range used {
			if d, known := depth[v]; known {
				if !ok {
					lo, hi, ok = d[0], d[1], true
				}
				lo, hi = min(lo, d[0]), max(hi, d[1])
			}
		}
		return lo, hi, ok
	}
	define := func(v *tir.Var, e tir.Expr) {
		if lo, hi, ok := span(e); ok {
			depth[v] = [2]int{lo, hi}
			values[v] = tir.SubstExpr(e, values)
		}
	}
	var realize *tir.BlockRealize
	var walk func(tir.Stmt)
	walk = func(x tir.Stmt) {
		switch x := x.(type) {
		case *tir.For:
			depth[x.LoopVar] = [2]int{len(loops), len(loops)}
			loops = append(loops, x)
			walk(x.Body)
			loops = loops[:len(loops)-1]
			return
		case *tir.LetStmt:
			define(x.Var, x.Value)
		case *tir.BlockRealize:
			outer := realize
			realize = x
			for i, iv := range x.Block.IterVars {
				define(iv.Var, x.Values[i])
			}
			if x.Block.Init != nil {
				walk(x.Block.Init)
			}
			walk(x.Block.Body)
			realize = outer
			return
		case *tir.BufferStore:
			if x.Buffer == t.old {
				w := &layoutWrite{store: x, realize: realize}
				if lo, hi, ok := span(x.Indices...); ok {
					w.nest = slices.Clone(loops[lo : hi+1])
					w.whole = t.rowMajor(w, values)
				}
				out = append(out, w)
			}
			return
		}
		children(x, walk)
	}
	walk(scope.Body)
	return out
}

// rowMajor reports whether each loop of the nest is one index, over all of its dimension, and holds nothing but the next.
func (t *layoutRewrite) rowMajor(w *layoutWrite, values map[*tir.Var]tir.Expr) bool {
	if len(w.nest) != len(t.old.Shape) || len(w.nest) != len(w.store.Indices) {
		return false
	}
	for i, l := range w.nest {
		if tir.SubstExpr(w.store.Indices[i], values) != tir.Expr(l.LoopVar) || !tir.IsConst(l.Min, 0) ||
			!arith.Equal(l.Extent, t.old.Shape[i]) || l.Kind != tir.Serial || i > 0 && w.nest[i-1].Body != tir.Stmt(l) {
			return false
		}
	}
	return true
}
