package arith

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestIterMapErrors checks the reason why indices are no map.
func TestIterMapErrors(t *testing.T) {
	const (
		noBounds = "the predicate is not a conjunction of bounds on the iterators"
		noSingle = "a bound of the predicate is not on a single fused iterator"
		noCover  = "the indices are not independent, or do not cover the iterators"
		noCommon = "the scale of an iterator and its "
		dividend = "a dividend is not a single fused iterator"
		misuse   = "an iterator is used in an operation other than +, -, *, // and %"
	)
	for _, c := range []struct {
		index, dom, pred, want string
		bijective              bool
	}{
		{index: "x", dom: "x : y + 1 ; y : 3", want: "the range of an iterator depends on another iterator"},
		{index: "x", dom: "x : 4", pred: "x != 2", want: noBounds},
		{index: "x", dom: "x : 4", pred: "x == 2", want: noBounds},
		{index: "x", dom: "x : 4", pred: "x < 2 || x > 3", want: noBounds},
		{index: "x", dom: "x : 4", pred: "x < 2 && x != 1", want: noBounds},
		{index: "x", dom: "x : 4", pred: "cast(float32, x) < float32(2)", want: noBounds},
		{index: "x", dom: "x : 4", pred: "b_bool", want: noBounds},
		{index: "x ; y", dom: "x : 1 ; y : 4", pred: "x + n < 3", want: "a bound of the predicate contains no iterator"},
		{index: "x ; y", dom: "x : 3 ; y : 4", pred: "x * 5 + y < 3", want: noSingle, bijective: true},
		{index: "x ; y", dom: "x : 3 ; y : 4", pred: "x * 8 + y * 2 < 3", want: noSingle},
		{index: "x ; y", dom: "x : 3 ; y : 4", pred: "max(x, y) < 3", want: misuse},
		{index: "x", dom: "x : 3 ; y : 4", pred: "x * 4 + y < 3", want: noCover},
		{index: "x * x", dom: "x : 4", want: "the product of two iterators is not an iterator map"},
		{index: "fld(8, x)", dom: "x : 4", want: "an iterator is used as a divisor"},
		{index: "flm(y, x + 1)", dom: "x : 4 ; y : 3", want: "an iterator is used as a divisor"},
		{index: "fld(x * 5 + y, 2)", dom: "x : 4 ; y : 3", want: dividend},
		{index: "flm(x * 5 + y, 2)", dom: "x : 4 ; y : 3", want: dividend},
		{index: "fld(x * 3, 2)", dom: "x : 4", want: noCommon + "divisor have no common form"},
		{index: "fld(x * 2 + 1, 4)", dom: "x : 4", want: noCommon + "divisor have no common form"},
		{index: "fld(x * 4 + 1, 2)", dom: "x : 4", want: noCommon + "divisor have no common form"},
		{index: "flm(x * 3, 2)", dom: "x : 4", want: noCommon + "modulus have no common form"},
		{index: "flm(x * 2 + 1, 4)", dom: "x : 4", want: noCommon + "modulus have no common form"},
		{index: "flm(x * 4 + 1, 2)", dom: "x : 4", want: noCommon + "modulus have no common form"},
		{index: "fld(x, -2)", dom: "x : 4", want: "a divisor, in the unit of its iterator, is not positive"},
		{index: "flm(x, 0)", dom: "x : 4", want: "a divisor, in the unit of its iterator, is not positive"},
		{index: "fld(x + 1, 2)", dom: "x : 4", want: "an iterator starts inside a period of its divisor, which needs padding", bijective: true},
		{index: "max(x, 2)", dom: "x : 4", want: misuse},
		{index: "tdiv(x, 2)", dom: "x : 4", want: misuse},
		{index: "tmod(x, 2)", dom: "x : 4", want: misuse},
		{index: "x_i8 + y_i8", dom: "x_i8 : 4 ; y_i8 : 4", want: misuse},
		{index: "x * 5 + y", dom: "x : 4 ; y : 3", want: "an index is not a single fused iterator"},
		{index: "x ; x", dom: "x : 4", want: noCover},
		{index: "x", dom: "x : 4 ; y : 2", want: noCover, bijective: true},
		{index: "fld(x, 2)", dom: "x : 4", want: noCover, bijective: true},
	} {
		v := newEnv()
		dom := domains(v, c.dom)
		level := Surjective
		if c.bijective {
			level = Bijective
		}
		var pred tir.Expr
		if c.pred != "" {
			pred = v.expr(c.pred)
		}
		var indices []tir.Expr
		for _, s := range strings.Split(c.index, " ; ") {
			indices = append(indices, v.expr(s))
		}
		res := DetectIterMap(indices, dom, pred, level, NewAnalyzer(), true)
		if len(res.Indices) != 0 || len(res.Errors) != 1 || res.Errors[0] != c.want {
			t.Errorf("%s over %s where %q: %d indices, errors %q, want %q", c.index, c.dom, c.pred, len(res.Indices), res.Errors, c.want)
		}
	}
}

// TestRangesThatDepend checks a range that starts at another iterator.
func TestRangesThatDepend(t *testing.T) {
	v := newEnv()
	dom := domains(v, "x : 4 ; y : 3")
	dom[v.variable("x")].Min = v.variable("y")
	res := DetectIterMap([]tir.Expr{v.expr("x")}, dom, nil, Surjective, NewAnalyzer(), true)
	if want := "the range of an iterator depends on another iterator"; len(res.Indices) != 0 || len(res.Errors) != 1 || res.Errors[0] != want {
		t.Errorf("%d indices, errors %q, want %q", len(res.Indices), res.Errors, want)
	}
}

// TestDivisionByOne checks quotients and remainders by 1, which no constructor leaves.
func TestDivisionByOne(t *testing.T) {
	v := newEnv()
	dom := domains(v, "x : 4")
	e := tir.NewBinary(tir.OpFloorDiv, tir.Add(v.expr("x"), tir.NewBinary(tir.OpFloorMod, v.expr("x"), tir.Int32(1))), tir.Int32(1))
	for _, level := range []IterMapLevel{Bijective, Surjective} {
		res := DetectIterMap([]tir.Expr{e}, dom, nil, level, NewAnalyzer(), true)
		if len(res.Indices) != 1 || !Equal(NormalizeIterMapToExpr(res.Indices[0]), v.expr("x")) {
			t.Errorf("level %d: %v", level, res.Errors)
		}
	}
}

// TestPredicatesOfIterMaps checks which bounds a predicate puts on an index, in all forms.
func TestPredicatesOfIterMaps(t *testing.T) {
	for _, c := range []struct {
		pred   string
		lo, hi int64
	}{
		{"x < 7", 0, 6},
		{"x <= 7", 0, 7},
		{"x > 7", 8, 9},
		{"x >= 7", 7, 9},
		{"7 > x", 0, 6},
		{"7 >= x", 0, 7},
		{"7 < x", 8, 9},
		{"7 <= x", 7, 9},
		{"x < 70", 0, 9},
		{"x > -70", 0, 9},
		{"likely(x < 7)", 0, 6},
		{"x < 7 && x < 5", 0, 4},
		{"x < 5 && x < 7", 0, 4},
		{"x > 2 && x > 4 && x < 8", 5, 7},
		{"x > 4 && x > 2 && x < 8", 5, 7},
		{"true && x < 7", 0, 6},
		{"n < 3 && x < 7", 0, 6},
		{"x < 7 + n - n", 0, 6},
		{"x + x < 7 + x", 0, 6},
	} {
		v := newEnv()
		dom := domains(v, "x : 10")
		res := DetectIterMap([]tir.Expr{v.expr("x")}, dom, v.expr(c.pred), Surjective, NewAnalyzer(), true)
		if len(res.Indices) != 1 {
			t.Errorf("%s: no map: %v", c.pred, res.Errors)
			continue
		}
		s := res.Indices[0]
		a := NewAnalyzer()
		lo, hi := a.Simplify(s.Base), a.Simplify(tir.Sub(tir.Add(s.Base, s.Args[0].Extent), tir.Int32(1)))
		if !isCst(lo, c.lo) || !isCst(hi, c.hi) {
			t.Errorf("%s: got %s..%s, want %d..%d", c.pred, show(lo), show(hi), c.lo, c.hi)
		}
	}
	// Terms of iterators on both sides are brought to one.
	for _, pred := range []string{"x * 10 + y + 4 < n + 7", "x * 10 + 4 < n + 7 - y", "x * 10 - n < 7 - y - 4", "n + 3 > y + x * 10"} {
		v := newEnv()
		v.variable("n")
		dom := domains(v, "x : 10 ; y : 10")
		res := DetectIterMap([]tir.Expr{v.expr("x * 10 + y")}, dom, v.expr(pred), Surjective, NewAnalyzer(), true)
		if len(res.Indices) != 1 {
			t.Errorf("%s: no map: %v", pred, res.Errors)
			continue
		}
		if got, want := res.Indices[0].Args[0].Extent, v.expr("min(n + 3, 100)"); !NewAnalyzer().CanProveEqual(got, want) {
			t.Errorf("%s: extent %s, want %s", pred, show(got), show(want))
		}
	}
}
