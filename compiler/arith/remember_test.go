package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestRemember asks two analyzers of expressions that share parts, while ranges and conditions come and go: the one that remembers says the same.
func TestRemember(t *testing.T) {
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		d := dtype.Int32T
		buf := tir.NewBuffer("A", d, []tir.Expr{tir.Int32(1 << 20)}, "global")
		var vars []*tir.Var
		var pool []tir.Expr
		for _, name := range []string{"i", "j", "k"} {
			v := tir.NewVar(name, d)
			vars, pool = append(vars, v), append(pool, v)
		}
		any := func() tir.Expr { return pool[r.IntN(len(pool))] }
		number := func() tir.Expr { return tir.Int32(int64(1 + r.IntN(9))) }
		for range 60 {
			var e tir.Expr
			switch r.IntN(8) {
			case 0:
				e = tir.NewBinary(tir.OpMul, any(), number())
			case 1:
				e = tir.NewBinary(tir.OpFloorDiv, any(), number())
			case 2:
				e = tir.NewBinary(tir.OpFloorMod, any(), number())
			case 3:
				e = tir.NewBinary(tir.OpSub, any(), any())
			case 4:
				e = tir.Load(buf, any())
			case 5:
				e = &tir.Select{Cond: tir.NewBinary(tir.OpLT, any(), any()), True: any(), False: any()}
			case 6:
				e = tir.NewBinary(tir.OpMax, any(), number())
			default:
				e = tir.NewBinary(tir.OpAdd, any(), any())
			}
			if !LargerThan(e, 100) {
				pool = append(pool, e)
			}
		}
		plain, other := NewAnalyzer(), NewAnalyzer()
		other.Remember = true
		defer other.UseSpare()()
		var exits []func()
		for range 60 {
			switch r.IntN(8) {
			case 0:
				v, n := vars[r.IntN(len(vars))], number()
				for _, a := range []*Analyzer{plain, other} {
					a.BindRange(v, &tir.Range{Min: tir.Int32(0), Extent: n})
				}
			case 1:
				if cond := tir.NewBinary(tir.OpLT, any(), any()); SideEffect(cond) <= tir.Pure {
					x, y := plain.EnterConstraint(cond), other.EnterConstraint(cond)
					exits = append(exits, func() { x(); y() })
				}
			case 2:
				if n := len(exits); n > 0 {
					exits[n-1]()
					exits = exits[:n-1]
				}
			default:
				e := any()
				if got, want := other.Simplify(e), plain.Simplify(e); !Equal(got, want) {
					t.Fatalf("%s becomes %s, want %s", show(e), show(got), show(want))
				}
			}
		}
	})
}

// TestProductsStay looks for the node of a product in what its sum becomes: it is there as it was written, also where a trace is told of
// rewrites: what is said of a pass must not depend on whether the passes before it were asked.
func TestProductsStay(t *testing.T) {
	i, j := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T)
	product := tir.Expr(tir.NewBinary(tir.OpMul, i, tir.Int32(64)))
	e := tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpSub, j, j), product), j)
	for _, traced := range []bool{false, true} {
		a := NewAnalyzer()
		a.Remember = true
		if traced {
			a.Trace = func(Rewrote) {}
		}
		if out := bin(a.CanonicalSimplify(e)); out.A != product {
			t.Errorf("traced %v: %s has not the product itself", traced, show(out))
		}
	}
	twice := tir.NewBinary(tir.OpAdd, product, product)
	if got, want := show(NewAnalyzer().CanonicalSimplify(twice)), show(tir.NewBinary(tir.OpMul, i, tir.Int32(128))); got != want {
		t.Errorf("%s becomes %s, want %s", show(twice), got, want)
	}
}
