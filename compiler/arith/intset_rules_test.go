package arith

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sameSet compares a set with "lo..hi", where an end that is left out is unbounded; "nothing" is the
// empty set, and a single expression the point.
func sameSet(t *testing.T, what string, v *env, got IntSet, want string) {
	t.Helper()
	text := fmt.Sprintf("%s..%s", show(got.Min), show(got.Max))
	if got.Empty {
		text = "nothing"
	} else if got.IsPoint() {
		text = show(got.Min)
	}
	a := NewAnalyzer()
	same := func(e tir.Expr, want string) bool {
		if want == "" || e == nil {
			return want == "" && e == nil
		}
		return a.CanProveEqual(e, v.expr(want))
	}
	lo, hi, interval := cutSet(want)
	switch {
	case want == "nothing" || got.Empty:
		if want == "nothing" && got.Empty {
			return
		}
	case interval != got.IsPoint() && same(got.Min, lo) && same(got.Max, hi):
		return
	}
	t.Errorf("%s: got %s, want %s", what, text, want)
}

func cutSet(s string) (lo, hi string, interval bool) {
	for i := 0; i+1 < len(s); i++ {
		if s[i:i+2] == ".." {
			return s[:i], s[i+2:], true
		}
	}
	return s, s, false
}

// TestConditionsBoundSets checks what conditions in scope say of sets.
func TestConditionsBoundSets(t *testing.T) {
	for _, c := range []struct{ cond, expr, want string }{
		{"x < 7", "x", "..6"},
		{"x <= 7", "x", "..7"},
		{"x > 7", "x", "8.."},
		{"x >= 7", "x", "7.."},
		{"x == 7", "x", "7"},
		{"7 > x", "x", "..6"},
		{"7 >= x", "x", "..7"},
		{"7 < x", "x", "8.."},
		{"7 <= x", "x", "7.."},
		{"n * 2 == x", "x", "n * 2"},
		{"x != 7", "x", "x"},
		{"x < n * 2", "x", "..n * 2 - 1"},
		{"x >= n * 2", "x * 2 + 1", "n * 4 + 1.."},
		{"x < n", "x", ".."}, // as n is not bounded from above
		{"x < n && n < 9", "x", "..7"},
		{"x > 2 && x < 7", "x * 2 + y", "6 + y..12 + y"},
		{"x > 2 && x > 4 && x < 9 && x < 7", "x", "5..6"},
		{"x > 2 || x < 7", "x", "x"},
		{"x > 5 && x < 4", "x", "nothing"},
		{"x * 2 < 7", "x", "x"},
		{"f_f32 < 2.5", "f_f32", "f_f32"},
		{"x_i8 < 7", "x_i8", "x_i8"},
		{"x_i64 < 7", "x_i64", "..6"},
	} {
		v, a := newEnv(), NewAnalyzer()
		v.variable("y")
		e := v.expr(c.expr)
		exit := a.EnterConstraint(v.expr(c.cond))
		sameSet(t, c.expr+" where "+c.cond, v, a.IntSet(e), c.want)
		exit()
		sameSet(t, c.expr+" after "+c.cond, v, a.IntSet(e), c.expr)
	}
	// Bound and assumed together.
	v, a := newEnv(), NewAnalyzer()
	a.BindRange(v.variable("x"), &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(10)})
	exit := a.EnterConstraint(v.expr("x > 6"))
	sameSet(t, "bound and assumed", v, a.IntSet(v.expr("x + 1")), "8..10")
	exit()
	sameSet(t, "bound", v, a.IntSet(v.expr("x + 1")), "1..10")
	sameSet(t, "lanes", v, a.IntSet(v.expr("ramp(x, 3, 4)")), "0..18")
}

// TestSetRules checks the sets of expressions over the sets of variables.
func TestSetRules(t *testing.T) {
	for _, c := range []struct {
		expr, dom, want string
		vector          bool
	}{
		// What is not relaxed is a point, and so is what is relaxed to one.
		{expr: "n * 3 - m", want: "n * 3 - m"},
		{expr: "x * 3 - m", dom: "x : n..n", want: "n * 3 - m"},
		{expr: "n * 3 - x", dom: "x : m..m", want: "n * 3 - m"},
		{expr: "x", dom: "x : y..y + 3 ; y : 4..5", want: "4..8"},
		{expr: "x", dom: "x : y..y + 3 ; y : z..z ; z : 1..2", want: "1..5"},
		{expr: "x", dom: "x : 0..y ; y : 9..3 ; z : 1..2", want: "0..3"},
		{expr: "x < 3", dom: "x : 0..10", want: "false..true"},
		{expr: "x == y", dom: "x : 0..10", want: "false..true"},
		{expr: "n < 3", dom: "x : 0..10", want: "n < 3"},
		{expr: "x > 3 && n > 3", dom: "x : 0..10", want: "false..true"},
		{expr: "not(x < 3)", dom: "x : 0..10", want: "false..true"},
		{expr: "not(b_bool)", dom: "x : 0..10", want: "not(b_bool)"},
		{expr: "not(b_bool)", dom: "b_bool : c_bool..c_bool", want: "not(c_bool)"},
		{expr: "select(n > 0, x, x + 20)", dom: "x : 0..10", want: "0..30"},
		{expr: "select(n > 0, x + 20, x)", dom: "x : 0..10", want: "0..30"},
		{expr: "cast(int64, n)", dom: "x : 0..10", want: "cast(int64, n)"},
		{expr: "cast(int64, x)", dom: "x : n..n", want: "cast(int64, n)"},
		{expr: "cast(int64, x)", dom: "x : n..n + 3", want: "cast(int64, n)..cast(int64, n + 3)"},
		{expr: "cast(int8, x)", dom: "x : -128..127", want: "cast(int8, -128)..cast(int8, 127)"},
		{expr: "cast(int8, x)", dom: "x : -129..127", want: ".."},
		{expr: "cast(int8, x)", dom: "x : -128..128", want: ".."},
		{expr: "cast(int8, x)", dom: "x : n..127", want: ".."},
		{expr: "cast(float32, x)", dom: "x : 1..5", want: ".."},
		{expr: "cast(float32, x)", dom: "x : n..n", want: "cast(float32, n)"},
		{expr: "cast(int32, f_f32)", dom: "f_f32 : float32(1)..float32(5)", want: ".."},
		{expr: "cast(bool, x)", dom: "x : 1..5", want: ".."},
		{expr: "clz(x)", dom: "x : 1..5", want: ".."},
		// Lanes.
		{expr: "ramp(x, 3, 4)", dom: "x : 1..5", want: "1..14", vector: true},
		{expr: "ramp(x, -3, 4)", dom: "x : 1..5", want: "-8..5", vector: true},
		{expr: "ramp(x, n, 4)", dom: "x : 1..5", want: "..", vector: true},
		{expr: "ramp(x, 3, 4)", dom: "x : 1..5", want: ".."},
		{expr: "bcast(x, 4)", dom: "x : 1..5", want: "1..5", vector: true},
		{expr: "bcast(x, 4)", dom: "x : 1..5", want: ".."},
		// Sums and products of sets with one end.
		{expr: "x + y", dom: "x : 1..5 ; y : z..z + 1", want: "z + 1..z + 6"},
		{expr: "x - y", dom: "x : 1..5 ; y : z..z + 1", want: "0 - z..5 - z"},
		{expr: "x * 1", dom: "x : 1..5", want: "1..5"},
		{expr: "x * y", dom: "x : 1..5 ; y : 0..0", want: "0..0"},
		{expr: "fld(x, 1)", dom: "x : 1..5", want: "1..5"},
		{expr: "3 * x", dom: "x : n..n + 5", want: "n * 3..n * 3 + 15"},
		{expr: "S * x", dom: "x : 1..5", want: "S..5 * S"},
		{expr: "x * -1", dom: "x : 1..5", want: "-5..-1"},
		{expr: "x * S", dom: "x : 1..5", want: "S..5 * S"},
		{expr: "x * (0 - S - 1)", dom: "x : 1..5", want: "5 * (0 - S - 1)..0 - S - 1"},
		{expr: "fld(x, y)", dom: "x : 1..50 ; y : 0..0", want: ".."},
		{expr: "tdiv(x, y)", dom: "x : 1..50 ; y : 0..0", want: ".."},
		{expr: "flm(x, y)", dom: "x : 1..50 ; y : 0..0", want: ".."},
		{expr: "flm(x, y)", dom: "x : 1..50 ; y : 2..3", want: ".."},
		{expr: "fld(x, y)", dom: "x : 10..50 ; y : 2..5", want: "2..25"},
		{expr: "tdiv(x, y)", dom: "x : -11..50 ; y : 2..5", want: "-5..25"},
		{expr: "fld(x_i64, y_i64)", dom: "x_i64 : n_i64..5 ; y_i64 : 1048576..2097152", want: "..cast(int64, 0)"},
		{expr: "fld(x_i64, y_i64)", dom: "x_i64 : -5..n_i64 ; y_i64 : 1048576..2097152", want: "cast(int64, -1).."},
		// Remainders.
		{expr: "flm(x, S)", dom: "x : 1..50", want: "0..S - 1"},
		{expr: "tmod(x, S)", dom: "x : 1..50", want: "0..S - 1"},
		{expr: "tmod(x, S)", dom: "x : -1..50", want: "1 - S..S - 1"},
		{expr: "tmod(x, S)", dom: "x : n..50", want: "1 - S..S - 1"},
		{expr: "flm(x, n)", dom: "x : 1..50", want: "1 - max(n, 0 - n)..max(n, 0 - n) - 1"},
		{expr: "flm(x * 4 + 1, 6)", dom: "x : 1..50", want: "1..5"},
		{expr: "flm(x * 4 + 7, 12)", dom: "x : 1..50", want: "3..11"},
		{expr: "flm(x, 6)", dom: "x : n * 6..n * 6 + 4", want: "0..4"},
	} {
		v := newEnv()
		dom := sets(v, c.dom)
		e := v.expr(c.expr)
		sameSet(t, c.expr+" over "+c.dom, v, newSetEval(NewAnalyzer(), dom, c.vector).eval(e), c.want)
	}
}

// TestSetsOfLoads checks that an element of an integer buffer is a value as long as its index is.
func TestSetsOfLoads(t *testing.T) {
	v := newEnv()
	x, n := v.variable("x"), v.variable("n")
	dom := sets(v, "x : 1..5")
	ints := tir.NewBuffer("ints", dtype.Int32T, []tir.Expr{tir.Int32(9), tir.Int32(9)}, "")
	floats := tir.NewBuffer("floats", dtype.Float32T, []tir.Expr{tir.Int32(9), tir.Int32(9)}, "")
	if e := tir.Load(ints, n, tir.Int32(0)); EvalSet(e, dom).Min != e || !EvalSet(e, dom).IsPoint() {
		t.Error("an element at fixed indices is not a point")
	}
	for _, e := range []tir.Expr{tir.Load(ints, n, x), tir.Load(ints, x, n), tir.Load(floats, n, n)} {
		if s := EvalSet(e, dom); !s.IsEverything() {
			t.Errorf("%s: got %s..%s", show(e), show(s.Min), show(s.Max))
		}
	}
}

// TestSetsOfUnknownSign multiplies and divides by a parameter of which the sign is not known, and
// compares the ends with the least and greatest value for each parameter.
func TestSetsOfUnknownSign(t *testing.T) {
	x, n := tir.NewVar("x", dtype.Int32T), tir.NewVar("n", dtype.Int32T)
	for _, op := range []tir.BinaryOp{tir.OpMul, tir.OpFloorDiv, tir.OpDiv} {
		for lo := int64(-4); lo <= 4; lo++ {
			for hi := lo; hi <= 4; hi++ {
				s := EvalSet(tir.NewBinary(op, x, n), map[*tir.Var]IntSet{x: Interval(tir.Int32(lo), tir.Int32(hi))})
				for p := int64(-3); p <= 3; p++ {
					if p == 0 && op != tir.OpMul {
						continue
					}
					at := map[*tir.Var]int64{n: p}
					want := Bound{1 << 40, -1 << 40}
					for u := lo; u <= hi; u++ {
						w, _ := tir.FoldInt(op, dtype.Int32T, u, p)
						want = want.union(Bound{w, w})
					}
					if got := (Bound{evalAll(s.Min, at)[0], evalAll(s.Max, at)[0]}); got != want {
						t.Errorf("%d..%d %v %d: got %v, want %v", lo, hi, op, p, got, want)
					}
				}
			}
		}
		// With one end the other is unknown, and then both may be.
		if s := EvalSet(tir.NewBinary(op, x, n), map[*tir.Var]IntSet{x: Interval(tir.Int32(1), nil)}); !s.IsEverything() {
			t.Errorf("half of a set %v by a parameter: %s..%s", op, show(s.Min), show(s.Max))
		}
	}
}

// TestSetEnds checks sets with ends that are left out.
func TestSetEnds(t *testing.T) {
	v := newEnv()
	x, y, n := v.variable("x"), v.variable("y"), v.variable("n")
	below, above := map[*tir.Var]IntSet{x: Interval(nil, n)}, map[*tir.Var]IntSet{x: Interval(n, nil)}
	for _, c := range []struct {
		expr string
		dom  map[*tir.Var]IntSet
		want string
	}{
		{expr: "x + 1", dom: below, want: "..n + 1"},
		{expr: "1 - x", dom: below, want: "1 - n.."},
		{expr: "x - 1", dom: above, want: "n - 1.."},
		{expr: "x * 3", dom: above, want: "n * 3.."},
		{expr: "x * -3", dom: above, want: "..n * -3"},
		{expr: "min(x, 4)", dom: above, want: "min(n, 4)..4"},
		{expr: "min(4, x)", dom: below, want: "..min(n, 4)"},
		{expr: "max(x, 4)", dom: above, want: "max(n, 4).."},
		{expr: "max(4, x)", dom: below, want: "4..max(n, 4)"},
		{expr: "min(x, y)", dom: map[*tir.Var]IntSet{x: Interval(nil, tir.Int32(3)), y: Interval(tir.Int32(1), nil)}, want: "..3"},
		{expr: "max(x, y)", dom: map[*tir.Var]IntSet{x: Interval(nil, tir.Int32(3)), y: Interval(tir.Int32(1), nil)}, want: "1.."},
		{expr: "flm(x, 4)", dom: above, want: "0..3"},
		{expr: "cast(int64, x)", dom: above, want: "cast(int64, n).."},
		{expr: "cast(int64, x)", dom: below, want: "..cast(int64, n)"},
		{expr: "x * y", dom: map[*tir.Var]IntSet{x: Everything(), y: Everything()}, want: ".."},
		{expr: "x * y", dom: map[*tir.Var]IntSet{x: Interval(tir.Int32(1), nil), y: Interval(tir.Int32(2), tir.Int32(3))}, want: "2.."},
		{expr: "x + y", dom: map[*tir.Var]IntSet{x: Nothing()}, want: "nothing"},
		{expr: "y + x", dom: map[*tir.Var]IntSet{x: Nothing()}, want: "nothing"},
		{expr: "x", dom: map[*tir.Var]IntSet{x: Interval(y, tir.Int32(3)), y: Nothing()}, want: "nothing"},
		{expr: "x", dom: map[*tir.Var]IntSet{x: Interval(tir.Int32(3), y), y: Nothing()}, want: "nothing"},
		{expr: "x", dom: map[*tir.Var]IntSet{x: Point(y), y: Interval(nil, tir.Int32(3))}, want: "..3"},
		{expr: "x", dom: map[*tir.Var]IntSet{x: Point(x), y: Interval(nil, tir.Int32(3))}, want: "x"},
	} {
		sameSet(t, c.expr, v, EvalSet(v.expr(c.expr), c.dom), c.want)
	}
	if s := newSetEval(NewAnalyzer(), map[*tir.Var]IntSet{x: Nothing()}, true).eval(v.expr("ramp(x, 1, 4)")); !s.Empty {
		t.Error("lanes that start nowhere")
	}
}

// TestEvalIntSet relaxes the ends of sets.
func TestEvalIntSet(t *testing.T) {
	v := newEnv()
	dom := sets(v, "x : 0..3 ; y : 4..9")
	e := v.expr
	for _, c := range []struct {
		name string
		s    IntSet
		want string
	}{
		{"an interval", Interval(e("x"), e("y + 1")), "0..10"},
		{"a point", Point(e("x + n")), "n..n + 3"},
		{"a fixed point", Point(e("n")), "n"},
		{"no lower end", Interval(nil, e("y")), "..9"},
		{"no upper end", Interval(e("y"), nil), "4.."},
		{"everything", Everything(), ".."},
		{"nothing", Nothing(), "nothing"},
	} {
		sameSet(t, c.name, v, EvalIntSet(c.s, dom), c.want)
	}
	r := func(lo, extent string) *tir.Range { return &tir.Range{Min: e(lo), Extent: e(extent)} }
	for _, c := range []struct {
		r    *tir.Range
		want string
	}{
		{r("x", "4"), "0..6"},
		{r("x", "1"), "0..3"},
		{r("n", "1"), "n"},
		{r("n", "m - m + 1"), "n"},
		{r("n", "m"), "n..n + m - 1"},
		{r("x", "y"), "0..11"},
	} {
		sameSet(t, show(c.r.Min)+" and "+show(c.r.Extent), v, EvalSetRange(c.r, dom), c.want)
	}
	lanes := e("ramp(x, 1, 4)")
	for name, s := range map[string]IntSet{"lanes": EvalSet(lanes, dom), "a range of lanes": EvalSetRange(&tir.Range{Min: lanes, Extent: e("bcast(1, 4)")}, dom), "ends of lanes": EvalIntSet(Point(lanes), dom)} {
		if !s.IsEverything() {
			t.Errorf("%s: %s..%s", name, show(s.Min), show(s.Max))
		}
	}
	ranges := AsIntSets(map[*tir.Var]*tir.Range{v.variable("x"): r("2", "1"), v.variable("y"): r("2", "n")})
	sameSet(t, "one value", v, ranges[v.variable("x")], "2")
	sameSet(t, "n values", v, ranges[v.variable("y")], "2..n + 1")
}

// TestSetsThatReferToEachOther checks that the question ends, and one of many nodes as well.
func TestSetsThatReferToEachOther(t *testing.T) {
	v := newEnv()
	x, y := v.variable("x"), v.variable("y")
	one := tir.Int32(1)
	EvalSet(x, map[*tir.Var]IntSet{x: Interval(y, tir.Add(y, one)), y: Interval(x, tir.Add(x, one))})
	dom := map[*tir.Var]IntSet{x: Interval(tir.Int32(1), tir.Int32(2))}
	e := tir.Expr(x)
	for range 12 {
		e = tir.NewBinary(tir.OpAdd, e, e)
	}
	sameSet(t, "a double", v, EvalSet(e, dom), "4096..8192")
	// Ends are visited as well: one visit less than the limit, the limit, and one more.
	for i, want := range []bool{false, false, true} {
		if s := EvalSet(e, dom); (s.Max == nil) != want {
			t.Errorf("%d visits: %s..%s", maxSetWork-1+i, show(s.Min), show(s.Max))
		}
		e = &tir.Cast{Type: dtype.Int64T, Value: e}
	}
	for range 30 {
		e = tir.NewBinary(tir.OpAdd, e, e)
	}
	if s := EvalSet(e, dom); !s.IsEverything() {
		t.Errorf("a long question: %s..%s", show(s.Min), show(s.Max))
	}
}

// TestSetsComeBack checks that what need not change does not, and that what changes is simple.
func TestSetsComeBack(t *testing.T) {
	v := newEnv()
	long := func(name string) tir.Expr {
		return tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpSub, v.variable(name), tir.Int32(1)), tir.Int32(1))
	}
	s := Interval(long("n"), long("m"))
	for name, got := range map[string]IntSet{"union": Union(s), "intersection": Intersect(s), "lower bound": UnionLowerBound(s)} {
		if got.Min != s.Min || got.Max != s.Max {
			t.Errorf("%s of one set: %s..%s", name, show(got.Min), show(got.Max))
		}
	}
	n, m := tir.Expr(v.variable("n")), tir.Expr(v.variable("m"))
	for name, got := range map[string]IntSet{"union": Union(s, s), "intersection": Intersect(s, s), "with nothing": Union(s, Nothing()), "with everything": Intersect(s, Everything())} {
		if !Equal(got.Min, n) || !Equal(got.Max, m) {
			t.Errorf("%s: %s..%s, want n..m", name, show(got.Min), show(got.Max))
		}
	}
	if got := Union(Point(long("n")), Nothing()); !got.IsPoint() || !Equal(got.Min, n) {
		t.Errorf("union with nothing: %s..%s, want n", show(got.Min), show(got.Max))
	}
	if got := Intersect(Interval(v.expr("n + 1"), nil), Interval(nil, n)); !got.Empty {
		t.Errorf("above n and below: %s..%s", show(got.Min), show(got.Max))
	}
	if got := UnionRegion([][]IntSet{{s, s}}); len(got) != 2 || got[1].Min != s.Min {
		t.Errorf("union of one region: %v", got)
	}
	limit := &tir.Range{Min: tir.Int32(0), Extent: m}
	for _, c := range []struct {
		s          IntSet
		lo, extent string
	}{
		{Point(long("n")), "n", "1"},
		{Interval(long("n"), v.expr("n + 4")), "n", "5"},
		{Interval(n, nil), "0", "m"},
		{Interval(nil, n), "0", "m"},
		{Nothing(), "0", "m"},
	} {
		if r := c.s.CoverRange(limit); !Equal(r.Min, v.expr(c.lo)) || !Equal(r.Extent, v.expr(c.extent)) {
			t.Errorf("%s..%s covers %s from %s on, want %s from %s on", show(c.s.Min), show(c.s.Max), show(r.Extent), show(r.Min), c.extent, c.lo)
		}
	}
	for _, text := range []string{"n * 3 - m", "n < m", "not(n < m)", "cast(int64, n * 3)"} {
		if e := v.expr(text); EvalSet(e, nil).Min != e {
			t.Errorf("%s: the point is a copy", text)
		}
	}
	if s := SetOfVector(v.expr("clz(n)")); !s.IsPoint() {
		t.Errorf("a scalar call: %s..%s", show(s.Min), show(s.Max))
	}
	if s := SetOfVector(n); !s.IsPoint() || s.Min != n {
		t.Errorf("a scalar: %s..%s", show(s.Min), show(s.Max))
	}
	if !Interval(n, long("n")).CanProvePoint(NewAnalyzer()) || Interval(n, m).CanProvePoint(NewAnalyzer()) {
		t.Error("a point is what has equal ends")
	}
}
