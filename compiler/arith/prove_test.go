package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

var compares = []tir.BinaryOp{tir.OpEQ, tir.OpNE, tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE}

// truthOf tells whether cond holds at all points and whether it fails at all.
func truthOf(w *world, cond tir.Expr) (always, never bool) {
	always, never = true, true
	w.each(func(at map[*tir.Var]int64) {
		if evalAll(cond, at)[0] != 0 {
			never = false
		} else {
			always = false
		}
	})
	return always, never
}

// TestProvesWhatRangesTell checks that a comparison of linear terms is proved, or refuted, if and
// only if it holds, or fails, at all points, whichever way the ranges were told.
func TestProvesWhatRangesTell(t *testing.T) {
	ranges := []Bound{{0, 3}, {2, 4}, {-3, -1}, {-2, 1}, {5, 5}}
	tell := map[string]func(a *Analyzer, v *tir.Var, b Bound){
		"bound": func(a *Analyzer, v *tir.Var, b Bound) { a.UpdateBound(v, b) },
		"range": func(a *Analyzer, v *tir.Var, b Bound) {
			a.BindRange(v, &tir.Range{Min: num(v.DType(), b.Min), Extent: num(v.DType(), b.Max-b.Min+1)})
		},
		"constraints": func(a *Analyzer, v *tir.Var, b Bound) {
			a.EnterConstraint(tir.And(tir.GE(v, num(v.DType(), b.Min)), tir.LE(v, num(v.DType(), b.Max))))
		},
		"mirrored strict constraints": func(a *Analyzer, v *tir.Var, b Bound) {
			a.EnterConstraint(tir.LT(num(v.DType(), b.Min-1), v))
			a.EnterConstraint(tir.GT(num(v.DType(), b.Max+1), v))
		},
		"negated constraints": func(a *Analyzer, v *tir.Var, b Bound) {
			a.EnterConstraint(a.RewriteSimplify(tir.LogicalNot(tir.Or(tir.LT(v, num(v.DType(), b.Min)), tir.LT(num(v.DType(), b.Max), v)))))
		},
	}
	for name, tell := range tell {
		w := &world{d: dtype.Int32T, vars: []*tir.Var{tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T)}}
		x, y := w.vars[0], w.vars[1]
		c := func(v int64) tir.Expr { return num(w.d, v) }
		for _, bx := range ranges {
			for _, by := range ranges[:3] {
				w.ranges = []Bound{bx, by}
				a := NewAnalyzer()
				tell(a, x, bx)
				tell(a, y, by)
				for _, op := range compares {
					for k := int64(-9); k <= 9; k++ {
						sides := [][2]tir.Expr{{x, c(k)}, {c(k), x}, {x, tir.Add(y, c(k))}, {tir.Sub(c(k), x), y}, {x, tir.Sub(c(k), y)}}
						if k%3 == 0 {
							sides = append(sides, [2]tir.Expr{tir.Mul(x, c(2)), tir.Add(tir.Mul(y, c(3)), c(k))})
						}
						for i, s := range sides {
							claim := tir.NewBinary(op, s[0], s[1])
							always, never := truthOf(w, claim)
							if i == len(sides)-1 && k%3 == 0 && (op == tir.OpEQ || op == tir.OpNE) {
								continue // multiples may miss each other
							}
							if got := a.CanProve(claim); got != always {
								t.Errorf("%s: %s for x in %v and y in %v: proved %v", name, show(claim), bx, by, got)
							}
							if got := isCst(a.Simplify(claim), 0); got != never {
								t.Errorf("%s: %s for x in %v and y in %v: refuted %v", name, show(claim), bx, by, got)
							}
							if i < 2 {
								if got := isCst(a.RewriteSimplify(claim), 1); got != always {
									t.Errorf("%s: %s for x in %v: simplified to true: %v", name, show(claim), bx, got)
								}
							}
						}
						if k > 4 || k < -4 {
							continue
						}
						e := tir.Sub(x, y)
						for _, b := range []tir.Expr{x, e} {
							all := a.ConstIntBound(b)
							if got := a.CanProveGreaterEqual(b, k); got != (all.Min >= k) {
								t.Errorf("%s: %s in %v is at least %d: %v", name, show(b), all, k, got)
							}
							if got := a.CanProveLess(b, k); got != (all.Max < k) {
								t.Errorf("%s: %s in %v is less than %d: %v", name, show(b), all, k, got)
							}
						}
					}
				}
			}
		}
	}
	a, x := NewAnalyzer(), tir.NewVar("x", dtype.Int32T)
	for k := int64(3); k <= 5; k++ {
		if a.CanProveGreaterEqual(tir.Int32(4), k) != (4 >= k) || a.CanProveLess(tir.Int32(4), k) != (4 < k) || a.CanProveEqual(tir.Int32(4), tir.Int32(k)) != (k == 4) {
			t.Errorf("4 against %d", k)
		}
		if e := tir.Sub(tir.Add(x, tir.Int32(4)), x); !a.CanProveGreaterEqual(e, min(k, 4)) || a.CanProveGreaterEqual(e, 5) || a.CanProveLess(e, 4) || !a.CanProveLess(e, 5) {
			t.Error("x + 4 - x is not known as 4")
		}
	}
}

// TestComparisonSemantics compares the arithmetic of comparisons with what they say of all
// differences of two values.
func TestComparisonSemantics(t *testing.T) {
	holds := func(c comparison, d int64) bool {
		switch {
		case d == c.off:
			return c.ord&isEQ != 0
		case d < c.off:
			return c.ord&isLT != 0
		}
		return c.ord&isGT != 0
	}
	each := func(f func(c comparison)) {
		for ord := isEQ; ord <= isNE; ord++ {
			for off := int64(-2); off <= 2; off++ {
				f(comparison{1, 2, off, ord})
			}
		}
	}
	each(func(raw comparison) {
		c := newComparison(1, 2, raw.off, raw.ord)
		r, ok := c.withLHS(2)
		if !ok || r.lhs != 2 || r.rhs != 1 {
			t.Fatalf("%v seen from the other side: %v", c, r)
		}
		if same, ok := c.withLHS(1); !ok || same != c {
			t.Errorf("%v seen from its left side: %v", c, same)
		}
		if _, ok := c.withLHS(3); ok {
			t.Errorf("%v says something of 3", c)
		}
		if c.ord == isLT || c.ord == isGT {
			t.Errorf("%v is strict", c)
		}
		for d := int64(-6); d <= 6; d++ {
			if holds(c, d) != holds(raw, d) || holds(r, -d) != holds(raw, d) {
				t.Errorf("%v, %v and %v differ at %d", raw, c, r, d)
			}
		}
		each(func(o comparison) {
			o = newComparison(1, 2, o.off, o.ord)
			want := true
			for d := int64(-6); d <= 6; d++ {
				want = want && (!holds(c, d) || holds(o, d))
			}
			if got := c.implies(o); got != want {
				t.Errorf("%v implies %v: %v", c, o, got)
			}
		})
		for off := int64(-4); off <= 4; off++ {
			for in := order(0); in <= anyOrder; in++ {
				var want order
				for d := int64(-8); d <= 8; d++ {
					if holds(c, d) {
						switch {
						case d == off:
							want |= isEQ
						case d < off:
							want |= isLT
						default:
							want |= isGT
						}
					}
				}
				if got := c.narrow(in, off); got != in&want {
					t.Errorf("%v at %d leaves %b of %b", c, off, got, in)
				}
			}
		}
	})
}

// TestChainsProveTheirSum makes chains of inequalities of four values, which imply exactly the
// sum of the steps between two of them.
func TestChainsProveTheirSum(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		for range 150 {
			var vars []tir.Expr
			for _, name := range []string{"x", "y", "z", "w"} {
				vars = append(vars, tir.NewVar(name, dtype.Int32T))
			}
			if r.IntN(3) == 0 {
				vars[1] = tir.FloorDiv(vars[1], tir.NewVar("n", dtype.Int32T)) // a value that no rule takes apart
			}
			a := NewAnalyzer()
			a.Extensions = TransitivelyProveInequalities
			var ops []tir.BinaryOp
			var steps []int64
			for i := range 3 {
				op := []tir.BinaryOp{tir.OpLE, tir.OpLT, tir.OpEQ}[r.IntN(3)]
				k := int64(r.IntN(7) - 3)
				l, u := vars[i], tir.Add(vars[i+1], tir.Int32(k))
				if r.IntN(2) == 0 {
					l, u = tir.Add(l, tir.Int32(-k)), vars[i+1]
				}
				cond := tir.NewBinary(op, l, u)
				if r.IntN(2) == 0 {
					cond = tir.NewBinary(mirror(op), u, l)
				}
				a.EnterConstraint(cond)
				if op == tir.OpLT {
					k--
				}
				ops, steps = append(ops, op), append(steps, k)
			}
			for i := range vars {
				sum, equal := int64(0), true
				for j := i + 1; j < len(vars); j++ {
					sum += steps[j-1]
					equal = equal && ops[j-1] == tir.OpEQ
					for k := sum - 2; k <= sum+2; k++ {
						for _, op := range compares {
							var want bool // of vars[i] OP vars[j] + k
							switch op {
							case tir.OpEQ:
								want = equal && k == sum
							case tir.OpNE:
								want = k > sum || equal && k != sum
							case tir.OpLT:
								want = k > sum
							case tir.OpLE:
								want = k >= sum
							case tir.OpGT:
								want = equal && k < sum
							case tir.OpGE:
								want = equal && k <= sum
							}
							x, y := vars[i], tir.Add(vars[j], tir.Int32(k))
							for _, claim := range []tir.Expr{tir.NewBinary(op, x, y), tir.NewBinary(mirror(op), y, x)} {
								if got := a.CanProve(claim); got != want {
									t.Errorf("%s from steps %v %v: proved %v", show(claim), ops, steps, got)
								}
							}
						}
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}
