package parse

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// call evaluates a call by what is called.
func (b *builder) call(n *syntax.Node) any {
	b.enter(n)
	var out any
	fn := n.Kids[0]
	if path, ok := b.path(fn); ok {
		out = b.construct(path, n)
	} else {
		out = b.callValue(b.eval(fn), n)
	}
	b.depth--
	return out
}

// callValue calls a method, a macro or a function.
func (b *builder) callValue(v any, n *syntax.Node) any {
	switch v := v.(type) {
	case method:
		return b.apply(v.sig, n, v.recv)
	case *macro:
		return b.apply(v.sig, n, nil)
	case *ir.GlobalVar:
		if !b.graph {
			return b.callGlobal(v, n)
		}
		return b.apply(b.table[callFunction], n, v)
	case *relax.Var, *relax.ExternFunc, *relax.Function:
		return b.apply(b.table[callFunction], n, v)
	case relax.Expr:
		if b.graph {
			return b.apply(b.table[callFunction], n, v)
		}
	}
	b.fail(n.Kids[0], "", "%s cannot be called", describe(v))
	return nil
}

// callFunction is the name of functionRow.
const callFunction = "Function.call"

// callee returns what a call calls, as it is written.
func (b *builder) callee(n *syntax.Node) string { return b.src[n.Kids[0].At:n.Kids[0].End] }

// callGlobal calls a function of the module from a PrimFunc.
func (b *builder) callGlobal(gv *ir.GlobalVar, n *syntax.Node) any {
	c := &tir.Call{Base: b.span(n), Op: gv}
	if f, ok := b.mod.funcs[gv.Name].(*tir.PrimFunc); ok {
		c.Type = ir.TypeDType(f.RetType)
	}
	for i, v := range b.values(n.Args()) {
		at := n.Kids[min(i+1, len(n.Kids)-1)]
		if buf, ok := v.(*tir.Buffer); ok {
			v = buf.Data
		}
		c.Args = append(c.Args, b.toExpr(v, at))
	}
	return c
}

// hostRows are the few functions of Python that texts use.
var hostRows = []row{
	{"len(x: value)", func(c *call) any {
		l, ok := c.vals[0].(*list)
		if !ok {
			c.fail(c.at[0], "", "expected a list or a tuple, got %s", describe(c.vals[0]))
		}
		return int64(len(l.items))
	}},
	{"int|bool(x: value)", func(c *call) any {
		switch v := c.vals[0].(type) {
		case float64:
			return int64(v)
		case int64, bool:
			return v
		}
		return c.noNumber()
	}},
	{"float(x: value)", func(c *call) any {
		switch v := c.vals[0].(type) {
		case int64:
			return float64(v)
		case float64:
			return v
		case string:
			if f, ok := namedFloat(v); ok {
				return f
			}
		}
		return c.noNumber()
	}},
}

func (c *call) noNumber() any {
	c.fail(c.at[0], "", "%s takes a number that is known while the text is read, got %s", c.name(), describe(c.vals[0]))
	return nil
}

var namedFloats = map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN()}

func namedFloat(s string) (float64, bool) {
	f, ok := namedFloats[s]
	return f, ok
}

// methodRows are the methods of buffers, of loop-level expressions and of graph-level values.
var methodRows = []row{
	{"Buffer.vload(begin: exprs, dtype: dtype = None, predicate: expr = None)", func(c *call) any {
		buf := c.recv.(*tir.Buffer)
		load := &tir.BufferLoad{Base: c.base(), Buffer: buf, Indices: c.exprsAt(0), Predicate: c.exprAt(2)}
		c.checkRank(buf, len(load.Indices), c.n)
		if d := c.typeAt(1); d.Lanes > 1 && load.DType().Lanes == 1 && len(load.Indices) > 0 {
			last := &load.Indices[len(load.Indices)-1]
			*last = &tir.Ramp{Start: *last, Stride: tir.Const((*last).DType(), 1), Lanes: int(d.Lanes), Scalable: d.Scalable}
		}
		return load
	}},
	{"Buffer.vstore(begin: exprs, value: value, predicate: expr = None)", func(c *call) any { return c.store(c.recv.(*tir.Buffer), 0, 1, 2) }},
	{"Buffer.scope()", func(c *call) any { return c.recv.(*tir.Buffer).Scope() }},
	{"Buffer.access_ptr(access_mask: value, ptr_type: node = None, content_lanes: int = 1, offset: expr = None, extent: expr = None)", (*call).accessPtr},
	{"Expr.astype(dtype: dtype)", func(c *call) any {
		x := c.recv.(tir.Expr)
		return c.placed(tir.CastTo(c.typeAt(0).LikeVector(x.DType()), x))
	}},
	{"Value.astype(dtype: dtype)", func(c *call) any { return c.callOp(c.n, "relax.astype", c.recv, c.typeAt(0)) }},
}

// accessPtr builds the pointer into a buffer for A.access_ptr(mask).
func (c *call) accessPtr() any {
	x := c.recv.(*tir.Buffer)
	mask, _ := asInt(c.vals[0])
	if s, ok := c.vals[0].(string); ok {
		if mask, ok = map[string]int64{"": 0, "r": 1, "w": 2, "rw": 3, "wr": 3}[s]; !ok {
			c.fail(c.at[0], `it is "r", "w" or "rw"`, "unknown access mask %q", s)
		}
	}
	offset := x.ElemOffset
	if offset == nil {
		offset = &tir.IntImm{Type: c.intType}
	}
	from := tir.Expr(tir.Const(offset.DType(), 0)) // of the buffer's own elements
	if c.has(3) {
		from = c.exprAt(3)
		offset = tir.Add(offset, from)
	}
	var size tir.Expr = tir.Const(offset.DType(), 1)
	if len(x.Strides) > 0 {
		size = tir.Mul(x.Strides[0], x.Shape[0])
	} else {
		for _, d := range x.Shape {
			size = tir.Mul(size, d)
		}
	}
	if c.has(4) {
		size = c.exprAt(4)
	} else {
		size = tir.Sub(size, from)
	}
	elem := x.DType
	if lanes := c.intAt(2); lanes > 1 {
		elem = elem.WithLanes(lanes)
		size = tir.FloorDiv(size, tir.Const(size.DType(), int64(lanes)))
		offset = tir.FloorDiv(offset, tir.Const(offset.DType(), int64(lanes)))
	}
	typ := &tir.Call{Base: c.base(), Type: elem, Op: tir.OpTypeAnnot}
	args := []tir.Expr{typ, x.Data, offset, size, &tir.IntImm{Type: dtype.Int32T, Value: mask}}
	return &tir.Call{Base: c.base(), Type: dtype.HandleT, Op: tir.OpAccessPtr, Args: args}
}
