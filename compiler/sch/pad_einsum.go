package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// PadEinsum rounds the domains of the variables of a block up to multiples of padding, one number for each (TVM's pad_einsum). What the block
// reads is copied to buffers with zeros in what was added, and what it writes back from ones as large.
func (s *State) PadEinsum(b *Block, padding []int) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, true)
	if err != nil {
		return nil, err
	}
	e := &einsum{s: s, at: at, an: arith.NewAnalyzer(), extents: map[*tir.Var]tir.Expr{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
	if err := e.pattern(padding); err != nil {
		return nil, err
	}
	block, realize := at.Block(), at.Realize()
	for i, iv := range block.IterVars {
		d := iv.Dom.Extent.DType()
		n := tir.Const(d, int64(padding[i]))
		to := e.an.Simplify(tir.Mul(tir.FloorDiv(tir.Add(iv.Dom.Extent, tir.Const(d, int64(padding[i])-1)), n), n))
		if e.an.CanProveEqual(to, iv.Dom.Extent) {
			continue
		}
		e.extents[iv.Var] = to
		if l, ok := realize.Values[i].(*tir.Var); ok {
			e.extents[l] = to
		}
	}
	if err := e.check(root); err != nil {
		return nil, err
	}
	for _, w := range block.Writes {
		if !e.grows(w) {
			continue
		}
		all := make([]*tir.Range, len(w.Buffer.Shape))
		for i, n := range w.Buffer.Shape {
			all[i] = &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n}
		}
		if err := s.checkWritesAll(at, root, at.loops(), w, w, all); err != nil {
			return nil, err
		}
	}
	before := e.copies(block.Reads, true)
	after := e.copies(block.Writes, false)
	scope := root.Block()
	became := reuse{}
	var list []tir.Stmt
	for _, x := range statements(scope.Body) {
		if !at.inside(x) {
			list = append(list, x)
			continue
		}
		list = append(append(append(list, before...), e.padded(x, became)), after...)
	}
	now := scope.WithBody(tir.Seq(list...)).WithAllocBuffers(append(slices.Clone(scope.AllocBuffers), e.allocs...))
	return s.replace(root, now, became), nil
}

// einsum is a block whose domain is padded.
type einsum struct {
	s       *State
	at      site
	an      *arith.Analyzer
	extents map[*tir.Var]tir.Expr // of variables of the block and of loops bound to them, where they grow
	buffers map[*tir.Buffer]*tir.Buffer
	allocs  []*tir.Buffer
}

// grows reports whether a region is at a variable whose domain grows.
func (e *einsum) grows(r *tir.BufferRegion) bool {
	return slices.ContainsFunc(r.Region, func(x *tir.Range) bool {
		v, ok := x.Min.(*tir.Var)
		return ok && e.extents[v] != nil
	})
}

// copies makes the padded buffers of regions that grow, and what copies to them from the buffers of reads, from them to those of writes.
func (e *einsum) copies(list []*tir.BufferRegion, read bool) []tir.Stmt {
	var out []tir.Stmt
	for _, r := range list {
		if !e.grows(r) {
			continue
		}
		shape := make([]tir.Expr, len(r.Region))
		for i, x := range r.Region {
			shape[i] = r.Buffer.Shape[i]
			if v, ok := x.Min.(*tir.Var); !ok {
				shape[i] = tir.Const(x.Min.DType(), 1)
			} else if n := e.extents[v]; n != nil {
				shape[i] = n
			}
		}
		pad := tir.NewBuffer(r.Buffer.Name+"_pad", r.Buffer.DType, shape, r.Buffer.Scope())
		pad.Base = r.Buffer.Base
		e.buffers[r.Buffer] = pad
		e.allocs = append(e.allocs, pad)
		out = append(out, e.copy(r.Buffer, pad, read))
	}
	return out
}

// copy copies between a buffer and its padded one.
func (e *einsum) copy(buf, pad *tir.Buffer, read bool) tir.Stmt {
	base := e.at.Block().Base
	over := buf.Shape
	if read {
		over = pad.Shape
	}
	b := &tir.Block{Base: base, Name: pad.Name}
	run := &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: b}
	var loops []*tir.For
	var at []tir.Expr
	inside := tir.Expr(tir.Bool(true))
	for i, n := range over {
		d := n.DType()
		l, v := tir.NewVar(fmt.Sprintf("i%d", i), d), tir.NewVar(fmt.Sprintf("v%d", i), d)
		loops = append(loops, &tir.For{Base: base, LoopVar: l, Min: tir.Const(d, 0), Extent: n})
		b.IterVars = append(b.IterVars, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(d, 0), Extent: n}, Var: v})
		run.Values, at = append(run.Values, l), append(at, v)
		if !e.an.CanProveEqual(buf.Shape[i], pad.Shape[i]) {
			inside = tir.And(inside, tir.LT(v, buf.Shape[i]))
		}
	}
	from, to := buf, pad
	value := tir.Expr(tir.Load(buf, at...))
	if read {
		value = &tir.Call{Base: base, Type: buf.DType, Op: tir.OpIfThenElse, Args: []tir.Expr{inside, value, tir.Const(buf.DType, 0)}}
	} else {
		from, to = pad, buf
		value = tir.Load(pad, at...)
	}
	b.Reads, b.Writes = []*tir.BufferRegion{point(from, at)}, []*tir.BufferRegion{point(to, at)}
	b.Body = &tir.BufferStore{Base: base, Buffer: to, Value: value, Indices: at}
	var nest tir.Stmt = run
	for i := len(loops) - 1; i >= 0; i-- {
		nest = loops[i].WithBody(nest)
	}
	return nest
}

// padded is the block, with its loops, over the padded domain and buffers.
func (e *einsum) padded(x tir.Stmt, became reuse) tir.Stmt {
	regions := func(list []*tir.BufferRegion) []*tir.BufferRegion {
		out := slices.Clone(list)
		for i, r := range list {
			if p := e.buffers[r.Buffer]; p != nil {
				out[i] = &tir.BufferRegion{Base: r.Base, Buffer: p, Region: r.Region}
			}
		}
		return out
	}
	m := &tir.Mapper{Buffer: func(b *tir.Buffer) *tir.Buffer {
		if p := e.buffers[b]; p != nil {
			return p
		}
		return b
	}}
	m.Expr = func(x tir.Expr) tir.Expr { return m.MapExpr(x) }
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch x := x.(type) {
		case *tir.For:
			out := x.WithBody(m.Stmt(x.Body))
			if n := e.extents[x.LoopVar]; n != nil {
				out = out.WithExtent(n)
			}
			return out
		case *tir.Block:
			out := *x
			out.IterVars = slices.Clone(x.IterVars)
			for i, iv := range x.IterVars {
				if n := e.extents[iv.Var]; n != nil {
					out.IterVars[i] = iv.WithDom(&tir.Range{Base: iv.Dom.Base, Min: iv.Dom.Min, Extent: n})
				}
			}
			out.Reads, out.Writes = regions(x.Reads), regions(x.Writes)
			out.Body = m.Stmt(x.Body)
			if x.Init != nil {
				out.Init = m.Stmt(x.Init)
			}
			became[x] = &out
			return &out
		}
		return m.MapStmt(x)
	}
	return m.Stmt(x)
}
