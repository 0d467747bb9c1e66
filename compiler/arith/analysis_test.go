package arith

import (
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

func parseBoundEnd(t *testing.T, s string) int64 {
	switch s {
	case "-inf":
		return NegInf
	case "inf":
		return PosInf
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// assume applies the conditions of a row: "x : 0..7" bounds a variable, others hold.
func assume(t *testing.T, a *Analyzer, v *env, conditions []string) (exit func()) {
	var exits []func()
	for _, c := range conditions {
		name, bounds, ok := strings.Cut(c, " : ")
		if !ok {
			exits = append(exits, a.EnterConstraint(v.expr(c)))
			continue
		}
		lo, hi, _ := strings.Cut(bounds, "..")
		a.UpdateBound(v.variable(name), Bound{parseBoundEnd(t, lo), parseBoundEnd(t, hi)})
	}
	return func() {
		for i := len(exits) - 1; i >= 0; i-- {
			exits[i]()
		}
	}
}

// TestConstIntBound checks the facts of TVM v0.23's test_arith_const_int_bound, but for a
// negative int8 cast to uint32, which wraps.
func TestConstIntBound(t *testing.T) {
	for _, r := range readRows(t, "const_int_bound.txt") {
		a, v := NewAnalyzer(), newEnv()
		exit := assume(t, a, v, r.conditions)
		got := a.ConstIntBound(v.expr(r.before))
		exit()
		lo, hi, _ := strings.Cut(r.expected, "..")
		if lo != "?" && parseBoundEnd(t, lo) != got.Min || hi != "?" && parseBoundEnd(t, hi) != got.Max {
			t.Errorf("line %d: %s in %v: got %v, want %s", r.line, r.before, r.conditions, got, r.expected)
		}
	}
}

// TestCanonicalSimplify checks the facts of TVM v0.23's test_arith_canonical_simplify.
func TestCanonicalSimplify(t *testing.T) {
	for _, r := range readRows(t, "canonical_simplify.txt") {
		a, v := NewAnalyzer(), newEnv()
		exit := assume(t, a, v, r.conditions)
		got, want := a.CanonicalSimplify(v.expr(r.before)), v.expr(r.expected)
		exit()
		if !Equal(got, want) {
			t.Errorf("line %d: %s %v\n got %s\nwant %s", r.line, r.before, r.conditions, show(got), show(want))
		}
	}
}

// TestModularSet checks the facts of TVM v0.23's test_arith_modular_set, and some that are
// sharper: the remainder of a truncating division keeps the residue whatever its sign.
func TestModularSet(t *testing.T) {
	for _, c := range []struct {
		expr, conditions string
		coeff, base      int64
	}{
		{"cast(float32, x_i8 * 3 + 1)", "", 3, 1},
		{"x_i64 * 6 + y_i64 * 4", "", 2, 0},
		{"(x * 4 + 2) * (y * 6 + 1)", "", 4, 2},
		{"flm(x * 128 + y * 4, 256)", "", 4, 0},
		{"tdiv(x * 4 + 2, 2)", "", 2, 1},
		{"tdiv(x * 4 + 3, 2)", "", 1, 0},
		{"tdiv(x * 4 + 3, 2)", "x : 0..100", 2, 1},
		{"shr(x * 4 + 2, 1)", "", 2, 1},
		{"fld(x * 4 + 2, 2)", "", 2, 1},
		{"tmod(x * 4 + 1, 4)", "", 4, 1},
		{"tmod(x * 4, 4)", "", 4, 0},
		{"flm(x * 4 + 3, 2)", "", 2, 1},
		{"flm(x * 4 + 3, 8)", "", 4, 3},
		{"tmod(x * 4 + 3, 2)", "x : 0..100", 2, 1},
		{"min(x * 3, y * 9)", "", 3, 0},
		{"max(x * 3 + 1, y * 9 + 4)", "", 3, 1},
		{"select(x > 0, x * 3 + 1, y * 9 + 2)", "", 1, 0},
		{"a * 4 + b * 6 + 7", "", 2, 1},
		{"(a * 4 + 1) * (b * 8 + 3)", "", 4, 3},
		{"tdiv(a * 4 + 1, b * 8 + 3)", "", 1, 0},
		{"(a * 4 + 1) * tdiv(b * 8, 4)", "", 2, 0},
		{"a * 12 + 1 - (b * 3 * 7 + 2)", "", 3, 2},
		{"a * 12 + min(b * 3 * 7, 2)", "", 1, 0},
		{"b + 1", "tmod(b, 4) == 2", 4, 3},
		{"b + a * 2", "tmod(b, 4) == 2 ; tmod(a, 2) == 1", 4, 0},
		{"b + a * 2", "tmod(b, 4) == 2", 2, 0},
		{"b + 1", "", 1, 0},
		{"a", "tmod(a, 4) == 1 ; tmod(a, 3) == 1", 12, 1},
		{"a", "tmod(a, 3) == 2 ; tmod(a, 5) == 3 ; tmod(a, 7) == 2", 105, 23},
		{"let(x, y * 10, x + 1)", "", 10, 1},
		{"band(x * 16 + y * 4, 31)", "", 4, 0},
		{"band(x * 16 + y * 4, 17)", "", 1, 0},
	} {
		a, v := NewAnalyzer(), newEnv()
		var conds []string
		if c.conditions != "" {
			conds = strings.Split(c.conditions, " ; ")
		}
		exit := assume(t, a, v, conds)
		if got := a.ModularSet(v.expr(c.expr)); got != (Modular{c.coeff, c.base}) {
			t.Errorf("%s with %s: got %v, want {%d %d}", c.expr, c.conditions, got, c.coeff, c.base)
		}
		exit()
		if got := a.ModularSet(v.expr("a")); len(conds) > 0 && got != anyModular {
			t.Errorf("%s: the constraint outlives its scope: %v", c.conditions, got)
		}
	}
	a, v := NewAnalyzer(), newEnv()
	a.Bind(v.variable("y_i64"), v.expr("x_i64 * int64(4) + int64(1)"))
	if got := a.ModularSet(v.expr("int64(1) - y_i64")); got != (Modular{4, 0}) {
		t.Errorf("bound variable: got %v", got)
	}
}

func TestTransitiveComparison(t *testing.T) {
	a, v := NewAnalyzer(), newEnv()
	a.Extensions = TransitivelyProveInequalities
	defer a.EnterConstraint(v.expr("i <= j"))()
	defer a.EnterConstraint(v.expr("j < k + 3"))()
	defer a.EnterConstraint(v.expr("k == n"))()
	for cond, want := range map[string]bool{
		"i < k + 3":  true,
		"i < n + 3":  true,
		"i <= n + 2": true,
		"i < n + 2":  false,
		"n + 3 > i":  true,
		"i > n":      false,
	} {
		if got := a.CanProve(v.expr(cond)); got != want {
			t.Errorf("%s: got %v", cond, got)
		}
	}
	a.Extensions = 0
	if a.CanProve(v.expr("i < k + 3")) {
		t.Error("chained without the extension")
	}
}

// TestSymbolicBound has the facts of test_simplify_symbolic_comparison.
func TestSymbolicBound(t *testing.T) {
	a, v := NewAnalyzer(), newEnv()
	outer := v.expr("fld(Sn_i64 + int64(31), int64(32))")
	a.BindRange(v.variable("i0_i64"), &tir.Range{Min: tir.Int(0), Extent: outer})
	a.BindRange(v.variable("i1_i64"), &tir.Range{Min: tir.Int(0), Extent: tir.Int(32)})
	const total = "fld(Sn_i64 + int64(31), int64(32)) * int64(32)"
	if a.CanProve(v.expr("i0_i64 * int64(32) + i1_i64 < " + total)) {
		t.Error("proved without symbolic bounds")
	}
	for _, cond := range []string{
		"i0_i64 * int64(32) + i1_i64 < " + total,
		"i0_i64 * int64(32) + i1_i64 < " + total + " + Sm_i64",
		"i0_i64 * int64(32) + i1_i64 + int64(1) <= " + total,
		total + " >= i0_i64 * int64(32) + i1_i64 + int64(1)",
		total + " >= i0_i64 * int64(32) + i1_i64",
	} {
		if !a.CanProveWith(v.expr(cond), SymbolicBound) {
			t.Errorf("not proved: %s", cond)
		}
	}
	if !a.CanProveEqual(v.expr("flm((p_i64 + int64(1)) * int64(64), (p_i64 + int64(1)) * int64(32))"), tir.Int(0)) {
		t.Error("floormod by a multiple of the same sum")
	}
}
