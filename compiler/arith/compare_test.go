package arith

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// possible returns how the values of x and y may compare where y + off is the right side, by the
// facts, each of which relates x to y with a difference.
func possible(facts []comparison, off int64) order {
	out := anyOrder
	for _, f := range facts {
		var one order
		for d := int64(-40); d <= 40; d++ { // x - y
			how := func(at int64) order {
				switch {
				case d < at:
					return isLT
				case d > at:
					return isGT
				}
				return isEQ
			}
			if how(f.off)&f.ord != 0 {
				one |= how(off)
			}
		}
		out &= one
	}
	return out
}

// operands of comparisons in the test: variables, a compound value and zero.
func comparedValues() []tir.Expr {
	v := func(name string) tir.Expr { return tir.NewVar(name, dtype.Int32T) }
	return []tir.Expr{v("x"), v("y"), v("z"), tir.NewBinary(tir.OpMul, v("p"), v("q")), tir.Int32(0)}
}

// shifted writes e + k in one of the ways that are understood.
func shifted(r *rand.Rand, e tir.Expr, k int64) tir.Expr {
	if _, ok := cst(e); ok {
		return tir.Int32(k)
	}
	switch {
	case k == 0:
		return e
	case r.IntN(2) == 0:
		return tir.NewBinary(tir.OpSub, e, tir.Int32(-k))
	}
	return tir.NewBinary(tir.OpAdd, e, tir.Int32(k))
}

// TestComparisonsFollowFacts tells random comparisons in scopes and binds variables, again and
// again: what is known of two values without chains is what the facts about just these two say that
// hold at the time.
func TestComparisonsFollowFacts(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		values := comparedValues()
		for range 60 {
			a := NewAnalyzer()
			type fact struct {
				lhs, rhs int
				comparison
			}
			var scoped []fact
			bound := map[int][]fact{}
			var exits []func()
			note := func(i, j int, ord order, k int64) fact { // values[i] ord values[j] + k
				return fact{i, j, comparison{0, 0, k, ord}}
			}
			for range 12 {
				i, j := r.IntN(len(values)), r.IntN(len(values))
				k := int64(r.IntN(7) - 3)
				limit := shifted(r, values[j], k)
				v, isVar := values[i].(*tir.Var)
				switch what := r.IntN(5); {
				case i == j || values[i] == values[4] && values[j] == values[4]:
				case what == 0 && isVar:
					a.known.bind(v, limit, nil)
					bound[i] = []fact{note(i, j, isEQ, k)}
				case what == 1 && isVar:
					n := int64(1 + r.IntN(4))
					lo := values[j]
					a.known.bind(v, lo, tir.Int32(n))
					bound[i] = []fact{note(i, j, isGE, 0), note(i, j, isLT, n)}
				case what == 2 && isVar:
					a.known.unbind(v)
					delete(bound, i)
				case what == 3 && len(exits) > 0:
					exits[len(exits)-1]()
					exits, scoped = exits[:len(exits)-1], scoped[:len(scoped)-1]
				default:
					op := compares[r.IntN(len(compares))]
					ord, _ := orderOf(op)
					before := len(a.known.scoped)
					a.known.add(tir.NewBinary(op, values[i], limit))
					exits = append(exits, func() { a.known.scoped = a.known.scoped[:before] })
					scoped = append(scoped, note(i, j, ord, k))
				}
				for i, x := range values {
					for j, y := range values {
						if i == j {
							continue
						}
						var facts []comparison
						about := append([]fact{}, scoped...)
						for _, list := range bound {
							about = append(about, list...)
						}
						for _, f := range about {
							switch {
							case f.lhs == i && f.rhs == j:
								facts = append(facts, f.comparison)
							case f.lhs == j && f.rhs == i:
								facts = append(facts, comparison{0, 0, -f.off, f.ord.reverse()})
							}
						}
						k := int64(r.IntN(9) - 4)
						got, want := a.known.compare(x, shifted(r, y, k), false), possible(facts, k)
						if i == 4 {
							got = a.known.compare(tir.Int32(-k), y, false)
						}
						if got != want {
							t.Fatalf("%s against %s + %d: %03b, want %03b", show(x), show(y), k, got, want)
						}
						if chained := a.known.compare(x, shifted(r, y, k), true); chained&^want != 0 && i != 4 {
							t.Fatalf("%s against %s + %d: chains tell %03b, less than %03b", show(x), show(y), k, chained, want)
						}
					}
				}
			}
		}
	})
}

// TestChainsAreTrue tells random facts that hold at a point and asks for all comparisons: none that
// is false at the point is proved, with chains or without.
func TestChainsAreTrue(t *testing.T) {
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		values := comparedValues()
		for range 80 {
			a := NewAnalyzer()
			at := map[int]int64{}
			for i := range values[:4] {
				at[i] = int64(r.IntN(9) - 4)
			}
			holds := func(d int64, ord order) bool {
				return d == 0 && ord&isEQ != 0 || d < 0 && ord&isLT != 0 || d > 0 && ord&isGT != 0
			}
			for range 8 {
				i, j := r.IntN(len(values)), r.IntN(len(values))
				k := int64(r.IntN(7) - 3)
				op := compares[r.IntN(len(compares))]
				if ord, _ := orderOf(op); holds(at[i]-at[j]-k, ord) {
					a.known.add(tir.NewBinary(op, shifted(r, values[i], 0), shifted(r, values[j], k)))
				}
			}
			for i, x := range values {
				for j, y := range values {
					for k := int64(-5); k <= 5; k++ {
						for _, chain := range []bool{false, true} {
							right := shifted(r, y, k)
							if i == j && i == 4 {
								continue
							}
							if got := a.known.compare(x, right, chain); !holds(at[i]-at[j]-k, got) {
								t.Fatalf("%s against %s: %03b, with chains: %v", show(x), show(right), got, chain)
							}
						}
					}
				}
			}
		}
	})
}

// TestChainsFindTheBest has two ways from one value to another, of which either may be the shorter
// one, and asks what follows.
func TestChainsFindTheBest(t *testing.T) {
	for _, c := range []struct {
		facts   string
		claim   string
		want    bool
		without bool // known without chains
	}{
		{"x <= y && y <= z", "x <= z", true, false},
		{"x <= y && y <= z", "x < z", false, false},
		{"x < y && y < z", "x < z", true, false},
		{"x < y && y < z", "x + 2 <= z", true, false},
		{"x < y && y < z", "x + 3 <= z", false, false},
		{"x >= y && y >= z", "x >= z", true, false},
		{"x >= y && y >= z", "z <= x", true, false},
		{"x > y && y > z", "x > z + 1", true, false},
		{"x > y && y > z", "x > z + 2", false, false},
		{"x == y && y == z", "x == z", true, false},
		{"x == y && y == z + 2", "x == z + 2", true, false},
		{"x == y && y == z + 2", "x != z", true, false},
		{"x == y && y != z", "x != z", true, false},
		{"x != y && y == z", "x != z", true, false},
		{"x != y && y != z", "x != z", false, false},
		{"x <= y && y != z", "x != z", false, false},
		{"x <= y && y >= z", "x <= z", false, false},
		{"x == y && y <= z", "x <= z", true, false},
		{"x <= y && y == z", "x <= z", true, false},
		{"x <= z + 5 && x <= y && y <= z + 2", "x <= z + 2", true, false},
		{"x <= z + 1 && x <= y && y <= z + 2", "x <= z + 1", true, true},
		{"x <= y + 4 && y <= z && x <= w && w <= z + 1", "x <= z + 1", true, false},
		{"x <= y && y <= w && w <= z", "x <= z", true, false},
		{"x <= y && y <= w && w < z", "x < z", true, false},
		{"x <= y && y <= w && w <= x", "x <= w", true, false},
		{"x <= 3 && y >= 5", "x < y", true, true},                           // by bounds
		{"x <= w + 5 && w <= z && x <= y && y <= w", "x <= z", true, false}, // the shorter way to w is found after the step from w
		{"x <= w + 5 && w <= z && x <= y && y < w", "x < z", true, false},
		{"x <= w + 5 && w <= z && x <= y && y < w", "x + 1 < z", false, false},
		{"z >= w && w + 5 >= x && w >= y && y >= x", "x <= z", true, false},
		{"x * w <= y && y < z", "x * w < z", true, false},
		{"x <= y", "y >= x", true, true},
		{"x <= y", "x <= z", false, false},
	} {
		for _, extension := range []Extension{0, TransitivelyProveInequalities} {
			a, v := NewAnalyzer(), newEnv()
			a.Extensions = extension
			a.EnterConstraint(v.expr(c.facts))
			want := c.want
			if extension == 0 {
				want = c.without
			}
			if got := a.CanProve(v.expr(c.claim)); got != want {
				t.Errorf("%s from %s with extensions %d: %v", c.claim, c.facts, extension, got)
			}
		}
	}
}

// TestBindingAfterFacts binds a variable of which something is known: it holds of the value.
func TestBindingAfterFacts(t *testing.T) {
	v := newEnv()
	a := NewAnalyzer()
	a.Extensions = TransitivelyProveInequalities
	a.EnterConstraint(v.expr("w < y"))
	if a.CanProve(v.expr("x < y")) {
		t.Error("x < y is known too early")
	}
	a.Bind(v.variable("w"), v.expr("x"))
	if !a.CanProve(v.expr("x < y")) {
		t.Error("x < y is not known")
	}
}

// TestBindingsAreCompared checks which bindings tell how a variable compares with what it is bound
// to: those of integers, to values of the same type that do not depend on memory.
func TestBindingsAreCompared(t *testing.T) {
	for _, c := range []struct {
		v, lo, extent string
		known         bool
	}{
		{"x", "n", "m", true},
		{"x", "n", "", true},
		{"x_i64", "n_i64", "", true},
		{"x_u8", "n_u8", "", false},
		{"f_f32", "g_f32", "", false},
		{"x", "n_i64", "", false},
		{"x", "n", "m_i64", false},
		{"x", "cast(int32, load(n))", "", false},
		{"x", "n", "cast(int32, load(n))", false},
		{"x", "cast(int32, load(n))", "m", false},
	} {
		a, v := NewAnalyzer(), newEnv()
		x, lo := v.variable(c.v), v.expr(c.lo)
		var extent tir.Expr
		if c.extent != "" {
			extent = v.expr(c.extent)
		}
		a.known.bind(x, lo, extent)
		a.known.settle()
		if got := len(a.known.knowns) > 0; got != c.known {
			t.Errorf("%s bound to %s and %s is known: %v", c.v, c.lo, c.extent, got)
		}
	}
	for _, c := range []struct {
		cond  string
		known int
	}{
		{"x < y", 1},
		{"x < y && (y < z && z != 3)", 3},
		{"x < y || y < z", 0},
		{"x_u8 < y_u8", 0},
		{"f_f32 < g_f32", 0},
		{"cast(int32, load(x)) < y", 0},
		{"p_bool", 0},
		{"x < y && p_bool", 1},
		{"p_bool && x < y", 1},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.known.add(v.expr(c.cond))
		a.known.add(tir.NewBinary(tir.OpLT, tir.Int32(3), tir.Int32(4)))
		if got := len(a.known.scoped); got != c.known {
			t.Errorf("%s tells %d comparisons, want %d", c.cond, got, c.known)
		}
	}
}
