package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestCanonicalSumsAreUnique writes one sum of splits of the variables in many ways: in any order,
// with any parentheses, with coefficients taken apart. All of them have one canonical form, and
// the difference of two is 0.
func TestCanonicalSumsAreUnique(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		for _, d := range []dtype.DType{dtype.Int32T, dtype.Int64T} {
			x, y, z := tir.NewVar("x", d), tir.NewVar("y", d), tir.NewVar("z", d)
			c := func(v int64) tir.Expr { return num(d, v) }
			atoms := []func() tir.Expr{
				func() tir.Expr { return x },
				func() tir.Expr { return y },
				func() tir.Expr { return tir.FloorDiv(x, c(6)) },
				func() tir.Expr { return tir.FloorMod(y, c(4)) },
				func() tir.Expr { return tir.FloorMod(tir.FloorDiv(z, c(2)), c(5)) },
				func() tir.Expr { return tir.Div(z, c(7)) },
				func() tir.Expr { return tir.TruncMod(y, c(3)) },
				func() tir.Expr { return tir.Mul(x, z) },
				func() tir.Expr { return tir.Min(x, y) },
				func() tir.Expr { return c(1) },
			}
			for range 120 {
				coeff := map[int]int64{}
				for range 1 + r.IntN(4) {
					coeff[r.IntN(len(atoms))] = int64(r.IntN(11) - 5)
				}
				write := func() tir.Expr {
					var parts []tir.Expr
					for i := range atoms {
						k, ok := coeff[i]
						if !ok {
							continue
						}
						for left := k; ; {
							part := left
							if r.IntN(3) == 0 {
								part = int64(r.IntN(9) - 4)
							}
							left -= part
							term := tir.Expr(tir.NewBinary(tir.OpMul, atoms[i](), c(part)))
							if r.IntN(2) == 0 {
								term = tir.NewBinary(tir.OpMul, c(part), atoms[i]())
							}
							if r.IntN(3) == 0 {
								term = tir.NewBinary(tir.OpSub, c(0), tir.NewBinary(tir.OpMul, atoms[i](), c(-part)))
							}
							parts = append(parts, term)
							if left == 0 {
								break
							}
						}
					}
					for len(parts) > 1 {
						i := r.IntN(len(parts))
						a := parts[i]
						parts = append(parts[:i], parts[i+1:]...)
						j := r.IntN(len(parts))
						parts[j] = tir.NewBinary(tir.OpAdd, parts[j], a)
					}
					return parts[0]
				}
				e, f := write(), write()
				if diff := NewAnalyzer().CanonicalSimplify(tir.NewBinary(tir.OpSub, e, f)); !isCst(diff, 0) {
					t.Fatalf("%s\n- %s\n= %s", show(e), show(f), show(diff))
				}
				a := NewAnalyzer()
				if !a.CanProveEqual(e, f) || a.CanProveEqual(e, tir.NewBinary(tir.OpAdd, f, c(1))) {
					t.Fatalf("%s and %s", show(e), show(f))
				}
				if coeff[5] != 0 || coeff[6] != 0 {
					continue // quotients that truncate stay apart from those that round down
				}
				k := c(int64(2 + r.IntN(5)))
				if got := NewAnalyzer().CanonicalSimplify(tir.NewBinary(tir.OpFloorMod, tir.NewBinary(tir.OpMul, e, k), k)); !isCst(got, 0) {
					t.Fatalf("%s times %s leaves %s", show(e), show(k), show(got))
				}
				q := tir.NewBinary(tir.OpFloorDiv, tir.NewBinary(tir.OpMul, e, k), k)
				if got := NewAnalyzer().CanonicalSimplify(tir.NewBinary(tir.OpSub, q, f)); !isCst(got, 0) {
					t.Fatalf("%s times %s by %s: %s too much", show(e), show(k), show(k), show(got))
				}
				// A number is its digits.
				lo := int64(2 + r.IntN(4))
				hi := lo * int64(2+r.IntN(3))
				whole := tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpFloorDiv, e, c(hi)), c(hi))
				middle := tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpFloorDiv, tir.NewBinary(tir.OpFloorMod, e, c(hi)), c(lo)), c(lo))
				digits := tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpAdd, whole, middle), tir.NewBinary(tir.OpFloorMod, e, c(lo)))
				if len(coeff) == 1 && coeff[0] == 1 {
					if got := NewAnalyzer().CanonicalSimplify(digits); !Equal(got, x) {
						t.Fatalf("%s\n= %s", show(digits), show(got))
					}
				}
			}
		}
	})
}

// TestCanonicalCasts checks that a cast to fewer bits moves into a sum if and only if no part of
// it can leave the range of the type.
func TestCanonicalCasts(t *testing.T) {
	const least, most = -1 << 31, 1<<31 - 1
	for _, c := range []struct {
		expr string
		x    Bound
		in   bool
	}{
		{"x + y", Bound{0, most - 1}, true},
		{"x + y", Bound{0, most}, false},
		{"x + y", Bound{least, 0}, true},
		{"x + y", Bound{least - 1, 0}, false},
		{"x * 4 + y", Bound{0, most / 4}, true},
		{"x * 4 + y", Bound{0, most/4 + 1}, false},
		{"0 - x + y", Bound{0, most}, true},
		{"0 - x + y", Bound{0, most + 2}, false},
		{"y - x", Bound{0, -least}, false},
		{"x + y - 5", Bound{0, most - 1}, true},
		{"x + y - 5", Bound{0, most}, false},
		{"x + y + 5", Bound{0, most - 6}, true},
		{"x + y + 5", Bound{0, most - 5}, false},
		{"fld(x, 2) + y", Bound{0, most}, true},
		{"fld(x, 2) + y", Bound{0, most + 1}, false},
		{"flm(x, 8) + y", Bound{0, most}, true},
		{"flm(x, 8) + y", Bound{0, most + 1}, false},
	} {
		v := &env{vars: map[string]*tir.Var{"x": tir.NewVar("x", dtype.Int64T), "y": tir.NewVar("y", dtype.Int64T)}}
		a := NewAnalyzer()
		a.UpdateBound(v.vars["x"], c.x)
		a.UpdateBound(v.vars["y"], Bound{0, 1})
		got := a.CanonicalSimplify(tir.CastTo(dtype.Int32T, v.exprOf(dtype.Int64T, c.expr)))
		if _, whole := got.(*tir.Cast); whole == c.in {
			t.Errorf("%s for x in %v: %s", c.expr, c.x, show(got))
		}
	}
}
