package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// blockPattern classifies one block, whose body is a store, or several that are a reduction to a tuple.
func blockPattern(b *tir.Block) (opPattern, *mismatch) {
	store := storesOf(b.Body)[0]
	spatial := map[*tir.Var]int{}
	reduce := false
	for _, iv := range b.IterVars {
		switch iv.Kind {
		case tir.DataPar:
			spatial[iv.Var] = -1
		case tir.CommReduce:
			reduce = true
		default:
			return patOpaque, &mismatch{b, "an axis of the block is neither spatial nor a reduction"}
		}
	}
	for i, e := range store.Indices {
		if tir.IsConst(e, 0) {
			continue
		}
		v, ok := e.(*tir.Var)
		switch at, known := spatial[v]; {
		case !ok || !known:
			return patOpaque, &mismatch{store, "an index of the store is not a spatial axis of the block"}
		case at >= 0:
			return patOpaque, &mismatch{store, "two indices of the store are the same axis"}
		}
		spatial[v] = i
	}
	if reduce {
		return reducePattern(b), nil
	}
	if b.Body != tir.Stmt(store) {
		return patOpaque, &mismatch{b.Body, "the block is no reduction, and its body is not a single store"}
	}
	return valuePattern(store, spatial)
}

// valuePattern classifies the store of a block without reduction axes. spatial has the place of each
// axis in the indices of the store, -1 if it is not there.
func valuePattern(store *tir.BufferStore, spatial map[*tir.Var]int) (opPattern, *mismatch) {
	kind, elementwise := patElemWise, false
	var opaque *mismatch
	ir.Walk(store.Value, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			k, why := accessPattern(n, store, spatial)
			if why != "" && opaque == nil {
				opaque = &mismatch{n, why}
			}
			elementwise = elementwise || k == patElemWise
			kind = max(kind, k)
		case *tir.Call:
			if tir.CallEffect(n) > tir.Pure && opaque == nil {
				opaque = &mismatch{n, "the call may have effects"}
			}
		}
		return opaque == nil
	})
	if opaque != nil {
		return patOpaque, opaque
	}
	if kind == patBroadcast && elementwise {
		kind = patElemWise // a bias: C[i, j] = A[i, j] + B[i]
	}
	// A value chosen by position (padding, concatenation, arange) is no elementwise function.
	if kind < patInjective && usesPosition(store.Value, spatial) {
		kind = patInjective
	}
	return kind, nil
}

// usesPosition reports whether e depends on iteration variables outside the indices of loads.
func usesPosition(e ir.Node, spatial map[*tir.Var]int) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return false
		case *tir.Var:
			if _, ok := spatial[n]; ok {
				found = true
			}
		}
		return !found
	})
	return found
}

// accessPattern classifies a load: of the element that is stored, of one that several
// stored elements share, of any one, or of one that no axis of the store gives: why it is opaque.
func accessPattern(l *tir.BufferLoad, store *tir.BufferStore, spatial map[*tir.Var]int) (k opPattern, why string) {
	last, ordered, full := -1, true, len(l.Indices) == len(store.Indices)
	for i, e := range l.Indices {
		switch e := e.(type) {
		case *tir.Var:
			at, ok := spatial[e]
			if !ok || at < 0 {
				return patOpaque, "an index of the load is not an axis that the store is indexed with"
			}
			if at <= last {
				ordered = false
			}
			full = full && at == i
			last = at
		case *tir.IntImm:
			if e.Value != 0 {
				ordered = false
			}
			full = full && i < len(store.Indices) && tir.IsConst(store.Indices[i], 0)
		default:
			ordered, full = false, false
			if loads(e) {
				return patOpaque, "an index of the load is read from memory"
			}
		}
	}
	switch {
	case full:
		return patElemWise, ""
	case ordered:
		return patBroadcast, ""
	}
	return patInjective, ""
}
