package schedule

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// touched returns the part of a buffer that blocks access in one iteration of the loops
// from top upwards: regions are relaxed over the loops below top, over all if it is nil. A dimension whose extent
// is not a constant or that is not known covers all of its axis.
func touched(buf *tir.Buffer, blocks []*Block, writes bool, top *Loop, an *arith.Analyzer) []*tir.Range {
	var regions [][]arith.IntSet
	for _, b := range blocks {
		dom := map[*tir.Var]arith.IntSet{}
		idle := map[*tir.Var]bool{} // loops that may have no iteration
		for n := b.parent; n != nil && n != node(top); n = n.at().parent {
			if l, ok := n.(*Loop); ok {
				dom[l.v] = arith.SetOfRange(&tir.Range{Min: tir.Const(l.v.DType(), 0), Extent: l.extent})
				idle[l.v] = !an.CanProve(tir.GT(l.extent, tir.Const(l.extent.DType(), 0)))
			}
		}
		sub := map[*tir.Var]tir.Expr{}
		for k, iv := range b.iters {
			if writes && b.init != nil && arith.UsesVar(b.values[k], func(v *tir.Var) bool { return idle[v] }) {
				// A reduction over nothing writes its initial value at all of the domain all the same.
				dom[iv.Var] = arith.SetOfRange(iv.Dom)
				continue
			}
			sub[iv.Var] = b.values[k]
		}
		list := b.reads
		if writes {
			list = b.writes
		}
		for _, r := range list {
			if r.Buffer != buf {
				continue
			}
			region := make([]*tir.Range, len(r.Region))
			for k, x := range r.Region {
				region[k] = &tir.Range{Min: an.Simplify(tir.SubstExpr(x.Min, sub)), Extent: an.Simplify(tir.SubstExpr(x.Extent, sub))}
			}
			regions = append(regions, arith.EvalSetRegion(region, dom))
		}
	}
	out := whole(buf)
	union := arith.UnionRegion(regions)
	for k, full := range buf.Shape {
		r := union[k].CoverRange(out[k])
		lo, n := an.Simplify(r.Min), an.Simplify(r.Extent)
		c, known := tir.AsInt(n)
		if !known {
			continue
		}
		if f, ok := tir.AsInt(full); ok && c >= f {
			continue
		}
		out[k] = &tir.Range{Min: tir.CastTo(full.DType(), lo), Extent: tir.CastTo(full.DType(), n)}
	}
	return out
}

// inType converts a range to the type of the variable that runs over it.
func inType(r *tir.Range, d dtype.DType) *tir.Range {
	if r.Min.DType() == d && r.Extent.DType() == d {
		return r
	}
	return &tir.Range{Base: r.Base, Min: tir.CastTo(d, r.Min), Extent: tir.CastTo(d, r.Extent)}
}

// complete checks that b runs once for each point of the domains of its iteration variables, so
// that rebind may put other loops around it.
func complete(prim string, b *Block, l *Loop) error {
	loops := loopsAbove(b)
	points, runs := tir.Expr(tir.Int(1)), tir.Expr(tir.Int(1))
	over := map[*tir.Var]*tir.Range{}
	for _, iv := range b.iters {
		if usesAny(iv.Dom.Min, loops) || usesAny(iv.Dom.Extent, loops) {
			return fail(prim, b, l, "the domain of %s depends on a loop around it", iv.Var.Name)
		}
		points = tir.Mul(points, tir.CastTo(points.DType(), iv.Dom.Extent))
	}
	for _, o := range loops {
		over[o.v] = &tir.Range{Min: tir.Const(o.v.DType(), 0), Extent: o.extent}
		runs = tir.Mul(runs, tir.CastTo(runs.DType(), o.extent))
	}
	an := arith.NewAnalyzer()
	whole := an.CanProveEqual(points, runs)
	if whole && len(loops) > 0 {
		m := arith.DetectIterMap(b.values, over, tir.Bool(true), arith.Bijective, an, true)
		whole = len(m.Indices) > 0
	}
	if !whole {
		return fail(prim, b, l, "it does not run over all of its domain")
	}
	return nil
}

// rebind puts loops for the domains of b around it, one for each iteration variable, and
// binds the variables. An iteration that may lie outside of the variable's own domain is
// cut off by a condition.
func (s *Schedule) rebind(b *Block, doms []*tir.Range, an *arith.Analyzer) node {
	var loops []*Loop
	b.values = make([]tir.Expr, len(b.iters))
	b.pred = nil
	for k, iv := range b.iters {
		d := iv.Var.DType()
		if tir.IsConst(doms[k].Extent, 1) && !tir.IsConst(iv.Dom.Extent, 1) {
			b.values[k] = doms[k].Min
			continue
		}
		l := &Loop{base: b.base, v: tir.NewVar("ax"+string(rune('0'+k%10)), d), extent: doms[k].Extent}
		loops = append(loops, l)
		an.BindRange(l.v, &tir.Range{Min: tir.Const(d, 0), Extent: l.extent})
		b.values[k] = tir.Add(doms[k].Min, l.v)
	}
	var conds []tir.Expr
	for k, iv := range b.iters {
		if arith.Equal(doms[k].Extent, iv.Dom.Extent) && arith.Equal(doms[k].Min, iv.Dom.Min) {
			continue
		}
		end := tir.Add(iv.Dom.Min, iv.Dom.Extent)
		if !an.CanProve(tir.LT(b.values[k], end)) {
			conds = append(conds, tir.LT(b.values[k], end))
		}
		if !an.CanProve(tir.GE(b.values[k], iv.Dom.Min)) {
			conds = append(conds, tir.GE(b.values[k], iv.Dom.Min))
		}
	}
	for _, c := range conds {
		guard(b, c)
	}
	return nest(loops, b)
}
