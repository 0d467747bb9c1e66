package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// mostCases bounds how many blocks SplitCases makes of one.
const mostCases = 64

// SplitCases splits a block that stores one of several values, by where one of its variables is, into blocks that store one each, with loops of their own over that part of the
// domain: what joins tensors becomes copies of one tensor each. It returns the blocks, that of the first part first. It is no primitive of TVM's. The block must be as
// it was created, and the parts must begin at constants.
func (s *State) SplitCases(b *Block) (*State, []*Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkOriginal(at); err != nil {
		return nil, nil, err
	}
	old, root := at.Block(), nestSite(at)
	st, ok := old.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil || old.Init != nil {
		return nil, nil, s.fail("NoCasesError", "The block {0} is more than one store", old)
	}
	k, starts := casesOf(old, st.Value)
	switch {
	case k < 0:
		return nil, nil, s.fail("NoCasesError", "The block {0} does not store one of several values by where one of its variables is", old)
	case len(starts) > mostCases:
		return nil, nil, s.fail("NoCasesError", fmt.Sprintf("The block {0} stores one of %d values, more than %d", len(starts), mostCases), old)
	}
	names := namesOf(at.f)
	blocks, nests := make([]*tir.Block, len(starts)), make([]tir.Stmt, len(starts))
	end, _ := tir.AsInt(old.IterVars[k].Dom.Extent)
	for i := len(starts) - 1; i >= 0; i-- {
		name := old.Name
		if i > 0 {
			name = names.fresh(old.Name)
		}
		blocks[i], nests[i] = s.caseOf(at, name, k, starts[i], end-starts[i])
		end = starts[i]
	}
	out := s.replace(root, tir.Seq(nests...), reuse{old: blocks[0]})
	refs := []*Block{b}
	for _, x := range blocks[1:] {
		var ref *Block
		out, ref = out.refer(b.fn, x)
		refs = append(refs, ref)
	}
	return out, refs, nil
}

// casesOf returns the variable of a block by which a value is one of several, and where the parts begin, from 0 on; -1 where there is none.
func casesOf(b *tir.Block, value tir.Expr) (k int, starts []int64) {
	k = -1
	found := true
	var walk func(e tir.Expr)
	walk = func(e tir.Expr) {
		call, ok := tir.IsCallTo(e, tir.OpIfThenElse)
		if !ok || !found {
			return
		}
		v, c, ok := limitOf(call.Args[0])
		i := slices.IndexFunc(b.IterVars, func(iv *tir.IterVar) bool { return iv.Var == v })
		if !ok || i < 0 || k >= 0 && i != k {
			found = false
			return
		}
		k, starts = i, append(starts, c)
		walk(call.Args[1])
		walk(call.Args[2])
	}
	if walk(value); !found || k < 0 {
		return -1, nil
	}
	n, known := tir.AsInt(b.IterVars[k].Dom.Extent)
	starts = slices.DeleteFunc(starts, func(c int64) bool { return c <= 0 || c >= n })
	if !known || len(starts) == 0 {
		return -1, nil
	}
	slices.Sort(starts)
	return k, slices.Compact(append([]int64{0}, starts...))
}

// limitOf reads a condition c <= v, or v < c.
func limitOf(e tir.Expr) (v *tir.Var, c int64, ok bool) {
	x, isBinary := e.(*tir.Binary)
	if !isBinary {
		return nil, 0, false
	}
	left, right := x.A, x.B
	switch x.Op {
	case tir.OpGE: // v >= c
		left, right = right, left
	case tir.OpLE:
	case tir.OpLT:
		left, right = right, left
		fallthrough
	case tir.OpGT:
		// c > v
	default:
		return nil, 0, false
	}
	v, isVar := right.(*tir.Var)
	c, isConst := tir.AsInt(left)
	return v, c, isVar && isConst
}

// caseOf makes the block, with its loops, for the values from start on of variable k.
func (s *State) caseOf(at site, name string, k int, start, count int64) (*tir.Block, tir.Stmt) {
	old, r, loops := at.Block(), at.Realize(), at.loops()
	b := &tir.Block{Base: old.Base, Name: name, Annotations: old.Annotations}
	sub, values := map[*tir.Var]tir.Expr{}, make([]tir.Expr, len(r.Values))
	vars := make([]*tir.Var, len(loops))
	an := arith.NewAnalyzer()
	for i, iv := range old.IterVars {
		v, l := *iv.Var, *loops[i].LoopVar
		dom := iv.Dom
		sub[iv.Var], values[i], vars[i] = &v, &l, &l
		if i == k {
			dom = &tir.Range{Base: iv.Dom.Base, Min: iv.Dom.Min, Extent: tir.Const(iv.Dom.Extent.DType(), count)}
			if start > 0 {
				sub[iv.Var] = tir.Add(&v, tir.Const(v.DType(), start))
			}
		}
		b.IterVars = append(b.IterVars, &tir.IterVar{Base: iv.Base, Dom: dom, Var: &v, Kind: iv.Kind})
		an.BindRange(&v, dom)
	}
	st := old.Body.(*tir.BufferStore)
	b.Body = st.WithValue(an.Simplify(tir.SubstExpr(st.Value, sub))).WithIndices(mapExprs(st.Indices, func(e tir.Expr) tir.Expr { return an.Simplify(tir.SubstExpr(e, sub)) }))
	b.Reads, b.Writes, _ = region.OfBlock(b, nil)
	var nest tir.Stmt = &tir.BlockRealize{Base: r.Base, Values: values, Predicate: tir.Bool(true), Block: b}
	for i := len(loops) - 1; i >= 0; i-- {
		n := loops[i].Extent
		if i == k {
			n = tir.Const(n.DType(), count)
		}
		nest = &tir.For{Base: loops[i].Base, LoopVar: vars[i], Min: tir.Const(vars[i].DType(), 0), Extent: n, Body: nest}
	}
	return b, nest
}
