package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestDeduceRefuses checks conditions that give no bound of a, next to others that are nearly the
// same and do.
func TestDeduceRefuses(t *testing.T) {
	for _, c := range []struct{ cond, relax, want string }{
		{cond: "a + b >= 0", want: "0 - b.."},
		{cond: "a + b >= 0", relax: "b : 2..3", want: "-2.."},
		{cond: "a + b >= c", relax: "b : 2..3 ; c : 5..7", want: "5.."},
		{cond: "a + b <= c", relax: "b : 2..3 ; c : 5..7", want: "..2"},
		{cond: "a - b > c", relax: "b : 2..3 ; c : 5..7", want: "11.."},
		{cond: "b - a > c", relax: "b : 2..3 ; c : 5..7", want: "..-6"},
		{cond: "c < a + b", relax: "b : 2..3 ; c : 5..7", want: "6.."},
		{cond: "a + b >= 0", relax: "b : a..a + 3", want: "nothing"},
		{cond: "a + b >= 0", relax: "a : 0..3", want: "nothing"},
		{cond: "a >= b", relax: "b : a..a", want: "nothing"},
		{cond: "a + b == 3", want: "3 - b"},
		{cond: "a + b == 3", relax: "b : 1..1", want: "2"},
		{cond: "a + b == 3", relax: "b : 1..2", want: "nothing"},
		{cond: "a == b", relax: "b : 1..2", want: "nothing"},
		{cond: "b == a", relax: "b : 1..1", want: "1"},
		{cond: "a + a >= 0", want: "nothing"},
		{cond: "a >= a", want: "nothing"},
		{cond: "b >= 0", want: "nothing"},
		{cond: "a != 3", want: "nothing"},
		{cond: "a + 3", want: "nothing"},
		{cond: "a", want: "nothing"},
		{cond: "a > 3 && b > 3", want: "nothing"},
		{cond: "a_f32 > b_f32", want: "nothing"},
		{cond: "cast(float32, a) > b_f32", want: "nothing"},
		{cond: "a * b > 3", want: "nothing"},
		{cond: "a * b == 3", want: "nothing"},
		{cond: "fld(a, b) > 3", want: "nothing"},
		{cond: "fld(b, a) > 3", want: "nothing"},
		{cond: "fld(a, 3) == 3", want: "nothing"},
		{cond: "tdiv(a, 3) > 3", want: "nothing"},
		{cond: "cast(int64, a) > b_i64", want: "nothing"},
		{cond: "a * 3 == 6", want: "2"},
		{cond: "a * -3 == 6", want: "-2"},
		{cond: "a * 3 == 7", want: "nothing"},
		{cond: "a * 3 >= 7", want: "3.."},
		{cond: "a * 3 <= 7", want: "..2"},
		{cond: "a * -3 >= 7", want: "..-3"},
		{cond: "a * -3 <= 7", want: "-2.."},
	} {
		v := newEnv()
		relax := sets(v, c.relax)
		x := v.variable("a")
		if c.cond == "a_f32 > b_f32" {
			x = v.variable("a_f32")
		}
		sameSet(t, c.cond+" for all "+c.relax, v, DeduceBound(x, v.expr(c.cond), nil, relax), c.want)
	}
}

// TestDeduceWithOpenSets checks sets of which an end is left out.
func TestDeduceWithOpenSets(t *testing.T) {
	for _, c := range []struct {
		cond   string
		b      IntSet
		want   string
		reason string
	}{
		{"a + b >= 0", Interval(nil, tir.Int32(3)), "nothing", "b may be anything below"},
		{"a + b >= 0", Interval(tir.Int32(3), nil), "-3..", "b is 3 at least"},
		{"a + b <= 0", Interval(tir.Int32(3), nil), "nothing", "b may be anything above"},
		{"a + b <= 0", Interval(nil, tir.Int32(3)), "..-3", "b is 3 at most"},
		{"a >= b", Interval(tir.Int32(3), nil), "nothing", "b may be anything above"},
		{"a >= b", Interval(nil, tir.Int32(3)), "3..", "b is 3 at most"},
		{"a <= b", Interval(nil, tir.Int32(3)), "nothing", "b may be anything below"},
		{"a <= b", Interval(tir.Int32(3), nil), "..3", "b is 3 at least"},
		{"a + b >= 0", Nothing(), "nothing", "b is nothing"},
		{"a >= b", Nothing(), "nothing", "b is nothing"},
	} {
		v := newEnv()
		cond, a, b := v.expr(c.cond), v.variable("a"), v.variable("b")
		sameSet(t, c.cond+" where "+c.reason, v, DeduceBound(a, cond, nil, map[*tir.Var]IntSet{b: c.b}), c.want)
	}
}

// TestDeduceBySign multiplies and divides by what only a hint tells the sign of.
func TestDeduceBySign(t *testing.T) {
	for _, c := range []struct{ cond, hint, want string }{
		{"a * b >= 0", "b : 1..3", "0.."},
		{"a * b >= 0", "b : 0..3", "nothing"},
		{"a * b >= 0", "b : -3..-1", "..0"},
		{"a * b >= 0", "b : -3..0", "nothing"},
		{"a * b >= 0", "b : -3..3", "nothing"},
		{"a_u32 * b_u32 >= c_u32 * b_u32", "", "nothing"},
		{"fld(a, b) >= 2", "b : 1..3", "2 * b.."},
		{"fld(a, b) <= 2", "b : 1..3", "..3 * b - 1"},
		{"fld(a, b) >= 2", "b : -3..-1", "..2 * b"},
	} {
		v := newEnv()
		cond := v.expr(c.cond)
		sameSet(t, c.cond+" where "+c.hint, v, DeduceBound(v.variable("a"), cond, sets(v, c.hint), nil), c.want)
	}
	// Without a sign there is none but the positive one.
	v := newEnv()
	cond := v.expr("a_u32 * b_u32 >= uint32(0)")
	if got := DeduceBound(v.variable("a_u32"), cond, nil, nil); got.Empty || got.Min == nil || got.Max != nil {
		t.Errorf("%s: got %s..%s", show(cond), show(got.Min), show(got.Max))
	}
}
