package arith

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sets parses "x : 0..10 ; y : z * 8..z * 8 + 3".
func sets(v *env, s string) map[*tir.Var]IntSet {
	out := map[*tir.Var]IntSet{}
	if s == "" {
		return out
	}
	for _, part := range strings.Split(s, " ; ") {
		name, ends, _ := strings.Cut(part, " : ")
		lo, hi, _ := strings.Cut(ends, "..")
		out[v.variable(name)] = Interval(v.expr(lo), v.expr(hi))
	}
	return out
}

// TestEvalSet has the facts of TVM v0.23's test_arith_intset.
func TestEvalSet(t *testing.T) {
	for _, c := range []struct{ expr, dom, lo, hi, bounds string }{
		{expr: "x + y", dom: "x : 0..10", lo: "y", hi: "y + 10"},
		{expr: "x + y", dom: "x : 0..10 ; y : 1..11", lo: "1", hi: "21"},
		{expr: "x - y", dom: "x : 0..10 ; y : 1..11", lo: "-11", hi: "9"},
		{expr: "x * y", dom: "x : 0..10", lo: "0", hi: "10 * y", bounds: "y : 1..100"},
		{expr: "x * 2", dom: "x : 1..10", lo: "2", hi: "20"},
		{expr: "x * -2", dom: "x : 1..10", lo: "-20", hi: "-2"},
		{expr: "x * y", dom: "x : -2..10 ; y : -3..4", lo: "-30", hi: "40"},
		{expr: "tdiv(x, y)", dom: "x : 0..10", lo: "0", hi: "tdiv(10, y)", bounds: "y : 1..100"},
		{expr: "tdiv(x, 2)", dom: "x : 1..10", lo: "0", hi: "5"},
		{expr: "fld(x, y)", dom: "x : 0..10", lo: "0", hi: "fld(10, y)", bounds: "y : 1..100"},
		{expr: "fld(x, 2)", dom: "x : -1..10", lo: "-1", hi: "5"},
		{expr: "tmod(x, y)", dom: "x : 0..10", lo: "0", hi: "y - 1", bounds: "y : 1..100"},
		{expr: "tmod(x, 10)", dom: "x : 1..10", lo: "0", hi: "9"},
		{expr: "tmod(x, 10)", dom: "x : -5..10", lo: "-9", hi: "9"},
		{expr: "flm(x, 10)", dom: "x : -10..10", lo: "0", hi: "9"},
		{expr: "flm(x, 10)", dom: "x : 3..5", lo: "3", hi: "5"},
		{expr: "flm(x, 10)", dom: "x : 13..15", lo: "3", hi: "5"},
		{expr: "flm(x, 10)", dom: "x : 3..15", lo: "0", hi: "9"},
		{expr: "flm(x, 10)", dom: "x : 3..11", lo: "0", hi: "9"},
		{expr: "flm(x, 10)", dom: "x : 1..21", lo: "0", hi: "9"},
		{expr: "flm(y, 8)", dom: "y : z * 8 + x * 4..z * 8 + x * 4 + 3", lo: "z * 8 + x * 4 - 8 * fld(z * 8 + x * 4, 8)", hi: "z * 8 + x * 4 + 3 - 8 * fld(z * 8 + x * 4, 8)", bounds: "x : 0..2"},
		{expr: "flm(y, 8)", dom: "y : z * 8 + x * 4..z * 8 + x * 4 + 3", lo: "x * 4", hi: "x * 4 + 3", bounds: "x : 0..1"},
		{expr: "max(x, x + 1)", dom: "x : 0..10", lo: "1", hi: "11"},
		{expr: "min(x - 1, x + 1)", dom: "x : 0..10", lo: "-1", hi: "9"},
		{expr: "min(x, y)", lo: "min(x, y)", hi: "min(x, y)"},
		{expr: "max(x, y)", lo: "max(x, y)", hi: "max(x, y)"},
		{expr: "select(x > 0, x - 1, x + 1)", dom: "x : 0..10", lo: "-1", hi: "11"},
		{expr: "flm(x * 2048 + y * 16, 7168)", dom: "x : 0..128 ; y : 0..3584", lo: "0", hi: "7152"},
	} {
		v, a := newEnv(), NewAnalyzer()
		if c.bounds != "" {
			assume(t, a, v, strings.Split(c.bounds, " ; "))
		}
		got := newSetEval(a, sets(v, c.dom), false).eval(v.expr(c.expr))
		if got.Min == nil || got.Max == nil || !a.CanProveEqual(got.Min, v.expr(c.lo)) || !a.CanProveEqual(got.Max, v.expr(c.hi)) {
			t.Errorf("%s over %s: got %s..%s, want %s..%s", c.expr, c.dom, show(got.Min), show(got.Max), c.lo, c.hi)
		}
	}
}

func TestVectorAndUnion(t *testing.T) {
	v := newEnv()
	if s := SetOfVector(v.expr("ramp(10, 3, 2)")); !isCst(s.Min, 10) || !isCst(s.Max, 13) {
		t.Errorf("ramp: %s..%s", show(s.Min), show(s.Max))
	}
	below, above := Interval(nil, tir.Int32(0)), Interval(tir.Int32(1), nil)
	if s := UnionLowerBound(below, above, Nothing()); !s.IsEverything() {
		t.Errorf("union: %s..%s", show(s.Min), show(s.Max))
	}
	if s := UnionLowerBound(below, Interval(tir.Int32(5), nil)); !isCst(s.Max, 0) {
		t.Errorf("sets apart: %s..%s", show(s.Min), show(s.Max))
	}
}

func TestRegionBounds(t *testing.T) {
	for _, c := range []struct {
		region, dom, pred, want string // region: "begin..end ; ...", want "" for no bound
		upper                   bool
	}{
		{region: "i..i + 2 ; i + 2..i + 4", dom: "i : 64"},
		{region: "i..i + 2 ; i + 2..i + 4", dom: "i : 64", want: "0..65 ; 2..67", upper: true},
		{region: "fld(i, 4)..fld(i, 4) + 1 ; j * 4 + flm(i, 4)..j * 4 + flm(i, 4) + 1 ; tdiv(k, 2)..tdiv(k, 2) + 1", dom: "i : 16 ; j : 16 ; k : 16", pred: "j * 4 + flm(i, 4) > 3"},
		{region: "fld(i, 4)..fld(i, 4) + 1 ; j * 4 + flm(i, 4)..j * 4 + flm(i, 4) + 1 ; tdiv(k, 2)..tdiv(k, 2) + 1", dom: "i : 16 ; j : 16 ; k : 16", pred: "j * 4 + flm(i, 4) > 3", want: "0..4 ; 4..64 ; 0..8", upper: true},
		{region: "i * 4..i * 4 + 2", dom: "i : 64"},
		{region: "i * 4..i * 4 + 2", dom: "i : 64", want: "0..254", upper: true},
		{region: "i * 4..i * 4 + 8", dom: "i : 64", want: "0..260"},
		{region: "(xo * 4 + xi) * 4..(xo * 4 + xi) * 4 + 8", dom: "xo : 16 ; xi : 4", pred: "xo * 4 + xi < 63", want: "0..256"},
		{region: "(xo * 4 + xi) * 4..(xo * 4 + xi) * 4 + 8 ; (xo * 4 + xi) * 3..(xo * 4 + xi) * 3 + 5", dom: "xo : 16 ; xi : 4", pred: "xo * 4 + xi < 63", want: "0..256 ; 0..191", upper: true},
		{region: "fld(x, 16)..fld(x, 16) + 1 ; fld(flm(x, 16), 4) * 8 + flm(x, 4) + fld(w, 32) * 4..fld(flm(x, 16), 4) * 8 + flm(x, 4) + fld(w, 32) * 4 + 1 ; flm(w, 32)..flm(w, 32) + 1", dom: "x : 32 ; w : 64", want: "0..2 ; 0..32 ; 0..32"},
		{region: "1 - i..5 - i ; 20 - j * 4..36 - j * 4", dom: "i : 4 ; j : 4", want: "-2..5 ; 8..36"},
		{region: "h3 * 8 + h2..h3 * 8 + h2 + 1", dom: "h2 : 10", pred: "1 <= h3 * 8 + h2 && h3 * 8 + h2 < 224", want: "max(h3 * 8, 1)..min(0, h3 * 8 - 214) + 224"},
		{region: "h3 * 8 + h2 * 5 + h1..h3 * 8 + h2 * 5 + h1 + 1", dom: "h1 : 5 ; h2 : 2", pred: "1 <= h3 * 8 + h2 * 5 + h1 && h3 * 8 + h2 * 5 + h1 < 224", want: "max(h3 * 8, 1)..min(0, h3 * 8 - 214) + 224"},
		{region: "h3 * 8 + h2 * 5 + h1..h3 * 8 + h2 * 5 + h1 + 1", dom: "h1 : 5 ; h2 : 2", pred: "1 <= h3 * 8 + h2 * 5 + h1 && h3 * 8 + h1 * 2 + h2 < 224"},
		{region: "h3 * 8 + h2 * 5 + h1..h3 * 8 + h2 * 5 + h1 + 1", dom: "h1 : 5 ; h2 : 2", pred: "1 <= h3 * 8 + h2 * 5 + h1 && h3 * 8 + h1 * 2 + h2 < 224", want: "h3 * 8..h3 * 8 + 10", upper: true},
		{region: "fld(i + j, 2)..fld(i + j, 2) + 1", dom: "i : 8 ; j : 4", want: "0..6"},
	} {
		v, a := newEnv(), NewAnalyzer()
		dom := domains(v, c.dom)
		var region []*tir.Range
		for _, r := range strings.Split(c.region, " ; ") {
			lo, hi, _ := strings.Cut(r, "..")
			region = append(region, &tir.Range{Min: v.expr(lo), Extent: a.Simplify(tir.Sub(v.expr(hi), v.expr(lo)))})
		}
		var pred tir.Expr
		if c.pred != "" {
			pred = v.expr(c.pred)
		}
		got, ok := EstimateRegionLowerBound(region, dom, pred, a)
		if c.upper {
			got, ok = EstimateRegionUpperBound(region, dom, pred, a), true
		}
		if c.want == "" {
			if ok {
				t.Errorf("%s: got a bound", c.region)
			}
			continue
		}
		if !ok {
			t.Errorf("%s: no bound", c.region)
			continue
		}
		for i, w := range strings.Split(c.want, " ; ") {
			lo, hi, _ := strings.Cut(w, "..")
			if !a.CanProveEqual(got[i].Min, v.expr(lo)) || !a.CanProveEqual(tir.Add(got[i].Max, tir.Int32(1)), v.expr(hi)) {
				t.Errorf("%s: dimension %d: got %s..%s + 1, want %s", c.region, i, show(a.Simplify(got[i].Min)), show(a.Simplify(got[i].Max)), w)
			}
		}
	}
}

func TestDeduceBound(t *testing.T) {
	const hints = "b : 2..3 ; c : 10..15 ; d : -3..-1"
	for _, c := range []struct{ cond, hint, relax, lo, hi string }{
		{"b * -1 * a + c - d >= 0", hints, "", "", "fld(d - c, b * -1)"},
		{"0 <= b * -1 * a + c - d", hints, "", "", "fld(d - c, b * -1)"},
		{"d * a + c - d >= 0", hints, "", "", "fld(d - c, d)"},
		{"a * 4 + b < c", hints, "", "", "fld(c - 1 - b, 4)"},
		{"c > a * 4 + b", hints, "", "", "fld(c - 1 - b, 4)"},
		{"max(5, a * 4) < 0", hints, "", "none", ""},
		{"0 - b + a * c - d >= 0", hints, "b : 2..3 ; d : -3..-1", "fld(2, c) + 1", ""},
		{"a == b", "", "", "b", "b"},
		{"a == b", "b : 2..3", "b : 2..3", "none", ""},
		{"10 == a", "", "", "10", "10"},
		{"a - c == b + d", hints, "", "b + d + c", "b + d + c"},
		{"5 * a == -10", "", "", "-2", "-2"},
		{"4 * a == b", "b : 2..3", "", "none", ""},
		{"b * a == b", "b : 2..3", "", "1", "1"},
		{"cast(int32, a + b > 3) > c", "b : 2..3 ; c : 5..7", "", "none", ""},
		{"a * 2 - a > b", "b : 2..3", "", "none", ""},
		{"fld(a, 8) > 3", "", "", "32", ""},
		{"fld(a, 8) >= 3", "", "", "24", ""},
		{"fld(a, 8) < 3", "", "", "", "23"},
		{"fld(a, 8) <= 3", "", "", "", "31"},
		{"fld(a, 8) == 3", "", "", "none", ""},
		{"fld(a, 8) > -3", "", "", "-16", ""},
		{"fld(a, 8) >= -3", "", "", "-24", ""},
		{"fld(a, -8) > 3", "", "", "", "-32"},
		{"fld(a, -8) >= 3", "", "", "", "-24"},
		{"fld(a, -8) < 3", "", "", "-23", ""},
		{"fld(a, -8) <= 3", "", "", "-31", ""},
		{"fld(8, a) >= 2", "", "", "none", ""},
		{"b * 3 + fld(a, 8) < 63", "b : 2..6", "b : 2..6", "", "359"},
		{"b * 3 + fld(a, 8) <= 63", "b : 2..6", "b : 2..6", "", "367"},
		{"b * 3 + fld(a, 8) > 63", "b : 2..6", "b : 2..6", "464", ""},
		{"b * 3 + fld(a, 8) >= 63", "b : 2..6", "b : 2..6", "456", ""},
		{"flm(a, 16) < 10", "", "", "none", ""},
		{"min(a, 16) < 10", "", "", "none", ""},
	} {
		v, a := newEnv(), NewAnalyzer()
		got := DeduceBound(v.variable("a"), v.expr(c.cond), sets(v, c.hint), sets(v, c.relax))
		if c.lo == "none" {
			if !got.Empty {
				t.Errorf("%s: got %s..%s, want nothing", c.cond, show(got.Min), show(got.Max))
			}
			continue
		}
		match := func(e tir.Expr, want string) bool {
			if want == "" || e == nil {
				return want == "" && e == nil
			}
			return a.CanProveEqual(e, v.expr(want))
		}
		if got.Empty || !match(got.Min, c.lo) || !match(got.Max, c.hi) {
			t.Errorf("%s: got %v %s..%s, want %s..%s", c.cond, got.Empty, show(got.Min), show(got.Max), c.lo, c.hi)
		}
	}
}

func TestDetectLinearEquation(t *testing.T) {
	for _, c := range []struct{ expr, vars, want string }{
		{"a * 4 + b * 6 + 7", "a", "4 ; b * 6 + 7"},
		{"a * 4 * (a + 1) + b * 6 + 7", "a", ""},
		{"a * 4 + (a + 1) + b * 6 + 7", "a", "5 ; b * 6 + 8"},
		{"a * b + 7", "a", "b ; 7"},
		{"b * 7", "a", "0 ; b * 7"},
		{"b * 7", "", "b * 7"},
		{"v0 * (b + 4) + v0 + v1 * 8", "v0 v1 v2 v3", "b + 5 ; 8 ; 0 ; 0 ; 0"},
		{"v0 * (b + 4) + v0 + v1 * 8 * v2", "v0 v1 v2 v3", ""},
		{"v0 * (b + 4) + v0 + v1 * 8 * v1 + v3", "v0 v1 v2 v3", ""},
		{"((v0 * b + v1) * 8 + v2 + 1) * 2", "v0 v1 v2 v3", "b * 16 ; 16 ; 2 ; 0 ; 2"},
		{"v0 - v1", "v2", "0 ; v0 - v1"},
	} {
		v, a := newEnv(), NewAnalyzer()
		var vars []*tir.Var
		for _, name := range strings.Fields(c.vars) {
			vars = append(vars, v.variable(name))
		}
		coeffs, base, ok := DetectLinearEquation(v.expr(c.expr), vars)
		if ok != (c.want != "") {
			t.Errorf("%s in %s: got %v", c.expr, c.vars, ok)
		}
		if !ok {
			continue
		}
		for i, w := range strings.Split(c.want, " ; ") {
			if got := append(coeffs, base)[i]; !a.CanProveEqual(got, v.expr(w)) {
				t.Errorf("%s in %s: %d: got %s, want %s", c.expr, c.vars, i, show(got), w)
			}
		}
	}
}

func TestDetectClipBound(t *testing.T) {
	for _, c := range []struct{ cond, vars, want string }{
		{"a < b * 6 && a - 1 > 0", "a", "2..b * 6 - 1"},
		{"a < b * 6 && a - 1 > 0", "a b", ""},
		{"a + 10 * c <= 20 && b - 1 > 0", "a b", "..20 - 10 * c ; 2.."},
		{"not(a > b * 6) && a - 1 > 0", "a", "2..b * 6"},
		{"min(a, b) > 3 && a - 10 < 0", "a b", "4..9 ; 4.."},
		{"a == 4 && b == 3", "a b", "4..4 ; 3..3"},
	} {
		v, a := newEnv(), NewAnalyzer()
		var vars []*tir.Var
		for _, name := range strings.Fields(c.vars) {
			vars = append(vars, v.variable(name))
		}
		got, ok := DetectClipBound(v.expr(c.cond), vars)
		if ok != (c.want != "") {
			t.Errorf("%s: got %v", c.cond, ok)
		}
		if !ok {
			continue
		}
		for i, w := range strings.Split(c.want, " ; ") {
			lo, hi, _ := strings.Cut(w, "..")
			for _, end := range []struct {
				e    tir.Expr
				want string
			}{{got[i].Min, lo}, {got[i].Max, hi}} {
				if end.want == "" && end.e != nil || end.want != "" && (end.e == nil || !a.CanProveEqual(end.e, v.expr(end.want))) {
					t.Errorf("%s: %d: got %s, want %q", c.cond, i, show(end.e), end.want)
				}
			}
		}
	}
}

func TestDomainTouched(t *testing.T) {
	m := tir.NewVar("m", dtype.Int32T)
	i, j := tir.NewVar("i", dtype.Int32T), tir.NewVar("j", dtype.Int32T)
	shape := []tir.Expr{tir.Int32(100), m}
	a, b := tir.NewBuffer("A", dtype.Float32T, shape, ""), tir.NewBuffer("B", dtype.Float32T, shape, "")
	c1 := tir.Int32(1)
	value := tir.Add(tir.Load(b, tir.Sub(i, c1), tir.Add(j, c1)), tir.Load(a, tir.Sub(i, c1), tir.Sub(j, c1)))
	s := &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(100), Body: &tir.For{LoopVar: j, Min: tir.Int32(0), Extent: m, Body: tir.Store(a, value, i, j)}}
	an := NewAnalyzer()
	for _, c := range []struct {
		buffer        *tir.Buffer
		loads, stores bool
		want          [4]tir.Expr
	}{
		{a, true, false, [4]tir.Expr{tir.Int32(-1), tir.Int32(100), tir.Int32(-1), m}},
		{a, false, true, [4]tir.Expr{tir.Int32(0), tir.Int32(100), tir.Int32(0), m}},
		{a, true, true, [4]tir.Expr{tir.Int32(-1), tir.Int32(101), tir.Int32(-1), tir.Add(m, c1)}},
		{b, true, false, [4]tir.Expr{tir.Int32(-1), tir.Int32(100), tir.Int32(1), m}},
	} {
		r := DomainTouched(s, c.buffer, c.loads, c.stores)
		got := [4]tir.Expr{r[0].Min, r[0].Extent, r[1].Min, r[1].Extent}
		for k := range got {
			if !an.CanProveEqual(got[k], c.want[k]) {
				t.Errorf("%s: %d: got %s, want %s", c.buffer.Name, k, show(got[k]), show(c.want[k]))
			}
		}
	}
	if r := DomainTouched(s, b, false, true); len(r) != 0 {
		t.Errorf("B is not written: %v", r)
	}
}

// TestRebound binds variables again in different ways: the last one holds, whenever the sets are asked for.
func TestRebound(t *testing.T) {
	n := func(v int64) tir.Expr { return tir.Int32(v) }
	for _, asked := range []bool{false, true} { // in between
		a, v := NewAnalyzer(), tir.NewVar("v", dtype.Int32T)
		check := func(lo, hi int64) {
			t.Helper()
			s := a.IntSet(v)
			if !s.HasLower() || !s.HasUpper() || !tir.IsConst(a.Simplify(s.Min), lo) || !tir.IsConst(a.Simplify(s.Max), hi) {
				t.Errorf("asked %v: got %v to %v, want %d to %d", asked, s.Min, s.Max, lo, hi)
			}
		}
		between := func(lo, hi int64) {
			t.Helper()
			if asked {
				check(lo, hi)
			}
		}
		a.BindRange(v, &tir.Range{Min: n(0), Extent: n(8)})
		between(0, 7)
		a.BindRange(v, &tir.Range{Min: n(2), Extent: n(8)})
		check(2, 9)
		a.Bind(v, n(3))
		between(3, 3)
		a.BindRange(v, &tir.Range{Min: n(0), Extent: n(1)})
		between(0, 0)
		a.BindRange(v, &tir.Range{Min: n(1), Extent: n(5)})
		for range 3 * maxPending { // more than are kept until someone asks
			a.BindRange(tir.NewVar("w", dtype.Int32T), &tir.Range{Min: n(0), Extent: n(4)})
		}
		a.BindRange(v, &tir.Range{Min: n(4), Extent: n(2)})
		for range 3 * maxPending {
			a.BindRange(tir.NewVar("w", dtype.Int32T), &tir.Range{Min: n(0), Extent: n(4)})
		}
		between(4, 5)
		a.BindRange(v, &tir.Range{Min: n(5), Extent: n(2)})
		a.BindBounds(v, tir.NewVar("u", dtype.Int32T))
		if s := a.IntSet(v); s.Min != tir.Expr(v) || s.Max != tir.Expr(v) {
			t.Errorf("asked %v: got %v to %v, want v, whose set is not known any more", asked, s.Min, s.Max)
		}
	}
}
