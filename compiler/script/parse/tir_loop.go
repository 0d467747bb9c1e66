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

// loopParams are the parameters of a loop, as of Python's range.
const loopParams = "(start: value, stop: value = None, annotations: attrs = None, step: value = None)"

// loopRows are what loops run over.
var loopRows = []row{
	{"T.serial" + loopParams, loop(tir.Serial)},
	{"T.parallel" + loopParams, loop(tir.Parallel)},
	{"T.vectorized" + loopParams, loop(tir.Vectorized)},
	{"T.unroll|T.unrolled" + loopParams, loop(tir.Unrolled)},
	{"T.thread_binding(start: value, stop: value = None, thread: str = '', annotations: attrs = None)", (*call).threadBinding},
	{"T.grid(*extents: value)", (*call).grid},
}

// rangeRow is Python's range, with a step in the place of annotations.
var rangeRow = row{"range(start: value, stop: value = None, step: value = None, annotations: attrs = None)", func(c *call) any {
	return c.loop(&loopHead{annotations: c.notesAt(3)}, 2)
}}

func loop(kind tir.ForKind) func(*call) any {
	return func(c *call) any { return c.loop(&loopHead{kind: kind, annotations: c.notesAt(2)}, 3) }
}

// threadBinding builds the call of T.thread_binding, whose second argument may be the thread.
func (c *call) threadBinding() any {
	if _, ok := c.vals[1].(string); ok && c.at[2] == nil {
		c.vals[1], c.vals[2] = nil, c.vals[1]
	}
	if c.strAt(2) == "" {
		c.fail(c.n, `name it as in thread="threadIdx.x"`, "the thread of the binding is missing")
	}
	return c.loop(&loopHead{kind: tir.ThreadBinding, thread: c.strAt(2), annotations: c.notesAt(3)}, -1)
}

// loop completes a loop by the arguments start and stop, and that of number step if there is one.
func (c *call) loop(h *loopHead, step int) *frame {
	var start, stop tir.Expr
	if c.vals[1] == nil {
		stop = c.toExpr(c.vals[0], c.at[0])
		start = c.nodes.small(stop.DType(), 0)
	} else {
		start, stop = c.pairOf(c.vals[0], c.at[0], c.vals[1], c.at[1])
	}
	if d := stop.DType(); !d.IsInteger() {
		c.fail(c.n, "", "the bounds of a loop must be integers, got %s", d)
	}
	h.mins, h.extents = []tir.Expr{start}, []tir.Expr{c.extent(start, stop)}
	if step >= 0 && c.has(step) {
		h.step = c.exprOf(c.vals[step], start.DType(), c.at[step])
	}
	return &frame{loop: h}
}

// grid builds the call of T.grid, of extents or of tuples of start and end.
func (c *call) grid() any {
	h := &loopHead{}
	for i, v := range c.rest {
		var dom *tir.Range
		if l, ok := v.(*list); ok && len(l.items) == 2 {
			dom = c.between(l.items[0], c.restAt[i], l.items[1], c.restAt[i])
		} else {
			dom = c.upTo(v, c.restAt[i])
		}
		h.mins, h.extents = append(h.mins, dom.Min), append(h.extents, dom.Extent)
	}
	if len(h.extents) == 0 {
		c.fail(c.n, "", "T.grid needs an extent")
	}
	return &frame{loop: h}
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
	vars := make([]*tir.Var, len(h.extents))
	switch {
	case len(names) == 1 && names[0].Kind == syntax.Star:
		b.gridTuple(names[0].Kids[0], h, vars)
	case len(h.extents) > 1 && t.Kind == syntax.Name:
		b.gridTuple(t, h, vars)
	case len(names) != len(h.extents):
		b.fail(t, "", "%d loop variables for %d extents", len(names), len(h.extents))
	default:
		for i, n := range names {
			if n.Kind != syntax.Name {
				b.fail(n, "", "expected the name of a loop variable")
			}
			d := h.extents[i].DType()
			if m := h.mins[i].DType(); m.Bits > d.Bits {
				d = m
			}
			vars[i] = b.loopVar(n, d)
			b.env.define(n.Text, vars[i])
		}
	}
	for i, v := range vars {
		b.tf.loops[v] = newOf(&b.nodes.ranges, tir.Range{Min: h.mins[i], Extent: h.extents[i]})
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
	return b.variable(n, d)
}

// gridTuple gives one name to all variables of a grid.
func (b *builder) gridTuple(n *syntax.Node, h *loopHead, vars []*tir.Var) {
	for i, e := range h.extents {
		vars[i] = b.variable(n, e.DType())
	}
	b.env.define(n.Text, listOf(vars))
}
