package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestProveSymbolicBounds relaxes i over [0, n) and j over [0, 8), with n of at least 1.
func TestProveSymbolicBounds(t *testing.T) {
	for _, c := range []struct {
		cond           string
		symbolic, with bool // proved with symbolic bounds; proved without
	}{
		{"i * 8 + j < n * 8", true, false},
		{"n * 8 > i * 8 + j", true, false},
		{"i * 8 + j <= n * 8 - 1", true, false},
		{"n * 8 - 1 >= i * 8 + j", true, false},
		{"i * 8 + j < n * 8 - 1", false, false},
		{"n * 8 - 1 > i * 8 + j", false, false},
		{"i * 8 + j <= n * 8 - 2", false, false},
		{"n * 8 - 2 >= i * 8 + j", false, false},
		{"i * 8 + j >= 0", true, true},
		{"i * 8 + j > 0", false, false},
		{"0 <= i * 8 + j", true, true},
		{"0 < i * 8 + j", false, false},
		{"n * 8 < i * 8 + j", false, false},
		{"i * 8 + j > n * 8", false, false},
		{"i * 8 + j + 1 != n * 8", false, false},
		{"i * 8 + j + 1 == n * 8", false, false},
		{"i * 8 + j == i * 8 + j", true, true},
		{"m < n", false, false},
		{"n < m", false, false},
		{"p_bool", false, false},
		{"not(p_bool)", false, false},
		{"p_bool && i * 8 + j < n * 8", false, false},
		{"u_u8 < w_u8", false, false},
		{"f_f32 < g_f32", false, false},
	} {
		a, v := NewAnalyzer(), newEnv()
		a.UpdateBound(v.variable("n"), Bound{1, 1000})
		a.BindRange(v.variable("i"), &tir.Range{Min: tir.Int32(0), Extent: v.variable("n")})
		a.BindRange(v.variable("j"), &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(8)})
		if got := a.CanProveWith(v.expr(c.cond), SymbolicBound); got != c.symbolic {
			t.Errorf("%s with symbolic bounds: %v", c.cond, got)
		}
		if got := a.CanProveWith(v.expr(c.cond), Default); got != c.with {
			t.Errorf("%s: %v", c.cond, got)
		}
		if got := a.CanProve(v.expr(c.cond)); got != c.with {
			t.Errorf("%s with no strength: %v", c.cond, got)
		}
	}
	a := NewAnalyzer()
	for _, strength := range []Strength{Default, SymbolicBound} {
		if !a.CanProveWith(tir.Bool(true), strength) || a.CanProveWith(tir.Bool(false), strength) {
			t.Error("true is not proved, or false is")
		}
	}
}

// TestProveEqual compares values of each kind of type.
func TestProveEqual(t *testing.T) {
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"x + y", "y + x", true},
		{"x + y", "y + x + 1", false},
		{"3", "3", true},
		{"3", "4", false},
		{"x", "3", false},
		{"x + 3 - x", "3", true},
		{"x_i64", "x_i64 + 1", false},
		{"f_f32", "f_f32", true},
		{"f_f32", "f_f32 + 0.0", false}, // a NaN is not itself
		{"f_f32", "g_f32", false},
		{"1.5", "1.5", true},
		{"1.5", "2.5", false},
		{"p_bool", "p_bool", true},
		{"true", "true", true},
		{"true", "false", false},
		{"x_u8 + y_u8 - y_u8", "x_u8", true},
		{"x_u8", "y_u8", false},
		{"x * y", "y * x", true},
		{"x * y", "z * x", false},
	} {
		a, v := NewAnalyzer(), newEnv()
		if got := a.CanProveEqual(v.expr(c.x), v.expr(c.y)); got != c.want {
			t.Errorf("%s is %s: %v", c.x, c.y, got)
		}
	}
	h := tir.NewVar("h", dtype.MustParse("handle"))
	a := NewAnalyzer()
	if !a.CanProveEqual(h, h) {
		t.Error("a pointer is not itself")
	}
	for _, other := range []tir.Expr{tir.NewVar("g", dtype.MustParse("handle")), tir.NewVar("n", dtype.Int32T), tir.Int32(0)} {
		if a.CanProveEqual(h, other) || a.CanProveEqual(other, h) {
			t.Errorf("a pointer is %s", show(other))
		}
	}
	// Constants in the two places decide at once, whatever their types.
	if !a.CanProveEqual(tir.Int32(3), tir.Int(3)) || a.CanProveEqual(tir.Int32(3), tir.Int(4)) {
		t.Error("3 is not 3, or 4")
	}
}

// TestProveBoundsOfVariables asks for the least and the greatest value of a variable and of what is
// one only after simplification.
func TestProveBoundsOfVariables(t *testing.T) {
	a, v := NewAnalyzer(), newEnv()
	x := v.variable("x")
	a.UpdateBound(x, Bound{2, 5})
	for _, s := range []string{"x", "x + y - y", "max(x, 1)"} {
		e := v.expr(s)
		for c := int64(0); c < 8; c++ {
			if got := a.CanProveGreaterEqual(e, c); got != (c <= 2) {
				t.Errorf("%s >= %d: %v", s, c, got)
			}
			if got := a.CanProveLess(e, c); got != (c > 5) {
				t.Errorf("%s < %d: %v", s, c, got)
			}
		}
	}
}

// TestSumsAndProductsAreUnpacked checks the walks over trees of + and - and of *.
func TestSumsAndProductsAreUnpacked(t *testing.T) {
	v := newEnv()
	terms := ""
	unpackSum(v.expr("x - (y - (z + x * y)) + fld(x - y, 2)"), 1, func(e tir.Expr, sign int64) {
		terms += map[int64]string{1: "+", -1: "-"}[sign] + show(e)
	})
	if want := "+x-y+z+(x * y)+FloorDiv((x - y), 2)"; terms != want {
		t.Errorf("the terms are %s, want %s", terms, want)
	}
	factors := ""
	unpackProduct(v.expr("x * (y * (z + x)) * 3"), func(e tir.Expr) { factors += "*" + show(e) })
	if want := "*x*y*(z + x)*3"; factors != want {
		t.Errorf("the factors are %s, want %s", factors, want)
	}
}
