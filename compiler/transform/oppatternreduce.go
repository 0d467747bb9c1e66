package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// reducePattern tells reductions that take elementwise operations on their outputs from
// others: those that accumulate products (convolution, matmul), and those that read more than
// the elements that they reduce (pooling).
func reducePattern(b *tir.Block) opPattern {
	if store, ok := b.Body.(*tir.BufferStore); ok && accumulatesProducts(store) || !pureReduce(b) {
		return patOutEWiseFusable
	}
	return patCommReduce
}

// pureReduce reports whether every load but that of the result has iteration variables of
// the block as its indices, as in a sum over axes.
func pureReduce(b *tir.Block) bool {
	results := map[*tir.Buffer]bool{}
	for _, store := range storesOf(b.Body) {
		results[store.Buffer] = true
	}
	iter := map[tir.Expr]bool{}
	for _, iv := range b.IterVars {
		iter[iv.Var] = true
	}
	pure := true
	ir.Walk(b.Body, func(n ir.Node) bool {
		if l, ok := n.(*tir.BufferLoad); ok && !results[l.Buffer] {
			for _, e := range l.Indices {
				pure = pure && (iter[e] || tir.IsConst(e, 0))
			}
		}
		return pure
	})
	return pure
}

func accumulatesProducts(store *tir.BufferStore) bool {
	add, ok := store.Value.(*tir.Binary)
	if !ok || add.Op != tir.OpAdd {
		return false
	}
	for _, side := range []tir.Expr{add.A, add.B} {
		for {
			c, ok := side.(*tir.Cast)
			if !ok {
				break
			}
			side = c.Value
		}
		if dot, ok := tir.IsCallTo(side, tir.OpDp4a); ok && loads(dot.Args[0]) && loads(dot.Args[1]) {
			return true
		}
		if mul, ok := side.(*tir.Binary); ok && mul.Op == tir.OpMul && loads(mul.A) && loads(mul.B) {
			return true
		}
	}
	return false
}

// loads reports whether e reads memory.
func loads(e tir.Expr) bool {
	return ir.Any(e, func(n ir.Node) bool { _, load := n.(*tir.BufferLoad); return load })
}
