package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// bufferParams are the parameters that declarations of buffers share.
const bufferParams = ", dtype: dtype = None, data: value = None, strides: value = None, elem_offset: value = None, scope: str = 'global', " +
	"align: int = 0, offset_factor: int = 0, buffer_type: str = 'default', axis_separators: exprs = None)"

// bufferRow is a type, which may stand in any function.
var bufferRow = row{"T.Buffer(shape: exprs" + bufferParams, func(c *call) any { return c.newBuffer(0) }}

// bufferRows declare buffers in PrimFuncs.
var bufferRows = []row{
	{"T.buffer|T.buffer_decl(shape: exprs" + bufferParams, func(c *call) any { return c.newBuffer(0) }},
	{"T.sblock_alloc_buffer(shape: exprs" + bufferParams, func(c *call) any { return c.blockBuffer(c.newBuffer(0)) }},
	{"T.alloc_buffer(shape: exprs" + strings.TrimSuffix(bufferParams, ")") + ", annotations: attrs = None)", func(c *call) any {
		buf, notes := c.newBuffer(0), c.notesAt(10)
		if c.tf.newer || notes != nil {
			return c.newerAlloc(buf, notes)
		}
		return c.blockBuffer(buf)
	}},
	{"T.decl_buffer(shape: exprs" + bufferParams, func(c *call) any {
		buf := c.newBuffer(0)
		return c.flatBuffer(buf, !c.has(2), buf.Shape, nil)
	}},
	{"T.match_buffer(param: value, shape: exprs = None" + bufferParams, (*call).matchBuffer},
}

// blockBuffer adds a buffer to those of the innermost block, or of the implicit root block.
func (c *call) blockBuffer(buf *tir.Buffer) any {
	if len(c.tf.blocks) == 0 {
		c.tf.allocs = append(c.tf.allocs, buf)
	} else {
		blk := c.top(c.n).realize.Block
		blk.AllocBuffers = append(blk.AllocBuffers, buf)
	}
	return buf
}

// flatBuffer declares a buffer for the statements that follow, with memory of these extents if alloc says so.
func (c *call) flatBuffer(buf *tir.Buffer, alloc bool, extents []tir.Expr, notes *ir.Attrs) *frame {
	base := c.base()
	return &frame{def: buf, wrap: func(body tir.Stmt) tir.Stmt {
		var s tir.Stmt = &tir.DeclBuffer{Base: base, Buffer: buf, Body: body}
		if alloc {
			s = &tir.Allocate{Base: base, Var: buf.Data, Type: buf.DType, Extents: extents, Condition: tir.Bool(true), Annotations: notes, Body: s}
		}
		return s
	}}
}

// newBuffer makes the buffer that the arguments from number i on describe.
func (c *call) newBuffer(i int) *tir.Buffer {
	shape := c.exprsAt(i)
	buf := tir.NewBuffer("", c.typeOr(i+1, c.bufferType), shape, c.strAt(i+5))
	buf.Base = c.base()
	switch v := c.vals[i+2].(type) {
	case nil:
	case *tir.Var:
		buf.Data = v
	case fresh:
		buf.Data = v.v
	case *tir.Buffer:
		buf.Data = v.Data
	default:
		c.fail(c.at[i+2], "", "the data of a buffer must be a pointer, got %s", describe(v))
	}
	if l, ok := c.vals[i+3].(*list); ok {
		for _, v := range l.items {
			buf.Strides = append(buf.Strides, c.sizeOrName(v, c.at[i+3]))
		}
	} else if c.has(i + 3) {
		buf.Strides = c.toExprs(c.vals[i+3], c.at[i+3])
	}
	if c.has(i + 4) {
		if e := c.sizeOrName(c.vals[i+4], c.at[i+4]); !tir.IsConst(e, 0) {
			buf.ElemOffset = e
		}
	}
	if align := c.intAt(i + 6); align > 0 {
		buf.DataAlignment = align
	}
	if f := c.intAt(i + 7); f > 0 {
		buf.OffsetFactor = f
		if c.at[i+4] == nil {
			d := c.intType
			if len(shape) > 0 {
				d = shape[0].DType()
			}
			buf.ElemOffset = tir.NewVar("elem_offset", d)
		}
	}
	switch kind := c.strAt(i + 8); kind {
	case "auto", "auto_broadcast":
		buf.Kind = tir.BufferAutoBroadcast
	case "", "default":
	default:
		c.fail(c.at[i+8], `it is "default" or "auto"`, "unknown kind of buffer %q", kind)
	}
	for _, e := range c.exprsAt(i + 9) {
		v, _ := tir.AsInt(e)
		buf.AxisSeparators = append(buf.AxisSeparators, int(v))
	}
	if c.tf != nil && c.tf.byData[buf.Data] == nil {
		c.tf.byData[buf.Data] = buf
	}
	return buf
}

// sizeOrName returns a stride or offset; a string names a variable, which may be new.
func (b *builder) sizeOrName(v any, n *syntax.Node) tir.Expr {
	name, ok := v.(string)
	if !ok {
		return b.toExpr(v, n)
	}
	if v, ok := b.env.lookup(name); ok {
		return b.toExpr(v, n)
	}
	x := &tir.Var{Base: b.span(n), Name: name, Type: &ir.PrimType{DType: b.intType}}
	b.env.define(name, x)
	return x
}

// matchBuffer builds T.match_buffer: the buffer of a parameter, or of a region.
func (c *call) matchBuffer() any {
	switch v := c.vals[0].(type) {
	case *tir.BufferRegion, *tir.BufferLoad:
		src := c.toRegion(v, c.at[0])
		if c.at[1] == nil {
			var extents []tir.Expr
			for _, r := range src.Region {
				extents = append(extents, r.Extent)
			}
			c.vals[1] = extents
		}
		buf := c.newBuffer(1)
		blk := c.top(c.n).realize.Block
		c.binds(buf)
		blk.MatchBuffers = append(blk.MatchBuffers, &tir.MatchBufferRegion{Base: c.base(), Buffer: buf, Source: src})
		return buf
	case *tir.Var:
		if c.at[1] == nil {
			c.missing(1)
		}
		for i, p := range c.tf.fn.Params {
			if p == v {
				buf := c.newBuffer(1)
				c.tf.fn.Buffers[i] = buf
				c.binds(buf)
				return buf
			}
		}
		c.fail(c.at[0], "", "%s is not a parameter of the function", v.Name)
	}
	c.fail(c.at[0], "", "expected a parameter of type T.handle or a region of a buffer, got %s", describe(c.vals[0]))
	return nil
}

// binds notes that a matched buffer gives the variables in its shape, strides and offset their
// values.
func (b *builder) binds(buf *tir.Buffer) {
	if len(b.tf.declared) == 0 {
		return
	}
	buf.EachExpr(func(e tir.Expr) {
		ir.Walk(e, func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok {
				delete(b.tf.declared, v)
			}
			return true
		})
	})
}
