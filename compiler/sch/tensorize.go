package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// TensorIntrin is a computation that hardware does at once: Desc describes it by loops, Impl by the instruction. Both take the same buffers, and
// their bodies are a root block which declares what of them it accesses.
type TensorIntrin struct{ Desc, Impl *tir.PrimFunc }

// NewTensorIntrin returns the intrinsic of a description and an implementation, and an error if the two do not belong together.
func NewTensorIntrin(desc, impl *tir.PrimFunc) (*TensorIntrin, error) {
	if len(desc.Params) != len(impl.Params) {
		return nil, fmt.Errorf("ValueError: The number of parameters of the description and the implementation of the tensor intrinsic doesn't match")
	}
	for _, f := range []struct {
		name string
		f    *tir.PrimFunc
	}{{"description", desc}, {"implementation", impl}} {
		for i, b := range f.f.Buffers {
			if b == nil {
				return nil, fmt.Errorf("ValueError: Parameters of the %s of the tensor intrinsic should be handle only: %s is none of a buffer", f.name, f.f.Params[i].Name)
			}
		}
		if _, ok := f.f.Body.(*tir.BlockRealize); !ok || len(f.f.Buffers) != len(f.f.Params) {
			return nil, fmt.Errorf("ValueError: the body of the %s of the tensor intrinsic is no root block", f.name)
		}
	}
	return &TensorIntrin{desc, impl}, nil
}

// Tensorize replaces what a *Block or *Loop does by a tensor intrinsic that does the same (TVM's tensorize). A loop is made a block first.
func (s *State) Tensorize(r any, t *TensorIntrin, preserveUnit bool) (*State, error) {
	at, err := s.of(r)
	if err != nil {
		return nil, err
	}
	var realize *tir.BlockRealize
	if _, ok := at.stmt().(*tir.For); ok {
		if realize, _, err = s.blockized(at, arith.NewAnalyzer(), preserveUnit); err != nil {
			return nil, err
		}
	} else {
		if _, ok := at.up(); !ok {
			return nil, s.fail("RootBlockError", "The primitive does not operate on the root block")
		}
		realize = at.Realize()
	}
	desc := simplified(t.Desc)
	m := newMatcher(s)
	if !m.stmt(realize, desc.Body) {
		return nil, m.mismatch(realize, desc.Body)
	}
	bits := uint8(0)
	for _, list := range [][]*tir.BufferRegion{realize.Block.Reads, realize.Block.Writes} {
		for _, x := range list {
			for _, d := range x.Region {
				bits = max(bits, d.Min.DType().Bits)
			}
		}
	}
	impl := tir.CopyFunc(t.Impl)
	if bits > 32 {
		impl = widened(impl, bits)
	}
	block, err := m.replaced(realize.Block, desc, impl)
	if err != nil {
		return nil, err
	}
	if _, ok := at.stmt().(*tir.For); ok {
		return s.replace(at, realize.WithBlock(block), nil), nil
	}
	return s.replace(at, block, nil), nil
}

// simplified returns a description with its expressions simplified, as those of a schedule are.
func simplified(f *tir.PrimFunc) *tir.PrimFunc {
	m := arith.NewMutator(nil)
	m.Expr = func(e tir.Expr) tir.Expr { return m.An.Simplify(e) }
	return f.WithBody(m.MutateStmt(f.Body))
}

// replaced returns the block with the body of the implementation, whose buffers are parts of those that the block accesses.
func (m *matcher) replaced(b *tir.Block, desc, impl *tir.PrimFunc) (*tir.Block, error) {
	root := impl.Body.(*tir.BlockRealize).Block
	regions := map[*tir.Buffer][]*tir.Range{}
	for _, list := range [][]*tir.BufferRegion{root.Writes, root.Reads} {
		for _, x := range list {
			regions[x.Buffer] = x.Region
		}
	}
	out := b.WithBody(root.Body)
	var views []*tir.MatchBufferRegion
	for i, buf := range impl.Buffers {
		cur := m.buffers[desc.Buffers[i]]
		region, ok := regions[buf]
		if cur == nil || !ok {
			return nil, fmt.Errorf("the root block of the tensor intrinsic does not say what it accesses of buffer %s", buf.Name)
		}
		base := m.base[cur]
		offset := len(base) - len(region)
		if offset < 0 {
			return nil, fmt.Errorf("buffer %s of the implementation has more dimensions than buffer %s of the description", buf.Name, desc.Buffers[i].Name)
		}
		now := make([]*tir.Range, len(base))
		for k, lo := range base {
			now[k] = &tir.Range{Min: lo, Extent: tir.Const(lo.DType(), 1)}
			if k >= offset {
				now[k].Extent = tir.CastTo(lo.DType(), region[k-offset].Extent)
			}
		}
		views = append(views, &tir.MatchBufferRegion{Buffer: buf, Source: &tir.BufferRegion{Buffer: cur, Region: now}})
	}
	out = out.WithMatchBuffers(views)
	if len(root.AllocBuffers) > 0 {
		out = out.WithAllocBuffers(append(append([]*tir.Buffer(nil), out.AllocBuffers...), root.AllocBuffers...))
	}
	attrs := out.Annotations
	for i := range root.Annotations.Len() {
		if k, v := root.Annotations.At(i); !attrs.Has(k) {
			attrs = attrs.With(k, v)
		}
	}
	return out.WithAnnotations(attrs), nil
}

// widened returns a function whose indices, extents and offsets have so many bits (TVM's IndexDataTypeNormalizer).
func widened(f *tir.PrimFunc, bits uint8) *tir.PrimFunc {
	d := tir.Int32(0).Type
	narrow := func(e tir.Expr) bool { return e.DType().IsInt() && e.DType().IsScalar() && e.DType().Bits < bits }
	d.Bits = bits
	vars, buffers := map[*tir.Var]*tir.Var{}, map[*tir.Buffer]*tir.Buffer{}
	wide := func(v *tir.Var) *tir.Var {
		if !narrow(v) {
			return v
		}
		if vars[v] == nil {
			vars[v] = &tir.Var{Base: v.Base, Name: v.Name, Type: tir.NewVar("", d).Type}
		}
		return vars[v]
	}
	m := &tir.Mapper{}
	index := func(e tir.Expr) tir.Expr {
		e = m.Expr(e)
		if narrow(e) {
			return tir.CastTo(d, e)
		}
		return e
	}
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if buffers[b] == nil {
			out := *b
			out.Shape, out.Strides = nil, nil
			for _, e := range b.Shape {
				out.Shape = append(out.Shape, index(e))
			}
			for _, e := range b.Strides {
				out.Strides = append(out.Strides, index(e))
			}
			if b.ElemOffset != nil {
				out.ElemOffset = index(b.ElemOffset)
			}
			buffers[b] = &out
		}
		return buffers[b]
	}
	for _, b := range f.Buffers { // the variables that the buffers define
		for _, e := range append(append([]tir.Expr{}, b.Shape...), b.Strides...) {
			if v, ok := e.(*tir.Var); ok {
				wide(v)
			}
		}
		if v, ok := b.ElemOffset.(*tir.Var); ok {
			wide(v)
		}
	}
	m.Expr = func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.Var:
			if by := vars[x]; by != nil {
				return by
			}
			return e
		case *tir.Binary:
			if a, b := m.Expr(x.A), m.Expr(x.B); a != x.A || b != x.B {
				return tir.BinaryExpr(x.Op, a, b)
			}
			return e
		case *tir.BufferLoad:
			out := &tir.BufferLoad{Base: x.Base, Buffer: m.Buffer(x.Buffer), Predicate: x.Predicate}
			for _, i := range x.Indices {
				out.Indices = append(out.Indices, index(i))
			}
			return out
		}
		return m.MapExpr(e)
	}
	span := func(r *tir.Range) *tir.Range {
		return &tir.Range{Base: r.Base, Min: index(r.Min), Extent: index(r.Extent)}
	}
	regions := func(list []*tir.BufferRegion) []*tir.BufferRegion {
		var out []*tir.BufferRegion
		for _, r := range list {
			now := &tir.BufferRegion{Base: r.Base, Buffer: m.Buffer(r.Buffer)}
			for _, x := range r.Region {
				now.Region = append(now.Region, span(x))
			}
			out = append(out, now)
		}
		return out
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		switch x := s.(type) {
		case *tir.For:
			out := *x
			out.LoopVar, out.Min, out.Extent = wide(x.LoopVar), index(x.Min), index(x.Extent)
			out.Body = m.Stmt(x.Body)
			return &out
		case *tir.BufferStore:
			out := &tir.BufferStore{Base: x.Base, Buffer: m.Buffer(x.Buffer), Value: m.Expr(x.Value), Predicate: x.Predicate}
			for _, i := range x.Indices {
				out.Indices = append(out.Indices, index(i))
			}
			return out
		case *tir.BlockRealize:
			values := make([]tir.Expr, len(x.Values))
			for i, e := range x.Values {
				values[i] = index(e)
			}
			return x.WithValues(values).WithPredicate(m.Expr(x.Predicate)).WithBlock(m.Stmt(x.Block).(*tir.Block))
		case *tir.Block:
			var ivs []*tir.IterVar
			for _, iv := range x.IterVars {
				ivs = append(ivs, &tir.IterVar{Base: iv.Base, Dom: span(iv.Dom), Var: wide(iv.Var), Kind: iv.Kind, ThreadTag: iv.ThreadTag})
			}
			reads, writes := regions(x.Reads), regions(x.Writes)
			return m.MapStmt(x.WithIterVars(nil).WithReads(nil).WithWrites(nil)).(*tir.Block).WithIterVars(ivs).WithReads(reads).WithWrites(writes)
		}
		return m.MapStmt(s)
	}
	list := make([]*tir.Buffer, len(f.Buffers))
	for i, b := range f.Buffers {
		list[i] = m.Buffer(b)
	}
	return f.WithBuffers(list).WithBody(m.Stmt(f.Body))
}
