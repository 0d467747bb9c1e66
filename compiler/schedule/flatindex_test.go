package schedule

import (
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestFlatIndex: axes that were fused are one in the flat index, whose symbolic extents no
// simplifier may divide by; axes that only look alike are not.
func TestFlatIndex(t *testing.T) {
	v := tir.NewVar("v", dtype.Int64T)
	h, w := tir.NewVar("h", dtype.Int64T), tir.NewVar("w", dtype.Int64T)
	wide := tir.Add(w, tir.Int(4))
	for _, c := range []struct {
		name    string
		shape   []tir.Expr
		indices []tir.Expr
		whole   bool
	}{
		{"two", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(v, w), tir.FloorMod(v, w)}, true},
		{"three", []tir.Expr{tir.Int(3), h, wide}, []tir.Expr{tir.FloorDiv(tir.FloorDiv(v, wide), h), tir.FloorMod(tir.FloorDiv(v, wide), h), tir.FloorMod(v, wide)}, true},
		{"three by a product", []tir.Expr{tir.Int(3), h, w}, []tir.Expr{tir.FloorDiv(v, tir.Mul(w, h)), tir.FloorMod(tir.FloorDiv(v, w), h), tir.FloorMod(v, w)}, true},
		{"written in another way", []tir.Expr{h, tir.Sub(tir.Add(w, tir.Int(1)), tir.Int(1))}, []tir.Expr{tir.FloorDiv(v, w), tir.FloorMod(v, w)}, true},
		{"another divisor", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(v, h), tir.FloorMod(v, w)}, false},
		{"another extent", []tir.Expr{h, wide}, []tir.Expr{tir.FloorDiv(v, w), tir.FloorMod(v, w)}, false},
		{"another dividend", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(h, w), tir.FloorMod(v, w)}, false},
	} {
		b := tir.NewBuffer("A", dtype.Float32T, c.shape, "")
		if at := arith.NewAnalyzer().Simplify(FlatIndex(b, c.indices)); (at == tir.Expr(v)) != c.whole {
			t.Errorf("%s: %v, whole should be %v", c.name, at, c.whole)
		}
	}
}
