package arith

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// far stands for an infinite end in a brute-force evaluation: results that move with it are
// unlimited.
var far = [2]int64{5040, 10080}

// sample lists the values of b, an infinite end being replaced by k and its neighbourhood.
func sample(b Bound, k int64) []int64 {
	var out []int64
	if b.Min == NegInf {
		out = append(out, -k)
	}
	for v := max(b.Min, -24); v <= min(b.Max, 24); v++ {
		out = append(out, v)
	}
	if b.Max == PosInf {
		out = append(out, k)
	}
	return out
}

// hull computes op on all values of x and y; ok is false where it has no value.
func hull(op tir.BinaryOp, x, y Bound) (out Bound, ok bool) {
	var at [2]Bound
	for i, k := range far {
		at[i], ok = Bound{1 << 60, -1 << 60}, false
		for _, u := range sample(x, k) {
			for _, v := range sample(y, k) {
				if w, defined := tir.FoldInt(op, dtype.Int64T, u, v); defined {
					at[i], ok = at[i].union(Bound{w, w}), true
				}
			}
		}
	}
	out = at[0]
	if at[1].Min != out.Min {
		out.Min = NegInf
	}
	if at[1].Max != out.Max {
		out.Max = PosInf
	}
	return out, ok
}

var monotone = []tir.BinaryOp{tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv, tir.OpFloorDiv, tir.OpMin, tir.OpMax}

var operands = []Bound{
	{0, 0},
	{1, 1},
	{-1, -1},
	{3, 3},
	{-4, -4},
	{0, 7},
	{1, 6},
	{-6, -2},
	{-7, 0},
	{-3, 5},
	{-1, 1},
	{2, 9},
	{11, 13},
	{-14, -12},
	{0, PosInf},
	{1, PosInf},
	{-5, PosInf},
	{NegInf, 0},
	{NegInf, -1},
	{NegInf, 4},
	{NegInf, PosInf},
	{9, PosInf},
	{NegInf, -10},
}

// TestBoundIsTheHull checks that the bound of an operation, monotonic in both of its operands,
// is exactly the hull of its values.
func TestBoundIsTheHull(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	for _, op := range monotone {
		for _, bx := range operands {
			for _, by := range operands {
				want, ok := hull(op, bx, by)
				if !ok {
					continue
				}
				a := NewAnalyzer()
				a.UpdateBound(x, bx)
				a.UpdateBound(y, by)
				if got := a.ConstIntBound(tir.NewBinary(op, x, y)); got != want {
					t.Errorf("%v of %v and %v: got %v, want %v", op, bx, by, got, want)
				}
			}
		}
	}
}

// TestRemainderBoundIsTheHull checks remainders of ranges that hold 0 or exceed the divisor,
// for which the bound is exact.
func TestRemainderBoundIsTheHull(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	for _, op := range []tir.BinaryOp{tir.OpMod, tir.OpFloorMod} {
		for _, bx := range []Bound{{0, 0}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 20}, {-20, 20}, {1, 2}, {2, 2}, {-20, 0}} {
			for _, by := range []Bound{{3, 3}, {1, 1}, {4, 4}, {5, 5}, {2, 5}, {1, 5}, {3, 7}, {-3, -3}, {-5, -2}, {-6, -1}, {0, 4}, {-4, 0}, {-4, 5}, {-5, 3}} {
				wide := bx.Max-bx.Min >= 20
				positive := by.Min > 0
				switch {
				case wide:
				case positive && (bx.Min == 0 || bx.Max < by.Min):
				case op == tir.OpMod && by.Max < 0 && bx.Min == 0:
				default:
					continue
				}
				want, _ := hull(op, bx, by)
				a := NewAnalyzer()
				a.UpdateBound(x, bx)
				a.UpdateBound(y, by)
				if got := a.ConstIntBound(tir.NewBinary(op, x, y)); got != want {
					t.Errorf("%v of %v by %v: got %v, want %v", op, bx, by, got, want)
				}
			}
		}
		for c := int64(2); c <= 12; c++ {
			for k := int64(2); k <= 12; k++ {
				for b := int64(-5); b <= 5; b++ {
					// x*k + b takes all remainders by c that are b modulo their common factor.
					e := tir.NewBinary(op, tir.Add(tir.Mul(x, num(x.DType(), k)), num(x.DType(), b)), num(x.DType(), c))
					a := NewAnalyzer()
					a.UpdateBound(x, Bound{1, 100})
					want := Bound{1 << 60, -1 << 60}
					for v := int64(1); v <= 100; v++ {
						r := floorModInt(v*k+b, c)
						if op == tir.OpMod {
							r = (v*k + b) % c
						}
						want = want.union(Bound{r, r})
					}
					if k+b < 0 {
						continue
					}
					if got := a.ConstIntBound(e); got != want {
						t.Errorf("%s: got %v, want %v", show(e), got, want)
					}
				}
			}
		}
	}
}

// TestShiftBounds checks the calls that have bounds.
func TestShiftBounds(t *testing.T) {
	x, y := tir.NewVar("x", dtype.Int64T), tir.NewVar("y", dtype.Int64T)
	call := func(a *Analyzer, s string) Bound {
		v := &env{vars: map[string]*tir.Var{"x": x, "y": y}}
		return a.ConstIntBound(v.expr(s))
	}
	all := Bound{NegInf, PosInf}
	for _, c := range []struct {
		expr       string
		x, y, want Bound
	}{
		{"shl(x, y)", Bound{1, 5}, Bound{0, 3}, Bound{1, 40}},
		{"shl(x, y)", Bound{3, 5}, Bound{2, 3}, Bound{12, 40}},
		{"shl(x, y)", Bound{0, 5}, Bound{2, 3}, Bound{0, 40}},
		{"shl(x, y)", Bound{-1, 5}, Bound{2, 3}, all},
		{"shl(x, y)", Bound{1, 5}, Bound{-1, 3}, all},
		{"shl(x, y)", Bound{1, 1}, Bound{62, 62}, Bound{1 << 62, 1 << 62}},
		{"shl(x, y)", Bound{1, 1}, Bound{0, 63}, Bound{1, PosInf}},
		{"shl(x, y)", Bound{1, 2}, Bound{0, 62}, Bound{1, PosInf}},
		{"shl(x, y)", Bound{1, PosInf}, Bound{1, 2}, Bound{2, PosInf}},
		{"shl(x, y)", Bound{0, 0}, Bound{0, 99}, Bound{0, 0}},
		{"shr(x, y)", Bound{-9, 20}, Bound{1, 3}, Bound{-5, 10}},
		{"shr(x, y)", Bound{8, 20}, Bound{1, 3}, Bound{1, 10}},
		{"shr(x, y)", Bound{8, 20}, Bound{0, 99}, Bound{0, 20}},
		{"shr(x, y)", Bound{-8, -2}, Bound{0, 99}, Bound{-8, -1}},
		{"shr(x, y)", Bound{8, 20}, Bound{-1, 3}, all},
		{"shr(x, y)", Bound{NegInf, PosInf}, Bound{1, 3}, all},
		{"band(x, y)", Bound{0, 20}, Bound{0, 7}, Bound{0, 7}},
		{"band(x, y)", Bound{0, 5}, Bound{0, 7}, Bound{0, 5}},
		{"band(x, y)", Bound{-4, 5}, Bound{0, 7}, Bound{0, 7}},
		{"band(x, y)", Bound{-4, 5}, Bound{1, 3}, Bound{0, 3}},
		{"band(x, y)", Bound{0, 5}, Bound{-7, 9}, Bound{0, 5}},
		{"band(x, y)", Bound{-4, 5}, Bound{-7, 9}, all},
	} {
		a := NewAnalyzer()
		a.UpdateBound(x, c.x)
		a.UpdateBound(y, c.y)
		if got := call(a, c.expr); got != c.want {
			t.Errorf("%s of %v and %v: got %v, want %v", c.expr, c.x, c.y, got, c.want)
		}
	}
}

// clamp is the value of v where that is no more than a bound, else the infinity on its side.
func clamp(v *big.Int) int64 {
	switch {
	case v.Cmp(big.NewInt(PosInf)) >= 0:
		return PosInf
	case v.Cmp(big.NewInt(NegInf)) <= 0:
		return NegInf
	}
	return v.Int64()
}

// TestSaturation compares the arithmetic of bounds with that of long integers.
func TestSaturation(t *testing.T) {
	values := []int64{0, 1, 2, 3, 5, 7, 1 << 20, 1 << 31, 1<<32 - 1, 1 << 61, 1 << 62, PosInf - 1, PosInf}
	for _, v := range values {
		values = append(values, -v)
	}
	for _, x := range values {
		for _, y := range values {
			name := fmt.Sprintf("of %d and %d", x, y)
			check := func(what string, got, want int64) {
				if got != want {
					t.Errorf("%s %s: got %d, want %d", what, name, got, want)
				}
			}
			X, Y := big.NewInt(x), big.NewInt(y)
			endless := x == PosInf || x == NegInf
			switch {
			case endless:
				check("sum", infAdd(x, y), x)
			case y == PosInf || y == NegInf:
				check("sum", infAdd(x, y), y)
			default:
				check("sum", infAdd(x, y), clamp(new(big.Int).Add(X, Y)))
			}
			check("product", infMul(x, y), clamp(new(big.Int).Mul(X, Y)))
			if y != 0 {
				q, r := new(big.Int).QuoRem(X, Y, new(big.Int))
				floor := new(big.Int).Set(q)
				if r.Sign() != 0 && r.Sign() != Y.Sign() {
					floor.Sub(floor, big.NewInt(1))
				}
				check("floordiv", floorDivInt(x, y), floor.Int64())
				check("floormod", floorModInt(x, y), new(big.Int).Sub(X, new(big.Int).Mul(floor, Y)).Int64())
				if endless {
					q.SetInt64(x)
					if y < 0 {
						q.SetInt64(-x)
					}
					floor = q
				}
				check("div", infDiv(x, y), q.Int64())
				check("floordiv", infFloorDiv(x, y), floor.Int64())
			}
			check("gcd", GCD(x, y), new(big.Int).GCD(nil, nil, new(big.Int).Abs(X), new(big.Int).Abs(Y)).Int64())
			if x >= 0 && y >= 0 && y < 200 {
				check("shift left", infShiftLeft(x, y), clamp(new(big.Int).Lsh(X, uint(y))))
			}
			if !endless && y >= 0 && y < 200 {
				check("shift right", infShiftRight(x, y), new(big.Int).Rsh(X, uint(y)).Int64())
			}
			if x >= 0 && y >= 0 && x < 1<<32 && y < 1<<32 {
				if g, p, q := extGCD(x, y); g != GCD(x, y) || x*p+y*q != g {
					t.Errorf("extGCD %s: %d = x*%d + y*%d", name, g, p, q)
				}
			}
		}
	}
}
