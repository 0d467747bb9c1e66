package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// indexParts returns the indices of n; a single tuple stands for its elements.
func (b *builder) indexParts(n *syntax.Node) []*syntax.Node {
	parts := n.Kids[1:]
	if len(parts) != 1 {
		return parts
	}
	if parts[0].Kind == syntax.Tuple {
		return parts[0].Kids
	}
	if parts[0].Kind == syntax.Name {
		if v, ok := b.env.lookup(parts[0].Text); ok {
			if l, ok := v.(*list); ok { // a name of several loop variables
				out := make([]*syntax.Node, len(l.items))
				for i, it := range l.items {
					out[i] = syntax.NewValue(parts[0].At, parts[0].End, it)
				}
				return out
			}
		}
	}
	return parts
}

// access evaluates the indices of a buffer: a region where one is a slice without a step, a
// load otherwise.
func (b *builder) access(buf *tir.Buffer, n *syntax.Node) any {
	parts := b.indexParts(n)
	region, step := false, false
	for _, p := range parts {
		if p.Kind == syntax.Slice {
			region = true
			step = step || p.Kids[2] != nil
		}
	}
	if !region || step {
		return newOf(&b.nodes.loads, tir.BufferLoad{Base: b.span(n), Buffer: buf, Indices: b.indices(buf, parts, n)})
	}
	return b.region(buf, parts, n)
}

func (b *builder) checkRank(buf *tir.Buffer, got int, n *syntax.Node) {
	if got != len(buf.Shape) {
		shape := make([]string, len(buf.Shape))
		for i, e := range buf.Shape {
			shape[i] = script.Node(e, script.Options{})
		}
		b.fail(n, "its shape is ("+strings.Join(shape, ", ")+")", "buffer %s has %s, but is given %s",
			buf.Name, count(len(buf.Shape), "dimension", "dimensions"), count(got, "index", "indices"))
	}
}

// indices evaluates indices for a load or store; slices become ramps.
func (b *builder) indices(buf *tir.Buffer, parts []*syntax.Node, n *syntax.Node) []tir.Expr {
	out := make([]tir.Expr, 0, len(parts))
	for i, p := range parts {
		switch {
		case p.Kind == syntax.Slice:
			out = append(out, b.ramp(buf, i, p))
		case p.Kind == syntax.Star:
			for _, v := range b.values([]*syntax.Node{p}) {
				out = append(out, b.toExpr(v, p))
			}
		default:
			e := b.expr(p)
			if d := e.DType(); !d.IsInteger() && !d.IsBool() {
				b.fail(p, "", "an index must be an integer, got %s", describe(e))
			}
			out = append(out, e)
		}
	}
	b.checkRank(buf, len(out), n)
	for i, e := range out[:max(len(out)-1, 0)] {
		if e.DType().Lanes > 1 {
			at := n
			if i < len(parts) {
				at = parts[i]
			}
			b.fail(at, "", "only the last index of an access may be a vector")
		}
	}
	return out
}

// bounds evaluates start and stop of a slice in dimension i of buf.
func (b *builder) bounds(buf *tir.Buffer, i int, p *syntax.Node) (start, stop tir.Expr) {
	if p.Kids[1] == nil {
		if i >= len(buf.Shape) {
			b.checkRank(buf, i+1, p)
		}
		stop = buf.Shape[i]
	} else {
		stop = b.expr(p.Kids[1])
	}
	if p.Kids[0] == nil {
		start = tir.Const(stop.DType(), 0)
	} else {
		start = b.expr(p.Kids[0])
	}
	if start.DType() != stop.DType() {
		start, stop = tir.MatchTypes(start, stop)
	}
	return start, stop
}

// extent returns stop - start. The printer writes stop as start + extent, from which the
// extent is taken as it was; what starts at 0 stops at its extent.
func (b *builder) extent(start, stop tir.Expr) tir.Expr {
	if tir.IsConst(start, 0) {
		return stop
	}
	if s, ok := stop.(*tir.Binary); ok && s.Op == tir.OpAdd {
		if ir.StructuralEqual(s.A, start, ir.EqualOpts{}) {
			return s.B
		}
		if ir.StructuralEqual(s.B, start, ir.EqualOpts{}) {
			return s.A
		}
	}
	d := tir.Sub(stop, start)
	if _, ok := d.(*tir.Binary); ok {
		return arith.Bounded(b.opts.Budget).Simplify(d)
	}
	return d
}

func (b *builder) ramp(buf *tir.Buffer, i int, p *syntax.Node) tir.Expr {
	start, stop := b.bounds(buf, i, p)
	stride := tir.Expr(tir.Const(start.DType(), 1))
	if p.Kids[2] != nil {
		stride = b.expr(p.Kids[2])
	}
	l, ok := elements(b.extent(start, stop), stride)
	if !ok {
		b.fail(p, "", "the number of elements of this slice is not a constant")
	}
	if l == (lanes{n: 1}) {
		return start
	}
	return &tir.Ramp{Base: b.span(p), Start: start, Stride: stride, Lanes: l.n, Scalable: l.scalable}
}

// region evaluates indices with slices to a region.
func (b *builder) region(buf *tir.Buffer, parts []*syntax.Node, n *syntax.Node) *tir.BufferRegion {
	out := newOf(&b.nodes.regions, tir.BufferRegion{Base: b.span(n), Buffer: buf})
	for i, p := range parts {
		var r *tir.Range
		if p.Kind == syntax.Slice {
			start, stop := b.bounds(buf, i, p)
			r = &tir.Range{Base: b.span(p), Min: start, Extent: b.extent(start, stop)}
		} else {
			r = b.nodes.point(b.expr(p))
			r.Base = b.span(p)
		}
		out.Region = append(out.Region, r)
	}
	b.checkRank(buf, len(parts), n)
	return out
}

// point returns the range that an index covers; a ramp covers all its lanes.
func (s *nodes) point(e tir.Expr) *tir.Range {
	if r, ok := e.(*tir.Ramp); ok && tir.IsConst(r.Stride, 1) {
		return newOf(&s.ranges, tir.Range{Min: r.Start, Extent: tir.Elements(r)})
	}
	return newOf(&s.ranges, tir.Range{Min: e, Extent: s.small(e.DType().Elem(), 1)})
}

// regionLoad reads a region as a vector, as T does where a slice stands for a value.
func (b *builder) regionLoad(r *tir.BufferRegion, n *syntax.Node) tir.Expr {
	out := &tir.BufferLoad{Base: r.Base, Buffer: r.Buffer}
	for i, x := range r.Region {
		one := tir.Const(x.Min.DType(), 1)
		l, ok := elements(x.Extent, one)
		if !ok {
			b.fail(n, "", "the number of elements of this slice of %s is not a constant", r.Buffer.Name)
		}
		single := l == lanes{n: 1}
		if !single && i < len(r.Region)-1 {
			b.fail(n, "", "only the last index of an access may be a vector")
		}
		if single {
			out.Indices = append(out.Indices, x.Min)
			continue
		}
		out.Indices = append(out.Indices, &tir.Ramp{Base: x.Base, Start: x.Min, Stride: one, Lanes: l.n, Scalable: l.scalable})
	}
	return out
}

// toRegion turns a value into a region: a load is the region of its element.
func (b *builder) toRegion(v any, n *syntax.Node) *tir.BufferRegion {
	switch x := v.(type) {
	case *tir.BufferRegion:
		return x
	case *tir.BufferLoad:
		out := newOf(&b.nodes.regions, tir.BufferRegion{Base: x.Base, Buffer: x.Buffer})
		if len(x.Indices) > 0 {
			out.Region = make([]*tir.Range, 0, len(x.Indices))
		}
		for _, i := range x.Indices {
			out.Region = append(out.Region, b.nodes.point(i))
		}
		return out
	}
	b.fail(n, "", "expected a region of a buffer such as A[i, 0:4], got %s", describe(v))
	return nil
}
