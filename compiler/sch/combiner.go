package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Combiner returns how a block with one store combines: the operation, which is commutative, the value
// combined, and the store. The maximum of numbers, a selection by a comparison (te.MaxOfNumbers), counts as a maximum; see ofNumbers. ok is false for other bodies.
func Combiner(b *tir.Block) (op tir.BinaryOp, value tir.Expr, st *tir.BufferStore, ok bool) {
	st, ok = b.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil {
		return 0, nil, nil, false
	}
	own := func(x tir.Expr) bool {
		l, ok := x.(*tir.BufferLoad)
		if !ok || l.Buffer != st.Buffer || l.Predicate != nil || len(l.Indices) != len(st.Indices) {
			return false
		}
		for k := range l.Indices {
			if !arith.Equal(l.Indices[k], st.Indices[k]) {
				return false
			}
		}
		return true
	}
	switch e := st.Value.(type) {
	case *tir.Binary:
		switch e.Op {
		case tir.OpAdd, tir.OpMul, tir.OpMin, tir.OpMax, tir.OpAnd, tir.OpOr:
		default:
			return 0, nil, nil, false
		}
		op, value = e.Op, e.B
		if !own(e.A) {
			if !own(e.B) {
				return 0, nil, nil, false
			}
			value = e.A
		}
	case *tir.Select:
		c, isCompare := e.Cond.(*tir.Binary)
		if !isCompare || c.Op != tir.OpLT || !own(c.A) || !own(e.False) || !tir.Equal(c.B, e.True) || !e.True.DType().IsFloat() {
			return 0, nil, nil, false
		}
		op, value = tir.OpMax, e.True
	default:
		return 0, nil, nil, false
	}
	for _, l := range Loads(value, nil) {
		ok = ok && l.Buffer != st.Buffer
	}
	return op, value, st, ok
}

// ofNumbers reports whether what a block combines by a maximum are numbers only, and a NaN is left out.
func ofNumbers(b *tir.Block) bool {
	st, ok := b.Body.(*tir.BufferStore)
	if !ok {
		return false
	}
	_, ok = st.Value.(*tir.Select)
	return ok
}

// Loads lists the loads in an expression in the order in which they stand there, equal ones once. number, if not nil, gets the place of each in the
// list.
func Loads(e tir.Expr, number map[*tir.BufferLoad]int) []*tir.BufferLoad {
	var out []*tir.BufferLoad
	seen := map[tir.Expr]bool{}
	ir.Walk(e, func(n ir.Node) bool {
		x, ok := n.(tir.Expr)
		if !ok || seen[x] {
			return !ok
		}
		seen[x] = true
		l, ok := x.(*tir.BufferLoad)
		if !ok {
			return true
		}
		k := 0
		for k < len(out) && !tir.Equal(out[k], l) {
			k++
		}
		if k == len(out) {
			out = append(out, l)
		}
		if number != nil {
			number[l] = k
		}
		return true
	})
	return out
}
