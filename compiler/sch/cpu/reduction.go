package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// reduction schedules a block that reduces. A block that combines several values, or by
// other than a commutative operation, stays as it is.
func (r *rules) reduction(b *sch.Block) error {
	k := r.at(b)
	if _, _, _, ok := sch.Combiner(k); !ok || k.Init == nil || !r.s.State().Original(b) {
		r.declined(ruleTile, k, "it combines several values or by an operation that is not commutative, or it has been changed")
		return nil
	}
	at := k.Body
	if err := r.normalize(b); err != nil {
		return err
	}
	p, edges, direct, err := r.planned(b, at)
	if err != nil {
		return err
	}
	if p == nil {
		r.declined(ruleTile, r.at(b), "no rule fits its types, extents and accesses")
		return nil
	}
	if p.run > 0 {
		p.Run = max(p.run/(max(p.Factor, 1)*p.unrolledSteps()), 1)
	}
	r.note(p)
	if r.pipelines() {
		r.staged.stage(p)
	}
	p.explain(at)
	panels := p.panels()
	results, err := r.tile(b, p)
	if err != nil {
		return err
	}
	r.gone(b)
	r.computePanels(panels)
	if direct {
		if err := r.cutEdges(p, results, edges); err != nil {
			return err
		}
	}
	if err := r.padNear(p, results); err != nil {
		return err
	}
	r.applied(ruleTile, at)
	return nil
}

// planned plans a reduction, nil where no rule fits. Where it reads what it pads directly, the tiles that stick out are cut from the others.
func (r *rules) planned(b *sch.Block, at ir.Node) (p *plan, list []edges, direct bool, err error) {
	if p, list := r.clampedPlan(b); p != nil {
		if ok, err := r.readClamped(p, list, at); ok || err != nil {
			return p, list, ok, err
		}
	}
	if p = newPlan(r, b); !p.choose() {
		return nil, nil, false, nil
	}
	if list, direct = p.directly(); direct {
		p, err = r.readDirectly(p, b, list, at)
	}
	return p, list, direct, err
}

// note remembers what kind of reduction a plan is of.
func (r *rules) note(p *plan) {
	tiled := p.row >= 0
	for _, a := range p.loads {
		for _, k := range p.reduce { // windows that overlap
			tiled = tiled || usesIn(a, p.iters[k].Var) && p.newIn(a, k, p.spatial) < max(p.extent(k), 1)
		}
	}
	r.sums, r.tiled = r.sums || !tiled, r.tiled || tiled
}

// normalize splits and fuses iteration variables so that accesses move by constant strides:
// the groups of a convolution become an axis, axes that follow each other become one.
func (r *rules) normalize(b *sch.Block) error {
	for k := 0; k < len(r.at(b).IterVars); k++ {
		iv := r.at(b).IterVars[k]
		if c := quotient(r.at(b), iv.Var); c > 1 {
			if err := r.act("SplitBlockIter", b, int64(k), c); err != nil {
				return err
			}
			if tir.IsConst(iv.Dom.Extent, c) {
				k++
			} else {
				k-- // both parts may be divided again
			}
		}
	}
	for k := len(r.at(b).IterVars) - 2; k >= 0; k-- {
		x := r.at(b)
		iters := x.IterVars
		if iters[k].Kind != iters[k+1].Kind {
			continue
		}
		acc := accesses(x.Body, iters)
		if n, known := tir.AsInt(iters[k+1].Dom.Extent); known && n%r.machine.Lanes == 0 && windowsAlong(acc, iters, k) {
			continue // vectors are whole without, and windows beside each other share what they read
		}
		ok := true
		for _, a := range acc {
			ok = ok && (unit(iters[k]) || unit(iters[k+1]) || a.follows(iters[k], iters[k+1]))
		}
		if ok {
			if err := r.act("FuseBlockIters", b, int64(k), int64(k+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// windowsAlong reports whether windows of a reduction lie along iteration variable k: a step along it is no longer than they are. (A flat index has variables of all axes.)
func windowsAlong(acc []access, iters []*tir.IterVar, k int) bool {
	window := func(a access, iv *tir.IterVar) bool {
		step, along := a.stride(iters[k].Var), a.stride(iv.Var)
		n, known := tir.AsInt(iv.Dom.Extent)
		return !known || step == sch.NoStride || along == sch.NoStride || step <= along*n
	}
	return iters[k].Kind == tir.DataPar && slices.ContainsFunc(acc, func(a access) bool {
		return slices.ContainsFunc(a.indices, func(ix tir.Expr) bool {
			return uses(ix, iters[k].Var) && slices.ContainsFunc(iters, func(iv *tir.IterVar) bool {
				return iv.Kind == tir.CommReduce && !unit(iv) && uses(ix, iv.Var) && window(a, iv)
			})
		})
	})
}

// quotient returns the constant that v is divided by in an index, 0 if there is none or it
// does not divide its extent.
func quotient(b *tir.Block, v *tir.Var) int64 {
	found := int64(0)
	for _, a := range accesses(b.Body, b.IterVars) {
		for _, ix := range a.indices {
			if c := divisor(ix, v); c != 0 {
				found = c
			}
		}
	}
	for _, iv := range b.IterVars {
		if n, ok := tir.AsInt(iv.Dom.Extent); iv.Var == v && (!ok || found < 1 || n%found != 0) {
			return 0
		}
	}
	return found
}

// divisor returns the constant that v is divided by in an index, 0 if there is none.
func divisor(ix tir.Expr, v *tir.Var) int64 {
	found := int64(0)
	if !sch.Divides(ix) {
		return found
	}
	tir.RewriteExpr(ix, func(e tir.Expr) tir.Expr {
		if d, ok := e.(*tir.Binary); ok && (d.Op == tir.OpFloorDiv || d.Op == tir.OpFloorMod) && d.A == tir.Expr(v) {
			if c, ok := tir.AsInt(d.B); ok {
				found = c
			}
		}
		return e
	})
	return found
}

// tile tiles a reduction as planned, with the consumers of its results that can be computed where they are written. Where the vector variable has a
// symbolic extent only whole tiles are vectorised. It returns the block that writes results.
func (r *rules) tile(b *sch.Block, p *plan) (*sch.Block, error) {
	if p.cut {
		loops, err := r.loops(b)
		if err != nil {
			return nil, err
		}
		l := loops[p.Vector]
		order := append([]*sch.Loop{l}, slices.Delete(slices.Clone(loops), p.Vector, p.Vector+1)...)
		if err := r.act("Reorder", order); err != nil {
			return nil, err
		}
		if err := r.act("CutLoop", l, p.Tile[p.Vector], int64(0)); err != nil {
			return nil, err
		}
	}
	epilogue := r.epilogue(b, p)
	const epilogueAt = 12
	args := []any{
		b, ints(p.Order), p.Tile, ints(p.Reduce), int64(p.Vector), p.Lanes, ints(p.Whole), ints(p.Unroll), max(p.Factor, 1), ints(p.Splat), ints(p.Pack), p.Run, nil, p.Blocks, ints(p.shared()), p.Chunk, int64(p.ChunkAt), ints(p.Slide), p.ByResult, p.Matrix,
	}
	if len(epilogue) > 0 {
		args[epilogueAt] = epilogue
	}
	results, err := r.blocksBy("TileReduction", args...)
	if err != nil {
		return nil, err
	}
	for _, c := range epilogue {
		r.gone(c)
	}
	return results[0], nil
}

func ints(list []int) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}

// refOf returns the reference to a block, nil if there is none.
func (r *rules) refOf(b *tir.Block) *sch.Block {
	for _, ref := range r.blocks {
		if !r.done[ref] && r.at(ref) == b {
			return ref
		}
	}
	return nil
}
