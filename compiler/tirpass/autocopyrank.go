package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// promoteRank writes each index as a place in a compact buffer, of which it returns the shape: an index such as
// ((o*8 + t)*32 + u)*4 + v, of which o and v are in ranges, takes the values of o and v only, without the strides between them
// (TVM's rank promotion). It returns nil where an index has another form.
//
// Each variable goes through the multiplications, divisions and remainders above it on its own. That is right where
// the variables are digits of a number, which DetectIterMap checks first.
//
// The variables of all are digits too, but have one value for all that is in the buffer, such as the thread that it belongs to.
func promoteRank(indices []tir.Expr, ranges, all map[*tir.Var]*tir.Range) (shape, at []tir.Expr) {
	a := arith.NewAnalyzer()
	a.BindRanges(all)
	for _, e := range indices {
		if len(arith.DetectIterMap([]tir.Expr{e}, all, nil, arith.NoCheck, a, true).Indices) != 1 {
			return nil, nil
		}
		p := &rankPromoter{ranges: ranges, all: all, size: tir.Const(e.DType(), 1), index: tir.Const(e.DType(), 0)}
		if !p.visit(e, nil) {
			return nil, nil
		}
		shape, at = append(shape, p.size), append(at, p.index)
	}
	return shape, at
}

// scaling is an operation with a constant.
type scaling struct {
	op tir.BinaryOp
	by int64
}

type rankPromoter struct {
	ranges, all map[*tir.Var]*tir.Range
	size, index tir.Expr
}

// uses tells whether a variable of a range is in e, and whether e is made of loop variables alone.
func (p *rankPromoter) uses(e tir.Expr) (ranged, loops bool) {
	loops = true
	tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Var:
			ranged = ranged || p.ranges[e] != nil
			loops = loops && p.all[e] != nil
		case *tir.Binary:
			by, ok := tir.AsInt(e.B)
			loops = loops && (e.Op == tir.OpAdd && tir.Symbolic(e.A) && !ok || ok && by > 0 && (e.Op == tir.OpMul || e.Op == tir.OpFloorDiv || e.Op == tir.OpFloorMod))
		case *tir.IntImm:
		default:
			loops = false
		}
		return e
	})
	return ranged, loops && tir.Symbolic(e)
}

// visit takes the variables of e, to which the operations of ops apply, the last one first.
func (p *rankPromoter) visit(e tir.Expr, ops []scaling) bool {
	if ranged, loops := p.uses(e); !ranged {
		// A constant offset is no part of the place, unless it moves a division or remainder.
		return loops || tir.IsConst(e, 0) || !slices.ContainsFunc(ops, func(s scaling) bool { return s.op != tir.OpMul })
	}
	switch e := e.(type) {
	case *tir.Var:
		return p.variable(e, ops)
	case *tir.Binary:
		if e.Op == tir.OpAdd {
			return p.visit(e.A, ops) && p.visit(e.B, ops)
		}
		by, ok := tir.AsInt(e.B)
		if !ok || by <= 0 || e.Op != tir.OpMul && e.Op != tir.OpFloorDiv && e.Op != tir.OpFloorMod {
			return false
		}
		return p.visit(e.A, append(ops[:len(ops):len(ops)], scaling{e.Op, by}))
	}
	return false
}

// variable adds the digit of v that is left after ops.
func (p *rankPromoter) variable(v *tir.Var, ops []scaling) bool {
	r := p.ranges[v]
	limit, ok := tir.AsInt(r.Extent)
	if !ok || !tir.IsConst(r.Min, 0) {
		return false
	}
	d := v.DType()
	e, extent := tir.Expr(v), limit // e takes extent values, limit/extent apart
	for i := len(ops) - 1; i >= 0; i-- {
		by := ops[i].by
		switch ops[i].op {
		case tir.OpMul:
			if limit > 1<<40/by {
				return false
			}
			limit *= by
			e = tir.Mul(e, tir.Const(d, by))
		case tir.OpFloorDiv:
			if limit == 0 || limit%by != 0 && by%limit != 0 {
				return limit == 0
			}
			limit /= by
			if extent > limit {
				extent = max(1, limit)
			}
			if limit%extent != 0 {
				return false
			}
			e = tir.FloorDiv(e, tir.Const(d, by))
		case tir.OpFloorMod:
			step := limit / extent
			if step == 0 {
				return true // a single value is left
			}
			if step%by != 0 && by%step != 0 {
				return false
			}
			if step%by == 0 {
				extent, limit = 1, 0
			} else {
				extent = max(1, min(extent, by/step))
				limit = extent * step
			}
			e = tir.FloorMod(e, tir.Const(d, by))
		}
	}
	if extent <= 1 {
		return true
	}
	if limit%extent != 0 {
		return false
	}
	p.size = tir.Mul(p.size, tir.Const(p.size.DType(), extent))
	p.index = tir.Add(tir.Mul(p.index, tir.Const(p.index.DType(), extent)), tir.CastTo(p.index.DType(), tir.FloorDiv(e, tir.Const(d, limit/extent))))
	return true
}
