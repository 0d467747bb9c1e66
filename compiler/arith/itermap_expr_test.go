package arith

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"pgregory.net/rapid"
)

// TestNormalizeToIterSum has the facts of TVM v0.23's test_normalize_to_iter_sum, and some more.
func TestNormalizeToIterSum(t *testing.T) {
	for _, c := range []struct{ index, dom, terms, base string }{
		{"z_i64 + (y_i64 + x_i64 * 4 + 2) * n_i64 + 3", "x_i64 : 9 ; y_i64 : 4", "x_i64 * (n_i64 * 4) ; y_i64 * n_i64", "z_i64 + 2 * n_i64 + 3"},
		{"max(z_i64, a_i64) + (y_i64 + x_i64 * 4 + 2) * n_i64 + 3", "x_i64 : 9 ; y_i64 : 4", "x_i64 * (n_i64 * 4) ; y_i64 * n_i64", "max(z_i64, a_i64) + 2 * n_i64 + 3"},
		{"z_i64 + (y_i64 * 4 * a_i64 + x_i64 * 4 + 2) * n_i64 + 3", "y_i64 : a_i64 * n_i64 * 4 ; x_i64 : n_i64 * 4", "y_i64 * (a_i64 * n_i64 * 4) ; x_i64 * (n_i64 * 4)", "z_i64 + 2 * n_i64 + 3"},
		{"z_i64 + (x_i64 * 4 + y_i64 * 4 * a_i64 + 2) * n_i64 + 3", "y_i64 : a_i64 * n_i64 * 4 ; x_i64 : n_i64 * 4", "y_i64 * (a_i64 * n_i64 * 4) ; x_i64 * (n_i64 * 4)", "z_i64 + 2 * n_i64 + 3"},
		{"z_i64 + 2 * y_i64 * 3 + 4 * x_i64", "y_i64 : a_i64 * n_i64 * 4 ; x_i64 : n_i64 * 4", "y_i64 * 6 ; x_i64 * 4", "z_i64"},
		{"z_i64 + 4 * x_i64 + 2 * y_i64 * 3", "y_i64 : a_i64 * n_i64 * 4 ; x_i64 : n_i64 * 4", "y_i64 * 6 ; x_i64 * 4", "z_i64"},
		{"z_i64 + 2 * y_i64 * 3 + 4 * fld(x_i64, 2)", "y_i64 : a_i64 * n_i64 * 4 ; x_i64 : n_i64 * 4", "y_i64 * 6 ; fld(x_i64, 2) * 4", "z_i64"},
		{"max(x_i64, 2) + y_i64", "x_i64 : 9 ; y_i64 : 4", "y_i64", "max(x_i64, 2)"},
		{"fld(x_i64, 2) * 2 + flm(x_i64, 2) + y_i64 * 9", "x_i64 : 8 ; y_i64 : 4", "y_i64 * 9 ; x_i64", "0"},
		{"n_i64 + 5", "x_i64 : 8", "", "n_i64 + 5"},
	} {
		v, a := newEnv(), NewAnalyzer()
		dom := domains(v, c.dom)
		got := NormalizeToIterSum(v.expr(c.index), dom, a)
		if !a.CanProveEqual(got.Base, v.expr(c.base)) {
			t.Errorf("%s: base %s, want %s", c.index, show(got.Base), c.base)
		}
		var want []string
		if c.terms != "" {
			want = strings.Split(c.terms, " ; ")
		}
		if len(got.Args) != len(want) {
			t.Errorf("%s: %d terms, want %d", c.index, len(got.Args), len(want))
			continue
		}
		for i, term := range got.Args {
			if !a.CanProveEqual(term.expr(a), v.expr(want[i])) {
				t.Errorf("%s: term %d is %s, want %s", c.index, i, show(term.expr(a)), want[i])
			}
		}
	}
}

// TestNormalizedSumsKeepValue normalizes random expressions, most of which are no sum of splits, and
// checks the value and that the constant factors of the scales fall.
func TestNormalizedSumsKeepValue(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		e := w.expr(t, 3)
		if !w.defined(e, tir.Bool(true)) {
			t.Skip("divides by zero")
		}
		dom := map[*tir.Var]*tir.Range{}
		for i, v := range w.vars {
			b := w.ranges[i]
			dom[v] = &tir.Range{Min: num(w.d, b.Min), Extent: num(w.d, b.Max-b.Min+1)}
		}
		a := NewAnalyzer()
		s := NormalizeToIterSum(e, dom, a)
		checkSame(t, w, "normalized", e, s.ExprOf(a), tir.Bool(true))
		last := PosInf
		for _, term := range s.Args {
			c, ok := cst(a.Simplify(term.Scale))
			if !ok || c > last {
				t.Fatalf("%s: scale %s after %d", show(e), show(term.Scale), last)
			}
			last = c
		}
	})
}

// TestIterMapSimplifyKeepsWhatIsNoMap checks when indices come back as they are.
func TestIterMapSimplifyKeepsWhatIsNoMap(t *testing.T) {
	for _, c := range []struct {
		name, index, dom, pred, want string
		level                        IterMapLevel
		keep                         bool
	}{
		{name: "a map", index: "fld(x, 4) * 4 + flm(x, 4)", dom: "x : 16", want: "x", level: Bijective},
		{name: "no map", index: "x * x + 0", dom: "x : 16", want: "x * x + 0", level: Surjective},
		{name: "a predicate that is not a bound", index: "fld(x, 4) * 4 + flm(x, 4)", dom: "x : 16", pred: "x != 3", want: "x", level: Surjective},
		{name: "such a predicate of a bijection", index: "fld(x, 4) * 4 + flm(x, 4)", dom: "x : 16", pred: "x != 3", want: "fld(x, 4) * 4 + flm(x, 4)", level: Bijective},
		{name: "no map either way", index: "x * y", dom: "x : 16 ; y : 3", pred: "x != 3", want: "x * y", level: Surjective},
		{name: "ranges that depend", index: "fld(x, 4) * 4 + flm(x, 4)", dom: "y : 4 ; x : y * 4", want: "fld(x, 4) * 4 + flm(x, 4)", level: Surjective},
		{name: "a trivial iterator", index: "fld(x, 4)", dom: "x : 1", want: "0", level: Surjective},
		{name: "one that is kept", index: "fld(x, 4)", dom: "x : 1", want: "fld(x, 4)", level: Surjective, keep: true},
		{name: "true", index: "fld(x, 4) * 4 + flm(x, 4)", dom: "x : 16", pred: "true", want: "x", level: Bijective},
	} {
		v := newEnv()
		dom := domains(v, c.dom)
		var pred tir.Expr
		if c.pred != "" {
			pred = v.expr(c.pred)
		}
		indices := []tir.Expr{v.expr(c.index)}
		got := IterMapSimplify(indices, dom, pred, c.level, NewAnalyzer(), !c.keep)
		if want := v.expr(c.want); len(got) != 1 || !Equal(got[0], want) {
			t.Errorf("%s: got %s, want %s", c.name, show(got[0]), c.want)
		}
		if c.want == c.index && got[0] != indices[0] {
			t.Errorf("%s: the index is a copy", c.name)
		}
	}
}
