package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// computed returns the block that computes what an access reads, of which many rows of a product use each element, nil where the access reads something else. Its elements are computed as
// they are copied to where a tile reads them, so that the whole factor is never in memory.
func (p *plan) computed(a access) *sch.Block {
	if p.row < 0 || p.innerReduction() < 0 || p.overlapping(a) || !p.r.allocates(a.buf) || len(p.r.readers(a.buf, nil)) != 1 {
		return nil
	}
	for _, b := range p.r.blocks {
		if p.r.done[b] || slices.Contains(p.r.padding, b) {
			continue
		}
		k := p.r.at(b)
		if st, ok := k.Body.(*tir.BufferStore); ok && st.Buffer == a.buf && !isReduction(k) {
			if c := costOf(st.Value); !c.calls && !c.branches {
				return b
			}
		}
	}
	return nil
}

// panels are the blocks that compute what is copied.
func (p *plan) panels() []*sch.Block {
	var out []*sch.Block
	number, _ := p.numbers()
	for _, a := range p.loads {
		if b := p.computed(a); b != nil && slices.Contains(p.Pack, number[a.load]) {
			out = append(out, b)
		}
	}
	return out
}

// panelsFirst puts the loops over panels outside, for vectors along v: each is computed once, whatever rows read.
func (p *plan) panelsFirst(v int) {
	cols := p.factorAxes(v, true)
	p.Order = slices.Clone(cols)
	for _, k := range p.spatial {
		if !slices.Contains(cols, k) {
			p.Order = append(p.Order, k)
		}
	}
}

// computePanels has factors that are computed be computed where they are copied.
func (r *rules) computePanels(list []*sch.Block) {
	for _, b := range list {
		k := r.at(b)
		if err := r.act("ComputeInline", b); err != nil {
			r.declined(rulePanel, k, brief(err).Error())
			continue
		}
		r.gone(b)
		r.applied(rulePanel, k.Body)
	}
}
