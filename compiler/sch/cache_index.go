package sch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// CacheIndex computes expressions of a block that need no memory, such as indices, ahead of it: each of them that occurs at least threshold times in
// one of its stores gets a block of its own, which writes it to a buffer of the scope (TVM's cache_index). It returns these blocks. As in TVM, the
// block does not declare that it reads these buffers. What may trap stays where it is, and the buffers are compact: TVM gives them one stride
// whatever their dimensions are.
func (s *State) CacheIndex(b *Block, scope string, threshold int) (*State, []*Block, error) {
	if threshold < 0 {
		return nil, nil, errors.New("cse_thresh should not be negative number")
	}
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	ix := newIndexing(at.Block())
	chosen := ix.choose(threshold)
	if len(chosen) == 0 {
		return s, nil, nil
	}
	loads := map[int]tir.Expr{} // by class
	var stages []tir.Stmt
	var blocks []*tir.Block
	var buffers []*tir.Buffer
	for i, e := range chosen {
		run, nest, err := s.indexStage(at, e, i, scope)
		if err != nil {
			return nil, nil, err
		}
		buf := run.Block.Writes[0].Buffer
		var vars []tir.Expr
		for _, v := range inOrder(e) {
			vars = append(vars, v)
		}
		loads[ix.class(e)] = tir.Load(buf, vars...)
		stages, blocks, buffers = append(stages, nest), append(blocks, run.Block), append(buffers, buf)
	}
	out := ix.replaced(loads)
	became := reuse{at.Block(): out}
	body := swapAll(root.Block().Body, at.Block(), out, became)
	c := &cacheStage{stmt: tir.Seq(stages...)}
	for i, x := range statements(peeled(root.Block().Body)) {
		if at.inside(x) {
			c.pos = i
		}
	}
	now := root.Block().WithBody(c.inserted(body)).WithAllocBuffers(append(slices.Clone(root.Block().AllocBuffers), buffers...))
	next, refs := s.replace(root, now, became).refs(at.fn, blocks)
	return next, refs, nil
}

// indexStage makes the block that computes an expression for all values of the block's variables in it, and the loops around it.
func (s *State) indexStage(at site, e tir.Expr, n int, scope string) (*tir.BlockRealize, tir.Stmt, error) {
	block := at.Block()
	bound := bindings(at.Realize())
	loops := map[*tir.Var]*tir.For{}
	for _, l := range at.loops() {
		loops[l.LoopVar] = l
	}
	an := arith.NewAnalyzer()
	axes, inBlock := map[*tir.Var]tir.Expr{}, map[*tir.Var]tir.Expr{}
	dom := arith.AsIntSets(ranges(at.loops()))
	var nest []*tir.For
	var shape, where []tir.Expr
	run := &tir.BlockRealize{Base: block.Base, Predicate: tir.Bool(true)}
	var ivs []*tir.IterVar
	for _, v := range inOrder(e) {
		for _, w := range inOrder(bound[v]) {
			l := loops[w]
			if l == nil || tir.Symbolic(l.Min) || tir.Symbolic(l.Extent) && usesAny(l.Extent, loops) {
				return nil, nil, fmt.Errorf("variable %s of block %s depends on %s, whose range is not known outside of the loops", v.Name, block.Name, w.Name)
			}
			if axes[w] == nil {
				ax := tir.NewVar(fmt.Sprintf("ax%d", len(axes)), w.DType())
				axes[w] = ax
				nest = append(nest, &tir.For{Base: l.Base, LoopVar: ax, Min: l.Min, Extent: l.Extent})
			}
		}
		set := arith.EvalSet(bound[v], dom)
		if set.Min == nil || set.Max == nil || !an.CanProve(tir.GE(set.Min, tir.Const(set.Min.DType(), 0))) {
			return nil, nil, fmt.Errorf("what variable %s of block %s is bound to may be negative, or without bounds", v.Name, block.Name)
		}
		dim := an.Simplify(tir.Add(set.Max, tir.Const(set.Max.DType(), 1)))
		iv := tir.NewVar(fmt.Sprintf("v%d", len(ivs)), v.DType())
		inBlock[v] = iv
		ivs = append(ivs, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(v.DType(), 0), Extent: tir.CastTo(v.DType(), dim)}, Var: iv})
		shape, where = append(shape, dim), append(where, iv)
		run.Values = append(run.Values, bound[v])
	}
	for i, x := range run.Values {
		run.Values[i] = tir.SubstExpr(x, axes)
	}
	buf := tir.NewBuffer(fmt.Sprintf("index_var_%d", n), e.DType(), shape, scope)
	if len(shape) == 1 {
		buf.Strides = []tir.Expr{tir.Int32(1)} // as TVM writes it
	}
	run.Block = &tir.Block{
		Base: block.Base, IterVars: ivs, Writes: []*tir.BufferRegion{point(buf, where)}, Name: fmt.Sprintf("index_%d", n),
		Body: tir.Store(buf, tir.SubstExpr(e, inBlock), where...),
	}
	var out tir.Stmt = run
	for i := len(nest) - 1; i >= 0; i-- {
		out = nest[i].WithBody(out)
	}
	return run, out, nil
}

// usesAny reports whether an expression uses the variable of one of the loops.
func usesAny(e tir.Expr, loops map[*tir.Var]*tir.For) bool {
	return slices.ContainsFunc(inOrder(e), func(v *tir.Var) bool { return loops[v] != nil })
}
