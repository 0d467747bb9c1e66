package sch_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/sch"
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
		{"a product for a quotient", []tir.Expr{h, w}, []tir.Expr{tir.Mul(v, w), tir.FloorMod(v, w)}, false},
		{"a variable for a quotient", []tir.Expr{h, w}, []tir.Expr{v, tir.FloorMod(v, w)}, false},
		{"a larger divisor", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(v, tir.Mul(h, w)), tir.FloorMod(v, w)}, false},
		{"a smaller divisor", []tir.Expr{h, tir.Mul(h, w)}, []tir.Expr{tir.FloorDiv(v, w), tir.FloorMod(v, tir.Mul(h, w))}, false},
		{"another modulus", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(v, w), tir.FloorMod(v, h)}, false},
		{"two quotients", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(v, w), tir.FloorDiv(v, w)}, false},
		{"two remainders", []tir.Expr{h, w}, []tir.Expr{tir.FloorMod(v, h), tir.FloorMod(v, w)}, false},
		{"the factors turned", []tir.Expr{tir.Int(3), tir.Mul(h, w)}, []tir.Expr{tir.FloorDiv(v, tir.Mul(w, h)), tir.FloorMod(v, tir.Mul(h, w))}, true},
		{"a factor of one", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(v, tir.Mul(w, tir.Int(1))), tir.FloorMod(v, w)}, true},
		{"another dividend", []tir.Expr{h, w}, []tir.Expr{tir.FloorDiv(h, w), tir.FloorMod(v, w)}, false},
	} {
		b := tir.NewBuffer("A", dtype.Float32T, c.shape, "")
		if at := arith.NewAnalyzer().Simplify(sch.FlatIndex(b, c.indices)); (at == tir.Expr(v)) != c.whole {
			t.Errorf("%s: %v, whole should be %v", c.name, at, c.whole)
		}
	}
}

// TestFlatIndexOf computes flat indices by hand.
func TestFlatIndexOf(t *testing.T) {
	v, w := tir.NewVar("v", dtype.Int64T), tir.NewVar("w", dtype.Int64T)
	an := arith.NewAnalyzer()
	for _, c := range []struct {
		name    string
		shape   []tir.Expr
		indices []tir.Expr
		want    tir.Expr
	}{
		{"one axis", []tir.Expr{tir.Int(4)}, []tir.Expr{v}, v},
		{"two axes", []tir.Expr{tir.Int(4), tir.Int(6)}, []tir.Expr{v, w}, tir.Add(tir.Mul(v, tir.Int(6)), w)},
		{"constants", []tir.Expr{tir.Int(4), tir.Int(6), tir.Int(5)}, []tir.Expr{tir.Int(3), tir.Int(2), tir.Int(4)}, tir.Int(3*30 + 2*5 + 4)},
		{"a symbolic axis first", []tir.Expr{w, tir.Int(6)}, []tir.Expr{tir.Int(2), v}, tir.Add(tir.Int(12), v)},
		{"a symbolic axis last", []tir.Expr{tir.Int(6), w}, []tir.Expr{tir.Int(2), v}, tir.Add(tir.Mul(tir.Int(2), w), v)},
		{"the middle of fused axes", []tir.Expr{tir.Int(2), tir.Int(3), w}, []tir.Expr{tir.FloorMod(tir.FloorDiv(tir.FloorDiv(v, w), tir.Int(3)), tir.Int(2)), tir.FloorMod(tir.FloorDiv(v, w), tir.Int(3)), tir.FloorMod(v, w)}, tir.FloorMod(v, tir.Mul(tir.Int(6), w))},
	} {
		b := tir.NewBuffer("A", dtype.Float32T, c.shape, "")
		if got := sch.FlatIndex(b, c.indices); !an.CanProveEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, an.Simplify(got), c.want)
		}
	}
}
