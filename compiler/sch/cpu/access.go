package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// access is a load or store of a block.
type access struct {
	buf     *tir.Buffer
	indices []tir.Expr
	load    *tir.BufferLoad // nil for stores
}

// accesses lists the stores and loads of a statement in a block with the given iteration
// variables, shared loads once. Where indices divide a variable, as those of a reshape do, but the flat
// index does not, the access is that of a flat buffer. In indices of buffers with symbolic extents,
// where strides are no numbers that could be compared, variables of one value are that value.
func accesses(st tir.Stmt, iters []*tir.IterVar) []access {
	var out []access
	seen := ir.NewSeen()
	defer seen.Done()
	var an *arith.Analyzer
	var units map[*tir.Var]tir.Expr
	for _, iv := range iters {
		if unit(iv) {
			if units == nil {
				units = map[*tir.Var]tir.Expr{}
			}
			units[iv.Var] = iv.Dom.Min
		}
	}
	flat := func(a access) access {
		if len(units) > 0 && slices.ContainsFunc(a.buf.Shape, tir.Symbolic) {
			plain := make([]tir.Expr, len(a.indices))
			for k, ix := range a.indices {
				plain[k] = arith.SimplifyAlone(tir.SubstExpr(ix, units))
			}
			a.indices = plain
		}
		if len(a.indices) < 2 || len(a.buf.Strides) > 0 || !slices.ContainsFunc(a.indices, sch.Divides) {
			return a
		}
		if an == nil {
			an = arith.NewAnalyzer()
			for _, iv := range iters {
				an.BindRange(iv.Var, iv.Dom)
			}
		}
		at, ok := sch.UndividedIndex(an, a.buf, a.indices)
		if !ok {
			return a
		}
		n := tir.Expr(tir.Const(a.indices[0].DType(), 1))
		for _, e := range a.buf.Shape {
			n = tir.Mul(n, e)
		}
		return access{a.buf.WithShape([]tir.Expr{n}), []tir.Expr{at}, a.load}
	}
	ir.Walk(st, func(n ir.Node) bool {
		switch n.(type) {
		case *tir.IntImm, *tir.FloatImm, *tir.Var:
			return false
		}
		if !seen.First(n) {
			return false
		}
		switch n := n.(type) {
		case *tir.BufferStore:
			out = append(out, flat(access{buf: n.Buffer, indices: n.Indices}))
		case *tir.BufferLoad:
			out = append(out, flat(access{n.Buffer, n.Indices, n}))
		}
		return true
	})
	return out
}

func (a access) stride(v *tir.Var) int64 { return sch.StrideOf(a.buf, a.indices, v) }

// follows reports whether an access moves by the same amount when u grows by one as when v
// runs over its whole extent, so that the two make one axis.
func (a access) follows(u, v *tir.IterVar) bool {
	n, ok := tir.AsInt(v.Dom.Extent)
	if ok {
		x, y := a.stride(u.Var), a.stride(v.Var)
		if x != sch.NoStride && y != sch.NoStride {
			return x == y*n
		}
	}
	// Symbolic: both absent, or next to each other over all of the second axis.
	at := -1
	for k, ix := range a.indices {
		usesU, usesV := uses(ix, u.Var), uses(ix, v.Var)
		switch {
		case !usesU && !usesV:
		case ix == tir.Expr(u.Var) && at < 0 && k+1 < len(a.indices) && a.indices[k+1] == tir.Expr(v.Var) && arith.NewAnalyzer().CanProveEqual(a.buf.Shape[k+1], v.Dom.Extent):
			at = k
		case ix == tir.Expr(v.Var) && at >= 0 && k == at+1:
		default:
			return false
		}
	}
	return true
}

func uses(e tir.Expr, v *tir.Var) bool {
	return arith.UsesVar(e, func(x *tir.Var) bool { return x == v })
}

func usesIn(a access, v *tir.Var) bool {
	for _, ix := range a.indices {
		if uses(ix, v) {
			return true
		}
	}
	return false
}

// unit reports whether a domain has one point.
func unit(iv *tir.IterVar) bool { return tir.IsConst(iv.Dom.Extent, 1) }
