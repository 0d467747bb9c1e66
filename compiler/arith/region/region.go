package region

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// OfBlock returns the regions that block b reads and writes, and the whole of
// those buffers whose pointer it hands on (TVM's get_block_access_region). Regions are over
// the iteration variables of b and what is defined outside of it: loops and blocks inside
// are covered by the ranges of their variables, and where an index depends on what b itself
// writes or allocates all of the dimension is. A reduction with an init statement does not
// count what it writes as read. byData finds the buffer of a bare pointer; nil if unknown.
func OfBlock(b *tir.Block, byData map[*tir.Var]*tir.Buffer) (reads, writes, opaque []*tir.BufferRegion) {
	d := &detector{dom: domain{}, byData: byData, own: map[*tir.Buffer]bool{}}
	for _, x := range b.AllocBuffers {
		d.own[x] = true
	}
	d.matched(b)
	if b.Init != nil {
		d.stmt(b.Init)
	}
	d.stmt(b.Body)
	for _, a := range d.reads {
		if b.Init == nil || !d.writesTo(a.buffer) {
			reads = append(reads, d.region(a))
		}
	}
	for _, a := range d.writes {
		writes = append(writes, d.region(a))
	}
	for _, x := range d.opaque {
		opaque = append(opaque, tir.FullRegion(x))
	}
	return reads, writes, opaque
}

// access is a buffer with the intervals of its dimensions that are accessed.
type access struct {
	buffer *tir.Buffer
	dims   []interval
}

// changes reports whether e reads what has no value, or not one value, outside of the block.
func (d *detector) changes(e tir.Expr) bool {
	switch e := e.(type) { // most indices have nothing else
	case *tir.IntImm, *tir.Var:
		return false
	case *tir.Binary:
		return d.changes(e.A) || d.changes(e.B)
	}
	return ir.Any(e, func(n ir.Node) bool {
		l, ok := n.(*tir.BufferLoad)
		return ok && (d.own[l.Buffer] || d.writesTo(l.Buffer))
	})
}

func (d *detector) writesTo(b *tir.Buffer) bool {
	return slices.ContainsFunc(d.writes, func(w *access) bool { return w.buffer == b })
}

// region turns the intervals of a into ranges: all of a dimension whose interval is unknown or changes.
func (d *detector) region(a *access) *tir.BufferRegion {
	out := &tir.BufferRegion{Buffer: a.buffer, Region: make([]*tir.Range, len(a.dims))}
	ranges := make([]tir.Range, len(a.dims))
	for k, s := range a.dims {
		r := &ranges[k]
		out.Region[k] = r
		switch {
		case s.everything() || d.changes(s.lo) || s.lo != s.hi && d.changes(s.hi):
			r.Min, r.Extent = tir.Const(a.buffer.Shape[k].DType(), 0), a.buffer.Shape[k]
		case s.lo == s.hi || ir.StructuralEqual(s.lo, s.hi, ir.EqualOpts{}):
			r.Min, r.Extent = s.lo, tir.Const(s.lo.DType(), 1)
		default:
			r.Extent = arith.SimplifyAlone(tir.Add(tir.Sub(s.hi, s.lo), tir.Const(s.lo.DType(), 1)))
			r.Min = arith.SimplifyAlone(s.lo)
		}
	}
	return out
}

type detector struct {
	dom           domain
	own           map[*tir.Buffer]bool // allocated inside
	views         map[*tir.Buffer]*tir.BufferRegion
	byData        map[*tir.Var]*tir.Buffer
	reads, writes []*access
	opaque        []*tir.Buffer
}

// matched notes the buffers of b that are views: accesses to them are accesses to what they
// view.
func (d *detector) matched(b *tir.Block) {
	for _, m := range b.MatchBuffers {
		if d.views == nil {
			d.views = map[*tir.Buffer]*tir.BufferRegion{}
		}
		d.views[m.Buffer] = m.Source
	}
}

func (d *detector) record(list *[]*access, b *tir.Buffer, dims []interval) {
	if src, ok := d.views[b]; ok {
		d.record(list, src.Buffer, d.viewed(b, src, dims))
		return
	}
	if d.own[b] {
		return
	}
	for _, a := range *list {
		if a.buffer == b {
			for k := range dims {
				a.dims[k] = a.dims[k].union(dims[k])
			}
			return
		}
	}
	*list = append(*list, &access{b, dims})
}

// viewed returns the intervals of the region src that dims of its view b are: all of it, where dimensions
// of the view are not ones of the region, behind leading ones of extent 1.
func (d *detector) viewed(b *tir.Buffer, src *tir.BufferRegion, dims []interval) []interval {
	out := d.relax(src)
	skip := len(src.Region) - len(dims)
	if skip < 0 {
		return out
	}
	for i, r := range src.Region {
		if i < skip && !tir.IsConst(r.Extent, 1) || i >= skip && !tir.Equal(b.Shape[i-skip], r.Extent) {
			return out
		}
	}
	for k, s := range dims {
		start := d.dom.eval(src.Region[skip+k].Min)
		if s.everything() || start.everything() {
			continue
		}
		lo, hi := tir.Add(start.lo, tir.CastTo(start.lo.DType(), s.lo)), tir.Add(start.hi, tir.CastTo(start.hi.DType(), s.hi))
		if s.lo == s.hi && start.lo == start.hi {
			hi = lo
		}
		out[skip+k] = interval{lo, hi}
	}
	return out
}

func (d *detector) touch(list *[]*access, b *tir.Buffer, indices []tir.Expr) {
	dims := make([]interval, len(indices))
	for k, ix := range indices {
		dims[k] = d.point(ix)
	}
	d.record(list, b, dims)
}

// point is eval for an index; a vector index outside of all domains is still no single point.
func (d *detector) point(ix tir.Expr) interval {
	if r, ok := ix.(*tir.Ramp); ok {
		s := d.dom.eval(r.Start)
		n, ok := tir.AsInt(r.Stride)
		if s.everything() || !ok || n < 0 {
			return interval{}
		}
		return interval{s.lo, tir.Add(s.hi, tir.Const(s.hi.DType(), n*int64(r.Lanes-1)))}
	}
	if b, ok := ix.(*tir.Broadcast); ok {
		return d.dom.eval(b.Value)
	}
	if ix.DType().Lanes > 1 {
		return interval{}
	}
	return d.dom.eval(ix)
}

// relax returns the intervals that a region covers.
func (d *detector) relax(r *tir.BufferRegion) []interval {
	dims := make([]interval, len(r.Region))
	for k, x := range r.Region {
		lo := d.dom.eval(x.Min)
		if tir.IsConst(x.Extent, 1) {
			dims[k] = lo
			continue
		}
		last := tir.Sub(tir.Add(x.Min, x.Extent), tir.Const(x.Min.DType(), 1))
		if hi := d.dom.eval(last); !lo.everything() && !hi.everything() {
			dims[k] = interval{lo.lo, hi.hi}
		}
	}
	return dims
}

// scoped runs f with v bound to s.
func (d *detector) scoped(v *tir.Var, s interval, f func()) {
	old, had := d.dom[v]
	d.dom[v] = s
	f()
	if had {
		d.dom[v] = old
	} else {
		delete(d.dom, v)
	}
}
