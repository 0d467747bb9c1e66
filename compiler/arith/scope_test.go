package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestNormalizedConditions compares negations, pushed into a condition, with what they mean.
func TestNormalizedConditions(t *testing.T) {
	for _, c := range []struct{ cond, want string }{
		{"x < y", "x < y"},
		{"x > y", "y < x"},
		{"x >= y", "y <= x"},
		{"x == y", "x == y"},
		{"not(x == y)", "x != y"},
		{"not(x != y)", "x == y"},
		{"not(x < y)", "y <= x"},
		{"not(x <= y)", "y < x"},
		{"not(x > y)", "x <= y"},
		{"not(x >= y)", "x < y"},
		{"not(x < y && z < w)", "y <= x || w <= z"},
		{"not(x < y || z < w)", "y <= x && w <= z"},
		{"not(x < y || (z < w && p_bool))", "y <= x && (w <= z || not(p_bool))"},
		{"x < y && z > w", "x < y && z > w"},
		{"p_bool", "p_bool"},
		{"not(p_bool)", "not(p_bool)"},
		{"not(f_f32 < g_f32)", "not(f_f32 < g_f32)"},
		{"not(f_f32 == g_f32)", "f_f32 != g_f32"},
	} {
		v := newEnv()
		e := v.expr(c.cond)
		got := normalizeBool(e)
		if !Equal(got, v.expr(c.want)) {
			t.Errorf("%s is %s, want %s", c.cond, show(got), c.want)
		}
		twice := normalizeBool(&tir.Not{A: &tir.Not{A: e}})
		if !Equal(twice, got) {
			t.Errorf("twice the opposite of %s is %s", c.cond, show(twice))
		}
	}
}

// TestPartsOfConditions walks over trees of && and counts their parts as far as there is room.
func TestPartsOfConditions(t *testing.T) {
	v := newEnv()
	text := ""
	conjuncts(v.expr("p_bool && (q_bool && (r_bool || s_bool)) && x < y"), func(e tir.Expr) { text += show(e) + ";" })
	if want := "p_bool;q_bool;(r_bool || s_bool);(x < y);"; text != want {
		t.Errorf("the parts are %s, want %s", text, want)
	}
	for n := 1; n < 6; n++ {
		left, right := tir.Expr(tir.NewVar("p", v.variable("p_bool").DType())), tir.Expr(v.variable("p_bool"))
		for range n - 1 {
			left = tir.NewBinary(tir.OpAnd, left, v.variable("q_bool"))
			right = tir.NewBinary(tir.OpAnd, v.variable("q_bool"), right)
		}
		for room := range 8 {
			for _, e := range []tir.Expr{left, right} {
				if got := parts(e, room); (got >= 0) != (n <= room) || got >= 0 && got != room-n {
					t.Errorf("%d parts leave %d of %d places", n, got, room)
				}
			}
		}
	}
}

// TestFactsFillUp enters as many conditions as are kept, in one condition or in many: the next one is
// ignored, and taken again where there is room. A comparison is kept with its opposite.
func TestFactsFillUp(t *testing.T) {
	v := newEnv()
	p := v.variable("p_bool")
	all := tir.Expr(tir.NewVar("q", p.DType()))
	for range maxFacts - 1 {
		all = tir.NewBinary(tir.OpAnd, all, tir.NewVar("q", p.DType()))
	}
	a := NewAnalyzer()
	exit := a.EnterConstraint(all)
	if len(a.rw.literals) == 0 {
		t.Errorf("%d conditions at once are ignored", maxFacts)
	}
	a.EnterConstraint(p)
	if isCst(a.RewriteSimplify(p), 1) {
		t.Error("a condition beyond those that are kept is known")
	}
	exit()
	a.EnterConstraint(p)
	if !isCst(a.RewriteSimplify(p), 1) {
		t.Error("a condition is not known where there is room")
	}
	more := NewAnalyzer()
	more.EnterConstraint(tir.NewBinary(tir.OpAnd, all, p))
	if len(more.rw.literals) != 0 {
		t.Errorf("%d conditions at once are kept", maxFacts+1)
	}
	one := NewAnalyzer()
	one.EnterConstraint(p)
	if len(one.rw.literals) != 2 {
		t.Errorf("a condition is kept as %d", len(one.rw.literals))
	}
}
