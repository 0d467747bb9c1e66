package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// An image that is padded along the axis of the vectors is read where it is as well: at its edges, vectors of the nearest elements take the place of those that would lie outside, and of their lanes
// some are replaced by the constant. Windows that move by two columns pick every other lane of what they read. A copy would take three passes over the memory, and some ten
// cycles for each row, as its vectors cross the lines of the cache.

// clampedPlan plans a reduction so that it reads what is padded along the axis of its vectors directly, with the tiles that stick out; nil where it cannot.
func (r *rules) clampedPlan(b *sch.Block) (*plan, []edges) {
	p := newPlan(r, b)
	if !r.machine.Spreads || !p.padsColumns() {
		return nil, nil
	}
	v := p.contiguousResult()
	if p.clamped = true; v < 0 || !p.choose() || 2*p.windowAlong(v) > p.machine.Lanes {
		return nil, nil // at the edges each column of a wide window has other lanes outside: a copy takes less
	}
	list, ok := p.directly()
	if !ok || slices.ContainsFunc(list, func(e edges) bool { return e.k == v && max(e.first, e.last) > 1 }) {
		return nil, nil // in a loop over several tiles, which lanes lie outside is not known, and each is chosen by itself
	}
	return p, list
}

// padsColumns reports whether the reduction alone reads what is padded along the axis that is contiguous, of elements as wide as lanes.
func (p *plan) padsColumns() bool {
	return slices.ContainsFunc(p.loads, func(a access) bool {
		return a.buf.DType.Bits == 32 && slices.ContainsFunc(p.r.padding, func(b *sch.Block) bool {
			st, ok := p.r.at(b).Body.(*tir.BufferStore)
			return ok && !p.r.done[b] && st.Buffer == a.buf && padsInside(p.r.at(b))
		})
	})
}

// windowAlong is how many columns along variable v a result reads at most.
func (p *plan) windowAlong(v int) int64 {
	most := int64(1)
	for _, a := range p.loads {
		columns := int64(1)
		for _, r := range p.reduce {
			if n := p.stride(a, r); p.stride(a, v) != 0 && n > 0 && n < p.extent(v) {
				columns += (p.extent(r) - 1) * n
			}
		}
		most = max(most, columns)
	}
	return most
}

// inSteps reports whether all that is reduced is the same along variable v, or lies side by side; or in steps of two elements, where lanes are picked of columns.
func (p *plan) inSteps(v int) bool {
	return p.extent(v) > 0 && !slices.ContainsFunc(p.loads, func(a access) bool {
		n := p.stride(a, v)
		return n != 0 && n != 1 && (n != 2 || p.extent(v) < leastPicked || p.pickable(v) < 0 && !p.picksRows(v))
	})
}

// readClamped has a reduction read what it was to be padded from, at the nearest places where it sticks out. It reports whether it does.
func (r *rules) readClamped(p *plan, list []edges, at ir.Node) (bool, error) {
	pad := p.local.reads
	if r.act("ClampPadding", pad) != nil {
		return false, nil
	}
	r.notStored(p, list, at)
	if err := r.act("ComputeInline", pad); err != nil {
		return false, err
	}
	r.gone(pad)
	p.local = local{}
	return true, nil
}
