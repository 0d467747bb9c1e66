package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// maxUnrolledWindow bounds the steps of a window that are unrolled.
const maxUnrolledWindow = 25

// reduction schedules a block that reduces. A block that combines several values, or by
// other than a commutative operation, stays as it is.
func (r *rules) reduction(b *schedule.Block) error {
	if _, _, _, ok := schedule.Combiner(b); !ok || b.Init() == nil || !r.s.Original(b) {
		r.declined(ruleTile, b, "it combines several values or by an operation that is not commutative, or it has been changed")
		return nil
	}
	at := b.Body()
	if err := r.normalize(b); err != nil {
		return err
	}
	p := newPlan(r.s, b, r.machine)
	p.r = r
	if !p.choose() {
		r.declined(ruleTile, b, "no rule fits its types, extents and accesses")
		return nil
	}
	if p.run > 0 {
		p.Run = max(p.run/(max(p.Factor, 1)*p.unrolledSteps()), 1)
	}
	t, err := r.tile(b, p)
	if err != nil {
		return err
	}
	r.gone(b)
	r.applied(ruleTile, at)
	r.epilogue(t)
	return nil
}

// normalize splits and fuses iteration variables so that accesses move by constant strides:
// the groups of a convolution become an axis, axes that follow each other become one.
func (r *rules) normalize(b *schedule.Block) error {
	for k := 0; k < len(b.Iters()); k++ {
		if c := quotient(b, b.Iters()[k].Var); c > 1 {
			if err := r.s.SplitIter(b, k, c); err != nil {
				return err
			}
			k++
		}
	}
	for k := len(b.Iters()) - 2; k >= 0; k-- {
		iters := b.Iters()
		if iters[k].Kind != iters[k+1].Kind {
			continue
		}
		acc := accesses(b.Body(), b.Iters())
		ok := true
		for _, a := range acc {
			ok = ok && (unit(iters[k]) || unit(iters[k+1]) || a.follows(iters[k], iters[k+1]))
		}
		if ok {
			if err := r.s.FuseIters(b, k, k+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// quotient returns the constant that v is divided by in an index, 0 if there is none or it
// does not divide its extent.
func quotient(b *schedule.Block, v *tir.Var) int64 {
	found := int64(0)
	for _, a := range accesses(b.Body(), b.Iters()) {
		for _, ix := range a.indices {
			tir.RewriteExpr(ix, func(e tir.Expr) tir.Expr {
				if d, ok := e.(*tir.Binary); ok && (d.Op == tir.OpFloorDiv || d.Op == tir.OpFloorMod) && d.A == tir.Expr(v) {
					if c, ok := tir.AsInt(d.B); ok {
						found = c
					}
				}
				return e
			})
		}
	}
	for _, iv := range b.Iters() {
		if n, ok := tir.AsInt(iv.Dom.Extent); iv.Var == v && (!ok || found < 1 || n%found != 0) {
			return 0
		}
	}
	return found
}

// tile runs TileReduction as planned. Where the vector variable has a symbolic extent only
// whole tiles are vectorised.
func (r *rules) tile(b *schedule.Block, p *plan) (*schedule.Tiled, error) {
	if p.cut {
		loops := r.s.GetLoops(b)
		l := loops[p.Vector]
		c := tir.Const(l.Extent().DType(), p.Tile[p.Vector])
		order := append([]*schedule.Loop{l}, slices.Delete(slices.Clone(loops), p.Vector, p.Vector+1)...)
		if err := r.s.Reorder(order...); err != nil {
			return nil, err
		}
		if _, _, err := r.s.LoopPartition(l, tir.Mul(tir.FloorDiv(l.Extent(), c), c)); err != nil {
			return nil, err
		}
	}
	return r.s.TileReduction(b, p.TileSpec)
}

// epilogue moves consumers into the block that writes the results.
func (r *rules) epilogue(t *schedule.Tiled) {
	for {
		next := r.s.GetConsumers(t.Write)
		if len(next) != 1 || next[0].IsReduction() {
			return
		}
		if r.s.ReverseComputeInline(next[0]) != nil {
			return
		}
		r.gone(next[0])
	}
}
