package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// LowerMatchBuffer replaces the views that blocks match by accesses to what they view.
var LowerMatchBuffer = &pass.Pass{
	Name: "tir.LowerMatchBuffer", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Removes match_buffer from blocks: accesses to the view become accesses to its source, and its strides and offset variables get their values.",
	Run: pass.EachPrimFunc(func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &matchLowerer{sub: map[*tir.Var]tir.Expr{}, views: map[*tir.Buffer]*tir.BufferRegion{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
		l.m.Expr, l.m.Stmt, l.m.Buffer = l.expr, l.stmt, l.buffer
		out := f.WithBody(l.stmt(f.Body))
		return out, l.err
	}),
}

type matchLowerer struct {
	m     tir.Mapper
	sub   map[*tir.Var]tir.Expr
	views map[*tir.Buffer]*tir.BufferRegion
	// buffers holds what other buffers become whose shapes use variables of a view.
	buffers map[*tir.Buffer]*tir.Buffer
	err     error
}

func (l *matchLowerer) buffer(b *tir.Buffer) *tir.Buffer {
	if l.views[b] != nil {
		return b // replaced with the access
	}
	out, ok := l.buffers[b]
	if !ok {
		out = b.MapExprs(l.expr)
		l.buffers[b] = out
	}
	return out
}

func (l *matchLowerer) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Block:
		for _, m := range s.MatchBuffers {
			l.match(s, m)
		}
		out := l.m.MapStmt(s).(*tir.Block)
		if len(s.MatchBuffers) == 0 && !l.viewsIn(s.Reads) && !l.viewsIn(s.Writes) {
			return out
		}
		c := *out
		c.MatchBuffers = nil
		c.Reads, c.Writes = ir.MapSame(out.Reads, l.region), ir.MapSame(out.Writes, l.region)
		return &c
	case *tir.BufferStore:
		out := l.m.MapStmt(s).(*tir.BufferStore)
		if src := l.views[s.Buffer]; src != nil {
			c := *out
			c.Buffer, c.Indices = src.Buffer, offset(src, out.Indices)
			return &c
		}
		return out
	}
	return l.m.MapStmt(s)
}

func (l *matchLowerer) viewsIn(list []*tir.BufferRegion) bool {
	for _, r := range list {
		if l.views[r.Buffer] != nil {
			return true
		}
	}
	return false
}

func (l *matchLowerer) region(r *tir.BufferRegion) *tir.BufferRegion {
	src := l.views[r.Buffer]
	if src == nil {
		return r
	}
	n := len(src.Region) - len(r.Region)
	region := make([]*tir.Range, len(src.Region))
	for i, x := range src.Region {
		if i < n {
			region[i] = x
			continue
		}
		y := r.Region[i-n]
		start := tir.Add(x.Min, y.Min)
		region[i] = &tir.Range{Min: start, Extent: tir.CastTo(start.DType(), y.Extent)}
	}
	return &tir.BufferRegion{Base: r.Base, Buffer: src.Buffer, Region: region}
}

func (l *matchLowerer) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if x, ok := l.sub[e]; ok {
			return x
		}
	case *tir.BufferLoad:
		out := l.m.MapExpr(e).(*tir.BufferLoad)
		if src := l.views[e.Buffer]; src != nil {
			c := *out
			c.Buffer, c.Indices = src.Buffer, offset(src, out.Indices)
			return &c
		}
		return out
	}
	return l.m.MapExpr(e)
}

// offset returns the indices into the source of a view for indices into the view. Leading
// dimensions that the view lacks have extent 1.
func offset(src *tir.BufferRegion, indices []tir.Expr) []tir.Expr {
	n := len(src.Region) - len(indices)
	out := make([]tir.Expr, len(src.Region))
	for i, r := range src.Region {
		out[i] = r.Min
		if i >= n {
			out[i] = tir.Add(r.Min, indices[i-n])
		}
	}
	return out
}

// match records the view m and the values of the variables in its strides and offset.
func (l *matchLowerer) match(b *tir.Block, m *tir.MatchBufferRegion) {
	src := m.Source
	region := make([]*tir.Range, len(src.Region))
	for i, r := range src.Region {
		region[i] = &tir.Range{Min: l.expr(r.Min), Extent: l.expr(r.Extent)}
	}
	src = &tir.BufferRegion{Buffer: src.Buffer, Region: region}
	src = l.region(src) // the source may be a view itself
	l.views[m.Buffer] = src
	l.sub[m.Buffer.Data] = src.Buffer.Data
	strides := bufferStrides(src.Buffer)
	if len(m.Buffer.Shape) > len(src.Region) {
		l.fail(b, m, "the view has more dimensions than its source")
		return
	}
	skip := len(src.Region) - len(m.Buffer.Shape)
	for i, s := range m.Buffer.Strides {
		l.bind(b, m, "stride", s, strides[i+skip])
	}
	for i, s := range m.Buffer.Shape {
		if v, ok := s.(*tir.Var); ok && l.sub[v] == nil {
			l.sub[v] = src.Region[i+skip].Extent
		}
	}
	if off := m.Buffer.ElemOffset; off != nil {
		at := src.Buffer.ElemOffset
		if at == nil {
			at = tir.Const(off.DType(), 0)
		}
		for i, r := range src.Region {
			at = tir.Add(at, tir.Mul(r.Min, strides[i]))
		}
		if _, ok := off.(*tir.Var); ok || m.Buffer.OffsetFactor > 1 {
			l.bind(b, m, "element offset", off, at)
		}
	}
}

func (l *matchLowerer) bind(b *tir.Block, m *tir.MatchBufferRegion, what string, have, want tir.Expr) {
	if v, ok := have.(*tir.Var); ok {
		l.sub[v] = want
		return
	}
	x, xok := tir.AsInt(have)
	y, yok := tir.AsInt(want)
	if xok && yok && x != y {
		l.fail(b, m, fmt.Sprintf("its %s is %d, that of its source %d", what, x, y))
	}
}

func (l *matchLowerer) fail(b *tir.Block, m *tir.MatchBufferRegion, why string) {
	if l.err == nil {
		l.err = fmt.Errorf("block %q: buffer %s cannot be matched to %s: %s", b.Name, m.Buffer.Name, m.Source.Buffer.Name, why)
	}
}

// bufferStrides returns the strides of b in elements, computed from its shape if it is compact.
func bufferStrides(b *tir.Buffer) []tir.Expr {
	if len(b.Strides) > 0 {
		return b.Strides
	}
	out := make([]tir.Expr, len(b.Shape))
	for i := len(b.Shape) - 1; i >= 0; i-- {
		if i == len(b.Shape)-1 {
			out[i] = tir.Const(b.Shape[i].DType(), 1)
		} else {
			out[i] = tir.Mul(out[i+1], b.Shape[i+1])
		}
	}
	return out
}
