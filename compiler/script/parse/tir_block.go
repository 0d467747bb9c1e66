package parse

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// axisParams are the parameters of an axis of a block.
const axisParams = "(dom: value, binding: value = None, dtype: dtype = None)"

// blockRows are the blocks of PrimFuncs and what stands at the start of them.
var blockRows = []row{
	{"T.block|T.sblock(name: str = '', no_realize: bool = False)", func(c *call) any {
		blk := &tir.Block{Base: c.base(), Name: c.strAt(0)}
		return &frame{block: &blockHead{
			realize:   &tir.BlockRealize{Base: blk.Base, Predicate: tir.Bool(true), Block: blk},
			noRealize: c.flagAt(1),
		}}
	}},
	{"T.init()", func(*call) any { return &frame{init: true} }},
	{"T.axis.spatial|T.axis.S" + axisParams, axis(tir.DataPar)},
	{"T.axis.reduce|T.axis.R" + axisParams, axis(tir.CommReduce)},
	{"T.axis.scan" + axisParams, axis(tir.Ordered)},
	{"T.axis.opaque" + axisParams, axis(tir.Opaque)},
	{"T.axis.remap(kinds: str, bindings: exprs, dtype: node = None)", (*call).remap},
	{"T.reads(*regions: value)", func(c *call) any {
		c.once(func(h *blockHead) *bool { return &h.reads }).Block.Reads = c.regions()
		return done
	}},
	{"T.writes(*regions: value)", func(c *call) any {
		c.once(func(h *blockHead) *bool { return &h.writes }).Block.Writes = c.regions()
		return done
	}},
	{"T.where(predicate: expr)", func(c *call) any {
		c.once(func(h *blockHead) *bool { return &h.where }).Predicate = c.exprAt(0)
		return done
	}},
	{"T.block_attr|T.sblock_attr(attrs: attrs)", func(c *call) any {
		blk := c.top(c.n).realize.Block
		blk.Annotations = c.annotated(blk.Annotations, numbered(c.notesAt(0)))
		return done
	}},
}

// top returns the innermost open block.
func (b *builder) top(n *syntax.Node) *blockHead {
	if len(b.tf.blocks) == 0 {
		b.fail(n, `open one with "with T.block("name"):"`, "%s is outside of a block", b.callee(n))
	}
	return b.tf.blocks[len(b.tf.blocks)-1]
}

// once returns the innermost open block for a statement that it may have one of, and notes that it has
// it where given says.
func (c *call) once(given func(*blockHead) *bool) *tir.BlockRealize {
	h := c.top(c.n)
	if *given(h) {
		c.fail(c.n, "write all in one statement", "the block has %s already", c.sig.name)
	}
	*given(h) = true
	return h.realize
}

// annotated returns the annotations of two statements. Dictionaries are merged, other values under one
// key must be the same.
func (c *call) annotated(to, from *ir.Attrs) *ir.Attrs {
	for i := range from.Len() {
		key, v := from.At(i)
		if old, ok := to.Get(key); ok {
			a, isDict := old.(*ir.Attrs)
			b, isDict2 := v.(*ir.Attrs)
			if isDict && isDict2 {
				v = c.annotated(a, b)
			} else if !ir.EqualValues(old, v) {
				c.fail(c.at[0], "", "the block has the annotation %q with another value already", key)
			}
		}
		to = to.With(key, v)
	}
	return to
}

// regions returns the arguments of T.reads and T.writes, which may be lists.
func (c *call) regions() []*tir.BufferRegion {
	out := make([]*tir.BufferRegion, 0, len(c.rest))
	for i, v := range c.rest {
		if l, ok := v.(*list); ok {
			for k, it := range l.items {
				out = append(out, c.toRegion(it, part(c.restAt[i], k, len(l.items))))
			}
			continue
		}
		out = append(out, c.toRegion(v, c.restAt[i]))
	}
	return out
}

// part returns where item i of a list of n stands: in the list where that is written out, else
// where the list does.
func part(at *syntax.Node, i, n int) *syntax.Node {
	if len(at.Kids) == n && (at.Kind == syntax.Tuple || at.Kind == syntax.List) {
		return at.Kids[i]
	}
	return at
}

// axis builds an axis of the innermost block. Its domain is an extent, or start and end.
func axis(kind tir.IterKind) func(*call) any {
	return func(c *call) any {
		var dom *tir.Range
		switch v := c.vals[0].(type) {
		case *list:
			if len(v.items) != 2 {
				c.fail(c.at[0], "", "a domain is an extent, or a tuple of start and end")
			}
			dom = c.between(v.items[0], c.at[0], v.items[1], c.at[0])
		case *tir.Range:
			dom = v
		default:
			dom = c.upTo(v, c.at[0])
		}
		d := dom.Extent.DType()
		if !d.IsInteger() {
			c.fail(c.at[0], "", "the domain of an axis must have integers as its bounds, got %s", d)
		}
		if c.has(2) && c.typeAt(2).Bits > d.Bits {
			d = c.typeAt(2)
		}
		var value tir.Expr
		if c.has(1) {
			value = c.toExpr(c.vals[1], c.at[1])
			if i, ok := value.(*tir.IntImm); ok && i.Type != d { // a constant takes the type of the axis
				value = &tir.IntImm{Base: i.Base, Type: d, Value: i.Value}
			}
		}
		return c.addAxis(kind, dom, d, value)
	}
}

// between returns the range from start to stop, upTo that from 0.
func (b *builder) between(start any, n1 *syntax.Node, stop any, n2 *syntax.Node) *tir.Range {
	lo, hi := b.pairOf(start, n1, stop, n2)
	return &tir.Range{Min: lo, Extent: b.extent(lo, hi)}
}

func (b *builder) upTo(stop any, n *syntax.Node) *tir.Range {
	e := b.toExpr(stop, n)
	return newOf(&b.nodes.ranges, tir.Range{Min: b.nodes.small(e.DType(), 0), Extent: e})
}

// addAxis adds an axis to the innermost block, and returns its variable. The value is nil for one
// that is not bound.
func (c *call) addAxis(kind tir.IterKind, dom *tir.Range, d dtype.DType, value tir.Expr) fresh {
	h := c.top(c.n)
	iv := &tir.IterVar{Base: c.base(), Dom: dom, Var: c.newVar(d, "", false), Kind: kind}
	h.realize.Block.IterVars = append(h.realize.Block.IterVars, iv)
	if value != nil {
		h.realize.Values = append(h.realize.Values, value)
	}
	return fresh{iv.Var}
}

// remap builds T.axis.remap("SR", [i, j]): axes over the domains of loops.
func (c *call) remap() any {
	kinds, values := c.strAt(0), c.exprsAt(1)
	if len(kinds) != len(values) {
		c.fail(c.at[0], "write S or R for each", "%q is the kinds of %d axes, but there are %d bindings", kinds, len(kinds), len(values))
	}
	out := &list{tuple: true}
	for i, e := range values {
		v, _ := e.(*tir.Var)
		dom := c.tf.loops[v]
		if dom == nil {
			c.fail(part(c.at[1], i, len(values)), "bind other values with T.axis.spatial(extent, value)", "T.axis.remap takes loop variables")
		}
		kind, ok := map[byte]tir.IterKind{'S': tir.DataPar, 'R': tir.CommReduce, 'O': tir.Opaque}[kinds[i]]
		if !ok {
			c.fail(c.at[0], `S is spatial and R a reduction`, "unknown kind of axis %q", kinds[i:i+1])
		}
		out.items = append(out.items, c.addAxis(kind, newOf(&c.nodes.ranges, tir.Range{Min: dom.Min, Extent: dom.Extent}), v.DType(), v))
	}
	if len(out.items) == 1 {
		return out.items[0]
	}
	return out
}

// blockHead is a block under construction.
type blockHead struct {
	realize   *tir.BlockRealize
	noRealize bool
	at, end   int32 // of the statement

	reads, writes, where bool // were given
}

func (b *builder) blockBody(s *syntax.Stmt, h *blockHead, as *syntax.Node, body []*syntax.Stmt) {
	blk := h.realize.Block
	h.at, h.end = s.At, s.End
	depth := len(b.tf.blocks)
	b.tf.blocked = true
	b.tf.blocks = append(b.tf.blocks, h)
	mark := b.env.mark()
	if as != nil {
		b.fail(as, "leave it out: T.axis defines iteration variables, in the block", "a block defines nothing that could be named")
	}
	b.guard(s, func() { blk.Body = b.tirBody(body) })
	b.env.release(mark)
	b.tf.blocks = b.tf.blocks[:depth]
	if blk.Body == nil {
		blk.Body = tir.NoOp()
	}
	b.checkBindings(s, h, depth)
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

// checkBindings checks that each axis of a block is bound, but where the text says that the
// block stands for itself.
func (b *builder) checkBindings(s *syntax.Stmt, h *blockHead, depth int) {
	got, want := len(h.realize.Values), len(h.realize.Block.IterVars)
	switch {
	case b.d.Failed():
	case h.noRealize && depth > 0 && want > 0:
		b.failAt(s.At, s.End, "remove no_realize=True", "a block inside of another one needs the bindings of its axes")
	case !h.noRealize && got != want:
		b.failAt(s.At, s.End, "write T.axis.spatial(extent, value) for each", "%d of %s of this block are bound", got, count(want, "axis", "axes"))
	}
}

// complete fills in the regions that a block reads and writes where the text leaves them out.
func (b *builder) complete(h *blockHead) {
	if h.reads && h.writes || b.d.Failed() {
		return
	}
	blk := h.realize.Block
	reads, writes, opaque := region.OfBlock(blk, b.tf.byData)
	if len(opaque) > 0 {
		b.d.Add(h.at, h.end, fmt.Sprintf("the block uses the data of %s, so what it reads and writes of it is not known", opaque[0].Buffer.Name), "add T.reads(...) and T.writes(...)")
	}
	if !h.reads {
		blk.Reads = append(reads, opaque...)
	}
	if !h.writes {
		blk.Writes = append(writes, opaque...)
	}
	h.reads, h.writes = true, true
}

func (b *builder) initBody(n *syntax.Node, body []*syntax.Stmt) {
	h := b.top(n)
	if h.realize.Block.Init != nil {
		b.fail(n, "", "the block has two init statements")
	}
	h.realize.Block.Init = b.tirBody(body)
}
