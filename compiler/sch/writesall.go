package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// checkWritesAll returns an error if a block may leave some elements of a buffer as they were, where others see the buffer after its scope: a copy
// that is written in its place and then copied to all of a region would overwrite them. w is what the block declares to write, loops are those
// between the place of the copy and the block. The iterations of these have to reach all of the region by writing at reached, which is w or, where
// the copy has a shape of its own, the part of that; nil if the copy makes the same iterations. TVM does not look.
func (s *State) checkWritesAll(at, root site, loops []*tir.For, w, reached *tir.BufferRegion, region []*tir.Range) error {
	if slices.Contains(root.Block().AllocBuffers, w.Buffer) && len(s.deps(root.Block()).writers[w.Buffer]) <= 1 {
		return nil // nothing else writes it, and what nothing wrote has no value
	}
	top := root.stmt()
	if all := at.loops(); len(all) > len(loops) {
		top = all[len(all)-len(loops)-1]
	}
	if why := s.leavesOut(at, top, loops, w, reached, region); why != "" {
		return s.fail("PartialWriteError", fmt.Sprintf("The block {0} may not write all elements of buffer %s that a copy of it would overwrite: %s.", w.Buffer.Name, why), at.Block())
	}
	return nil
}

// leavesOut says why elements may be left out by a block below top, "" if none are.
func (s *State) leavesOut(at site, top tir.Stmt, loops []*tir.For, w, reached *tir.BufferRegion, region []*tir.Range) string {
	for _, l := range loops {
		if tir.IsConst(l.Extent, 0) {
			return "loop " + l.LoopVar.Name + " has no iteration"
		}
	}
	an := arith.NewAnalyzer()
	for _, l := range allLoops(at) {
		an.BindRange(l.LoopVar, rangeOf(l))
	}
	if reached == nil {
		return leftBelow(at, top, w, an)
	}
	sets, why := s.surely(at, top, ranges(loops), reached, an)
	if why == "" && reached != w && !storesAll(at.Block(), w, an) {
		why = "its body may leave some out"
	}
	if why == "" && !coverAll(reached.Buffer.Shape, [][]arith.IntSet{sets}, region, an) {
		why = "its iterations may not reach all of them"
	}
	return why
}

// surely returns sets of elements all of which a block below top writes in the ranges of loops around it, or why it may leave some out.
func (s *State) surely(at site, top tir.Stmt, dom map[*tir.Var]*tir.Range, w *tir.BufferRegion, an *arith.Analyzer) ([]arith.IntSet, string) {
	if why := leftBelow(at, top, w, an); why != "" {
		return nil, why
	}
	used := map[*tir.Var]bool{}
	varsOf(at.Realize().Predicate, used)
	for v := range used {
		if dom[v] == nil {
			return nil, "its predicate depends on more than the loops there"
		}
	}
	sub := substRegion(w, bindings(at.Realize()))
	sets, ok := arith.EstimateRegionLowerBound(sub.Region, dom, at.Realize().Predicate, an)
	if !ok {
		return nil, "its iterations may not reach all of them"
	}
	return sets, ""
}

// leftBelow says why a block below top may leave out elements of a region of one iteration that it writes: it runs under a condition, or its body
// does not store all of them.
func leftBelow(at site, top tir.Stmt, w *tir.BufferRegion, an *arith.Analyzer) string {
	for i := len(at.path) - 2; i >= 0 && at.path[i] != top; i-- {
		if conditional(at.path[i]) {
			return "it runs under a condition"
		}
	}
	if !storesAll(at.Block(), w, an) {
		return "its body may leave some out"
	}
	return ""
}

// coverAll reports whether sets of elements that are written hold a region: one of them does, or those along one dimension together.
func coverAll(shape []tir.Expr, sure [][]arith.IntSet, region []*tir.Range, an *arith.Analyzer) bool {
	whole := make([]arith.IntSet, len(region))
	for i, r := range region {
		whole[i] = arith.SetOfRange(r)
	}
	for _, x := range sure {
		if producerCovers(shape, x, whole, an) {
			return true
		}
	}
	if len(sure) < 2 {
		return false
	}
	differ := 0
	for i := range region {
		for _, x := range sure[1:] {
			if !sameSet(x[i], sure[0][i]) {
				differ++
				break
			}
		}
	}
	return differ < 2 && producerCovers(shape, arith.UnionRegionLowerBound(sure), whole, an)
}

func sameSet(a, b arith.IntSet) bool {
	same := func(x, y tir.Expr) bool { return x == nil && y == nil || x != nil && y != nil && tir.Equal(x, y) }
	return a.Empty == b.Empty && same(a.Min, b.Min) && same(a.Max, b.Max)
}

func conditional(x tir.Stmt) bool {
	switch x.(type) {
	case *tir.IfThenElse, *tir.While:
		return true
	}
	return false
}

// storesAll reports whether the body of a block stores all that the block declares to write of a buffer. What calls write is not seen and taken for
// all.
func storesAll(b *tir.Block, w *tir.BufferRegion, an *arith.Analyzer) bool {
	var sure [][]arith.IntSet
	partial, seen := false, false
	add := func(region []*tir.Range, pred tir.Expr, loops []*tir.For) {
		seen = true
		if sets, ok := arith.EstimateRegionLowerBound(region, ranges(loops), pred, an); ok {
			sure = append(sure, sets)
		}
	}
	var look func(x tir.Stmt, loops []*tir.For, maybe bool)
	look = func(x tir.Stmt, loops []*tir.For, maybe bool) {
		switch x := x.(type) {
		case *tir.For:
			loops = append(loops[:len(loops):len(loops)], x)
			maybe = maybe || tir.IsConst(x.Extent, 0)
		case *tir.IfThenElse, *tir.While:
			maybe = true
		case *tir.BufferStore:
			if x.Buffer != w.Buffer {
				return
			}
			partial = partial || maybe
			add(point(x.Buffer, x.Indices).Region, tir.Bool(true), loops)
		case *tir.BlockRealize:
			_, writes := declared(x.Block)
			if r := regionOf(writes, w.Buffer); r != nil {
				partial = partial || maybe || undeclared(x.Block) || !storesAll(x.Block, r, an)
				add(substRegion(r, bindings(x)).Region, x.Predicate, loops)
			}
			return
		}
		children(x, func(y tir.Stmt) { look(y, loops, maybe) })
	}
	if b.Init == nil {
		look(b.Body, nil, false)
	} else {
		look(b.Init, nil, false) // the first of the steps
	}
	if !seen {
		return true
	}
	return !partial && coverAll(w.Buffer.Shape, sure, w.Region, an)
}
