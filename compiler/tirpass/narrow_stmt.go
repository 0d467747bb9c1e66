package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// stmt rewrites the indices, bounds and conditions in s.
func (n *narrower) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		return n.loop(s)
	case *tir.BufferStore:
		buf, value := n.buffer(s.Buffer), n.plain(s.Value)
		indices := n.exprs(s.Indices, n.inIndex)
		pred := n.plain(s.Predicate)
		if buf == s.Buffer && value == s.Value && same(indices, s.Indices) && pred == s.Predicate {
			return s
		}
		return &tir.BufferStore{Base: s.Base, Buffer: buf, Value: value, Indices: indices, Predicate: pred}
	case *tir.Allocate:
		extents := n.exprs(s.Extents, n.inIndex)
		cond, body := n.inCond(s.Condition), n.stmt(s.Body)
		if same(extents, s.Extents) && cond == s.Condition && body == s.Body {
			return s
		}
		out := *s
		out.Extents, out.Condition, out.Body = extents, cond, body
		return &out
	case *tir.IfThenElse:
		cond, then, els := n.inCond(s.Cond), n.stmt(s.Then), s.Else
		if els != nil {
			els = n.stmt(els)
		}
		if cond == s.Cond && then == s.Then && els == s.Else {
			return s
		}
		out := *s
		out.Cond, out.Then, out.Else = cond, then, els
		return &out
	case *tir.LetStmt:
		return n.let(s)
	case *tir.AttrStmt:
		return n.attr(s)
	case *tir.BlockRealize:
		return n.realize(s)
	}
	m := &tir.Mapper{Expr: n.plain, Stmt: n.stmt, Buffer: n.buffer}
	return m.MapStmt(s)
}

func (n *narrower) loop(s *tir.For) tir.Stmt {
	v := n.variable(s.LoopVar)
	lo, extent, step := n.inIndex(s.Min), n.inIndex(s.Extent), n.inIndex(s.Step)
	body := n.stmt(s.Body)
	d := v.DType()
	lo, extent = widened(d, lo, s.Min), widened(d, extent, s.Extent)
	if step != nil {
		step = widened(d, step, s.Step)
	}
	if lo == s.Min && extent == s.Extent && step == s.Step && body == s.Body {
		return s
	}
	out := *s
	out.LoopVar, out.Min, out.Extent, out.Step, out.Body = v, lo, extent, step, body
	if t := s.Thread; t != nil && t.Var.DType() != d {
		out.Thread = t.WithVar(&tir.Var{Base: t.Var.Base, Name: t.Var.Name, Type: &ir.PrimType{DType: d}})
	}
	return &out
}

func (n *narrower) let(s *tir.LetStmt) tir.Stmt {
	value, v := n.expr(s.Value), s.Var
	if value.DType() != v.DType() {
		v = &tir.Var{Base: v.Base, Name: v.Name, Type: &ir.PrimType{DType: value.DType()}}
	}
	n.vars[s.Var] = v
	body := n.stmt(s.Body)
	if value == s.Value && body == s.Body {
		return s
	}
	return &tir.LetStmt{Base: s.Base, Var: v, Value: value, Body: body}
}

// attr narrows the variable of a thread with its extent.
func (n *narrower) attr(s *tir.AttrStmt) tir.Stmt {
	iv, ok := s.Node.(*tir.IterVar)
	if !ok || s.Key != tir.KeyThreadExtent && s.Key != tir.KeyVirtualThread {
		m := &tir.Mapper{Expr: n.plain, Stmt: n.stmt, Buffer: n.buffer}
		return m.MapStmt(s)
	}
	out := *s
	out.Node = n.iterVar(iv)
	out.Value = widened(n.variable(iv.Var).DType(), n.inIndex(s.Value), s.Value)
	out.Body = n.stmt(s.Body)
	if out.Node == s.Node && out.Value == s.Value && out.Body == s.Body {
		return s
	}
	return &out
}

func (n *narrower) iterVar(iv *tir.IterVar) *tir.IterVar {
	v, dom := n.variable(iv.Var), iv.Dom
	if dom != nil {
		lo, extent := widened(v.DType(), n.inIndex(dom.Min), dom.Min), widened(v.DType(), n.inIndex(dom.Extent), dom.Extent)
		if lo != dom.Min || extent != dom.Extent {
			dom = &tir.Range{Base: dom.Base, Min: lo, Extent: extent}
		}
	}
	if v == iv.Var && dom == iv.Dom {
		return iv
	}
	return iv.WithVar(v).WithDom(dom)
}

// realize narrows a block: its iteration variables with their values and its regions.
func (n *narrower) realize(s *tir.BlockRealize) tir.Stmt {
	b := s.Block
	iters := ir.MapSame(b.IterVars, n.iterVar)
	region := func(r *tir.BufferRegion) *tir.BufferRegion {
		ranges := ir.MapSame(r.Region, func(x *tir.Range) *tir.Range {
			lo, extent := widenedPair(n.inIndex(x.Min), n.inIndex(x.Extent), x.Min, x.Extent)
			if lo == x.Min && extent == x.Extent {
				return x
			}
			return &tir.Range{Base: x.Base, Min: lo, Extent: extent}
		})
		buf := n.buffer(r.Buffer)
		if buf == r.Buffer && same(ranges, r.Region) {
			return r
		}
		return &tir.BufferRegion{Base: r.Base, Buffer: buf, Region: ranges}
	}
	alloc := ir.MapSame(b.AllocBuffers, n.buffer)
	reads, writes := ir.MapSame(b.Reads, region), ir.MapSame(b.Writes, region)
	matched := ir.MapSame(b.MatchBuffers, func(x *tir.MatchBufferRegion) *tir.MatchBufferRegion {
		buf, src := n.buffer(x.Buffer), region(x.Source)
		if buf == x.Buffer && src == x.Source {
			return x
		}
		return &tir.MatchBufferRegion{Base: x.Base, Buffer: buf, Source: src}
	})
	init := b.Init
	if init != nil {
		init = n.stmt(init)
	}
	block := b.WithIterVars(iters).WithAllocBuffers(alloc).WithReads(reads).WithWrites(writes).WithMatchBuffers(matched).WithInit(init).WithBody(n.stmt(b.Body))
	predicate := n.inCond(s.Predicate)
	i := -1
	values := ir.MapSame(s.Values, func(v tir.Expr) tir.Expr {
		i++
		return widened(iters[i].Var.DType(), n.inIndex(v), v)
	})
	return s.WithPredicate(predicate).WithValues(values).WithBlock(block)
}
