package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestModularOfNodes checks the factor of nodes other than sums and products.
func TestModularOfNodes(t *testing.T) {
	for _, c := range []struct {
		expr string
		want Modular
	}{
		{"x * 6 + 1", Modular{6, 1}},
		{"bcast(x * 6 + 1, 4)", Modular{6, 1}},
		{"ramp(x * 6, 6, 4)", anyModular},
		{"select(n > 0, x * 6 + 1, x * 4 + 3)", Modular{2, 1}},
		{"select(n > 0, 5, 11)", Modular{6, 5}},
		{"let(z, x * 6 + 1, z * 2)", Modular{12, 2}},
		{"let(m, 5, m + 1)", Modular{4, 3}}, // a bound variable keeps its factor
		{"shr(x * 6 + 1, 1)", Modular{3, 0}},
		{"shr(x * 6 + 4, 1)", Modular{3, 2}},
		{"shr(x * 6 + 4, 0)", Modular{6, 4}},
		{"shr(x * 6, 2)", anyModular},
		{"shr(x * 6, n)", anyModular},
		{"shr(x * 6, 0 - 1)", anyModular},
		{"shl(x * 6, 1)", anyModular},
		{"band(x * 6 + 1, 1)", Modular{2, 1}},
		{"band(x * 6 + 1, 3)", Modular{2, 1}},
		{"band(x * 6 + 1, 2)", anyModular},
		{"band(x * 6 + 1, 0)", anyModular},
		{"band(x * 6 + 1, -1)", anyModular},
		{"band(x * 6 + 1, n)", anyModular},
		{"band(x * 6 + 1, k)", anyModular},
		{"shr(x * 16, k)", anyModular},
		{"fld(x * 6, k)", anyModular},
		{"flm(x * 6, k)", anyModular},
		{"clz(x * 6)", anyModular},
		{"x * 6 < 3", anyModular},
		{"fld(x * 6 + 1, 3)", Modular{2, 0}},
		{"fld(x * 6 + 4, 3)", Modular{2, 1}},
		{"fld(x * 6 + 1, n)", anyModular},
		{"fld(x * 6 + 1, 4)", anyModular},
		{"fld(x * 6 + 3, -3)", Modular{2, 1}},
		{"fld(x * 6 + 1, -3)", anyModular},
		{"tdiv(x * 6 + 3, 3)", Modular{2, 1}},
		{"tdiv(x * 6 + 1, 3)", anyModular},
		{"tdiv(p * 6 + 1, 3)", Modular{2, 0}},
		{"tdiv(p * 6 + 1, -3)", anyModular},
		{"tdiv(p * 6 - 6 + 1, 3)", anyModular},
		{"flm(x * 6 + 1, 4)", Modular{2, 1}},
		{"flm(x * 6 + 1, -4)", Modular{2, 1}},
		{"tmod(x * 6 + 1, 4)", Modular{2, 1}},
		{"flm(x * 6 + 1, n)", anyModular},
		{"cast(int64, x * 6 + 1)", Modular{6, 1}},
		{"cast(int8, x * 6 + 1)", Modular{2, 1}},
		{"cast(int8, p * 6 + 1)", Modular{6, 1}},
		{"cast(bool, p * 6 + 1)", anyModular},
		{"cast(int32, cast(float32, p * 6 + 1))", Modular{6, 1}},
		{"cast(int32, cast(float32, p * 6 + 1) + cast(float32, p * 6 + 1))", anyModular},
		{"min(x * 6 + 1, 13)", Modular{6, 1}},
		{"max(x * 6 + 1, 14)", anyModular},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.UpdateModular(v.variable("m"), Modular{4, 2})
		a.UpdateModular(v.variable("k"), Modular{4, 3})
		a.UpdateBound(v.variable("p"), Bound{0, 20})
		if got := a.ModularSet(v.expr(c.expr)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.expr, got, c.want)
		}
	}
	// What a let binds is unknown after it.
	a, v := NewAnalyzer(), newEnv()
	a.ModularSet(v.expr("let(z, x * 6 + 1, z * 2)"))
	if got := a.ModularSet(v.variable("z")); got != anyModular {
		t.Errorf("variable of a let: got %v", got)
	}
	// A product of more than 64 bits.
	x := tir.NewVar("x", dtype.Int64T)
	if got := a.ModularSet(tir.NewBinary(tir.OpMul, tir.NewBinary(tir.OpMul, x, num(x.DType(), 1<<62)), num(x.DType(), 6))); got != anyModular {
		t.Errorf("a long product: got %v", got)
	}
	// All bits but that of the sign.
	for mask, want := range map[int64]Modular{PosInf: anyModular, PosInf - 1: anyModular, 1<<62 - 1: {1 << 62, 5}, -1: anyModular} {
		e := &tir.Call{Type: x.DType(), Op: tir.OpBitwiseAnd, Args: []tir.Expr{num(x.DType(), 5), num(x.DType(), mask)}}
		if got := NewAnalyzer().ModularSet(e); got != want {
			t.Errorf("5 and %d: got %v, want %v", mask, got, want)
		}
	}
	// Shifts by nearly all bits.
	for _, c := range []struct {
		shift int64
		want  Modular
	}{{0, Modular{1 << 62, 0}}, {61, Modular{2, 0}}, {62, anyModular}, {63, anyModular}, {64, anyModular}, {-1, anyModular}} {
		a := NewAnalyzer()
		a.UpdateModular(x, Modular{1 << 62, 0})
		e := &tir.Call{Type: x.DType(), Op: tir.OpShiftRight, Args: []tir.Expr{x, num(x.DType(), c.shift)}}
		if got := a.ModularSet(e); got != c.want {
			t.Errorf("shift right by %d: got %v, want %v", c.shift, got, c.want)
		}
		if got := a.ModularSet(&tir.Call{Type: x.DType(), Op: tir.OpShiftRight, Args: []tir.Expr{x}}); got != anyModular {
			t.Errorf("shift by nothing: got %v", got)
		}
	}
}

// TestModularConditions checks which factors conditions in scope tell, and that they end with it.
func TestModularConditions(t *testing.T) {
	for _, c := range []struct {
		cond string
		x, y Modular
	}{
		{"flm(x, 4) == 1", Modular{12, 5}, anyModular},
		{"tmod(x, 4) == 1", Modular{12, 5}, anyModular},
		{"1 == flm(x, 4)", Modular{12, 5}, anyModular},
		{"flm(y, 4) == 1", Modular{3, 2}, Modular{4, 1}},
		{"flm(x, 3) == 1", Modular{3, 2}, anyModular}, // contradicts what is known
		{"x == 8", Modular{0, 8}, anyModular},
		{"8 == x", Modular{0, 8}, anyModular},
		{"flm(x, 4) != 1", Modular{3, 2}, anyModular},
		{"flm(x, 4) < 1", Modular{3, 2}, anyModular},
		{"flm(x, n) == 1", Modular{3, 2}, anyModular},
		{"flm(x, 4) == n", Modular{3, 2}, anyModular},
		{"flm(x + 1, 4) == 1", Modular{3, 2}, anyModular},
		{"x + 1 == 8", Modular{3, 2}, anyModular},
		{"flm(x, 4) == 1 && flm(y, 4) == 3", Modular{12, 5}, Modular{4, 3}},
		{"flm(x, 4) == 1 && n > 3", Modular{12, 5}, anyModular},
		{"n > 3 && flm(x, 4) == 1", Modular{12, 5}, anyModular},
		{"flm(x, 4) == 1 && flm(x, 5) == 1", Modular{60, 41}, anyModular},
		{"flm(x, 4) == 1 || flm(y, 4) == 3", Modular{3, 2}, anyModular},
		{"n > 3 && n < 9", Modular{3, 2}, anyModular},
	} {
		a, v := NewAnalyzer(), newEnv()
		x, y := v.variable("x"), v.variable("y")
		a.UpdateModular(x, Modular{3, 2})
		exit := a.EnterConstraint(v.expr(c.cond))
		if got := a.ModularSet(x); got != c.x {
			t.Errorf("x where %s: got %v, want %v", c.cond, got, c.x)
		}
		if got := a.ModularSet(y); got != c.y {
			t.Errorf("y where %s: got %v, want %v", c.cond, got, c.y)
		}
		exit()
		if x, y := a.ModularSet(x), a.ModularSet(y); x != (Modular{3, 2}) || y != anyModular {
			t.Errorf("after %s: got %v and %v", c.cond, x, y)
		}
	}
}

// TestCommonValuesOfLargeFactors checks that the common values of two sets are right or not asked
// for where the factor is near the limit.
func TestCommonValuesOfLargeFactors(t *testing.T) {
	for _, c := range []struct{ x, y, want Modular }{
		{Modular{1 << 31, 5}, Modular{3, 2}, Modular{3 << 31, 5}},
		{Modular{3, 2}, Modular{1 << 31, 5}, Modular{3 << 31, 5}},
		{Modular{3, 2}, Modular{1<<31 + 2, 5}, Modular{3, 2}},
		{Modular{1 << 40, 0}, Modular{1<<40 + 1, 0}, Modular{1 << 40, 0}},
		{Modular{1 << 40, 7}, Modular{1 << 20, 7}, Modular{1 << 40, 7}},
		{Modular{4, 1}, Modular{6, 4}, Modular{4, 1}}, // none
		{Modular{0, 5}, Modular{4, 1}, Modular{0, 5}},
		{Modular{4, 1}, Modular{0, 5}, Modular{0, 5}},
	} {
		if got := c.x.intersect(c.y); got != c.want {
			t.Errorf("common values of %v and %v: got %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if got, want := newModular(-6, -4), (Modular{6, 2}); got != want {
		t.Errorf("a negative factor: got %v, want %v", got, want)
	}
}
