package arith

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestDeducedBoundIsExact solves conditions for a and compares the interval with the values of a
// for which the condition holds whatever b is.
func TestDeducedBoundIsExact(t *testing.T) {
	sides := []string{
		"a", "a + b", "b + a", "a - b", "b - a", "a + 5", "3 - a", "a * 3", "3 * a", "a * -3", "a * 3 + b", "b - a * 4",
		"fld(a, 4)", "fld(a + b, 4)", "fld(a, -4)", "fld(a * 2 + 1, 3)", "fld(3 - a, 5)", "fld(a, 4) * 2 + b", "b - fld(a, 3)",
	}
	const span = 150
	for _, side := range sides {
		for _, op := range []string{"<", "<=", ">", ">="} {
			for _, limit := range []string{"7", "-7", "0", "6"} {
				for _, text := range []string{side + " " + op + " " + limit, limit + " " + op + " " + side} {
					for _, relaxed := range []bool{true, false} {
						v := newEnv()
						a, b := v.variable("a"), v.variable("b")
						cond := v.expr(text)
						relax := map[*tir.Var]IntSet{}
						lo, hi := int64(2), int64(2)
						if relaxed {
							relax[b], hi = Interval(tir.Int32(2), tir.Int32(5)), 5
						} else if !strings.Contains(side, "b") {
							continue
						}
						got := DeduceBound(a, cond, relax, relax)
						if got.Empty {
							t.Errorf("%s: nothing", text)
							continue
						}
						for x := int64(-span); x <= span; x++ {
							want := true
							for y := lo; y <= hi; y++ {
								want = want && evalAll(cond, map[*tir.Var]int64{a: x, b: y})[0] != 0
							}
							at := map[*tir.Var]int64{b: lo}
							in := (got.Min == nil || evalAll(got.Min, at)[0] <= x) && (got.Max == nil || evalAll(got.Max, at)[0] >= x)
							// A quotient of b that stays symbolic is rounded up by one in any case.
							exact := relaxed || !strings.Contains(side, "*")
							if in && !want || exact && in != want {
								t.Errorf("%s, relaxed %v: %s..%s at a = %d", text, relaxed, show(got.Min), show(got.Max), x)
								break
							}
						}
					}
				}
			}
		}
	}
}

// TestMarks checks what being an extent, or not negative, tells of a variable.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int64
	}{
		{"n", 0},
		{"n + 2", -2},
		{"n - 3", 3},
		{"n * 2 - 3", 2},
		{"n * 2 + 3", -1},
		{"2 * n - 4", 2},
		{"n * 2 * 3 - 7", 2},
		{"1 + n - 5 + 2", 2},
		{"0 - n", NegInf},
		{"n * -1 + 4", NegInf},
		{"n + m", NegInf},
		{"n - m", NegInf},
		{"n * m", NegInf},
		{"n * n", NegInf},
		{"n * 0", NegInf},
		{"fld(n, 2)", NegInf},
		{"5", NegInf},
	} {
		v := &env{vars: map[string]*tir.Var{"n": tir.NewVar("n", dtype.Int64T), "m": tir.NewVar("m", dtype.Int64T)}}
		e := v.exprOf(dtype.Int64T, c.value)
		a := NewAnalyzer()
		a.MarkNonNegative(e)
		for name, want := range map[string]int64{"n": c.want, "m": NegInf} {
			if got := a.ConstIntBound(v.vars[name]); got != (Bound{want, PosInf}) {
				t.Errorf("%s not negative: %s in %v, want at least %d", c.value, name, got, want)
			}
		}
	}
	a, n, f := NewAnalyzer(), tir.NewVar("n", dtype.Int64T), tir.NewVar("f", dtype.Float32T)
	a.MarkExtent(n)
	a.MarkExtent(f)
	if b := a.ConstIntBound(n); b.Min != 0 || b.Max > 1<<31-1 || a.IsBound(f) || !a.IsBound(n) {
		t.Errorf("an extent in %v", b)
	}
	a.UpdateBound(n, Bound{3, 9})
	a.MarkExtent(n)
	if b := a.ConstIntBound(n); b != (Bound{3, 9}) {
		t.Errorf("an extent of 3 to 9 in %v", b)
	}
}

// exprOf parses s with its constants cast to d.
func (v *env) exprOf(d dtype.DType, s string) tir.Expr {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok {
			x, y := m.Expr(b.A), m.Expr(b.B)
			return tir.NewBinary(b.Op, x, y)
		}
		if c, ok := e.(*tir.IntImm); ok {
			return num(d, c.Value)
		}
		return e
	}
	return m.Expr(v.expr(s))
}

// TestConvertedConditions checks conditions in conjunctive normal form and conditions each side of
// which knows the other.
func TestConvertedConditions(t *testing.T) {
	for _, c := range []struct {
		extensions       Extension
		before, expected string
	}{
		{ConvertBooleanToAndOfOrs, "(x < 1 || y < 1) && (x < 1 || z < 1)", "(x < 1 || y < 1) && (x < 1 || z < 1)"},
		{ConvertBooleanToAndOfOrs, "x < 1 || (y < 1 && z < 1)", "(x < 1 || y < 1) && (x < 1 || z < 1)"},
		{ConvertBooleanToAndOfOrs, "(y < 1 && z < 1) || x < 1", "(y < 1 || x < 1) && (z < 1 || x < 1)"},
		{ConvertBooleanToAndOfOrs, "(x < 1 || y < 1) && (y < 1 || x < 1)", "x < 1 || y < 1"},
		{ConvertBooleanToAndOfOrs, "x < 1 && (x < 1 || y < 1)", "x < 1"},
		{ConvertBooleanToAndOfOrs, "(x < 1 || y < 1) && x < 1", "x < 1"},
		{ConvertBooleanToAndOfOrs, "(x < 1 || y < 1) && (x < 1 || 1 <= y)", "x < 1"},
		{ConvertBooleanToAndOfOrs, "(x == 1 || y == 1) && (x == 1 || y == 2)", "x == 1"},
		{ConvertBooleanToAndOfOrs, "(x < 1 || y < 1 || 1 <= x) && z < 1", "z < 1"},
		{ConvertBooleanToAndOfOrs, "x < 1 && y < 1 && 1 <= x", "false"},
		{ConvertBooleanToAndOfOrs, "x < 1 || y < 1 || 1 <= x", "true"},
		{ConvertBooleanToAndOfOrs, "x < 1 || y < 1 || x < 1", "x < 1 || y < 1"},
		{0, "x < 1 || (y < 1 && z < 1)", "x < 1 || (y < 1 && z < 1)"},
		{0, "x < 1 && (x < 1 || y < 1)", "x < 1 && (x < 1 || y < 1)"},
		{ApplyConstraintsToBooleanBranches, "x == 3 && x < 5", "x == 3"},
		{ApplyConstraintsToBooleanBranches, "x < 5 && x == 3", "x == 3"},
		{ApplyConstraintsToBooleanBranches, "x < 3 && (y < 1 || x < 4)", "x < 3"},
		{ApplyConstraintsToBooleanBranches, "(y < 1 || x < 4) && x < 3", "x < 3"},
		{ApplyConstraintsToBooleanBranches, "x < 3 || (y < 1 && 2 < x)", "x < 3 || y < 1"},
		{ApplyConstraintsToBooleanBranches, "(y < 1 && 2 < x) || x < 3", "y < 1 || x < 3"},
		{ApplyConstraintsToBooleanBranches, "x < 3 && y < 3", "x < 3 && y < 3"},
		{0, "x == 3 && x < 5", "x == 3 && x < 5"},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.Extensions = c.extensions
		if got, want := a.RewriteSimplify(v.expr(c.before)), v.expr(c.expected); !Equal(got, want) {
			t.Errorf("%d: %s\n got %s\nwant %s", c.extensions, c.before, show(got), show(want))
		}
	}
}
