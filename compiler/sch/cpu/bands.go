package cpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// splitBands has the blocks that read what is computed band by band (tir.AttrBandRows) go over the bands first, so that their nests can be merged with those of the steps before.
func (r *rules) splitBands() error {
	for _, b := range r.blocks {
		if r.done[b] {
			continue
		}
		k := r.at(b)
		rows := k.Annotations.Int(tir.AttrBandRows, 0)
		if rows < 1 || rows > math.MaxInt32 || len(k.IterVars) < 2 || len(k.Writes) != 1 {
			continue
		}
		bands, axes := k.IterVars[0].Dom.Extent, 1
		if k.Annotations.Int(tir.AttrBandAxes, 2) == 2 {
			bands, axes = tir.Mul(tir.CastTo(k.IterVars[1].Dom.Extent.DType(), bands), k.IterVars[1].Dom.Extent), 2
		}
		if tir.IsConst(arith.SimplifyAlone(bands), 1) {
			continue
		}
		for _, reader := range r.readers(k.Writes[0].Buffer, k) {
			ref := r.refOf(reader)
			if ref == nil {
				return nil
			}
			if ok, err := r.bandsFirst(ref, k.Writes[0].Buffer, rows, axes); err != nil || !ok {
				return err
			}
		}
		r.bands = arith.SimplifyAlone(bands)
	}
	return nil
}

// bandsFirst splits the rows of a block into bands and has images and bands outermost, which are the first axis or the first two of the buffer.
func (r *rules) bandsFirst(b *sch.Block, of *tir.Buffer, rows int64, axes int) (bool, error) {
	if loops, err := r.loops(b); err != nil || !r.bound(b, loops) || isReduction(r.at(b)) {
		return false, err
	}
	if err := r.splitDivided(b, of); err != nil {
		return false, err
	}
	loops, err := r.loops(b)
	if err != nil {
		return false, err
	}
	image, row, whole := -1, -1, false
	for _, a := range loadsFrom(r.at(b), of) {
		ofImage, ofBand := a.Indices[0], a.Indices[1]
		if axes == 1 {
			ofImage, ofBand = nil, a.Indices[0]
			if sum, ok := ofBand.(*tir.Binary); ok && sum.Op == tir.OpAdd {
				ofImage, ofBand = sum.A, sum.B
			}
		}
		for i, iv := range r.at(b).IterVars {
			switch {
			case ofImage != nil && uses(ofImage, iv.Var):
				image = i
			case uses(ofBand, iv.Var):
				row, whole = i, ofBand == tir.Expr(iv.Var)
			}
		}
	}
	if row < 0 {
		return false, nil
	}
	band, others := loops[row], []*sch.Loop{}
	if !whole { // there are rows left over
		two, err := r.split(band, rows)
		if err != nil {
			return false, err
		}
		band, others = two[0], two[1:]
	}
	order := []*sch.Loop{band}
	if image >= 0 {
		order = []*sch.Loop{loops[image], band}
	}
	for i, l := range loops {
		switch i {
		case image:
		case row:
			order = append(order, others...)
		default:
			order = append(order, l)
		}
	}
	return true, r.act("Reorder", order)
}

// splitDivided splits the variables of a block that are divided in what it reads of a buffer, by what divides their extents: so each index is that of one variable, and a buffer of which
// each turn of a loop reads a part is as small as that.
func (r *rules) splitDivided(b *sch.Block, of *tir.Buffer) error {
	for i := 0; i < len(r.at(b).IterVars); i++ {
		iv := r.at(b).IterVars[i]
		n, known := tir.AsInt(iv.Dom.Extent)
		c := int64(0)
		for _, a := range loadsFrom(r.at(b), of) {
			for _, ix := range a.Indices {
				if d := divisor(ix, iv.Var); d != 0 {
					c = d
				}
			}
		}
		if known && c > 1 && n%c == 0 {
			if err := r.act("SplitBlockIter", b, int64(i), c); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// loadsFrom lists what a block reads of a buffer of several dimensions.
func loadsFrom(k *tir.Block, of *tir.Buffer) (out []*tir.BufferLoad) {
	ir.Walk(k.Body, func(n ir.Node) bool {
		if a, ok := n.(*tir.BufferLoad); ok && a.Buffer == of && len(a.Indices) > 1 {
			out = append(out, a)
		}
		return true
	})
	return out
}

// ofBands reports whether variable k of a step counts bands, or images: the first axes of its result do that together, where bands are computed one behind the other.
func (p *plan) ofBands(k int) bool {
	if p.r.bands == nil {
		return false
	}
	turns := tir.Expr(tir.Int(1))
	for i, iv := range p.iters {
		if turns = tir.Mul(turns, tir.CastTo(turns.DType(), iv.Dom.Extent)); p.r.areBands(turns) {
			return k <= i
		}
	}
	return false
}

// areBands reports whether something runs as often as there are bands.
func (r *rules) areBands(turns tir.Expr) bool {
	return arith.NewAnalyzer().CanProveEqual(turns, tir.CastTo(turns.DType(), r.bands))
}

// mergeBands merges the nests of the steps over the bands. Where it cannot, the steps stay behind each other.
func (r *rules) mergeBands() error {
	if r.bands == nil {
		return nil
	}
	blocks, err := r.blocksBy("GetChildBlocks", r.top)
	if err != nil {
		return err
	}
	var nests [][]*sch.Loop
	var seen []*tir.Var
	for _, b := range blocks {
		loops, err := r.loops(b)
		if err != nil {
			return err
		}
		if len(loops) > 0 && slices.Contains(seen, r.loop(loops[0]).LoopVar) {
			continue
		}
		n := 0
		for i := 1; i <= len(r.perfect(loops)) && n == 0; i++ {
			if r.areBands(r.turnsOf(loops[:i])) {
				n = i
			}
		}
		if n == 0 {
			if len(nests) == 0 { // what is done once for all bands
				continue
			}
			return nil
		}
		nests, seen = append(nests, loops[:n]), append(seen, r.loop(loops[0]).LoopVar)
	}
	if len(nests) < 2 {
		return nil
	}
	at := leavesOf(r.loop(nests[0][0]))[0].Body
	var all []*sch.Loop
	for _, nest := range nests {
		l, err := r.fused(nest, turns{len(nest), 1})
		if err != nil {
			return err
		}
		all = append(all, l)
	}
	for { // what is done once for all bands may have as many turns
		if merged, err := r.mergeLoops(all); err == nil && merged != nil {
			break
		}
		if all = all[1:]; len(all) < 2 {
			return nil
		}
	}
	r.applied(ruleBands, at)
	if r.watch != nil {
		r.watch.Took(ruleBands, at, fmt.Sprintf("%d steps of a band follow each other, before those of the next one: what they hand on is as large as one band", len(all)))
	}
	return nil
}
