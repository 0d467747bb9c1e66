package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// shrinking are the buffers that blocks in st allocate of which quotients and remainders pick a part that loops around all accesses fix, as a row of a softmax whose rows are those of
// several axes. Such a buffer becomes that part (tir.CompactBufferAllocation), and the quotients are gone; a view over it would keep it whole.
func shrinking(st ir.Node) map[*tir.Buffer]bool {
	s := &shrinker{within: map[*tir.Buffer][]*tir.Var{}, divided: map[*tir.Buffer][]*tir.Var{}, values: map[*tir.Var]tir.Expr{}, an: arith.NewAnalyzer()}
	s.visit(st)
	out := map[*tir.Buffer]bool{}
	for b, loops := range s.within {
		divided := s.divided[b]
		out[b] = len(divided) > 0 && !slices.ContainsFunc(divided, func(v *tir.Var) bool { return !slices.Contains(loops, v) })
	}
	return out
}

// shrinker goes through the statements of a function.
type shrinker struct {
	loops   []*tir.Var                 // around what is visited
	within  map[*tir.Buffer][]*tir.Var // the loops around all accesses; an allocated buffer without any has none
	divided map[*tir.Buffer][]*tir.Var // the variables of which its accesses take quotients or remainders
	values  map[*tir.Var]tir.Expr      // of variables of blocks, in the variables of loops
	an      *arith.Analyzer            // knows the loops around what is visited
	local   []*tir.Buffer              // allocated so far
}

func (s *shrinker) visit(n ir.Node) {
	switch n := n.(type) {
	case *tir.For:
		s.loops = append(s.loops, n.LoopVar)
		s.an.BindRange(n.LoopVar, &tir.Range{Min: n.Min, Extent: n.Extent})
		s.visit(n.Body)
		s.loops = s.loops[:len(s.loops)-1]
		return
	case *tir.BlockRealize:
		for i, iv := range n.Block.IterVars {
			s.values[iv.Var] = tir.SubstExpr(n.Values[i], s.values)
		}
		s.visit(n.Predicate)
		s.local = append(s.local, n.Block.AllocBuffers...)
	case *tir.Block:
		s.local = append(s.local, n.AllocBuffers...)
	case *tir.BufferLoad:
		s.access(n.Buffer, n.Indices)
	case *tir.BufferStore:
		s.access(n.Buffer, n.Indices)
	case *tir.BufferRegion:
		return
	}
	n.EachChild(s.visit)
}

// access notes where a buffer is accessed.
func (s *shrinker) access(b *tir.Buffer, indices []tir.Expr) {
	if !slices.Contains(s.local, b) {
		return
	}
	if around, seen := s.within[b]; seen {
		n := 0
		for n < min(len(around), len(s.loops)) && around[n] == s.loops[n] {
			n++
		}
		s.within[b] = around[:n]
	} else {
		s.within[b] = slices.Clone(s.loops)
	}
	vars := map[*tir.Var]bool{}
	for _, ix := range indices {
		if divided(ix, vars); len(vars) == 0 {
			continue
		}
		clear(vars)
		divided(s.an.Simplify(tir.SubstExpr(ix, s.values)), vars) // rows of a tile are in one quotient, and follow each other
		for v := range vars {
			s.divided[b] = append(s.divided[b], v)
		}
		clear(vars)
	}
}
