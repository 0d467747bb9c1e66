package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

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
