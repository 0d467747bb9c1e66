package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// Refill lets a block that stores a constant all over a buffer that its scope allocates run over the axes of the buffer, whatever indices it stored
// at. It is no primitive of TVM's. The block must be the first one to use the buffer, and have its loops as they were created.
func (s *State) Refill(b *Block) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, err
	}
	if err := s.checkOriginal(at); err != nil {
		return nil, err
	}
	old := at.Block()
	st, ok := old.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil || old.Init != nil || !isConstant(st.Value) || !slices.Contains(root.Block().AllocBuffers, st.Buffer) {
		return nil, s.fail("NotFillError", "The block {0} does not fill a buffer of its scope with a constant", old)
	}
	if before := s.deps(root.Block()).byDst[old]; len(before) > 0 {
		return nil, s.fail("UsedBeforeError", "The block {0} is to fill a buffer that the block {1} uses before", old, before[0].src)
	}
	now := &tir.Block{Base: old.Base, Name: old.Name, Annotations: old.Annotations}
	var loops []*tir.For
	var values, indices []tir.Expr
	for k, n := range st.Buffer.Shape {
		d := n.DType()
		v, ax := tir.NewVar(fmt.Sprintf("v%d", k), d), tir.NewVar(fmt.Sprintf("ax%d", k), d)
		now.IterVars = append(now.IterVars, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(d, 0), Extent: n}, Var: v})
		loops = append(loops, &tir.For{Base: old.Base, LoopVar: ax, Min: tir.Const(d, 0), Extent: n})
		values, indices = append(values, ax), append(indices, v)
	}
	now.Body = st.WithIndices(indices)
	now.Reads, now.Writes, _ = region.OfBlock(now, nil)
	var nest tir.Stmt = at.Realize().WithValues(values).WithBlock(now)
	for k := len(loops) - 1; k >= 0; k-- {
		nest = around(loops[k], nest)
	}
	return s.replace(nestSite(at), nest, reuse{old: now}), nil
}

func isConstant(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	}
	return false
}
