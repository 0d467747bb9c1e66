package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// FlattenBuffer makes every buffer one-dimensional.
var FlattenBuffer = &pass.Pass{
	Name: "tir.FlattenBuffer", Kind: pass.PrimFunc, Lowering: true,
	Needs: []pass.Need{{Form: pass.NoBlocks, Why: "allocations of blocks must be statements"}},
	Gives: []*pass.Form{pass.FlatBuffers},
	Doc:   "Rewrites buffers and their accesses to one dimension (one for each group of axes between axis separators), adding element offsets.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		fl := &flattener{c: c, flat: map[*tir.Buffer]*tir.Buffer{}, an: arith.Bounded(c.Budget()), iters: map[*tir.Var]*tir.Range{}, where: tir.Bool(true), bytes: map[*tir.Var]*tir.Var{}}
		fl.m.Expr, fl.m.Stmt, fl.m.Buffer = fl.expr, fl.stmt, fl.buffer
		// The buffers of parameters keep their shapes: they are the function's interface. The
		// body accesses flat ones over the same data.
		return f.WithBody(fl.stmt(f.Body)), fl.err
	}),
}

type flattener struct {
	c    *pass.Context
	m    tir.Mapper
	flat map[*tir.Buffer]*tir.Buffer
	an   *arith.Analyzer
	err  error

	iters map[*tir.Var]*tir.Range // of the loops and threads around
	where tir.Expr                // what conditions around say
	bytes map[*tir.Var]*tir.Var   // memory for booleans, as memory of bytes
}

// divides reports whether e holds a quotient or remainder, as indices do after loops were
// fused: in the flat index they often cancel out.
func divides(e tir.Expr) bool {
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Binary:
			found = found || n.Op == tir.OpFloorDiv || n.Op == tir.OpFloorMod
		case *tir.BufferLoad:
			return false
		}
		return !found
	})
	return found
}

func (fl *flattener) buffer(b *tir.Buffer) *tir.Buffer {
	if out, ok := fl.flat[b]; ok {
		return out
	}
	out := flatBuffer(b)
	if out != b {
		out.Shape = ir.MapSame(out.Shape, fl.an.CanonicalSimplify)
	}
	if b.DType.IsBool() {
		bytes := *out
		bytes.DType = boolStorage(b.DType)
		if v := fl.bytes[b.Data]; v != nil {
			bytes.Data = v
		}
		out = &bytes
	}
	fl.flat[b] = out
	return out
}

// flatBuffer returns the form of b with one dimension for each group of axes, b itself if it has it already.
func flatBuffer(b *tir.Buffer) *tir.Buffer {
	groups := axisGroups(b)
	wide := slices.ContainsFunc(groups, func(axes [2]int) bool { return axes[1]-axes[0] != 1 })
	if !wide && len(b.Strides) == 0 && (b.ElemOffset == nil || tir.IsConst(b.ElemOffset, 0)) {
		return b
	}
	out := *b
	out.Shape, out.AxisSeparators = nil, nil
	for _, axes := range groups {
		out.Shape = append(out.Shape, groupSize(b, axes))
	}
	for i := 1; i < len(out.Shape); i++ {
		out.AxisSeparators = append(out.AxisSeparators, i)
	}
	out.Strides, out.ElemOffset = nil, nil
	return &out
}

// axisGroups returns the axes of b as ranges [from, to) between its separators.
func axisGroups(b *tir.Buffer) [][2]int {
	var out [][2]int
	from := 0
	for _, s := range b.AxisSeparators {
		out = append(out, [2]int{from, s})
		from = s
	}
	return append(out, [2]int{from, len(b.Shape)})
}

func groupSize(b *tir.Buffer, axes [2]int) tir.Expr {
	if len(b.Shape) == 0 {
		return tir.Int32(1)
	}
	if len(b.Strides) > 0 && axes[0] < axes[1] {
		return tir.Mul(b.Strides[axes[0]], b.Shape[axes[0]])
	}
	size := tir.Expr(tir.Const(b.Shape[0].DType(), 1))
	for i := axes[0]; i < axes[1]; i++ {
		size = tir.Mul(size, b.Shape[i])
	}
	return size
}

// indices returns the flat indices for indices into b.
func (fl *flattener) indices(b *tir.Buffer, indices []tir.Expr) []tir.Expr {
	if fl.buffer(b) == b || b.DType.IsBool() && flatBuffer(b) == b {
		return indices
	}
	if len(indices) == 0 {
		if b.ElemOffset != nil {
			return []tir.Expr{fl.expr(b.ElemOffset)}
		}
		return []tir.Expr{tir.Int32(0)}
	}
	var out []tir.Expr
	for g, axes := range axisGroups(b) {
		var at tir.Expr
		for i := axes[0]; i < axes[1]; i++ {
			switch {
			case len(b.Strides) > 0:
				at = addTo(at, tir.Mul(indices[i], b.Strides[i]))
			case i == axes[0]:
				at = indices[i]
			default:
				at = tir.Add(tir.Mul(at, b.Shape[i]), indices[i])
			}
		}
		if at == nil {
			at = tir.Const(indices[0].DType(), 0)
		}
		if g == 0 && b.ElemOffset != nil {
			at = tir.Add(b.ElemOffset, at)
		}
		if divides(at) {
			at = arith.IterMapSimplify([]tir.Expr{at}, fl.iters, fl.where, arith.Surjective, fl.an, true)[0]
			at = fl.an.Simplify(at)
		}
		out = append(out, at)
	}
	return out
}

// region returns the flat form of r: from its first element to its last.
func (fl *flattener) region(r *tir.BufferRegion) *tir.BufferRegion {
	b := fl.buffer(r.Buffer)
	if b == r.Buffer {
		return r
	}
	first, last := make([]tir.Expr, len(r.Region)), make([]tir.Expr, len(r.Region))
	for i, x := range r.Region {
		first[i] = fl.expr(x.Min)
		last[i] = tir.Sub(tir.Add(first[i], fl.expr(x.Extent)), tir.Const(x.Min.DType(), 1))
	}
	out := &tir.BufferRegion{Base: r.Base, Buffer: b}
	from, to := fl.indices(r.Buffer, first), fl.indices(r.Buffer, last)
	for i := range from {
		lo := fl.an.Simplify(from[i])
		n := fl.an.Simplify(tir.Add(tir.Sub(to[i], from[i]), tir.Const(from[i].DType(), 1)))
		out.Region = append(out.Region, &tir.Range{Min: lo, Extent: n})
	}
	return out
}

func addTo(a, b tir.Expr) tir.Expr {
	if a == nil {
		return b
	}
	return tir.Add(a, b)
}

func (fl *flattener) expr(e tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok && fl.bytes[v] != nil {
		return fl.bytes[v]
	}
	l, ok := e.(*tir.BufferLoad)
	if !ok {
		return fl.m.MapExpr(e)
	}
	idx := ir.MapSame(l.Indices, fl.expr)
	pred := l.Predicate
	if pred != nil {
		pred = fl.expr(pred)
	}
	b := fl.buffer(l.Buffer)
	if b == l.Buffer && pred == l.Predicate && same(idx, l.Indices) {
		return l
	}
	var out tir.Expr = &tir.BufferLoad{Base: l.Base, Buffer: b, Indices: fl.indices(l.Buffer, idx), Predicate: pred}
	if d := l.DType(); d.IsBool() { // memory of booleans holds bytes
		out = &tir.Cast{Base: l.Base, Type: d, Value: out}
	}
	fl.c.Rewrite("flatten a load", l, out)
	return out
}

func (fl *flattener) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		return fl.inIter(s.LoopVar, &tir.Range{Min: s.Min, Extent: s.Extent}, s)
	case *tir.AttrStmt:
		if iv, ok := s.Node.(*tir.IterVar); ok && (s.Key == "thread_extent" || s.Key == "virtual_thread") {
			return fl.inIter(iv.Var, &tir.Range{Min: tir.Const(s.Value.DType(), 0), Extent: s.Value}, s)
		}
		return fl.m.MapStmt(s)
	case *tir.IfThenElse:
		return fl.branch(s)
	case *tir.BufferStore:
		idx := ir.MapSame(s.Indices, fl.expr)
		v, pred := fl.expr(s.Value), s.Predicate
		if pred != nil {
			pred = fl.expr(pred)
		}
		b := fl.buffer(s.Buffer)
		if b == s.Buffer && v == s.Value && pred == s.Predicate && same(idx, s.Indices) {
			return s
		}
		if s.Buffer.DType.IsBool() {
			v = &tir.Cast{Base: s.Base, Type: boolStorage(v.DType()), Value: v}
		}
		out := &tir.BufferStore{Base: s.Base, Buffer: b, Value: v, Indices: fl.indices(s.Buffer, idx), Predicate: pred}
		if b != s.Buffer {
			fl.c.Rewrite("flatten a store", s, out)
		}
		return out
	case *tir.Block:
		// Regions change while they still name the buffers that they are of.
		reads, writes := ir.MapSame(s.Reads, fl.region), ir.MapSame(s.Writes, fl.region)
		for _, m := range s.MatchBuffers {
			if fl.err == nil {
				fl.err = fmt.Errorf("block %q still has match_buffer %s: run tir.LowerMatchBuffer before tir.FlattenBuffer", s.Name, m.Buffer.Name)
			}
		}
		if fl.err != nil {
			return s
		}
		for _, iv := range s.IterVars {
			fl.an.BindRange(iv.Var, iv.Dom)
		}
		out := fl.m.MapStmt(s).(*tir.Block)
		if out == s {
			return s
		}
		return out.WithReads(reads).WithWrites(writes)
	case *tir.DeclBuffer:
		body := fl.stmt(s.Body) // as in TVM, what is accessed says which buffer it is of
		fl.c.Rewrite("drop a declaration", s, body)
		return body
	case *tir.Allocate:
		if s.Type.IsBool() {
			s = fl.allocBytes(s)
		}
		out := fl.m.MapStmt(s).(*tir.Allocate)
		if len(out.Extents) == 1 {
			return out
		}
		flat := out.WithExtents(fl.flatExtents(s, out.Extents))
		fl.c.Rewrite("flatten an allocation", s, flat)
		return flat
	}
	return fl.m.MapStmt(s)
}
