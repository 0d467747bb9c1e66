package tirpass_test

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	. "github.com/irscope/irscope/compiler/tirpass"
)

func goldens() map[*pass.Pass][]goldenCase {
	out := map[*pass.Pass][]goldenCase{}
	for _, m := range []map[*pass.Pass][]goldenCase{blockGoldens(), viewGoldens(), flatGoldens(), targetGoldens()} {
		for p, cases := range m {
			out[p] = cases
		}
	}
	return out
}

// rows is B = A*2 row by row through a buffer of the root block, then C = B+1.
func rows() *tir.PrimFunc {
	a, b, c := floats("A", 16, 16), floats("B", 16, 16), floats("C", 16, 16)
	i, j, k := index("i"), index("j"), index("k")
	two := loop(j, 16, store(b, mul(load(a, i, j), f32(2)), i, j))
	one := loop(k, 16, store(c, add(load(b, i, k), f32(1)), i, k))
	return fn(root(loop(i, 16, opaque("two", two), opaque("one", one)), b), a, c)
}

// rowSum sums the rows of A.
func rowSum() *tir.PrimFunc { return sumOf(n(8)) }

// sumOf sums rows of m elements.
func sumOf(m tir.Expr) *tir.PrimFunc {
	a, b := floats("A", 4, 8), floats("B", 4)
	a = tir.NewBuffer("A", a.DType, []tir.Expr{a.Shape[0], m}, "")
	i, k, vi, vk := index("i"), index("k"), index("vi"), index("vk")
	sum := block("sum", []iter{{vi, 4, i, tir.DataPar}, {vk, 8, k, tir.CommReduce}}, b, store(b, add(load(b, vi), load(a, vi, vk)), vi))
	sum.Block.IterVars[1].Dom = &tir.Range{Min: n(0), Extent: m}
	sum.Block.Init = store(b, f32(0), vi)
	inner := loop(k, 8, sum)
	inner.Extent = m
	return fn(root(loop(i, 4, inner)), a, b)
}

// accumulated reduces into a buffer of the root block from inside the loop of the reduction.
func accumulated() *tir.PrimFunc {
	a, b, out := floats("A", 8), floats("B", 1), floats("C", 1)
	k, vk := index("k"), index("vk")
	sum := block("sum", []iter{{vk, 8, k, tir.CommReduce}}, b, store(b, add(load(b, n(0)), load(a, vk)), n(0)))
	sum.Block.Init = store(b, f32(0), n(0))
	copyOut := block("out", nil, out, store(out, load(b, n(0)), n(0)))
	return fn(root(loop(k, 8, sum, copyOut), b), a, out)
}

// tail is a split loop whose last part is cut off by a predicate, through a local buffer.
func tail() *tir.PrimFunc {
	a, b, c := floats("A", 10), floats("B", 10), floats("C", 10)
	o, i, j, v, w := index("o"), index("i"), index("j"), index("v"), index("w")
	at := add(mul(o, n(4)), i)
	first := block("B", []iter{{v, 10, at, tir.DataPar}}, b, store(b, mul(load(a, v), f32(2)), v))
	first.Predicate = tir.LT(at, n(10))
	to := add(mul(o, n(4)), j)
	second := block("C", []iter{{w, 10, to, tir.DataPar}}, c, store(c, add(load(b, w), f32(1)), w))
	second.Predicate = tir.LT(to, n(10))
	return fn(root(loop(o, 3, loop(i, 4, first), loop(j, 4, second)), b), a, c)
}

// window reads a window of three rows: the buffer needs three of eight.
func window() *tir.PrimFunc {
	a, b, c := floats("A", 8, 4), floats("B", 8, 4), floats("C", 8, 4)
	i, r, j, k, x := index("i"), index("r"), index("j"), index("k"), index("x")
	row := tir.Sub(add(i, r), n(1))
	inside := tir.And(tir.GE(row, n(0)), tir.LT(row, n(8)))
	fill := loop(r, 3, &tir.IfThenElse{Cond: inside, Then: loop(j, 4, store(b, load(a, row, j), row, j))})
	near := add(i, tir.Sub(k, n(1)))
	in := tir.And(tir.GE(near, n(0)), tir.LT(near, n(8)))
	use := loop(x, 4, store(c, f32(0), i, x), loop(k, 3, store(c, add(load(c, i, x), tir.IfThenElseExpr(in, load(b, near, x), f32(0))), i, x)))
	return fn(root(loop(i, 8, opaque("row", tir.Seq(fill, use), b))), a, c)
}

// throughLet indexes a buffer by a variable that is bound inside of its block.
func throughLet() *tir.PrimFunc {
	a, b := floats("A", 8), floats("B", 8)
	t := floats("T", 8)
	i, l, m := index("i"), index("l"), index("m")
	body := &tir.LetStmt{Var: l, Value: tir.FloorMod(mul(i, n(3)), n(8)), Body: tir.Seq(
		store(t, load(a, l), l),
		&tir.LetStmt{Var: m, Value: l, Body: store(b, load(t, m), i)},
	)}
	return fn(root(loop(i, 8, opaque("b", body, t))), a, b)
}

func blockGoldens() map[*pass.Pass][]goldenCase {
	a, b := floats("A", 128), floats("B", 128)
	i, j := index("i"), index("j")
	stepped := &tir.For{LoopVar: i, Min: n(1), Extent: n(127), Step: n(5), Body: store(b, load(a, i), i)}
	triangle := &tir.For{LoopVar: i, Min: n(2), Extent: n(8), Body: &tir.For{LoopVar: j, Min: i, Extent: n(4), Body: store(b, load(a, j), add(i, j))}}
	opaqued := []*pass.Pass{LowerInitBlock, PlanAndUpdateBufferAllocationLocation, ConvertBlocksToOpaque}
	annotated := rows()
	annotated = annotated.WithBody(tir.RewriteStmt(annotated.Body, func(s tir.Stmt) tir.Stmt {
		if l, ok := s.(*tir.For); ok && l.LoopVar.Name == "j" {
			return l.WithAnnotations(ir.NewAttrs("pragma_unroll_explicit", 1, "hint", 3))
		}
		return s
	}, nil))
	unit := fn(root(loop(index("u"), 1, loop(i, 4, store(b, load(a, i), i)))), a, b)
	parallel := rows()
	parallel = parallel.WithBody(tir.RewriteStmt(parallel.Body, func(s tir.Stmt) tir.Stmt {
		if l, ok := s.(*tir.For); ok && l.LoopVar.Name == "i" {
			return kind(tir.Parallel, l)
		}
		return s
	}, nil))
	return map[*pass.Pass][]goldenCase{
		CanonicalizeLoop: {
			{name: "start and step", f: fn(stepped, a, b)},
			{name: "inner loop starts at the outer", f: fn(triangle, a, b)},
			{name: "already canonical", f: rows()},
		},
		LowerInitBlock: {
			{name: "one reduction variable", f: rowSum()},
			{name: "no reduction", f: rows()},
			{name: "of no element", f: sumOf(n(0))},
			{name: "of an extent that may be 0", f: sumOf(index("m"))},
		},
		PlanAndUpdateBufferAllocationLocation: {
			{name: "into the loop", f: rows()},
			{name: "outside of the reduction", f: accumulated()},
			{name: "parallel", f: parallel},
		},
		ConvertBlocksToOpaque: {
			{name: "reduction", f: rowSum(), prepare: []*pass.Pass{LowerInitBlock}},
			{name: "predicate", f: tail()},
			{name: "init is left", f: rowSum(), fails: true},
		},
		CompactBufferAllocation: {
			{name: "one row", f: rows(), prepare: opaqued},
			{name: "tail of a split", f: tail(), prepare: opaqued},
			{name: "window", f: window(), prepare: opaqued},
			{name: "index bound inside", f: throughLet(), prepare: opaqued},
		},
		LowerOpaqueBlock: {
			{name: "allocation in a loop", f: rows(), prepare: append(opaqued, CompactBufferAllocation)},
			{name: "predicate", f: tail(), prepare: opaqued},
			{name: "pragma", f: annotated, prepare: opaqued},
			{name: "loop of one step", f: unit},
			{name: "kept loop of one step", f: unit, opts: []pass.ContextOption{pass.Configure(map[string]any{"tir.debug_keep_trivial_loop": true})}},
			{name: "iteration variables are left", f: rowSum(), prepare: []*pass.Pass{LowerInitBlock}, fails: true},
		},
	}
}
