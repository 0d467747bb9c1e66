package tirpass

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// localStage copies by way of registers: all loads of a thread come first, then all its stores, so that the loads
// are under way at the same time (TVM's CreateLocalStage). The threads become the outermost loops, and what is below them is done twice.
func (l *copyLowerer) localStage(cp *autoCopy, s tir.Stmt) (tir.Stmt, error) {
	loops, body, err := nestOf(s, true)
	if err != nil {
		return nil, err
	}
	var bound, under []*tir.For
	for _, f := range loops {
		if f.Kind == tir.ThreadBinding {
			bound = append(bound, f)
		} else {
			under = append(under, f)
		}
	}
	var cond tir.Expr
	if c, ok := body.(*tir.IfThenElse); ok && c.Else == nil {
		cond, body = c.Cond, c.Then
	}
	st, err := storeOf(body)
	if err != nil {
		return nil, err
	}
	shape, at := []tir.Expr(nil), []tir.Expr(nil)
	if load, ok := st.Value.(*tir.BufferLoad); ok {
		shape, at = promoteRank(load.Indices, rangesOf(under), rangesOf(loops))
	}
	if shape == nil {
		for _, f := range under {
			shape, at = append(shape, f.Extent), append(at, f.LoopVar)
		}
	}
	cache := cacheOf(st.Buffer, "local", shape)
	cp.buffers = append(cp.buffers, cache)
	load := stage{under: under, cond: cond, body: &tir.BufferStore{Base: st.Base, Buffer: cache, Value: st.Value, Indices: at}}
	store := stage{under: under, cond: cond, body: &tir.BufferStore{Base: st.Base, Buffer: st.Buffer, Value: tir.Load(cache, at...), Indices: st.Indices}}
	out := tir.Seq(load.renamed(), store.stmt())
	for i := len(bound) - 1; i >= 0; i-- {
		out = bound[i].WithBody(out)
	}
	return out, nil
}

// cacheOf returns a compact buffer of a shape for what b holds, in another memory.
func cacheOf(b *tir.Buffer, scope string, shape []tir.Expr) *tir.Buffer {
	return tir.NewBuffer(b.Name+"_"+strings.ReplaceAll(scope, ".", "_"), b.DType, shape, scope)
}

// stage is one half of a copy with a stop in between: loops over a store.
type stage struct {
	relaxed []*tir.For // loops of threads that it runs itself
	under   []*tir.For
	cond    tir.Expr
	body    tir.Stmt
}

// stmt returns the loops as they are.
func (g stage) stmt() tir.Stmt {
	out := g.body
	if g.cond != nil {
		out = &tir.IfThenElse{Base: g.body.Meta(), Cond: g.cond, Then: out}
	}
	for i := len(g.under) - 1; i >= 0; i-- {
		out = g.under[i].WithBody(out)
	}
	return out
}

// renamed returns the loops with variables of their own, and threads as plain loops.
func (g stage) renamed() tir.Stmt {
	sub := map[*tir.Var]tir.Expr{}
	for _, f := range append(append([]*tir.For(nil), g.relaxed...), g.under...) {
		sub[f.LoopVar] = &tir.Var{Name: f.LoopVar.Name + "_cache", Type: f.LoopVar.Type}
	}
	out := g.body
	if g.cond != nil {
		out = &tir.IfThenElse{Base: g.body.Meta(), Cond: g.cond, Then: out}
	}
	out = tir.SubstStmt(out, sub)
	for i := len(g.under) - 1; i >= 0; i-- {
		f := *g.under[i]
		f.LoopVar, f.Body = sub[f.LoopVar].(*tir.Var), out
		out = &f
	}
	for i := len(g.relaxed) - 1; i >= 0; i-- {
		f := g.relaxed[i]
		out = &tir.For{Base: f.Base, LoopVar: sub[f.LoopVar].(*tir.Var), Min: f.Min, Extent: f.Extent, Kind: tir.Serial, Body: out}
	}
	return out
}

// toGlobal copies fragments to global memory by way of shared memory: tiles by store, which writes one tile from its fragment, and
// from there on coalesced (TVM's WmmaToGlobal and MmaToGlobal). The rows of tiles that all warps have at the
// same time are in shared memory together.
func (l *copyLowerer) toGlobal(cp *autoCopy, s tir.Stmt, tile int64, store func(tir.Stmt) (tir.Stmt, error)) (tir.Stmt, error) {
	tiled, err := tileNest(s, tile)
	if err != nil {
		return nil, err
	}
	loops, body, err := nestOf(tiled, false)
	if err != nil {
		return nil, err
	}
	above, under := loops[:len(loops)-3], loops[len(loops)-3:]
	st, err := storeOf(body)
	if err != nil {
		return nil, err
	}
	load, err := fragmentLoad(st)
	if err != nil {
		return nil, err
	}
	var relaxed []*tir.For
	for _, f := range l.outer {
		if f.Thread == nil {
			continue
		}
		if level, dim, err := threadDim(f.Thread.ThreadTag); err != nil {
			return nil, err
		} else if level == 1 && dim != 0 { // a whole warp writes one tile
			if !tir.IsConst(f.Min, 0) || tir.Symbolic(f.Extent) {
				return nil, fmt.Errorf("%s has no constant extent from 0", f.Thread.ThreadTag)
			}
			relaxed = append(relaxed, f)
		}
	}
	var shape, at []tir.Expr
	for _, f := range append(append([]*tir.For(nil), relaxed...), under...) {
		shape, at = append(shape, f.Extent), append(at, f.LoopVar)
	}
	cache := cacheOf(load.Buffer, "shared.dyn", shape)
	cp.buffers = append(cp.buffers, cache)
	cp.padding[cache] = 8
	toShared, err := store(stage{under: under, body: &tir.BufferStore{Base: st.Base, Buffer: cache, Value: load, Indices: at}}.stmt())
	if err != nil {
		return nil, err
	}
	from := tir.Load(cache, at...)
	value := tir.RewriteExpr(st.Value, func(e tir.Expr) tir.Expr {
		if ld, ok := e.(*tir.BufferLoad); ok && ld.Buffer == load.Buffer {
			return from
		}
		return e
	})
	rest := stage{relaxed: relaxed, under: under, body: &tir.BufferStore{Base: st.Base, Buffer: st.Buffer, Value: value, Indices: st.Indices}}
	toGlobal, err := l.coalesce(cp, rest.renamed(), len(relaxed))
	if err != nil {
		return nil, err
	}
	out := tir.Seq(toShared, toGlobal)
	for i := len(above) - 1; i >= 0; i-- {
		out = above[i].WithBody(out)
	}
	return out, nil
}

// fragmentLoad returns the load from a fragment in what st stores. All of them have to be of the same element.
func fragmentLoad(st *tir.BufferStore) (*tir.BufferLoad, error) {
	var found *tir.BufferLoad
	var err error
	a := arith.NewAnalyzer()
	ir.Walk(st.Value, func(n ir.Node) bool {
		ld, ok := n.(*tir.BufferLoad)
		if !ok || ld.Buffer.Scope() != "wmma.accumulator" && ld.Buffer.Scope() != "m16n8k8.matrixC" {
			return err == nil
		}
		switch {
		case found == nil:
			found = ld
		case found.Buffer != ld.Buffer:
			//lint:ignore ST1005 as TVM says it
			err = errors.New("More than one target buffer found: expected loads from one buffer of fragments")
		default:
			for i := range found.Indices {
				if !a.CanProveEqual(found.Indices[i], ld.Indices[i]) {
					err = fmt.Errorf("it loads two elements of %s: expected one", ld.Buffer.Name)
				}
			}
		}
		return err == nil
	})
	if err == nil && found == nil {
		err = errors.New("it stores nothing from a fragment")
	}
	return found, err
}
