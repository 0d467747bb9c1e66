package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// equal is false for extents that are known to differ. Where it is not known whether they are equal, a run checks it.
func (n *node) equal(a, b tir.Expr) bool {
	switch (&relax.InferContext{Prover: n.g.prover}).Equal(a, b) {
	case relax.True:
		return true
	case relax.False:
		return false
	}
	one := op.Assumption{Have: a, Want: b}
	if slices.ContainsFunc(n.g.assumed, one.Same) {
		return true
	}
	n.g.assumed = append(n.g.assumed, one)
	_, err := n.g.bb.EmitMatchCast(shapeExpr([]tir.Expr{a}), relax.ShapeOf(b), n.g.names.fresh(n.base+"_fits"))
	n.check(err)
	return true
}

// atLeast has a run check that an extent is not below a number.
func (n *node) atLeast(extent tir.Expr, least int64) {
	if !n.equal(tir.Max(extent, tir.Int(least)), extent) {
		n.fail("an extent is %s, expected %d or more", relax.FormatPrim(extent), least)
	}
}
