package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// setAside notes the blocks that pad what a reduction may have padded where it reads it.
func (r *rules) setAside() {
	for _, b := range r.blocks {
		if !r.done[b] && pads(r.at(b)) && r.candidate(b) {
			r.padding = append(r.padding, b)
		}
	}
}

// pad splits the blocks that pad of those asked for: blocks store the constant, and one the values, without a condition. A block that does not pad stays as it is.
func (r *rules) pad(of func(*sch.Block) bool) {
	var list []*sch.Block
	for _, b := range r.blocks {
		if r.done[b] {
			list = append(list, b)
			continue
		}
		if k := r.at(b); of(b) && pads(k) {
			if fills := r.fills(b); len(fills) > 0 {
				list = append(list, fills...)
				r.applied(rulePad, k.Body)
			}
		}
		list = append(list, b)
	}
	r.blocks = list
}

// fills splits a block that pads, and returns the blocks that store the constant; none where it cannot be split. The constant is stored around the values only
// where vectors do so, as in blocks of channels. Along an axis that is contiguous and padded itself a few elements would be stored one by one, which takes longer than to
// store all.
func (r *rules) fills(b *sch.Block) []*sch.Block {
	if !padsInside(r.at(b)) {
		if list, err := r.blocksBy("SplitPadding", b); err == nil {
			return list
		}
	}
	loops, err := r.loops(b)
	if err != nil || len(loops) == 0 {
		return nil
	}
	if list, err := r.blocksBy("DecomposePadding", b, loops[0]); err == nil {
		return list
	}
	return nil
}

// pads reports whether a block stores a value or a constant, on a condition.
func pads(b *tir.Block) bool {
	st, ok := b.Body.(*tir.BufferStore)
	if !ok {
		return false
	}
	call, ok := tir.IsCallTo(st.Value, tir.OpIfThenElse)
	return ok && isConstant(call.Args[2])
}

// padsInside reports whether a block that pads does so along the axis that is contiguous.
func padsInside(b *tir.Block) bool {
	st := b.Body.(*tir.BufferStore)
	call, _ := tir.IsCallTo(st.Value, tir.OpIfThenElse)
	last, ok := st.Indices[len(st.Indices)-1].(*tir.Var)
	return !ok || uses(call.Args[0], last)
}

// flatten has blocks access buffers through flat views where their indices divide.
func (r *rules) flatten() error {
	if !slices.ContainsFunc(r.leaves(), divides) {
		return nil
	}
	return r.act("FlattenAccess", r.top)
}

// divides reports whether a block accesses buffers of several dimensions at quotients or remainders.
func divides(b *tir.Block) bool {
	found := false
	look := func(indices []tir.Expr) {
		for _, ix := range indices {
			found = found || len(indices) > 1 && sch.Divides(ix)
		}
	}
	ir.Walk(b, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			look(n.Indices)
		case *tir.BufferStore:
			look(n.Indices)
		}
		return !found
	})
	return found
}
