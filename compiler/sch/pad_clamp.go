package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// ClampPadding lets a block that pads read everywhere, and choose behind that:
//
//	Y[i] = if_then_else(1 <= i and i < 9, X[i - 1], 0)   ->   Y[i] = Select(max(min(i - 1, 7), 0) == i - 1, X[max(min(i - 1, 7), 0)], 0)
//
// What is not chosen is an element at the edge. So neighbours are vectors at the edges too, where a branch would be taken lane by lane. The condition is written so that nothing takes the bounds
// away where it holds: all lanes of a vector read. It is no primitive of TVM's. The block must store a load or a constant, the load where it is in bounds, and the axes that it pads must have constant
// extents, none of them 0.
func (s *State) ClampPadding(b *Block) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	old := at.Block()
	wrong := func(why string) error {
		return s.fail("NotPaddedError", "The block {0} does not pad: "+why, old)
	}
	st, ok := old.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil || old.Init != nil || len(old.MatchBuffers) > 0 {
		return nil, wrong("its body is no store alone")
	}
	call, ok := tir.IsCallTo(st.Value, tir.OpIfThenElse)
	if !ok || !isConstant(call.Args[2]) || arith.SideEffect(call.Args[0]) > tir.Pure {
		return nil, wrong("it does not store a constant where a condition on its axes fails")
	}
	load, ok := call.Args[1].(*tir.BufferLoad)
	if !ok || load.Predicate != nil {
		return nil, wrong("it stores something else than what it loads")
	}
	an := arith.NewAnalyzer()
	for _, iv := range old.IterVars {
		an.BindRange(iv.Var, iv.Dom)
	}
	indices := slices.Clone(load.Indices)
	holds, inside := tir.Expr(tir.Bool(true)), tir.Expr(tir.Bool(true))
	for k, ix := range load.Indices {
		n, known := tir.AsInt(load.Buffer.Shape[k])
		zero, end := tir.Const(ix.DType(), 0), tir.CastTo(ix.DType(), load.Buffer.Shape[k])
		if an.CanProve(tir.LT(ix, end)) && an.CanProve(tir.LE(zero, ix)) {
			continue
		}
		if !known || n == 0 || arith.SideEffect(ix) > tir.Pure {
			return nil, wrong("an axis that it pads has a symbolic extent, or none, or a place that is data")
		}
		indices[k] = tir.Max(tir.Min(ix, tir.Const(ix.DType(), n-1)), zero)
		holds = tir.And(holds, tir.EQ(indices[k], ix))
		inside = tir.And(inside, tir.And(tir.LE(zero, ix), tir.LT(ix, end)))
	}
	if !implies(an, inside, call.Args[0]) || !implies(an, call.Args[0], inside) {
		return nil, wrong("its condition is not that what it loads is in bounds")
	}
	now := *old
	now.Body = st.WithValue(&tir.Select{Base: call.Base, Cond: holds, True: load.WithIndices(indices), False: call.Args[2]})
	now.Reads, now.Writes, _ = region.OfBlock(&now, nil)
	return s.replace(at, &now, nil), nil
}

// implies reports whether b certainly holds where a does.
func implies(an *arith.Analyzer, a, b tir.Expr) bool {
	exit := an.EnterConstraint(a)
	defer exit()
	for _, c := range tir.Conjuncts(nil, b) {
		if !an.CanProve(c) {
			return false
		}
	}
	return true
}
