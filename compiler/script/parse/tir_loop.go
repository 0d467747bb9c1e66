package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
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
func (b *builder) loopRange(n *syntax.Node, kind tir.ForKind) *frame {
	h := &loopHead{kind: kind}
	var a []*syntax.Node
	if kind == tir.ThreadBinding {
		a = b.bind(n, "start", "stop", "thread", "annotations")
		if a[1] != nil && a[1].Kind == syntax.String && a[2] == nil {
			a[1], a[2] = nil, a[1]
		}
		if a[2] == nil {
			b.fail(n, `name it as in thread="threadIdx.x"`, "the thread of the binding is missing")
		}
		h.thread = b.strOf(a[2], "the name of a thread")
		a = []*syntax.Node{a[0], a[1], a[3], nil}
	} else {
		a = b.bind(n, "start", "stop", "annotations", "step")
	}
	b.need(n, a, 1, "start")
	if path, ok := b.path(n.Kids[0]); ok && path == "range" && len(n.Kids) > 3 { // range(a, b, step)
		a[2], a[3] = nil, a[2]
	}
	var start, stop tir.Expr
	if a[1] == nil || b.eval(a[1]) == nil {
		stop = b.expr(a[0])
		start = tir.Const(stop.DType(), 0)
	} else {
		x, y := b.eval(a[0]), b.eval(a[1])
		start, stop = b.pairOf(x, y, &syntax.Node{At: n.At, End: n.End, Kids: []*syntax.Node{a[0], a[1]}})
	}
	if d := stop.DType(); !d.IsInteger() {
		b.fail(n, "", "the bounds of a loop must be integers, got %s", d)
	}
	h.mins, h.extents = []tir.Expr{start}, []tir.Expr{b.extent(start, stop)}
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

func (b *builder) grid(n *syntax.Node) *frame {
	h := &loopHead{}
	for i, v := range b.values(n.Kids[1:]) {
		at := n.Kids[min(i+1, len(n.Kids)-1)]
		if l, ok := v.(*list); ok && len(l.items) == 2 {
			lo, hi := b.pairOf(l.items[0], l.items[1], &syntax.Node{At: at.At, End: at.End, Kids: []*syntax.Node{at, at}})
			h.mins, h.extents = append(h.mins, lo), append(h.extents, b.extent(lo, hi))
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

func (b *builder) tirFor(s *syntax.Stmt) {
	v := b.eval(s.Value)
	f, ok := v.(*frame)
	if !ok || f.loop == nil {
		b.fail(s.Value, "loops run over range(n), T.serial(n), T.parallel(n), T.vectorized(n), T.unroll(n), T.thread_binding(n, thread=...) or T.grid(m, n)",
			"expected a range after \"in\", got %s", describe(v))
	}
	h := f.loop
	t := s.Targets[0]
	names := []*syntax.Node{t}
	if t.Kind == syntax.Tuple || t.Kind == syntax.List {
		names = t.Kids
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	vars := make([]*tir.Var, 0, len(h.extents))
	if len(names) == 1 && names[0].Kind == syntax.Star {
		b.gridTuple(names[0].Kids[0], h, &vars)
	} else {
		if len(names) == 1 && len(h.extents) > 1 && t.Kind == syntax.Name {
			b.gridTuple(t, h, &vars)
			names = nil
		} else if len(names) != len(h.extents) {
			b.fail(t, "", "%d loop variables for %d extents", len(names), len(h.extents))
		}
		for i, n := range names {
			if n.Kind != syntax.Name {
				b.fail(n, "", "expected the name of a loop variable")
			}
			d := h.extents[i].DType()
			if m := h.mins[i].DType(); m.Bits > d.Bits {
				d = m
			}
			v := b.loopVar(n, d)
			vars = append(vars, v)
			b.env.define(n.Text, v)
		}
	}
	for i, v := range vars {
		b.tf.loops[v] = &tir.Range{Min: h.mins[i], Extent: h.extents[i]}
	}
	body := b.tirBody(s.Body)
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

// loopVar returns the variable of a loop: a new one, or one that was declared before, since
// something around the loop refers to it.
func (b *builder) loopVar(n *syntax.Node, d dtype.DType) *tir.Var {
	if old, ok := b.env.lookup(n.Text); ok {
		if v, ok := old.(*tir.Var); ok && b.tf.declared[v] && v.DType() == d {
			delete(b.tf.declared, v)
			return v
		}
	}
	return &tir.Var{Base: b.span(n), Name: n.Text, Type: &ir.PrimType{DType: d}}
}

// gridTuple gives one name to all variables of a grid.
func (b *builder) gridTuple(n *syntax.Node, h *loopHead, vars *[]*tir.Var) {
	all := &list{tuple: true}
	for _, e := range h.extents {
		v := &tir.Var{Base: b.span(n), Name: n.Text, Type: &ir.PrimType{DType: e.DType()}}
		*vars = append(*vars, v)
		all.items = append(all.items, v)
	}
	b.env.define(n.Text, all)
}
