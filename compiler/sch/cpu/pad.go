package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// pad splits blocks that pad: one block fills with the constant, the other stores the values, without a condition. A block that does not pad stays as
// it is.
func (r *rules) pad() {
	var list []*sch.Block
	for _, b := range r.blocks {
		if r.done[b] {
			continue
		}
		if k := r.at(b); pads(k) {
			if loops, err := r.loops(b); err == nil && len(loops) > 0 {
				if fill, err := r.blocksBy("DecomposePadding", b, loops[0]); err == nil {
					list = append(list, fill[0])
					r.applied(rulePad, k.Body)
				}
			}
		}
		list = append(list, b)
	}
	r.blocks = list
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
