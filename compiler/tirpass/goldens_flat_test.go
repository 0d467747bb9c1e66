package tirpass_test

import (
	"math"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	. "github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

func config(key string, v any) []pass.ContextOption {
	return []pass.ContextOption{pass.Configure(map[string]any{key: v})}
}

func flattenCases() []goldenCase {
	i, j, m := index("i"), index("j"), index("m")
	a, b, t := floats("A", 4, 6), floats("B", 4, 6), floats("T", 2, 3)
	strided := floats("S", 4, 6)
	strided.Strides = []tir.Expr{n(8), n(1)}
	sa, sb := floats("A", m, 6), floats("B", m, 6)
	scalar := floats("Z")
	x, y := index("x"), index("y")
	return []goldenCase{
		{name: "two dimensions", f: fn(loop(i, 4, loop(j, 6, store(b, load(a, i, j), i, j))), a, b)},
		{name: "symbolic", f: fn(&tir.For{LoopVar: i, Min: n(0), Extent: m, Body: loop(j, 6, store(sb, load(sa, i, j), i, j))}, sa, sb)},
		{name: "allocation", f: fn(alloc(t, loop(i, 2, loop(j, 3, store(t, load(a, i, j), i, j))), loop(x, 2, loop(y, 3, store(b, load(t, x, y), x, y)))), a, b)},
		{name: "strides", f: fn(alloc(strided, store(strided, f32(1), n(2), n(3)), store(b, load(strided, n(2), n(3)), n(0), n(0))), b)},
		{name: "no dimension", f: fn(alloc(scalar, store(scalar, f32(1)), store(b, load(scalar), n(0), n(0))), b)},
	}
}

func vectorCases() []goldenCase {
	a, b := floats("A", 16), floats("B", 16)
	m := floats("M", 4, 4)
	i, j, k, o := index("i"), index("j"), index("k"), index("o")
	vec := func(v *tir.Var, extent int64, body ...tir.Stmt) tir.Stmt {
		return kind(tir.Vectorized, loop(v, extent, body...))
	}
	x, tmp := tir.NewVar("x", dtype.Float32T), floats("T", 1)
	counted := &tir.For{LoopVar: k, Min: n(0), Extent: tir.FloorMod(i, n(3)), Body: store(b, load(a, k), i)}
	selected := &tir.Select{Cond: tir.GT(load(a, i), f32(0)), True: load(a, i), False: mul(load(a, i), f32(0.5))}
	unsafe := &tir.Select{Cond: tir.GE(i, n(1)), True: load(a, tir.Sub(i, n(1))), False: f32(0)}
	return []goldenCase{
		{name: "loop", f: fn(vec(i, 4, store(b, add(load(a, i), f32(1)), i)), a, b)},
		{name: "offset and stride", f: fn(loop(o, 2, vec(i, 4, store(b, load(a, add(mul(i, n(2)), o)), add(mul(o, n(4)), i)))), a, b)},
		{name: "value does not depend on the loop", f: fn(vec(i, 4, store(b, load(a, n(3)), i)), a, b)},
		{name: "scalar condition", f: fn(loop(o, 4, vec(i, 4, &tir.IfThenElse{Cond: tir.LT(o, n(2)), Then: store(b, load(a, i), i)})), a, b)},
		{name: "condition of the lane", f: fn(vec(i, 4, &tir.IfThenElse{Cond: tir.LT(i, n(2)), Then: store(b, load(a, i), i)}), a, b)},
		{name: "inner loop", f: fn(vec(i, 4, loop(k, 3, store(b, load(a, k), i))), a, b)},
		{name: "inner loop of the lane", f: fn(vec(i, 4, counted), a, b)},
		{name: "let", f: fn(vec(i, 4, &tir.LetStmt{Var: x, Value: load(a, i), Body: store(b, mul(x, x), i)}), a, b)},
		{name: "let used lane by lane", f: fn(vec(i, 4, &tir.LetStmt{Var: x, Value: load(a, i), Body: &tir.IfThenElse{Cond: tir.LT(i, n(2)), Then: store(b, x, i)}}), a, b)},
		{name: "allocation", f: fn(vec(i, 4, alloc(tmp, store(tmp, load(a, i), n(0)), store(b, load(tmp, n(0)), i))), a, b)},
		{name: "select", f: fn(vec(i, 4, store(b, selected, i)), a, b)},
		{name: "select out of bounds", f: fn(vec(i, 4, store(b, unsafe, i)), a, b)},
		{name: "not the last index", f: fn(vec(i, 4, store(m, load(a, i), i, n(1))), a, m)},
		{name: "nested", f: fn(vec(j, 4, vec(i, 4, store(b, load(a, i), add(mul(j, n(4)), i)))), a, b)},
		{name: "no step", f: fn(tir.Seq(store(b, f32(1), n(0)), vec(i, 0, store(b, load(a, i), i))), a, b)},
		{name: "disabled", f: fn(vec(i, 4, store(b, load(a, i), i)), a, b), opts: config("tir.disable_vectorize", true)},
		{name: "extent is not a constant", f: fn(kind(tir.Vectorized, &tir.For{LoopVar: i, Min: n(0), Extent: o, Body: store(b, load(a, i), i)}), a, b, o), fails: true},
	}
}

func storageCases() []goldenCase {
	a, b := floats("A", 200), floats("B", 200)
	t, u, w, z := floats("T", 200), floats("U", 150), floats("W", 200), bytesOf("Z", 100)
	i, j, k, l, o := index("i"), index("j"), index("k"), index("l"), index("o")
	seq := alloc(t, loop(i, 200, store(t, load(a, i), i)),
		alloc(u, loop(j, 150, store(u, load(t, j), j)),
			alloc(w, loop(k, 150, store(w, load(u, k), k)), loop(l, 150, store(b, load(w, l), l)))))
	other := alloc(t, store(t, load(a, n(0)), n(0)), store(b, load(t, n(0)), n(0)),
		alloc(z, store(z, tir.Const(dtype.Int8T, 1), n(0)), store(b, tir.CastTo(dtype.Float32T, load(z, n(0))), n(1))))
	inner := floats("I", 8)
	row := loop(o, 4, alloc(inner, loop(i, 8, store(inner, load(a, i), i)), loop(j, 8, store(b, load(inner, j), j))))
	across := alloc(t, loop(o, 2, store(t, load(a, o), o), alloc(u, store(u, load(t, n(0)), n(0)), store(b, load(u, n(0)), o))))
	return []goldenCase{
		{name: "three in a row", f: fn(seq, a, b)},
		{name: "other type", f: fn(other, a, b)},
		{name: "out of a loop", f: fn(row, a, b)},
		{name: "stays in a parallel loop", f: fn(kind(tir.Parallel, row), a, b)},
		{name: "live over the loop", f: fn(across, a, b)},
		{name: "disabled", f: fn(seq, a, b), opts: config("tir.disable_storage_rewrite", true)},
	}
}

func unrollCases() []goldenCase {
	a, b := floats("A", 16), floats("B", 16)
	i, j := index("i"), index("j")
	x := tir.NewVar("x", dtype.Float32T)
	unroll := func(l *tir.For) tir.Stmt { return kind(tir.Unrolled, l) }
	let := &tir.LetStmt{Var: x, Value: load(a, i), Body: store(b, mul(x, x), i)}
	serial := loop(i, 3, store(b, load(a, i), i))
	own := tir.NewBuffer("own", dtype.Float32T, []tir.Expr{n(4)}, "local")
	k := index("k")
	local := alloc(own, loop(i, 4, store(own, load(a, i), i)), loop(j, 4, loop(k, 4, store(b, load(own, k), add(mul(j, n(4)), k)))))
	return []goldenCase{
		{name: "marked", f: fn(unroll(loop(i, 3, store(b, load(a, i), i))), a, b)},
		{name: "around a loop", f: fn(unroll(loop(i, 2, loop(j, 4, store(b, load(a, j), add(mul(i, n(4)), j))))), a, b)},
		{name: "definitions are copied", f: fn(unroll(loop(i, 2, let)), a, b)},
		{name: "no step", f: fn(tir.Seq(store(b, f32(1), n(0)), unroll(loop(i, 0, store(b, load(a, i), i)))), a, b)},
		{name: "not marked", f: fn(serial, a, b)},
		{name: "few steps", f: fn(serial, a, b), opts: config("tir.UnrollLoop", map[string]any{"auto_max_step": 16})},
		{name: "few steps, marked only", f: fn(serial, a, b), opts: config("tir.UnrollLoop", map[string]any{"auto_max_step": 16, "explicit_unroll": false})},
		{name: "marked stays marked", f: fn(unroll(loop(i, 3, store(b, load(a, i), i))), a, b), opts: config("tir.UnrollLoop", map[string]any{"explicit_unroll": false})},
		{name: "one step", f: fn(loop(i, 1, loop(j, 4, store(b, load(a, j), add(i, j)))), a, b), opts: config("tir.UnrollLoop", map[string]any{"auto_max_extent": 1})},
		{name: "local buffer", f: fn(local, a, b)},
		{name: "local buffer unrolled", f: fn(local, a, b), opts: config("tir.UnrollLoop", map[string]any{"unroll_local_access": true})},
		{name: "too large", f: fn(unroll(loop(i, 5000, store(b, load(a, tir.FloorMod(i, n(16))), tir.FloorMod(i, n(16))))), a, b)},
	}
}

func selectCases() []goldenCase {
	a, b := floats("A", 16), floats("B", 16)
	i := index("i")
	choose := func(c, x, y tir.Expr) tir.Expr { return &tir.Select{Cond: c, True: x, False: y} }
	first := tir.GE(i, n(1))
	before := load(a, tir.Sub(i, n(1)))
	f := func(v tir.Expr) *tir.PrimFunc { return fn(loop(i, 16, store(b, v, i)), a, b) }
	return []goldenCase{
		{name: "load", f: f(choose(first, before, f32(1)))},
		{name: "nested", f: f(choose(first, choose(tir.GE(i, n(2)), load(a, tir.Sub(i, n(2))), f32(2)), f32(1)))},
		{name: "guarded", f: f(choose(first, tir.IfThenElseExpr(first, before, f32(0)), f32(1)))},
		{name: "safe", f: f(choose(first, tir.CastTo(dtype.Float32T, i), f32(1)))},
		{name: "division", f: f(choose(first, tir.CastTo(dtype.Float32T, tir.FloorDiv(n(7), i)), f32(1)))},
	}
}

func cseCases() []goldenCase {
	a, b := floats("A", 64), floats("B", 64)
	i, j := index("i"), index("j")
	at := add(mul(i, n(8)), j)
	twice := loop(i, 8, loop(j, 8, store(b, add(load(a, at), load(b, at)), at)))
	both := loop(i, 8, store(b, load(a, mul(i, n(8))), mul(i, n(8))), store(b, load(a, add(mul(i, n(8)), n(1))), add(mul(i, n(8)), n(1))))
	branch := loop(i, 8, &tir.IfThenElse{
		Cond: tir.LT(i, n(4)), Then: store(b, load(a, mul(i, n(8))), mul(i, n(8))), Else: store(b, f32(0), i),
	})
	div := index("d")
	guarded := loop(i, 8, &tir.IfThenElse{Cond: tir.NE(div, n(0)), Then: store(b, load(a, tir.FloorMod(i, div)), tir.FloorMod(i, div))})
	v := tir.NewVar("v", dtype.Int32T)
	let := loop(i, 8, store(b, load(a, &tir.Let{Var: v, Value: mul(i, n(3)), Body: add(add(v, n(1)), add(v, n(1)))}), mul(i, n(3))))
	swapped := loop(i, 8, loop(j, 8, store(b, load(a, add(i, j)), add(j, i))))
	same := store(b, load(a, mul(i, n(4))), mul(i, n(4)))
	shared := loop(i, 8, &tir.SeqStmt{Seq: []tir.Stmt{same, same}}) // one node twice, as unrolling leaves it
	zeros := loop(i, 8, store(b, mul(load(a, i), f32(0)), i), store(a, mul(load(b, i), f32(negZero)), i))
	x, y, z := index("x"), index("y"), index("z")
	sum, prod := add(mul(x, y), mul(z, x)), mul(add(y, z), x)
	distributed := tir.Seq(store(b, f32(1), add(sum, mul(prod, n(3)))), store(b, f32(2), sum))
	forms := tir.Seq( // min and the order of a comparison; a sum in other brackets; a division that goes
		store(b, f32(1), tir.Min(add(x, y), z)), store(b, f32(2), tir.Min(z, add(y, x))),
		store(b, f32(3), add(x, add(y, mul(z, n(2))))), store(b, f32(4), add(add(z, add(x, z)), y)),
		store(b, f32(5), tir.FloorDiv(add(mul(x, n(4)), tir.FloorMod(z, n(4))), n(4))), store(b, f32(6), add(x, n(0))),
	)
	cancels := tir.Seq(store(b, f32(1), add(x, n(2))), loop(i, 8, store(b, f32(2), tir.NewBinary(tir.OpSub, add(add(x, n(2)), i), i))))
	return []goldenCase{
		{name: "index used twice", f: fn(twice, a, b)},
		{name: "in two statements", f: fn(both, a, b)},
		{name: "in a branch", f: fn(branch, a, b)},
		{name: "division stays behind its guard", f: fn(guarded, a, b, div)},
		{name: "variable of a Let", f: fn(let, a, b)},
		{name: "order of operands", f: fn(swapped, a, b)},
		{name: "order of operands ignored", f: fn(swapped, a, b), opts: config("tir.enable_equiv_terms_in_cse_tir", true)},
		{name: "distributed", f: fn(distributed, b, x, y, z)},
		{name: "distributed, equivalent", f: fn(distributed, b, x, y, z), opts: config("tir.enable_equiv_terms_in_cse_tir", true)},
		{name: "other forms, equivalent", f: fn(forms, b, x, y, z), opts: config("tir.enable_equiv_terms_in_cse_tir", true)},
		{name: "other variables, equivalent", f: fn(cancels, b, x, y), opts: config("tir.enable_equiv_terms_in_cse_tir", true)},
		{name: "one statement in two places", f: fn(shared, a, b)},
		{name: "zeros of both signs", f: fn(zeros, a, b)},
		{name: "disabled", f: fn(twice, a, b), opts: config("tir.disable_cse_tir", true)},
	}
}

var negZero = math.Copysign(0, -1)

func flatGoldens() map[*pass.Pass][]goldenCase {
	return map[*pass.Pass][]goldenCase{
		FlattenBuffer:        flattenCases(),
		VectorizeLoop:        vectorCases(),
		StorageRewrite:       storageCases(),
		UnrollLoop:           unrollCases(),
		RewriteUnsafeSelect:  selectCases(),
		CommonSubexprElimTIR: cseCases(),
	}
}
