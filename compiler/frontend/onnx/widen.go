package onnx

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// widen returns e, a computation on extents in a narrow type, carried out in the wide type d,
// where that is certain to give the same number; nil where a step could wrap. Models cast
// extents to int32, compute, and cast back; without this a dimension that took that way would
// not be equal to itself. What is certain rests on the bounds of extents, see
// arith.Analyzer.MarkExtent: n fits int32, n*1024 need not.
func (g *graph) widen(e tir.Expr, d dtype.DType) tir.Expr {
	narrow := e.DType()
	if !narrow.IsInt() || !d.IsInt() || narrow.Bits >= d.Bits {
		return nil
	}
	var wide tir.Expr
	switch e := e.(type) {
	case *tir.IntImm:
		return tir.Const(d, e.Value)
	case *tir.Cast:
		if wide = e.Value; wide.DType() != d {
			return nil
		}
	case *tir.Binary:
		switch e.Op {
		case tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod, tir.OpMin, tir.OpMax:
		default:
			return nil
		}
		a, b := g.widen(e.A, d), g.widen(e.B, d)
		if a == nil || b == nil {
			return nil
		}
		wide = tir.BinaryExpr(e.Op, a, b)
	default:
		return nil
	}
	limit := int64(1) << (narrow.Bits - 1)
	if !g.prover.CanProve(tir.LT(wide, tir.Const(d, limit))) || !g.prover.CanProve(tir.GE(wide, tir.Const(d, -limit))) {
		return nil
	}
	return wide
}
