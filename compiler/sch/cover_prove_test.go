package sch

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestNotPositive proves differences of bounds as tiles of matrices of unknown size have them.
func TestNotPositive(t *testing.T) {
	n, b, x := tir.NewVar("n", dtype.Int32T), tir.NewVar("b", dtype.Int32T), tir.NewVar("x", dtype.Int32T)
	an := arith.NewAnalyzer()
	an.BindRange(b, &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(52)})
	an.BindRange(x, &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(4)})
	times := func(e tir.Expr, k int64) tir.Expr { return tir.Mul(e, tir.Int32(k)) }
	sum := func(e tir.Expr, k int64) tir.Expr { return tir.Add(e, tir.Int32(k)) }
	part, whole := sum(tir.Add(times(b, 128), times(x, 32)), 31), sum(times(b, 128), 127)
	limit := tir.Min(tir.Sub(sum(times(b, 80), 4100), times(tir.Max(times(b, 8), tir.Int32(402)), 10)), tir.Int32(4096))
	for _, c := range []struct {
		e    tir.Expr
		want bool
	}{
		{tir.Sub(tir.Min(part, n), tir.Min(whole, n)), true},
		{tir.Sub(tir.Min(whole, n), tir.Min(part, n)), false},
		{tir.Sub(tir.Max(part, n), tir.Max(whole, n)), true},
		{sum(tir.Sub(limit, tir.Min(tir.Int32(0), sum(times(b, 80), -4014))), -4096), true},
		{sum(tir.Sub(limit, tir.Min(tir.Int32(0), sum(times(b, 80), -4017))), -4096), false},
	} {
		if got := notPositive(c.e, an, splitsOfBounds); got != c.want {
			t.Errorf("%s <= 0: got %v", script.Node(c.e, script.Options{}), got)
		}
	}
}

// TestNotPositiveHolds evaluates random differences that are said to be at most 0.
func TestNotPositiveHolds(t *testing.T) {
	proved := 0
	seed.Each(t, 300, func(t *testing.T, r *rand.Rand) {
		vars := []*tir.Var{tir.NewVar("a", dtype.Int32T), tir.NewVar("b", dtype.Int32T)}
		var draw func(depth int) tir.Expr
		draw = func(depth int) tir.Expr {
			switch k := r.IntN(8); {
			case depth == 0 || k == 0:
				return tir.Add(tir.Mul(vars[r.IntN(2)], tir.Int32(r.Int64N(5)-2)), tir.Int32(r.Int64N(9)-4))
			case k < 3:
				return tir.Min(draw(depth-1), draw(depth-1))
			case k < 5:
				return tir.Max(draw(depth-1), draw(depth-1))
			case k < 7:
				return tir.Sub(draw(depth-1), draw(depth-1))
			}
			return tir.Mul(draw(depth-1), tir.Int32(r.Int64N(5)-2))
		}
		e := draw(4)
		an := arith.NewAnalyzer()
		for _, v := range vars {
			an.BindRange(v, &tir.Range{Min: tir.Int32(-2), Extent: tir.Int32(6)})
		}
		if !notPositive(e, an, splitsOfBounds) {
			return
		}
		proved++
		for a := int64(-2); a < 4; a++ {
			for b := int64(-2); b < 4; b++ {
				x := tir.SubstExpr(e, map[*tir.Var]tir.Expr{vars[0]: tir.Int32(a), vars[1]: tir.Int32(b)})
				if n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(x)); !ok || n > 0 {
					t.Fatalf("%s is %d for a=%d b=%d", script.Node(e, script.Options{}), n, a, b)
				}
			}
		}
	})
	if proved == 0 && !testing.Short() {
		t.Error("nothing was proved")
	}
}
