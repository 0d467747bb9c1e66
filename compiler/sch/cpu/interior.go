package cpu

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// mostEdges is how many tiles at an edge of an image may have windows that stick out: the loops over them are apart from that over the others.
const mostEdges = 2

// edges are how many tiles at the beginning and at the end of a loop read what is padded.
type edges struct {
	k           int // the variable
	first, last int64
}

// directly reports what tiles of a reduction stick out of the image that it pads, and whether the others may read it without a copy. There is machine code for each part of the loops then;
// an engine of WebAssembly would compile them all when a program is loaded.
func (p *plan) directly() (list []edges, ok bool) {
	if p.local.reads == nil || p.Matrix || !p.machine.Spreads || p.cut || len(p.Whole) > 0 {
		return nil, false
	}
	b := p.r.at(p.local.reads)
	if padsInside(b) != p.clamped { // a vector would read what is padded
		return nil, false
	}
	st := b.Body.(*tir.BufferStore)
	call, _ := tir.IsCallTo(st.Value, tir.OpIfThenElse)
	if _, plain := call.Args[1].(*tir.BufferLoad); !plain {
		return nil, false
	}
	at := slices.IndexFunc(p.loads, func(x access) bool { return x.buf == st.Buffer })
	if at < 0 || len(p.loads[at].indices) != len(st.Indices) {
		return nil, false
	}
	sub := map[*tir.Var]tir.Expr{}
	for d, ix := range st.Indices {
		v, isVar := ix.(*tir.Var)
		if !isVar {
			return nil, false
		}
		sub[v] = p.loads[at].indices[d]
	}
	holds := tir.Conjuncts(nil, tir.SubstExpr(call.Args[0], sub))
	shared := p.shared()
	for i, k := range p.Order {
		var own []tir.Expr
		for _, c := range holds {
			if uses(c, p.iters[k].Var) {
				own = append(own, c)
			}
		}
		if len(own) == 0 {
			continue
		}
		e, ok := p.edgesOf(k, own)
		if !ok || slices.Contains(shared, i) { // the parts of a loop that threads share would wait for each other
			return nil, false
		}
		list = append(list, e)
	}
	return list, len(list) > 0
}

// edgesOf finds the tiles along a variable for which some conditions hold, whatever the steps of the reduction: those between a few at the beginning and at the end.
func (p *plan) edgesOf(k int, conditions []tir.Expr) (edges, bool) {
	n, tile := p.extent(k), max(p.Tile[k], 1)
	if n == 0 {
		return edges{}, false
	}
	tiles := (n + tile - 1) / tile
	for both := int64(0); both <= min(2*mostEdges, tiles); both++ {
		for first := max(0, both-mostEdges); first <= min(both, mostEdges); first++ {
			from, to := first*tile, min((tiles-both+first)*tile, n)
			if from >= to && first == (both+1)/2 || from < to && p.hold(conditions, k, from, to) { // all tiles are at an edge, or none of those between them
				return edges{k, first, both - first}, true
			}
		}
	}
	return edges{}, false
}

// hold reports whether conditions hold for the values of a variable from one to another and all of the others.
func (p *plan) hold(conditions []tir.Expr, k int, from, to int64) bool {
	an := arith.NewAnalyzer()
	for j, iv := range p.iters {
		dom := iv.Dom
		if j == k {
			d := iv.Var.DType()
			dom = &tir.Range{Min: tir.Const(d, from), Extent: tir.Const(d, to-from)}
		}
		an.BindRange(iv.Var, dom)
	}
	for _, c := range conditions {
		if !an.CanProve(c) {
			return false
		}
	}
	return true
}

// cutEdges cuts the loops around the tiles of a reduction so that those of tiles inside hold no others.
func (r *rules) cutEdges(p *plan, results *sch.Block, list []edges) error {
	turns, _ := p.orderTurns()
	loops, err := r.loops(results)
	if err != nil {
		return err
	}
	var cuts []cutting
	depth := 0
	for i, k := range p.Order {
		if turns[i] <= 1 {
			continue
		}
		for _, e := range list {
			if e.k == k {
				cuts = append(cuts, cutting{depth, e})
			}
		}
		depth++
	}
	if depth > len(loops) {
		return fmt.Errorf("schedule: a block under %d loops has %d loops over tiles", len(loops), depth)
	}
	return r.cutAll(results, cuts)
}

// cutting is a loop to cut: how many are outside of it, and where.
type cutting struct {
	depth int
	edges
}

func (r *rules) cutAll(b *sch.Block, cuts []cutting) error {
	if len(cuts) == 0 {
		return nil
	}
	loops, err := r.loops(b)
	if err != nil {
		return err
	}
	l := loops[cuts[0].depth]
	n, _ := tir.AsInt(r.extent(l))
	blocks := []*sch.Block{b}
	for _, at := range []int64{cuts[0].first, n - cuts[0].first - cuts[0].last} {
		if all, _ := tir.AsInt(r.extent(l)); at <= 0 || at >= all {
			continue
		}
		parts, err := r.loopsBy("CutLoop", l, int64(1), at)
		if err != nil {
			return err
		}
		inner, err := r.blocksBy("GetChildBlocks", parts[1])
		if err != nil {
			return err
		}
		blocks, l = append(blocks, inner[0]), parts[1]
	}
	for _, x := range blocks {
		if err := r.cutAll(x, cuts[1:]); err != nil {
			return err
		}
	}
	return nil
}

// notStored tells the watcher which tiles read what is padded.
func (r *rules) notStored(p *plan, list []edges, at ir.Node) {
	if r.watch == nil {
		return
	}
	text := ""
	for _, e := range list {
		text += fmt.Sprintf(", along %s %s at the beginning and %d at the end", p.iters[e.k].Var.Name, plural(e.first, "tile"), e.last)
	}
	r.watch.Took(ruleEdges, at, fmt.Sprintf("%s is not stored: of the tiles only some read what is padded%s", r.at(p.local.reads).Name, text))
}

// readDirectly has a reduction read what it was to be padded from, and returns a new plan of it.
func (r *rules) readDirectly(p *plan, b *sch.Block, list []edges, at ir.Node) (*plan, error) {
	pad := p.local.reads
	r.notStored(p, list, at)
	if err := r.act("ComputeInline", pad); err != nil {
		return nil, err
	}
	r.gone(pad)
	if p = newPlan(r, b); !p.choose() {
		return nil, fmt.Errorf("schedule: no rule fits a reduction that reads what it pads directly, and one did before")
	}
	return p, nil
}
