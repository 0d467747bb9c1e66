package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// LowerMatchBuffer replaces the views that blocks match by accesses to what they view.
var LowerMatchBuffer = &pass.Pass{
	Name: "tir.LowerMatchBuffer", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Removes match_buffer from blocks: accesses to the view become accesses to its source, and its strides and offset variables get their values.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		l := &matchLowerer{
			c:   c,
			sub: map[*tir.Var]tir.Expr{}, views: map[*tir.Buffer]*tir.BufferRegion{}, buffers: map[*tir.Buffer]*tir.Buffer{},
			params: map[*tir.Var]bool{}, an: arith.NewAnalyzer(),
		}
		l.an.MarkShapes(f)
		for _, p := range f.Params {
			l.params[p] = true
		}
		l.m.Expr, l.m.Stmt, l.m.Buffer = l.expr, l.stmt, l.buffer
		out := f.WithBody(l.stmt(f.Body))
		return out, l.err
	}),
}

type matchLowerer struct {
	c      *pass.Context
	m      tir.Mapper
	an     *arith.Analyzer
	params map[*tir.Var]bool // have their values from the caller
	sub    map[*tir.Var]tir.Expr
	views  map[*tir.Buffer]*tir.BufferRegion
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
	case *tir.For:
		l.an.BindRange(s.LoopVar, &tir.Range{Min: l.expr(s.Min), Extent: l.expr(s.Extent)})
	case *tir.Block:
		for _, iv := range s.IterVars {
			l.an.BindRange(iv.Var, &tir.Range{Min: l.expr(iv.Dom.Min), Extent: l.expr(iv.Dom.Extent)})
		}
		for _, m := range s.MatchBuffers {
			l.match(s, m)
		}
		out := l.m.MapStmt(s).(*tir.Block)
		if len(s.MatchBuffers) == 0 && !l.viewsIn(s.Reads) && !l.viewsIn(s.Writes) {
			return out
		}
		c := *out
		c.MatchBuffers = nil
		for _, m := range s.MatchBuffers {
			l.c.Rewrite("access the source of a view", m, m.Source.Buffer)
		}
		c.Reads, c.Writes = ir.MapSame(out.Reads, l.region), ir.MapSame(out.Writes, l.region)
		return &c
	case *tir.BufferStore:
		out := l.m.MapStmt(s).(*tir.BufferStore)
		if src := l.views[s.Buffer]; src != nil {
			return out.WithBuffer(src.Buffer).WithIndices(offset(src, out.Indices))
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
			return out.WithBuffer(src.Buffer).WithIndices(offset(src, out.Indices))
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

// match checks the view m and records it with the values of the variables in its strides,
// offset and shape. What is no variable yet must be provably what it is at the source.
func (l *matchLowerer) match(b *tir.Block, m *tir.MatchBufferRegion) {
	view, src := m.Buffer, m.Source
	region := make([]*tir.Range, len(src.Region))
	for i, r := range src.Region {
		region[i] = &tir.Range{Min: l.expr(r.Min), Extent: l.expr(r.Extent)}
	}
	src = l.region(&tir.BufferRegion{Buffer: src.Buffer, Region: region}) // the source may be a view itself
	l.views[view] = src
	l.sub[view.Data] = src.Buffer.Data
	fail := func(format string, args ...any) { l.fail(b, m, fmt.Sprintf(format, args...)) }
	skip := len(src.Region) - len(view.Shape)
	switch {
	case view.Scope() != src.Buffer.Scope():
		fail("it is in scope %s, its source in scope %s", view.Scope(), src.Buffer.Scope())
	case view.DType != src.Buffer.DType:
		fail("it holds %s, its source %s", view.DType, src.Buffer.DType)
	case skip < 0:
		fail("it has more dimensions than its source")
	case len(view.Strides) > 0 && len(view.Strides) != len(view.Shape):
		fail("it has %d strides for %d dimensions", len(view.Strides), len(view.Shape))
	}
	if l.err != nil {
		return
	}
	strides := bufferStrides(src.Buffer)
	off := view.ElemOffset
	if off == nil {
		off = tir.Const(indexType(src.Region), 0)
	}
	at := tir.Const(off.DType(), 0)
	if len(src.Buffer.AxisSeparators) == 0 { // memory of several dimensions has no offset
		if src.Buffer.ElemOffset != nil {
			at = l.expr(src.Buffer.ElemOffset)
		}
		for i, r := range src.Region {
			x, y := tir.MatchTypes(r.Min, l.expr(strides[i]))
			x, y = tir.MatchTypes(at, tir.Mul(x, y))
			at = tir.Add(x, y)
		}
	}
	l.bind(b, m, "element offset", off, at)
	if n := view.OffsetFactor; n > 1 {
		at := l.expr(off)
		if !l.an.CanProve(tir.EQ(tir.TruncMod(at, tir.Const(at.DType(), int64(n))), tir.Const(at.DType(), 0))) {
			fail("its element offset is not known to be a multiple of its offset_factor %d", n)
		}
	}
	for i := len(view.Strides) - 1; i >= 0; i-- {
		l.bind(b, m, fmt.Sprintf("stride %d", i), view.Strides[i], l.expr(strides[i+skip]))
	}
	for i, n := range view.Shape {
		l.bind(b, m, fmt.Sprintf("extent %d", i), n, src.Region[i+skip].Extent)
	}
}

// indexType is the type of the indices of a region.
func indexType(region []*tir.Range) dtype.DType {
	if len(region) == 0 {
		return dtype.Int32T
	}
	return region[0].Min.DType()
}

// bind gives a variable the value want, or checks that have is want.
func (l *matchLowerer) bind(b *tir.Block, m *tir.MatchBufferRegion, what string, have, want tir.Expr) {
	want = tir.CastTo(have.DType(), want)
	if v, ok := have.(*tir.Var); ok && l.sub[v] == nil && !l.params[v] {
		l.sub[v] = want
		return
	}
	is := l.expr(have)
	if l.an.CanProveEqual(is, want) {
		return
	}
	x, ok := tir.AsInt(l.an.Simplify(is))
	y, ok2 := tir.AsInt(l.an.Simplify(want))
	if ok && ok2 {
		l.fail(b, m, fmt.Sprintf("its %s is %d, that of its source %d", what, x, y))
	} else {
		l.fail(b, m, fmt.Sprintf("its %s is not known to be that of its source: a variable takes whatever that is", what))
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
