package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// FlatIndex is the index of an access to a compact buffer in its elements, not simplified, but
// for axes that FuseBlockIters made one of: indices x//n and x%n of neighbours whose second has the
// extent n are the index x of both, also where n is symbolic and no simplifier may divide by it.
// Where n is 0 there are no elements, and nothing is computed.
func FlatIndex(b *tir.Buffer, indices []tir.Expr) tir.Expr {
	idx, shape := slices.Clone(indices), slices.Clone(b.Shape)
	if slices.ContainsFunc(shape, tir.Symbolic) {
		for k := len(idx) - 2; k >= 0; k-- {
			if x := together(idx[k], idx[k+1], shape[k+1]); x != nil {
				idx[k], shape[k] = x, tir.Mul(shape[k], shape[k+1])
				idx, shape = slices.Delete(idx, k+1, k+2), slices.Delete(shape, k+1, k+2)
			}
		}
	}
	at := tir.Expr(tir.Const(indices[0].DType(), 0))
	for k, ix := range idx {
		at = tir.Add(tir.Mul(at, shape[k]), ix)
	}
	return at
}

// together returns x for a of x//n and b of x%n, and x%(m*n) for a of x//n%m; nil for others.
func together(a, b, n tir.Expr) tir.Expr {
	mod, ok := b.(*tir.Binary)
	if !ok || mod.Op != tir.OpFloorMod || !sameProduct(factors(mod.B), factors(n)) {
		return nil
	}
	if outer, ok := a.(*tir.Binary); ok && outer.Op == tir.OpFloorMod {
		if x := together(outer.A, b, n); x != nil {
			return tir.FloorMod(x, tir.Mul(outer.B, n))
		}
		return nil
	}
	// x//p//q is x//(p*q). The remainder may be of a quotient itself.
	var by []tir.Expr
	for {
		div, ok := a.(*tir.Binary)
		if !ok || div.Op != tir.OpFloorDiv {
			return nil
		}
		a, by = div.A, append(by, factors(div.B)...)
		if sameProduct(by, factors(n)) && arith.Equal(a, mod.A) {
			return a
		}
	}
}

// factors lists the factors of a product other than 1.
func factors(e tir.Expr) []tir.Expr {
	if m, ok := e.(*tir.Binary); ok && m.Op == tir.OpMul {
		return append(factors(m.A), factors(m.B)...)
	}
	if tir.IsConst(e, 1) {
		return nil
	}
	return []tir.Expr{e}
}

// sameProduct reports whether two lists have the same factors in some order.
func sameProduct(a, b []tir.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	for _, x := range a {
		k := slices.IndexFunc(rest, func(y tir.Expr) bool { return arith.NewAnalyzer().CanProveEqual(x, y) })
		if k < 0 {
			return false
		}
		rest = slices.Delete(rest, k, k+1)
	}
	return true
}
