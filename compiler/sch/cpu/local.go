package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// local is where a reduction pads what it reads: in front of the results of an image that need it, in a buffer of the size of a cache, and not all of it in memory.
type local struct {
	reads *sch.Block // the block that pads what it reads, wherever that is done
	pad   *sch.Block // nil: it does not
	size  int64      // bytes
	// level is how many places of the order are outside of where it is padded.
	level int
}

// candidate reports whether a block pads what one reduction alone reads, in vectors that are not padded themselves, or where no other result reads it.
func (r *rules) candidate(b *sch.Block) bool {
	k := r.at(b)
	st, ok := k.Body.(*tir.BufferStore)
	if !ok || !r.allocates(st.Buffer) || r.phases[st.Buffer] > 0 || !vectorTypes(k) {
		return false
	}
	if padsInside(k) {
		readers := r.readers(st.Buffer, k)
		return r.machine.Spreads && len(readers) == 1 && isReduction(readers[0]) && r.oneImage(readers[0], st.Buffer)
	}
	if !vectorizable(st, accesses(st, k.IterVars), k.IterVars[len(k.IterVars)-1].Var) {
		return false
	}
	readers := r.readers(st.Buffer, k)
	return len(readers) == 1 && isReduction(readers[0])
}

// oneImage reports whether what a reduction reads of a buffer depends on all variables of its results, so that each result reads it alone but for windows that overlap, and the second
// cache holds one of several images in which windows lie.
func (r *rules) oneImage(b *tir.Block, buf *tir.Buffer) bool {
	images, size := int64(0), max(int64(buf.DType.Bits)/8, 1)
	for _, a := range accesses(b.Body, b.IterVars) {
		if a.load == nil || a.buf != buf {
			continue
		}
		for _, iv := range b.IterVars {
			if iv.Kind == tir.DataPar && !unit(iv) && !usesIn(a, iv.Var) {
				return false
			}
			// Phases that are not of one length leave places that nothing stores, and the block that pads cannot be moved then.
			if n, _ := tir.AsInt(buf.Shape[len(buf.Shape)-1]); iv.Kind == tir.DataPar && uses(a.indices[len(a.indices)-1], iv.Var) {
				if by := a.stride(iv.Var); by < 1 || n%by != 0 {
					return false
				}
			}
		}
		windows := slices.IndexFunc(a.indices, func(ix tir.Expr) bool {
			return slices.ContainsFunc(b.IterVars, func(iv *tir.IterVar) bool { return iv.Kind == tir.CommReduce && !unit(iv) && uses(ix, iv.Var) })
		})
		images = 1
		for d, n := range buf.Shape {
			n, ok := tir.AsInt(n)
			switch {
			case !ok || windows < 0:
				return false
			case d < windows:
				images *= n
			default:
				size *= n
			}
		}
	}
	return images > 1 && size <= r.machine.L2
}

// stage decides whether the block that pads what the reduction reads runs in front of the rows of results: there it is in a cache when it is read.
func (p *plan) stage() {
	p.local = local{}
	for _, a := range p.loads {
		for _, b := range p.r.padding {
			if st, ok := p.r.at(b).Body.(*tir.BufferStore); ok && !p.r.done[b] && st.Buffer == a.buf {
				p.local = local{reads: b}
				p.stageAt(a, b)
			}
		}
	}
}

// stageAt finds the place for what pads an access: outside of the first loop along which windows lie beside each other. There must be loops around it, and what it pads in
// one turn of these must have room in the second cache.
func (p *plan) stageAt(a access, pad *sch.Block) {
	place := slices.IndexFunc(p.Order, func(k int) bool { return p.windowed(a, k) })
	if place < 1 {
		return
	}
	size := max(int64(a.buf.DType.Bits)/8, 1)
	for d, n := range a.buf.Shape {
		n, ok := tir.AsInt(n)
		if !ok {
			return
		}
		if p.inside(a.indices[d], place) {
			size *= n
		}
	}
	if size <= p.machine.L2 {
		p.local.pad, p.local.size, p.local.level = pad, size, place
	}
}

// windowed reports whether windows of the reduction lie along spatial variable k in what an access reads.
func (p *plan) windowed(a access, k int) bool {
	return slices.ContainsFunc(a.indices, func(ix tir.Expr) bool {
		return uses(ix, p.iters[k].Var) && slices.ContainsFunc(p.reduce, func(j int) bool { return uses(ix, p.iters[j].Var) })
	})
}

// inside reports whether an index depends on loops at a place of the order or behind it, or on the reduction.
func (p *plan) inside(ix tir.Expr, place int) bool {
	for _, k := range append(p.Order[place:len(p.Order):len(p.Order)], p.reduce...) {
		if uses(ix, p.iters[k].Var) {
			return true
		}
	}
	return false
}

// padNear moves the block that pads to where the plan has it. Where it cannot be moved it stays in front of all.
func (r *rules) padNear(p *plan, results *sch.Block) error {
	l := p.local
	if l.pad == nil {
		return nil
	}
	turns, _ := p.orderTurns()
	depth := 0
	for _, n := range turns[:l.level] {
		if n > 1 {
			depth++
		}
	}
	if depth == 0 {
		return nil
	}
	loops, err := r.loops(results)
	if err == nil && r.act("ComputeAt", l.pad, loops[depth-1], false, int64(-1)) == nil {
		r.near = append(r.near, l.pad)
		r.gone(l.pad)
		if padsInside(r.at(l.pad)) {
			return r.fillAndCopy(l.pad)
		}
		return r.copyRows(l.pad)
	}
	return err
}
