package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// axis is an iteration variable of the block under way.
type axis struct {
	offset, extent tir.Expr
	loopVar        *tir.Var // of the loop that it was bound to
	kind           tir.IterKind
	tile           int64    // 1 for none
	outer          tir.Expr // the number of the tile, or the place in the extent where it is not tiled; nil if there is one
	block          tir.Expr // the number of the block of tiles, where there are blocks
	symbolic       bool     // the last tile may have to be cut off
	whole          bool     // symbolic, but the last tile starts earlier
	out            bool     // the only tile, a vector, sticks out
}

// neutral reports whether combining with e any number of times changes nothing more than
// combining once.
func neutral(op tir.BinaryOp, e tir.Expr) bool {
	n, isInt := tir.AsInt(e)
	f, isFloat := e.(*tir.FloatImm)
	switch op {
	case tir.OpAdd:
		return isInt && n == 0 || isFloat && f.Value == 0
	case tir.OpMul:
		return isInt && n == 1 || isFloat && f.Value == 1
	}
	return true // min, max, and, or: combining twice with one value is combining once
}

// base is the first index of tile o of an axis.
func (a *axis) base(o tir.Expr) tir.Expr {
	if a.tile == 1 {
		return tir.Add(a.offset, o)
	}
	d := a.extent.DType()
	at := tir.Mul(o, tir.Const(d, a.tile))
	if n, ok := tir.AsInt(a.extent); ok && n%a.tile != 0 && !a.out {
		at = tir.Min(at, tir.Const(d, n-a.tile))
	} else if a.whole {
		at = tir.Min(at, tir.Sub(a.extent, tir.Const(d, a.tile)))
	}
	return tir.Add(a.offset, at)
}

// clamp keeps an index of an axis within it whose tile may stick out.
func (a *axis) clamp(e tir.Expr) tir.Expr {
	if !a.symbolic && !a.out {
		return e
	}
	one := tir.Const(e.DType(), 1)
	return tir.Min(e, tir.Sub(tir.Add(a.offset, a.extent), one))
}

func (a *axis) tiles() tir.Expr {
	if a.tile == 1 {
		return a.extent
	}
	p := tir.Const(a.extent.DType(), a.tile)
	if n, ok := tir.AsInt(a.extent); ok {
		return tir.Const(a.extent.DType(), (n+a.tile-1)/a.tile)
	}
	if !a.symbolic && !a.whole {
		return arith.SimplifyAlone(tir.FloorDiv(a.extent, p))
	}
	return tir.FloorDiv(tir.Add(a.extent, tir.Const(a.extent.DType(), a.tile-1)), p)
}
