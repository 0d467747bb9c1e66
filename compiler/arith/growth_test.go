package arith

import (
	"runtime"
	"testing"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// spent returns the steps that simplifying e takes where nothing ends a question early, and the
// bytes that it makes.
func spent(t *testing.T, e tir.Expr) (steps, bytes int64) {
	t.Helper()
	a := NewAnalyzer()
	a.MaxSteps = 1 << 30
	a.Budget = budget.New(t.Context(), 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a.Simplify(e)
	runtime.ReadMemStats(&after)
	return a.Budget.Used(), int64(after.TotalAlloc - before.TotalAlloc)
}

// TestChainsAreLinear simplifies chains of two lengths of each operation: the steps grow with
// the length and no faster.
func TestChainsAreLinear(t *testing.T) {
	vars := func(n int) []tir.Expr {
		out := make([]tir.Expr, n)
		for i := range out {
			out[i] = tir.NewVar("v", dtype.Int64T)
		}
		return out
	}
	left := func(op tir.BinaryOp) func([]tir.Expr) tir.Expr {
		return func(xs []tir.Expr) tir.Expr {
			e := xs[0]
			for _, x := range xs[1:] {
				e = tir.NewBinary(op, e, x)
			}
			return e
		}
	}
	right := func(op tir.BinaryOp) func([]tir.Expr) tir.Expr {
		return func(xs []tir.Expr) tir.Expr {
			e := xs[len(xs)-1]
			for i := len(xs) - 2; i >= 0; i-- {
				e = tir.NewBinary(op, xs[i], e)
			}
			return e
		}
	}
	for name, build := range map[string]func([]tir.Expr) tir.Expr{
		"product": left(tir.OpMul), "product to the right": right(tir.OpMul),
		"minimum": left(tir.OpMin), "maximum to the right": right(tir.OpMax),
		"division": left(tir.OpFloorDiv), "remainder": left(tir.OpFloorMod),
		"power": func(xs []tir.Expr) tir.Expr {
			for i := range xs {
				xs[i] = xs[0]
			}
			return left(tir.OpMul)(xs)
		},
		"nested conditions": func(xs []tir.Expr) tir.Expr {
			i, e := tir.Expr(tir.NewVar("i", dtype.Int64T)), xs[0]
			for k := len(xs) - 1; k > 0; k-- {
				e = &tir.Select{Cond: tir.LT(i, tir.Const(dtype.Int64T, int64(4*k))), True: xs[k], False: e}
			}
			return e
		},
		"conjunction": func(xs []tir.Expr) tir.Expr {
			i := tir.NewVar("i", dtype.Int64T)
			conds := make([]tir.Expr, len(xs))
			for k, x := range xs {
				conds[k] = tir.LT(i, x)
			}
			return left(tir.OpAnd)(conds)
		},
	} {
		t.Run(name, func(t *testing.T) {
			few, fewBytes := spent(t, build(vars(300)))
			many, manyBytes := spent(t, build(vars(3000)))
			t.Logf("%d and %d steps, %d and %d bytes", few, many, fewBytes, manyBytes)
			if many > 20*few || manyBytes > 25*fewBytes {
				t.Errorf("300 operands take %d steps and %d bytes, 3,000 take %d and %d", few, fewBytes, many, manyBytes)
			}
		})
	}
}

// TestLongProducts checks what is made of products that are too long to be put in order: they
// stay products of the same factors.
func TestLongProducts(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	var p tir.Expr = x
	for range 200 {
		p = tir.NewBinary(tir.OpMul, p, x)
	}
	p = tir.NewBinary(tir.OpMul, p, tir.Const(dtype.Int64T, 3))
	e := tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpMul, y, tir.Const(dtype.Int64T, 5)), p)
	got := NewAnalyzer().CanonicalSimplify(e)
	factors, scale := map[tir.Expr]int{}, int64(1)
	unpackProduct(got, func(f tir.Expr) {
		if c, ok := cst(f); ok {
			scale *= c
			return
		}
		factors[f]++
	})
	if scale != 15 || factors[x] != 201 || factors[y] != 1 || len(factors) != 2 {
		t.Errorf("%d * x^%d * y^%d", scale, factors[x], factors[y])
	}
	if _, _, ok := opConst(got, tir.OpMul); !ok {
		t.Error("the constant is not the last factor")
	}
}

// TestBindStaysSmall binds variables to values that each use the one before twice: what is
// simplified with them stays small, and bounds are still known.
func TestBindStaysSmall(t *testing.T) {
	a := NewAnalyzer()
	a.Budget = budget.New(t.Context(), 1<<20)
	i := tir.NewVar("i", dtype.Int64T)
	a.BindRange(i, &tir.Range{Min: tir.Const(dtype.Int64T, 1), Extent: tir.Const(dtype.Int64T, 4)})
	var v tir.Expr = i
	kept := 0
	for range 60 {
		next := tir.NewVar("v", dtype.Int64T)
		if !a.Bind(next, tir.Add(tir.Mul(v, v), v)) {
			kept++
		}
		v = next
		if out := a.Simplify(tir.Add(v, tir.Const(dtype.Int64T, 1))); LargerThan(out, 2*maxInlined) {
			t.Fatal("an expression with two operands was simplified to one with thousands")
		}
		if b := a.ConstIntBound(v); b.Min < 2 {
			t.Fatalf("the bound of the variable is %v", b)
		}
	}
	if kept == 0 {
		t.Error("all values took the place of their variables")
	}
}

// TestFactsAreBounded nests more conditions than are kept, and leaves them again.
func TestFactsAreBounded(t *testing.T) {
	a := NewAnalyzer()
	n := tir.NewVar("n", dtype.Int64T)
	var exits []func()
	for k := range 4 * maxFacts {
		exits = append(exits, a.EnterConstraint(tir.LT(tir.NewVar("v", dtype.Int64T), tir.Add(n, tir.Const(dtype.Int64T, int64(k))))))
	}
	if got := len(a.rw.literals); got > maxFacts+2 {
		t.Errorf("%d conditions are compared with every expression", got)
	}
	for len(exits) > 0 {
		exits[len(exits)-1]()
		exits = exits[:len(exits)-1]
	}
	if len(a.rw.literals)+len(a.boundInfos)+len(a.setInfos)+len(a.known.scoped) > 0 {
		t.Error("conditions are left")
	}
	exit := a.EnterConstraint(tir.LT(n, tir.Const(dtype.Int64T, 7)))
	if !a.CanProve(tir.LT(n, tir.Const(dtype.Int64T, 8))) {
		t.Error("a condition is not known")
	}
	exit()
}

// TestDeepConditionsAreLinear simplifies nested conditions whose sides are assumed for each other.
func TestDeepConditionsAreLinear(t *testing.T) {
	v := newEnv()
	steps := func(n int) int64 {
		a := NewAnalyzer()
		a.MaxSteps = 1 << 30
		a.Budget = budget.New(t.Context(), 0)
		a.Extensions = ApplyConstraintsToBooleanBranches
		a.Simplify(deepCondition(v, n))
		return a.Budget.Used()
	}
	few, many := steps(100), steps(800)
	t.Logf("%d and %d steps", few, many)
	if many > 16*few {
		t.Errorf("100 conditions take %d steps, 800 take %d", few, many)
	}
}
