package sch

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// maxSimplified is the size up to which expressions are compared as what they simplify to; larger ones are compared as they are written.
const maxSimplified = 64

// indexing finds the expressions of a block that cache_index computes ahead of it, after TVM's CSE: a computation that occurs too seldom gives its
// occurrences to the computations right inside of it, the largest first. Each node is simplified at most once, up to a bounded size.
type indexing struct {
	block   *tir.Block
	vars    map[*tir.Var]bool // of the block
	an      *arith.Analyzer
	sizes   map[tir.Expr]int
	fits    map[tir.Expr]bool
	varying map[tir.Expr]bool
	classes map[tir.Expr]int
	forms   map[uint64][]form
	n       int
}

// form is what the expressions of a class simplify to.
type form struct {
	expr  tir.Expr
	class int
}

// computation is a class of expressions with how often one of them is computed.
type computation struct {
	expr  tir.Expr
	count int
}

func newIndexing(b *tir.Block) *indexing {
	ix := &indexing{
		block: b, vars: map[*tir.Var]bool{}, an: arith.NewAnalyzer(), sizes: map[tir.Expr]int{}, fits: map[tir.Expr]bool{}, varying: map[tir.Expr]bool{},
		classes: map[tir.Expr]int{}, forms: map[uint64][]form{},
	}
	for _, iv := range b.IterVars {
		ix.vars[iv.Var] = true
	}
	return ix
}

// operands calls f for the expressions right inside of one.
func operands(e tir.Expr, f func(tir.Expr)) {
	e.EachChild(func(n ir.Node) {
		if x, ok := n.(tir.Expr); ok {
			f(x)
		}
	})
}

// size counts the nodes of an expression.
func (ix *indexing) size(e tir.Expr) int {
	if n, ok := ix.sizes[e]; ok {
		return n
	}
	n := 1
	operands(e, func(x tir.Expr) { n += ix.size(x) })
	ix.sizes[e] = n
	return n
}

// movable reports whether an expression may be computed ahead: it needs nothing but variables of the block, and cannot fail.
func (ix *indexing) movable(e tir.Expr) bool {
	if ok, seen := ix.fits[e]; seen {
		return ok
	}
	ok := e.DType().Lanes <= 1
	switch e := e.(type) {
	case *tir.Var:
		ok = ok && ix.vars[e]
	case *tir.BufferLoad, *tir.ProducerLoad:
		ok = false
	case *tir.Call:
		ok = ok && tir.CallEffect(e) <= tir.Pure
	case *tir.Binary:
		if n, known := tir.AsInt(e.B); e.DType().IsInteger() && slices.Contains([]tir.BinaryOp{tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod}, e.Op) {
			ok = ok && known && n > 0
		}
	}
	operands(e, func(x tir.Expr) { ok = ix.movable(x) && ok })
	ix.fits[e] = ok
	return ok
}

// eligible reports whether an expression is worth a buffer: it is movable, no variable or constant alone, and not the same everywhere.
func (ix *indexing) eligible(e tir.Expr) bool {
	return ix.movable(e) && ix.size(e) > 1 && ix.varies(e)
}

// varies reports whether a variable stands in an expression.
func (ix *indexing) varies(e tir.Expr) bool {
	if ok, seen := ix.varying[e]; seen {
		return ok
	}
	_, ok := e.(*tir.Var)
	operands(e, func(x tir.Expr) { ok = ix.varies(x) || ok })
	ix.varying[e] = ok
	return ok
}

// class numbers expressions that compute the same.
func (ix *indexing) class(e tir.Expr) int {
	if n, ok := ix.classes[e]; ok {
		return n
	}
	x := e
	if ix.size(e) <= maxSimplified {
		x = ix.an.Simplify(e)
	}
	h := ir.StructuralHash(x)
	for _, f := range ix.forms[h] {
		if tir.Equal(f.expr, x) && f.expr.DType() == x.DType() {
			ix.classes[e] = f.class
			return f.class
		}
	}
	ix.n++
	ix.forms[h] = append(ix.forms[h], form{x, ix.n})
	ix.classes[e] = ix.n
	return ix.n
}

// within calls f for the largest eligible expressions in one, or in what is right inside of it.
func (ix *indexing) within(e tir.Expr, itself bool, f func(tir.Expr)) {
	if itself && ix.eligible(e) {
		f(e)
		return
	}
	operands(e, func(x tir.Expr) { ix.within(x, true, f) })
}

// stores returns the stores of the block, but for those of blocks inside of it.
func (ix *indexing) stores() []*tir.BufferStore {
	var out []*tir.BufferStore
	look := func(x tir.Stmt) bool {
		if s, ok := x.(*tir.BufferStore); ok {
			out = append(out, s)
		}
		_, inner := x.(*tir.BlockRealize)
		return !inner
	}
	if ix.block.Init != nil {
		visit(ix.block.Init, look)
	}
	visit(ix.block.Body, look)
	return out
}

// choose returns the expressions, the largest first.
func (ix *indexing) choose(threshold int) []tir.Expr {
	var out []tir.Expr
	taken := map[int]bool{}
	for _, store := range ix.stores() {
		often := ix.frequent(store, threshold)
		var post func(tir.Expr)
		post = func(e tir.Expr) {
			operands(e, post)
			if !ix.eligible(e) {
				return
			}
			if n := ix.class(e); often[n] != nil && !taken[n] {
				taken[n] = true
				out = append(out, often[n])
			}
		}
		post(store.Value)
	}
	slices.SortStableFunc(out, func(a, b tir.Expr) int { return cmp.Compare(ix.size(b), ix.size(a)) })
	return out
}

// frequent returns the computations of a store that occur often enough, by class.
func (ix *indexing) frequent(store *tir.BufferStore, threshold int) map[int]tir.Expr {
	found := map[int]*computation{}
	bySize := map[int][]*computation{} // those that are not looked at yet
	largest := 0
	add := func(e tir.Expr, n int) {
		c := found[ix.class(e)]
		if c == nil {
			c = &computation{expr: e}
			found[ix.class(e)] = c
			k := ix.size(e)
			bySize[k], largest = append(bySize[k], c), max(largest, k)
		}
		c.count += n
	}
	ix.within(store.Value, true, func(e tir.Expr) { add(e, 1) })
	for _, e := range store.Indices {
		ix.within(e, true, func(e tir.Expr) { add(e, 1) })
	}
	out := map[int]tir.Expr{}
	for k := largest; k > 1; k-- {
		for _, c := range bySize[k] {
			if c.count >= threshold {
				out[ix.class(c.expr)] = c.expr
				continue
			}
			ix.within(c.expr, false, func(e tir.Expr) { add(e, c.count) })
		}
	}
	return out
}

// replaced is the block with loads in the place of expressions, by class.
func (ix *indexing) replaced(loads map[int]tir.Expr) *tir.Block {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if ix.eligible(e) {
			if l := loads[ix.class(e)]; l != nil {
				return l
			}
		}
		return m.MapExpr(e)
	}
	stmts := &tir.Mapper{Expr: func(e tir.Expr) tir.Expr { return e }}
	stmts.Stmt = func(x tir.Stmt) tir.Stmt {
		switch x.(type) {
		case *tir.BufferStore:
			return m.MapStmt(x)
		case *tir.BlockRealize:
			return x
		}
		return stmts.MapStmt(x)
	}
	out := ix.block.WithBody(stmts.Stmt(ix.block.Body))
	if out.Init != nil {
		out = out.WithInit(stmts.Stmt(out.Init))
	}
	return out
}
