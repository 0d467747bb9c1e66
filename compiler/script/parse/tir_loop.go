package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/analysis"
	"github.com/irscope/irscope/runtime/dtype"
)

// loopHead is the value of range, T.serial, T.grid and the like.
type loopHead struct {
	mins, extents []tir.Expr
	kind          tir.ForKind
	thread        string
	annotations   *ir.Attrs
	step          tir.Expr
}

// storeType is the type of the value that a store takes.
func storeType(s *tir.BufferStore) dtype.DType {
	return (&tir.BufferLoad{Buffer: s.Buffer, Indices: s.Indices}).DType()
}

// loopRange evaluates the call of range, T.serial and its kin.
func (b *builder) loopRange(n *node, kind tir.ForKind) *frame {
	h := &loopHead{kind: kind}
	var a []*node
	if kind == tir.ThreadBinding {
		a = b.bind(n, "start", "stop", "thread", "annotations")
		if a[1] != nil && a[1].kind == nString && a[2] == nil {
			a[1], a[2] = nil, a[1]
		}
		if a[2] == nil {
			b.fail(n, `name it as in thread="threadIdx.x"`, "the thread of the binding is missing")
		}
		h.thread = b.strOf(a[2], "the name of a thread")
		a = []*node{a[0], a[1], a[3], nil}
	} else {
		a = b.bind(n, "start", "stop", "annotations", "step")
	}
	b.need(n, a, 1, "start")
	if path, ok := b.path(n.kids[0]); ok && path == "range" && a[2] != nil { // range(a, b, step)
		a[2], a[3] = nil, a[2]
	}
	var start, stop tir.Expr
	if a[1] == nil || b.eval(a[1]) == nil {
		stop = b.expr(a[0])
		start = tir.Const(stop.DType(), 0)
	} else {
		x, y := b.eval(a[0]), b.eval(a[1])
		start, stop = b.pairOf(x, y, &node{at: n.at, end: n.end, kids: []*node{a[0], a[1]}})
	}
	if d := stop.DType(); !d.IsInteger() {
		b.fail(n, "", "the bounds of a loop must be integers, got %s", d)
	}
	h.mins, h.extents = []tir.Expr{start}, []tir.Expr{extent(start, stop)}
	if a[2] != nil {
		h.annotations = b.attrDict(a[2])
	}
	if a[3] != nil {
		if v := b.eval(a[3]); v != nil {
			h.step = b.exprOf(v, start.DType(), a[3])
		}
	}
	return &frame{kind: "loop", loop: h}
}

func (b *builder) grid(n *node) *frame {
	h := &loopHead{}
	for i, v := range b.values(n.kids[1:]) {
		at := n.kids[min(i+1, len(n.kids)-1)]
		if l, ok := v.(*list); ok && len(l.items) == 2 {
			lo, hi := b.pairOf(l.items[0], l.items[1], &node{at: at.at, end: at.end, kids: []*node{at, at}})
			h.mins, h.extents = append(h.mins, lo), append(h.extents, extent(lo, hi))
			continue
		}
		e := b.toExpr(v, at)
		h.mins, h.extents = append(h.mins, tir.Const(e.DType(), 0)), append(h.extents, e)
	}
	if len(h.extents) == 0 {
		b.fail(n, "", "T.grid needs an extent")
	}
	return &frame{kind: "loop", loop: h}
}

func (b *builder) tirFor(s *stmt) {
	v := b.eval(s.value)
	f, ok := v.(*frame)
	if !ok || f.loop == nil {
		b.fail(s.value, "loops run over range(n), T.serial(n), T.parallel(n), T.vectorized(n), T.unroll(n), T.thread_binding(n, thread=...) or T.grid(m, n)",
			"expected a range after \"in\", got %s", describe(v))
	}
	h := f.loop
	t := s.targets[0]
	names := []*node{t}
	if t.kind == nTuple || t.kind == nList {
		names = t.kids
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	vars := make([]*tir.Var, 0, len(h.extents))
	if len(names) == 1 && names[0].kind == nStar {
		b.gridTuple(names[0].kids[0], h, &vars)
	} else {
		if len(names) == 1 && len(h.extents) > 1 && t.kind == nName {
			b.gridTuple(t, h, &vars)
			names = nil
		} else if len(names) != len(h.extents) {
			b.fail(t, "", "%d loop variables for %d extents", len(names), len(h.extents))
		}
		for i, n := range names {
			if n.kind != nName {
				b.fail(n, "", "expected the name of a loop variable")
			}
			d := h.extents[i].DType()
			if m := h.mins[i].DType(); m.Bits > d.Bits {
				d = m
			}
			v := &tir.Var{Base: b.span(n), Name: n.s, Type: &ir.PrimType{DType: d}}
			vars = append(vars, v)
			b.env.define(n.s, v)
		}
	}
	for i, v := range vars {
		b.tf.loops[v] = &tir.Range{Min: h.mins[i], Extent: h.extents[i]}
	}
	body := b.tirBody(s.body)
	base := b.stmtBase(s)
	for i := len(vars) - 1; i >= 0; i-- {
		loop := &tir.For{
			Base: base, LoopVar: vars[i], Min: h.mins[i], Extent: h.extents[i], Kind: h.kind, Body: body,
			Annotations: h.annotations, Step: h.step,
		}
		if h.kind == tir.ThreadBinding {
			loop.Thread = &tir.IterVar{Var: tir.NewVar("iter", vars[i].DType()), Kind: tir.ThreadIndex, ThreadTag: h.thread}
		}
		body = loop
	}
	b.emit(body)
}

// gridTuple gives one name to all variables of a grid.
func (b *builder) gridTuple(n *node, h *loopHead, vars *[]*tir.Var) {
	all := &list{tuple: true}
	for _, e := range h.extents {
		v := &tir.Var{Base: b.span(n), Name: n.s, Type: &ir.PrimType{DType: e.DType()}}
		*vars = append(*vars, v)
		all.items = append(all.items, v)
	}
	b.env.define(n.s, all)
}

// blockHead is a block under construction.
type blockHead struct {
	realize       *tir.BlockRealize
	reads, writes bool // were given
	noRealize     bool
}

func (b *builder) block(n *node) *frame {
	a := b.bind(n, "name", "no_realize")
	h := &blockHead{realize: &tir.BlockRealize{Base: b.span(n), Predicate: tir.Bool(true), Block: &tir.Block{Base: b.span(n)}}}
	if a[0] != nil {
		h.realize.Block.Name = b.strOf(a[0], "the name of the block")
	}
	h.noRealize = b.flag(a[1])
	return &frame{kind: "block", block: h}
}

// top returns the innermost open block.
func (b *builder) top(n *node) *blockHead {
	if len(b.tf.blocks) == 0 {
		b.fail(n, "", "%s stands outside of a block", b.callee(n))
	}
	return b.tf.blocks[len(b.tf.blocks)-1]
}

func (b *builder) blockBody(s *stmt, h *blockHead, as *node, body []*stmt) {
	blk := h.realize.Block
	depth := len(b.tf.blocks)
	b.tf.blocked = true
	b.tf.blocks = append(b.tf.blocks, h)
	mark := b.env.mark()
	if as != nil {
		names := as.kids
		if as.kind == nName {
			names = []*node{as}
		}
		for _, n := range names {
			b.env.define(n.s, poison{})
		}
	}
	b.guard(s, func() { blk.Body = b.tirBody(body) })
	b.env.release(mark)
	b.tf.blocks = b.tf.blocks[:depth]
	if blk.Body == nil {
		blk.Body = tir.NoOp()
	}
	if depth == 0 && len(blk.IterVars) == 0 {
		b.tf.pending = append(b.tf.pending, h) // it may turn out to be the root
	} else {
		b.complete(h)
	}
	if h.noRealize {
		h.realize.Values = nil
	}
	b.emit(h.realize)
}

// complete fills in the regions that a block reads and writes where the text leaves them out.
func (b *builder) complete(h *blockHead) {
	if h.reads && h.writes || b.d.failed() {
		return
	}
	blk := h.realize.Block
	reads, writes, opaque := analysis.BlockAccessRegion(blk, b.tf.byData)
	if !h.reads {
		blk.Reads = append(reads, opaque...)
	}
	if !h.writes {
		blk.Writes = append(writes, opaque...)
	}
	h.reads, h.writes = true, true
}

func (b *builder) initBody(n *node, body []*stmt) {
	h := b.top(n)
	if h.realize.Block.Init != nil {
		b.fail(n, "", "the block has two init statements")
	}
	h.realize.Block.Init = b.tirBody(body)
}

// axis evaluates T.axis.spatial(dom, binding) and its kin.
func (b *builder) axis(n *node, kind tir.IterKind) any {
	a := b.bind(n, "dom", "binding", "dtype")
	b.need(n, a, 1, "dom")
	var dom *tir.Range
	switch v := b.eval(a[0]).(type) {
	case *list:
		if len(v.items) != 2 {
			b.fail(a[0], "", "a domain is an extent, or a tuple of start and end")
		}
		lo, hi := b.pairOf(v.items[0], v.items[1], &node{at: a[0].at, end: a[0].end, kids: []*node{a[0], a[0]}})
		dom = &tir.Range{Min: lo, Extent: extent(lo, hi)}
	case *tir.Range:
		dom = v
	default:
		e := b.toExpr(v, a[0])
		dom = &tir.Range{Min: tir.Const(e.DType(), 0), Extent: e}
	}
	d := dom.Extent.DType()
	if a[2] != nil {
		if t := b.dtypeOf(a[2]); t.Bits > d.Bits {
			d = t
		}
	}
	h := b.top(n)
	iv := &tir.IterVar{Base: b.span(n), Dom: dom, Var: &tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: d}}, Kind: kind}
	h.realize.Block.IterVars = append(h.realize.Block.IterVars, iv)
	if a[1] != nil {
		if v := b.eval(a[1]); v != nil {
			h.realize.Values = append(h.realize.Values, b.toExpr(v, a[1]))
		}
	}
	return fresh{iv.Var}
}

// remap evaluates T.axis.remap("SR", [i, j]).
func (b *builder) remap(n *node) any {
	a := b.bind(n, "kinds", "bindings", "dtype")
	b.need(n, a, 2, "kinds", "bindings")
	kinds := b.strOf(a[0], "the kinds of the axes")
	values := b.exprs(a[1])
	if len(kinds) != len(values) {
		b.fail(n, "", "%d kinds for %d bindings", len(kinds), len(values))
	}
	h := b.top(n)
	out := &list{tuple: true}
	for i, e := range values {
		v, ok := e.(*tir.Var)
		dom := b.tf.loops[v]
		if !ok || dom == nil {
			at := a[1]
			if len(a[1].kids) == len(values) {
				at = a[1].kids[i]
			}
			b.fail(at, "bind other values with T.axis.spatial(extent, value)", "T.axis.remap takes loop variables")
		}
		kind := tir.DataPar
		switch kinds[i] {
		case 'S':
		case 'R':
			kind = tir.CommReduce
		case 'O':
			kind = tir.Opaque
		default:
			b.fail(a[0], `S is spatial and R a reduction`, "unknown kind of axis %q", kinds[i:i+1])
		}
		iv := &tir.IterVar{Base: b.span(n), Dom: &tir.Range{Min: dom.Min, Extent: dom.Extent}, Var: &tir.Var{Base: b.span(n), Type: v.Type}, Kind: kind}
		h.realize.Block.IterVars = append(h.realize.Block.IterVars, iv)
		h.realize.Values = append(h.realize.Values, v)
		out.items = append(out.items, fresh{iv.Var})
	}
	if len(out.items) == 1 {
		return out.items[0]
	}
	return out
}

// regions evaluates the arguments of T.reads and T.writes.
func (b *builder) regions(n *node) []*tir.BufferRegion {
	out := []*tir.BufferRegion{}
	for _, k := range n.kids[1:] {
		v := b.eval(k)
		if l, ok := v.(*list); ok {
			for i, it := range l.items {
				at := k
				if len(k.kids) == len(l.items) {
					at = k.kids[i]
				}
				out = append(out, b.toRegion(it, at))
			}
			continue
		}
		out = append(out, b.toRegion(v, k))
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
