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

// over returns loops over all places of the new layout that do what the nest of a write does, and write the padding; nil if the nest does more than
// write the buffer, or not always.
func (t *layoutRewrite) over(w *layoutWrite) (tir.Stmt, reuse) {
	if !t.onlyWrites(w) {
		return nil, nil
	}
	axes := t.axes("")
	sub := map[*tir.Var]tir.Expr{}
	for i, e := range t.back.Final {
		sub[w.nest[i].LoopVar] = tir.SubstExpr(e, axes.of(t.back.Initial))
	}
	at, empty := axes.exprs(), tir.SubstExpr(t.empty, axes.of(t.back.Initial))
	ivs, values, ok := t.blockOver(w, axes, sub)
	if !ok {
		return nil, nil
	}
	if ivs != nil { // the indices are variables of the block
		at = nil
		inBlock := map[*tir.Var]tir.Expr{}
		first := slices.IndexFunc(w.realize.Block.IterVars, func(iv *tir.IterVar) bool { return tir.Expr(iv.Var) == w.store.Indices[0] })
		for i, v := range t.back.Initial {
			at = append(at, ivs[first+i].Var)
			inBlock[v] = ivs[first+i].Var
		}
		for i, e := range w.store.Indices {
			sub[e.(*tir.Var)] = tir.SubstExpr(t.back.Final[i], inBlock)
		}
		empty = tir.SubstExpr(t.empty, inBlock)
	}
	pad := mapIndices(t.pad, at, t.maps)[0]
	became := reuse{}
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok {
			if by := sub[v]; by != nil {
				return tir.CastTo(v.DType(), by)
			}
			return e
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch x := x.(type) {
		case *tir.BufferStore:
			return &tir.BufferStore{Base: x.Base, Buffer: t.now, Value: tir.IfThenElseExpr(empty, pad, m.Expr(x.Value)), Indices: at}
		case *tir.BlockRealize:
			b := x.Block
			if x == w.realize && ivs != nil {
				b = b.WithIterVars(ivs)
			}
			b = m.MapStmt(b).(*tir.Block)
			became[x.Block] = b
			out := x.WithBlock(b)
			if x == w.realize && ivs != nil {
				return out.WithValues(values)
			}
			return out
		}
		return m.MapStmt(x)
	}
	return axes.nest(m.Stmt(w.nest[len(w.nest)-1].Body), t.now.Shape), became
}

// onlyWrites reports whether all that the nest does is to write the buffer at the indices of the write, without condition.
func (t *layoutRewrite) onlyWrites(w *layoutWrite) bool {
	ok := true
	visit(w.nest[len(w.nest)-1].Body, func(x tir.Stmt) bool {
		look := func(x tir.Stmt) {
			switch x := x.(type) {
			case *tir.BufferStore:
				ok = ok && x.Buffer == t.old && x.Predicate == nil
				for i := range x.Indices {
					ok = ok && arith.Equal(x.Indices[i], w.store.Indices[i])
				}
			case *tir.Evaluate:
				ok = ok && arith.SideEffect(x.Value) <= tir.Pure
			case *tir.BlockRealize:
				ok = ok && tir.IsTrue(x.Predicate) && x == w.realize
			case *tir.For, *tir.SeqStmt, *tir.Block:
			default:
				ok = false
			}
		}
		look(x)
		if b, isBlock := x.(*tir.Block); isBlock && b.Init != nil {
			visit(b.Init, func(y tir.Stmt) bool { look(y); return true })
		}
		return ok
	})
	return ok
}

// blockOver returns the variables of the block of a write, where those that are its indices became those of the new layout, and their bindings. They are
// nil for a block without variables; ok is false if the variables cannot follow the layout.
func (t *layoutRewrite) blockOver(w *layoutWrite, axes axisVars, sub map[*tir.Var]tir.Expr) (ivs []*tir.IterVar, values []tir.Expr, ok bool) {
	inNest := false
	visit(w.nest[len(w.nest)-1].Body, func(x tir.Stmt) bool { inNest = inNest || x == tir.Stmt(w.realize); return !inNest })
	if !inNest || len(w.realize.Block.IterVars) == 0 {
		return nil, nil, true
	}
	old := w.realize.Block.IterVars
	n := len(w.store.Indices)
	first := slices.IndexFunc(old, func(iv *tir.IterVar) bool { return tir.Expr(iv.Var) == w.store.Indices[0] })
	if first < 0 || first+n > len(old) {
		return nil, nil, false
	}
	for i, e := range w.store.Indices {
		if iv := old[first+i]; tir.Expr(iv.Var) != e || iv.Kind != tir.DataPar {
			return nil, nil, false
		}
	}
	keep := func(i int) {
		for v := range sub {
			ok = ok && !usesVar(w.realize.Values[i], v)
		}
		ivs, values = append(ivs, old[i]), append(values, w.realize.Values[i])
	}
	ok = true
	for i := range first {
		keep(i)
	}
	for i, v := range axes {
		dim := t.now.Shape[i]
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(dim.DType(), 0), Extent: dim}, Var: tir.NewVar("v_"+v.Name, v.DType())})
		values = append(values, v)
	}
	for i := first + n; i < len(old); i++ {
		keep(i)
	}
	return ivs, values, ok
}

// axisVars are variables of loops over the new layout.
type axisVars []*tir.Var

func (t *layoutRewrite) axes(prefix string) axisVars {
	var out axisVars
	for _, v := range t.back.Initial {
		out = append(out, tir.NewVar(prefix+v.Name, v.DType()))
	}
	return out
}

func (a axisVars) of(vars []*tir.Var) map[*tir.Var]tir.Expr {
	out := map[*tir.Var]tir.Expr{}
	for i, v := range vars {
		out[v] = a[i]
	}
	return out
}

func (a axisVars) exprs() []tir.Expr {
	out := make([]tir.Expr, len(a))
	for i, v := range a {
		out[i] = v
	}
	return out
}

func (a axisVars) nest(body tir.Stmt, shape []tir.Expr) tir.Stmt {
	for i := len(a) - 1; i >= 0; i-- {
		body = &tir.For{LoopVar: a[i], Min: tir.Const(shape[i].DType(), 0), Extent: shape[i], Body: body}
	}
	return body
}

// assumption states what the padding of an argument holds.
func (t *layoutRewrite) assumption() tir.Stmt {
	loops, vars := t.axes(""), t.axes("v_")
	at := vars.exprs()
	pad := mapIndices(t.pad, at, t.maps)[0]
	holds := tir.Or(tir.LogicalNot(tir.SubstExpr(t.empty, vars.of(t.back.Initial))), tir.EQ(tir.Load(t.now, at...), pad))
	b := &tir.Block{
		IterVars: t.iterVars(vars), Reads: []*tir.BufferRegion{point(t.now, at)}, Name: "buffer_" + t.now.Name + "_assumptions",
		Body: &tir.Evaluate{Value: tir.NewCall(tir.OpAssume, holds)},
	}
	return loops.nest(&tir.BlockRealize{Values: loops.exprs(), Predicate: tir.Bool(true), Block: b}, t.now.Shape)
}

// filling writes the padding.
func (t *layoutRewrite) filling() tir.Stmt {
	loops, vars := t.axes(""), t.axes("v_")
	at := vars.exprs()
	b := &tir.Block{
		IterVars: t.iterVars(vars), Writes: []*tir.BufferRegion{point(t.now, at)}, Name: "buffer_" + t.now.Name + "_padding",
		Body: tir.Store(t.now, mapIndices(t.pad, at, t.maps)[0], at...),
	}
	return loops.nest(&tir.BlockRealize{Values: loops.exprs(), Predicate: tir.SubstExpr(t.empty, loops.of(t.back.Initial)), Block: b}, t.now.Shape)
}

func (t *layoutRewrite) iterVars(vars axisVars) []*tir.IterVar {
	out := make([]*tir.IterVar, len(vars))
	for i, v := range vars {
		out[i] = &tir.IterVar{Dom: &tir.Range{Min: tir.Const(t.now.Shape[i].DType(), 0), Extent: t.now.Shape[i]}, Var: v}
	}
	return out
}
