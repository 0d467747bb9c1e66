package arith

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
)

// questions asks everything that an analyzer answers about a number.
func questions(a *Analyzer, e tir.Expr) []string {
	zero := num(e.DType(), 0)
	return []string{
		"Simplify: " + show(a.Simplify(e)),
		"RewriteSimplify: " + show(a.RewriteSimplify(e)),
		"CanonicalSimplify: " + show(a.CanonicalSimplify(e)),
		fmt.Sprint("ConstIntBound: ", a.ConstIntBound(e)),
		fmt.Sprint("ModularSet: ", a.ModularSet(e)),
		fmt.Sprint("IntSet: ", show(a.IntSet(e).Min), show(a.IntSet(e).Max)),
		fmt.Sprint("CanProve: ", a.CanProve(tir.NewBinary(tir.OpGE, e, zero))),
		fmt.Sprint("CanProveGreaterEqual: ", a.CanProveGreaterEqual(e, 0)),
		fmt.Sprint("CanProveLess: ", a.CanProveLess(e, 1<<20)),
	}
}

// TestAnswersFollowFacts asks about a small and a large expression, learns something, and asks
// again: the answers are those of an analyzer that knew it before it was asked.
func TestAnswersFollowFacts(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T)
	four := tir.Int32(4)
	facts := map[string]func(a *Analyzer){
		"bound":      func(a *Analyzer) { a.UpdateBound(x, Bound{0, 3}) },
		"factor":     func(a *Analyzer) { a.UpdateModular(x, Modular{8, 0}) },
		"value":      func(a *Analyzer) { a.Bind(x, tir.Int32(2)) },
		"range":      func(a *Analyzer) { a.BindRange(x, &tir.Range{Min: tir.Int32(0), Extent: four}) },
		"bounds":     func(a *Analyzer) { a.BindBounds(x, tir.FloorMod(y, four)) },
		"constraint": func(a *Analyzer) { a.EnterConstraint(tir.LT(x, four)); a.EnterConstraint(tir.LE(tir.Int32(0), x)) },
		"equality":   func(a *Analyzer) { a.EnterConstraint(tir.EQ(tir.FloorMod(x, tir.Int32(8)), tir.Int32(0))) },
		"extent":     func(a *Analyzer) { a.MarkExtent(x) },
		"not less":   func(a *Analyzer) { a.MarkNonNegative(tir.Sub(x, four)) },
	}
	small := tir.Add(tir.FloorDiv(x, four), tir.FloorMod(x, four))
	large := tir.Expr(small)
	for range 136 { // its answers fill more than the smallest tables
		large = tir.NewBinary(tir.OpAdd, large, tir.NewVar("v", x.DType()))
	}
	for name, tell := range facts {
		for size, e := range map[string]tir.Expr{"small": small, "large": large} {
			a, fresh := NewAnalyzer(), NewAnalyzer()
			before := questions(a, e)
			tell(a)
			tell(fresh)
			same := true
			want := questions(fresh, e)
			for i, got := range questions(a, e) {
				if got != want[i] {
					t.Errorf("%s expression after a %s: %.200s, want %.200s", size, name, got, want[i])
				}
				same = same && got == before[i]
			}
			if same {
				t.Errorf("a %s changes no answer about the %s expression", name, size)
			}
		}
	}
}

// TestConstraintsEnd enters scopes inside of each other, with facts told in between: outside of a
// scope nothing is left of it, and what was told for good stays.
func TestConstraintsEnd(t *testing.T) {
	x, y, n := tir.NewVar("x", dtype.Int32T), tir.NewVar("y", dtype.Int32T), tir.NewVar("n", dtype.Int32T)
	e := tir.Add(tir.FloorDiv(tir.Add(x, n), tir.Int32(4)), tir.FloorMod(y, tir.Int32(4)))
	conds := []tir.Expr{
		tir.And(tir.LE(tir.Int32(0), x), tir.LT(x, tir.Int32(4))),
		tir.EQ(tir.FloorMod(n, tir.Int32(4)), tir.Int32(0)),
		tir.LE(tir.Sub(y, x), tir.Int32(2)),
		tir.EQ(y, tir.Int32(3)),
		tir.LT(x, n),
	}
	for told := range len(conds) + 1 {
		a, fresh := NewAnalyzer(), NewAnalyzer()
		var exits []func()
		outside := [][]string{}
		for i, c := range conds {
			outside = append(outside, questions(a, e))
			exits = append(exits, a.EnterConstraint(c))
			questions(a, e)
			if i == told {
				a.UpdateBound(n, Bound{0, 9})
				fresh.UpdateBound(n, Bound{0, 9})
			}
		}
		for i := len(exits) - 1; i >= 0; i-- {
			exits[i]()
			if got := questions(a, e); i > told || told == len(conds) {
				if fmt.Sprint(got) != fmt.Sprint(outside[i]) {
					t.Errorf("outside of %s: %v, want %v", show(conds[i]), got, outside[i])
				}
			}
		}
		if got, want := questions(a, e), questions(fresh, e); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("outside of all: %v, want %v", got, want)
		}
		if len(a.boundInfos)+len(a.setInfos)+len(a.rw.literals)+len(a.known.scoped)+a.depth != 0 {
			t.Error("something of a scope is left")
		}
	}
	a := NewAnalyzer()
	inside := false
	a.With(tir.LT(x, tir.Int32(4)), func() { inside = a.CanProve(tir.LE(x, tir.Int32(3))) })
	if !inside || a.CanProve(tir.LE(x, tir.Int32(3))) {
		t.Error("a condition holds in its scope, and only there")
	}
	for _, c := range []bool{true, false} {
		a.With(tir.Bool(c), func() {
			if len(a.rw.literals) != 0 {
				t.Errorf("%v is a condition", c)
			}
		})
	}
}

// TestStepsAreCounted checks the limit of a question, its default, and the budget.
func TestStepsAreCounted(t *testing.T) {
	for _, limit := range []int{0, 1, 7} {
		a := Bounded(budget.New(t.Context(), 1<<40))
		a.MaxSteps = limit
		most := limit
		if limit == 0 {
			most = 100_000
		}
		if !a.spend(most) || a.spend(1) || a.spend(0) {
			t.Errorf("%d steps are not what a question may take", most)
		}
		if got := a.Budget.Used(); got != int64(most)+1 {
			t.Errorf("%d steps are counted, want %d", got, most+1)
		}
		a.begin()
		a.end()
		if !a.spend(most) {
			t.Error("the next question has no steps left")
		}
	}
	// Each operation takes a step; variables and constants take none. A choice negates its condition, for what is more than a variable.
	for text, want := range map[string]int64{"x": 0, "5": 0, "flm(x, y)": 1, "fld(flm(x, y), z)": 2, "select(p_bool, flm(x, y), z)": 2, "select(p_bool, z, flm(x, y))": 3} {
		v := newEnv()
		for name, simplify := range map[string]func(*Analyzer, tir.Expr) tir.Expr{"rewrite": (*Analyzer).RewriteSimplify, "canonical": (*Analyzer).CanonicalSimplify} {
			a := Bounded(budget.New(t.Context(), 1<<40))
			simplify(a, v.expr(text))
			if got := a.Budget.Used(); got != want {
				t.Errorf("%s, %s: %d steps, want %d", text, name, got, want)
			}
		}
	}
	if a := NewAnalyzer(); a.Budget != nil {
		t.Error("there is a budget")
	}
	// Beyond the limit an expression stays as it is.
	v := newEnv()
	e := v.expr("fld(x + y - y, 4) + fld(z + y - y, 4)")
	for limit := 1; limit < 8; limit++ {
		a := NewAnalyzer()
		a.MaxSteps = limit
		for _, out := range []tir.Expr{a.Simplify(e), a.RewriteSimplify(e), a.CanonicalSimplify(e)} {
			for _, x := range []int64{-9, 0, 5} {
				at := map[*tir.Var]int64{v.vars["x"]: x, v.vars["y"]: 3, v.vars["z"]: 7 - x}
				if got, want := evalAll(out, at)[0], evalAll(e, at)[0]; got != want {
					t.Errorf("%s in %d steps is %s: %d, want %d", show(e), limit, show(out), got, want)
				}
			}
		}
	}
}

// TestSimplifyKeepsNode checks that a simple expression is returned as the node that it is, and
// that every question ends.
func TestSimplifyKeepsNode(t *testing.T) {
	v := newEnv()
	for _, s := range []string{
		"x", "5", "true", "2.5", "x * 3 + y", "x - y * 3", "fld(x, 4)", "flm(x, 4) * 3", "x * y", "x * y * 3", "min(x, y)", "x < y", "x <= y", "x == y",
		"x < 3 && y < 4", "not(p_bool)", "select(p_bool, x, y)", "ite(p_bool, x, y)", "load(x + 1)", "f_f32 + g_f32", "cast(int64, x)", "x_u8 + y_u8",
	} {
		e := v.expr(s)
		a := NewAnalyzer()
		for name, out := range map[string]tir.Expr{"Simplify": a.Simplify(e), "SimplifySteps": a.SimplifySteps(e, 0)} {
			if out != e {
				t.Errorf("%s of %s is another node, %s", name, s, show(out))
			}
		}
		if a.depth != 0 {
			t.Errorf("a question about %s did not end", s)
		}
	}
	text := &tir.StringImm{Value: "text"}
	if NewAnalyzer().Simplify(text) != tir.Expr(text) {
		t.Error("a text is another one")
	}
	a, x := NewAnalyzer(), v.expr("x + 1 - x + y")
	for name, ask := range map[string]func(){
		"Bind":                 func() { a.Bind(v.vars["x"], tir.Int32(3)) },
		"BindRange":            func() { a.BindRange(v.vars["x"], &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(3)}) },
		"BindBounds":           func() { a.BindBounds(v.vars["x"], tir.Int32(3)) },
		"ConstIntBound":        func() { a.ConstIntBound(x) },
		"ModularSet":           func() { a.ModularSet(x) },
		"IntSet":               func() { a.IntSet(x) },
		"RewriteSimplify":      func() { a.RewriteSimplify(x) },
		"CanonicalSimplify":    func() { a.CanonicalSimplify(x) },
		"CanProveWith":         func() { a.CanProveWith(tir.LT(x, tir.Int32(3)), SymbolicBound) },
		"CanProveGreaterEqual": func() { a.CanProveGreaterEqual(x, 3) },
		"CanProveLess":         func() { a.CanProveLess(x, 3) },
		"CanProveEqual":        func() { a.CanProveEqual(x, tir.Int32(3)) },
		"EnterConstraint":      func() { a.EnterConstraint(tir.LT(x, tir.Int32(3)))() },
	} {
		ask()
		if a.depth != 0 {
			t.Fatalf("%s did not end", name)
		}
	}
}

// TestSimplifySteps counts the turns of the two simplifiers: the canonical one first, then
// rewriting, and so on.
func TestSimplifySteps(t *testing.T) {
	v := newEnv()
	e := v.expr("min(y, z) * max(y, z) * 2 + (x + 0) + y * z")
	for steps, want := range []string{
		"min(y, z) * max(y, z) * 2 + x + y * z",
		"y * z * 2 + x + y * z",
		"y * z * 3 + x",
		"y * z * 3 + x",
	} {
		got := NewAnalyzer().SimplifySteps(e, steps)
		if !Equal(got, v.expr(want)) {
			t.Errorf("after %d steps it is %s, want %s", steps, show(got), want)
		}
		if steps == 2 && !Equal(NewAnalyzer().Simplify(e), got) {
			t.Errorf("Simplify gives %s, not %s", show(NewAnalyzer().Simplify(e)), show(got))
		}
	}
}

// TestMarkNonNegative tells that the extents of a buffer are not negative.
func TestMarkNonNegative(t *testing.T) {
	for _, c := range []struct {
		value string
		least int64 // of n; NegInf where nothing is known
	}{
		{"n", 0},
		{"n + 2", -2},
		{"2 + n", -2},
		{"n - 3", 3},
		{"n * 3 - 4", 2},
		{"n * 3 - 3", 1},
		{"n * 3 + 4", -1},
		{"n * 3 + 3", -1},
		{"3 * n + 5", -1},
		{"n * 2 * 3 - 7", 2},
		{"5 + (n - 2)", -3},
		{"5 - (2 - n)", -3},
		{"4 - n", NegInf},
		{"4 - n * -2", -2},
		{"n * -2 + 4", NegInf},
		{"n + m", NegInf},
		{"n + n", NegInf},
		{"n * m", NegInf},
		{"n * 0", NegInf},
		{"fld(n, 2)", NegInf},
		{"fld(n, 2) * 2", NegInf},
		{"7", NegInf},
		{"n_u8 + 0", NegInf},
	} {
		a, v := NewAnalyzer(), newEnv()
		e := v.expr(c.value)
		a.MarkNonNegative(e)
		n := v.variable("n")
		want := Bound{max(c.least, -1<<31), 1<<31 - 1}
		if got := a.ConstIntBound(n); got != want {
			t.Errorf("%s is not negative: n in %v, want %v", c.value, got, want)
		}
		if a.IsBound(n) != (c.least != NegInf) {
			t.Errorf("%s is not negative: n is bound: %v", c.value, a.IsBound(n))
		}
		for _, name := range []string{"m", "n_u8"} {
			if a.IsBound(v.variable(name)) {
				t.Errorf("%s bounds %s", c.value, name)
			}
		}
		if c.least == NegInf {
			continue
		}
		for x := c.least - 3; x <= c.least+3; x++ {
			if at := evalAll(e, map[*tir.Var]int64{n: x})[0]; (at >= 0) != (x >= c.least) {
				t.Errorf("%s is %d for n = %d", c.value, at, x)
			}
		}
		a.UpdateBound(n, Bound{c.least + 1, 7})
		a.MarkNonNegative(e)
		if got := a.ConstIntBound(n); got != (Bound{c.least + 1, 7}) {
			t.Errorf("%s is not negative: what was known of n became %v", c.value, got)
		}
	}
}

// TestMarkExtent tells that a variable is an extent of a tensor.
func TestMarkExtent(t *testing.T) {
	a := NewAnalyzer()
	n, u, f := tir.NewVar("n", dtype.Int64T), tir.NewVar("u", dtype.MustParse("uint8")), tir.NewVar("f", dtype.Float32T)
	for _, v := range []*tir.Var{n, u, f} {
		a.MarkExtent(v)
	}
	if got := a.ConstIntBound(n); got != (Bound{0, abi.MaxExtent}) {
		t.Errorf("an extent is in %v", got)
	}
	if a.IsBound(u) || a.IsBound(f) || !a.IsBound(n) {
		t.Error("only indices are extents")
	}
	a.UpdateBound(n, Bound{-3, 9})
	a.MarkExtent(n)
	if got := a.ConstIntBound(n); got != (Bound{0, 9}) {
		t.Errorf("an extent of at most 9 is in %v", got)
	}
}

// TestBindings checks what each way of binding a variable tells of it.
func TestBindings(t *testing.T) {
	v := newEnv()
	x, n := v.variable("x"), v.variable("n")
	a := NewAnalyzer()
	a.UpdateBound(n, Bound{2, 5})
	expect := func(what string, e string, want string) {
		t.Helper()
		if got := a.Simplify(v.expr(e)); !Equal(got, v.expr(want)) {
			t.Errorf("%s: %s is %s, want %s", what, e, show(got), want)
		}
	}
	bounds := func(what string, want Bound) {
		t.Helper()
		if got := a.ConstIntBound(x); got != want {
			t.Errorf("%s: x in %v, want %v", what, got, want)
		}
	}
	if !a.Bind(x, v.expr("n * 4 + 1")) {
		t.Error("a small value does not take the place of its variable")
	}
	expect("value", "x", "n * 4 + 1")
	expect("value", "flm(x, 4)", "1")
	bounds("value", Bound{9, 21})
	a.BindBounds(x, v.expr("n * 2 + 1"))
	expect("bounds", "x", "x")
	expect("bounds", "flm(x, 2)", "1")
	expect("bounds", "x < 12", "true")
	expect("bounds", "x == n * 4 + 1", "x == n * 4 + 1")
	bounds("bounds", Bound{5, 11})
	a.BindRange(x, &tir.Range{Min: v.expr("n - 1"), Extent: v.expr("n + 3")})
	bounds("range", Bound{1, 4 + 8 - 1})
	expect("range", "x >= n - 1", "true")
	expect("range", "x >= n", "n <= x")
	if s := a.IntSet(x); !a.CanProveEqual(s.Min, v.expr("n - 1")) || !a.CanProveEqual(s.Max, v.expr("n + n + 1")) {
		t.Errorf("range: %s..%s", show(s.Min), show(s.Max))
	}
	a.BindRange(x, &tir.Range{Min: v.expr("n + 7"), Extent: tir.Int32(1)})
	expect("range of one", "x", "n + 7")
	bounds("range of one", Bound{9, 12})
	y := v.variable("y")
	a.BindRanges(map[*tir.Var]*tir.Range{x: {Min: tir.Int32(3), Extent: tir.Int32(4)}, y: {Min: tir.Int32(0), Extent: tir.Int32(2)}})
	expect("ranges", "y < 2 && x > 2", "true")
	bounds("ranges", Bound{3, 6})
	a.UpdateModular(y, Modular{4, -3})
	if got := a.ModularSet(y); got != (Modular{4, 1}) {
		t.Errorf("the remainder of -3 by 4 is %v", got)
	}
}

// TestLargerThan counts nodes as if nothing were shared, and no more of them than needed.
func TestLargerThan(t *testing.T) {
	x := tir.Expr(tir.NewVar("x", dtype.Int32T))
	e := x
	for depth, nodes := 0, 1; depth < 60; depth++ {
		if depth < 10 {
			if LargerThan(e, nodes) || !LargerThan(e, nodes-1) {
				t.Errorf("depth %d does not have %d nodes", depth, nodes)
			}
			nodes = 2*nodes + 1
		} else if !LargerThan(e, 100) {
			t.Errorf("depth %d is small", depth)
		}
		e = tir.NewBinary(tir.OpAdd, e, e)
	}
	chain := x
	for nodes := 1; nodes < 20; nodes++ {
		if LargerThan(chain, nodes) || !LargerThan(chain, nodes-1) {
			t.Errorf("a chain does not have %d nodes", nodes)
		}
		chain = &tir.Cast{Type: dtype.Int32T, Value: chain}
	}
	// A value of the largest size takes the place of its variable, a larger one does not.
	for _, c := range []struct {
		terms  int
		inline bool
	}{{20, true}, {maxInlined / 2, true}, {maxInlined/2 + 1, false}} {
		sum := tir.Expr(tir.NewBinary(tir.OpMin, x, tir.NewVar("v", dtype.Int32T)))
		for range c.terms - 2 {
			sum = tir.NewBinary(tir.OpMin, sum, tir.NewVar("v", dtype.Int32T))
		}
		a, v := NewAnalyzer(), tir.NewVar("v", dtype.Int32T)
		if got := a.Bind(v, sum); got != c.inline {
			t.Errorf("a minimum of %d variables takes the place of its variable: %v", c.terms, got)
		}
		if got := a.Simplify(v) != tir.Expr(v); got != c.inline {
			t.Errorf("a variable for a minimum of %d is simplified to it: %v", c.terms, got)
		}
	}
}
