package wasm_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestAxpy runs a vector loop with a symbolic extent and a scalar tail.
func TestAxpy(t *testing.T) {
	n, i, j := i32var("n"), i32var("i"), i32var("j")
	a := tir.NewVar("alpha", dtype.Float32T)
	x := tir.NewBuffer("x", dtype.Float32T, []tir.Expr{n}, "")
	y := tir.NewBuffer("y", dtype.Float32T, []tir.Expr{n}, "")
	v := ramp(tir.Mul(i, tir.Int32(8)), 1, 8)
	k := tir.Add(tir.Mul(tir.FloorDiv(n, tir.Int32(8)), tir.Int32(8)), j)
	f := primFunc("axpy", []any{x, y, a},
		forLoop(i, tir.FloorDiv(n, tir.Int32(8)),
			tir.Store(y, tir.Add(tir.Mul(broadcast(a, 8), tir.Load(x, v)), tir.Load(y, v)), v)),
		forLoop(j, tir.FloorMod(n, tir.Int32(8)),
			tir.Store(y, tir.Add(tir.Mul(a, tir.Load(x, k)), tir.Load(y, k)), k)))
	for _, n := range []int64{0, 5, 8, 37} {
		check(t, f, 0, random(dtype.Float32T, 1, n), random(dtype.Float32T, 2, n), 2.5)
	}
}

// TestAccumulators keeps a register tile in locals.
func TestAccumulators(t *testing.T) {
	const m, n, k = 2, 8, 20
	a, b, c := flat("A", dtype.Float32T, m*k), flat("B", dtype.Float32T, k*n), flat("C", dtype.Float32T, m*n)
	acc := tir.NewBuffer("acc", dtype.Float32T, []tir.Expr{tir.Int32(m * n)}, "local")
	kv := i32var("k")
	var init, step, out []tir.Stmt
	for r := range int64(m) {
		for col := int64(0); col < n; col += 4 {
			at := ramp(tir.Int32(r*n+col), 1, 4)
			init = append(init, tir.Store(acc, broadcast(tir.FloatConst(dtype.Float32T, 0), 4), at))
			w := broadcast(tir.Load(a, tir.Add(kv, tir.Int32(r*k))), 4)
			bx := tir.Load(b, ramp(tir.Add(tir.Mul(kv, tir.Int32(n)), tir.Int32(col)), 1, 4))
			step = append(step, tir.Store(acc, tir.Add(tir.Load(acc, at), tir.Mul(w, bx)), at))
			out = append(out, tir.Store(c, tir.Load(acc, at), at))
		}
	}
	f := primFunc("tile", []any{a, b, c}, local(acc, tir.Seq(init...), forLoop(kv, tir.Int32(k), step...), tir.Seq(out...)))
	check(t, f, 1e-6, random(dtype.Float32T, 1, m*k), random(dtype.Float32T, 2, k*n), random(dtype.Float32T, 3, m*n))
	lib, _, _ := load(t, pack(t, f), mustTarget("wasm"))
	text := lib.Kernels[0].Text()
	body := text[strings.Index(text, "(loop $k"):]
	if got := strings.Count(body[:strings.Index(body, "br_if")], "v128.load "); got != 2 {
		t.Errorf("the loop loads %d vectors, want each row of B once (2)\n%s", got, text)
	}
	if strings.Contains(body[:strings.Index(body, "br_if")], "v128.store") {
		t.Errorf("the accumulators are in memory\n%s", text)
	}
}

// TestInPlace reads and writes one buffer, so that reads may not move over writes.
func TestInPlace(t *testing.T) {
	const n = 16
	a := flat("A", dtype.Int32T, n)
	i := i32var("i")
	tmp := tir.NewVar("tmp", dtype.Int32T)
	at := func(k int64) tir.Expr { return tir.Add(i, tir.Int32(k)) }
	f := primFunc("shift", []any{a},
		forLoop(i, tir.Int32(n-2),
			&tir.LetStmt{Var: tmp, Value: tir.Load(a, i), Body: tir.Seq(
				tir.Store(a, tir.Add(tir.Load(a, at(1)), tir.Load(a, at(2))), i),
				tir.Store(a, tir.Add(tir.Load(a, i), tmp), at(1)),
				tir.Store(a, tir.Mul(tir.Load(a, at(1)), tir.Load(a, i)), at(2)),
			)}))
	check(t, f, 0, random(dtype.Int32T, 4, n))
}

// TestControlFlow covers while, if, break and continue.
func TestControlFlow(t *testing.T) {
	const n = 32
	a, out := flat("A", dtype.Int32T, n), flat("out", dtype.Int32T, n)
	i := i32var("i")
	cnt := tir.NewBuffer("cnt", dtype.Int32T, []tir.Expr{tir.Int32(1)}, "local")
	zero := tir.Int32(0)
	jump := func(op tir.Expr) tir.Stmt { return &tir.Evaluate{Value: op} }
	f := primFunc("flow", []any{a, out}, local(cnt,
		forLoop(i, tir.Int32(n),
			&tir.IfThenElse{Cond: tir.LT(tir.Load(a, i), tir.Int32(-100)), Then: jump(&tir.Call{Op: tir.OpContinueLoop})},
			&tir.IfThenElse{Cond: tir.GT(i, tir.Int32(27)), Then: jump(&tir.Call{Op: tir.OpBreakLoop})},
			tir.Store(cnt, zero, zero),
			&tir.While{Cond: tir.LT(tir.Load(cnt, zero), tir.FloorMod(tir.Load(a, i), tir.Int32(7))), Body: tir.Seq(
				tir.Store(out, tir.Add(tir.Load(out, i), tir.Load(cnt, zero)), i),
				tir.Store(cnt, tir.Add(tir.Load(cnt, zero), tir.Int32(1)), zero),
			)},
			&tir.IfThenElse{
				Cond: tir.EQ(tir.FloorMod(i, tir.Int32(2)), zero),
				Then: tir.Store(out, tir.Add(tir.Load(out, i), tir.Int32(1000)), i),
				Else: tir.Store(out, tir.IfThenElseExpr(tir.GT(i, tir.Int32(4)), tir.Load(a, tir.Sub(i, tir.Int32(4))), tir.Int32(-7)), i),
			},
		)))
	check(t, f, 0, random(dtype.Int32T, 4, n), random(dtype.Int32T, 5, n))
}

// TestWorkspaceAndAssert uses an allocation of unknown size and a failing assertion.
func TestWorkspaceAndAssert(t *testing.T) {
	n, i, j := i32var("n"), i32var("i"), i32var("j")
	a := tir.NewBuffer("A", dtype.Float32T, []tir.Expr{n}, "")
	tmp := tir.NewBuffer("tmp", dtype.Float32T, []tir.Expr{n}, "")
	f := primFunc("reverse", []any{a}, local(tmp,
		forLoop(i, n, tir.Store(tmp, tir.Load(a, tir.Sub(tir.Sub(n, i), tir.Int32(1))), i)),
		forLoop(j, n, tir.Store(a, tir.Load(tmp, j), j)),
	))
	check(t, f, 0, random(dtype.Float32T, 1, 1000))
	_, mod, d := load(t, pack(t, f), mustTarget("wasm"))
	err := runWasm(t, mod, d, []any{random(dtype.Float64T, 1, 10)})
	if err == nil || !strings.Contains(err.Error(), "reverse.A_handle.dtype is expected to be float32") {
		t.Errorf("got %v", err)
	}
}
