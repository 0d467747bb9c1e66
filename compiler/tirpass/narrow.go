package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// NarrowDataType makes loop variables and indices narrower where all their values fit.
var NarrowDataType = &pass.Pass{
	Name: "tir.NarrowDataType", Kind: pass.PrimFunc,
	Doc:     "Computes indices in target_bits bits where no index that a loop variable is part of can exceed them: 32-bit index arithmetic is cheaper than 64-bit.",
	Options: []pass.Option{{Name: "target_bits", Default: int64(32), Choices: []ir.Value{int64(16), int64(32)}, Doc: "width of the narrowed integers"}},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		bits := c.Arg("target_bits").(int64)
		return pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
			return narrowDataType(c, f, uint8(bits)), nil
		})(c, m)
	},
}

func narrowDataType(c *pass.Context, f *tir.PrimFunc, bits uint8) *tir.PrimFunc {
	plan := collectWidths(c, f.Body, bits)
	if len(plan.vars) == 0 && len(plan.exprs) == 0 {
		return f
	}
	n := &narrower{c: c, plan: plan, vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
	return f.WithBody(n.stmt(f.Body))
}

// narrower rewrites indices to the planned widths. Elsewhere a narrowed variable meets wider
// values and is widened.
type narrower struct {
	c       *pass.Context
	plan    *widths
	vars    map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer
	// index is set inside an index or a loop bound, where constants and casts narrow too;
	// cond inside a condition, of which comparisons are like indices.
	index, cond bool
}

// inIndex maps e as part of an index.
func (n *narrower) inIndex(e tir.Expr) tir.Expr {
	if e == nil {
		return nil
	}
	old := n.index
	n.index = true
	e = n.expr(e)
	n.index = old
	return e
}

// inCond maps the condition e.
func (n *narrower) inCond(e tir.Expr) tir.Expr {
	if e == nil {
		return nil
	}
	old := n.cond
	n.cond = true
	e = n.expr(e)
	n.cond = old
	return e
}

// plain maps e outside of indices and keeps its type.
func (n *narrower) plain(e tir.Expr) tir.Expr {
	if e == nil {
		return nil
	}
	index, cond := n.index, n.cond
	n.index, n.cond = false, false
	out := n.expr(e)
	n.index, n.cond = index, cond
	if out.DType() == e.DType() {
		return out
	}
	return widened(e.DType(), out, e)
}

func (n *narrower) variable(v *tir.Var) *tir.Var {
	if out, ok := n.vars[v]; ok {
		return out
	}
	d, ok := n.plan.vars[v]
	if !ok || d == v.DType() {
		return v
	}
	out := &tir.Var{Base: v.Base, Name: v.Name, Type: &ir.PrimType{DType: d}, Size: v.Size}
	n.vars[v] = out
	n.c.Rewrite("narrow a variable", v, out)
	return out
}

// buffer replaces narrowed variables in the shape, strides and offset of b, which keep their types.
func (n *narrower) buffer(b *tir.Buffer) *tir.Buffer {
	out, ok := n.buffers[b]
	if !ok {
		out = b.MapExprs(n.plain)
		n.buffers[b] = out
	}
	return out
}

func (n *narrower) exprs(xs []tir.Expr, f func(tir.Expr) tir.Expr) []tir.Expr {
	return ir.MapSame(xs, f)
}

func (n *narrower) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		return n.variable(e)
	case *tir.IntImm:
		if d, ok := n.plan.exprs[e]; n.index && ok {
			out := &tir.IntImm{Base: e.Base, Type: d, Value: e.Value}
			n.c.Rewrite("narrow a constant", e, out)
			return out
		}
		return e
	case *tir.FloatImm, *tir.StringImm:
		return e
	case *tir.Cast:
		return n.castExpr(e)
	case *tir.Binary:
		return n.binary(e)
	case *tir.BufferLoad:
		buf, indices := n.buffer(e.Buffer), n.exprs(e.Indices, n.inIndex)
		if pred := n.plain(e.Predicate); buf != e.Buffer || !same(indices, e.Indices) || pred != e.Predicate {
			return &tir.BufferLoad{Base: e.Base, Buffer: buf, Indices: indices, Predicate: pred}
		}
		return e
	case *tir.Select:
		cond := n.inCond(e.Cond)
		yes, no := n.matched(e.True, e.False)
		if cond == e.Cond && yes == e.True && no == e.False {
			return e
		}
		return &tir.Select{Base: e.Base, Cond: cond, True: yes, False: no}
	case *tir.Ramp:
		start, stride := n.matched(e.Start, e.Stride)
		if start == e.Start && stride == e.Stride {
			return e
		}
		return &tir.Ramp{Base: e.Base, Start: start, Stride: stride, Lanes: e.Lanes, Scalable: e.Scalable}
	case *tir.Broadcast:
		if v := n.expr(e.Value); v != e.Value {
			return &tir.Broadcast{Base: e.Base, Value: v, Lanes: e.Lanes, Scalable: e.Scalable}
		}
		return e
	case *tir.Not:
		if a := n.expr(e.A); a != e.A {
			return &tir.Not{Base: e.Base, A: a}
		}
		return e
	case *tir.Let:
		value, v := n.expr(e.Value), e.Var
		if value.DType() != v.DType() {
			v = &tir.Var{Base: v.Base, Name: v.Name, Type: &ir.PrimType{DType: value.DType()}}
		}
		n.vars[e.Var] = v // the same Let may stand elsewhere, where its value has another type
		if body := n.expr(e.Body); value != e.Value || body != e.Body {
			return &tir.Let{Base: e.Base, Var: v, Value: value, Body: body}
		}
		return e
	case *tir.Call:
		return n.call(e)
	}
	m := &tir.Mapper{Expr: n.plain, Buffer: n.buffer}
	return m.MapExpr(e)
}

// widened casts e, which became of old, to type d: old itself if that undoes the narrowing.
func widened(d dtype.DType, e, old tir.Expr) tir.Expr {
	if e == old && e.DType() == d {
		return old
	}
	if e = tir.CastTo(d, e); d == old.DType() && restored(e, old) {
		return old
	}
	return e
}

// restored reports whether e, which became of old, is old again. What is above a part that is not
// cannot be, so only what has no changed parts is compared.
func restored(e, old tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm:
		return arith.Equal(e, old)
	case *tir.Cast:
		o, ok := old.(*tir.Cast)
		return ok && o.Type == e.Type && o.Value == e.Value
	case *tir.Broadcast:
		o, ok := old.(*tir.Broadcast)
		return ok && o.Lanes == e.Lanes && (o.Value == e.Value || restored(e.Value, o.Value))
	}
	return false
}

// widenedPair gives a and b, which became of x and y, one type.
func widenedPair(a, b, x, y tir.Expr) (tir.Expr, tir.Expr) {
	a, b = tir.MatchTypes(a, b)
	return widened(a.DType(), a, x), widened(b.DType(), b, y)
}

// matched maps two operands of one type.
func (n *narrower) matched(x, y tir.Expr) (tir.Expr, tir.Expr) {
	return widenedPair(n.expr(x), n.expr(y), x, y)
}

func (n *narrower) castExpr(e *tir.Cast) tir.Expr {
	v := n.expr(e.Value)
	if d, ok := n.plan.exprs[e]; n.index && ok {
		out := tir.CastTo(d, v)
		n.c.Rewrite("narrow a conversion", e, out)
		return out
	}
	if v == e.Value {
		return e
	}
	return tir.CastTo(e.Type, v)
}

func (n *narrower) binary(e *tir.Binary) tir.Expr {
	index := n.index
	if e.Op.IsCompare() {
		n.index = n.cond && e.A.DType().IsInt()
	}
	a, b := n.expr(e.A), n.expr(e.B)
	if a.DType() != b.DType() {
		// A variable met a constant that stayed wide: narrow both as an index.
		n.index = true
		a, b = n.expr(e.A), n.expr(e.B)
	}
	n.index = index
	if a == e.A && b == e.B {
		return e
	}
	if a, b = widenedPair(a, b, e.A, e.B); a == e.A && b == e.B {
		return e
	}
	return tir.BinaryAt(e.Base, e.Op, a, b)
}

func (n *narrower) call(e *tir.Call) tir.Expr {
	op, ok := e.Op.(*ir.Op)
	if !ok {
		return n.rebuild(e, n.exprs(e.Args, n.plain), e.Type)
	}
	switch op.Name {
	case tir.OpIfThenElse.Name:
		cond := n.inCond(e.Args[0])
		yes, no := n.matched(e.Args[1], e.Args[2])
		if cond == e.Args[0] && yes == e.Args[1] && no == e.Args[2] {
			return e
		}
		return n.rebuild(e, []tir.Expr{cond, yes, no}, yes.DType())
	case tir.OpLikely.Name:
		if a := n.expr(e.Args[0]); a != e.Args[0] {
			return n.rebuild(e, []tir.Expr{a}, a.DType())
		}
		return e
	case tir.OpShiftLeft.Name, tir.OpShiftRight.Name, tir.OpBitwiseAnd.Name, tir.OpBitwiseOr.Name, tir.OpBitwiseXor.Name:
		if e.Type.IsInt() {
			a, b := n.matched(e.Args[0], e.Args[1])
			if a == e.Args[0] && b == e.Args[1] {
				return e
			}
			return n.rebuild(e, []tir.Expr{a, b}, a.DType())
		}
	case tir.OpThreadAllreduce.Name:
		return n.rebuild(e, n.exprs(e.Args, func(x tir.Expr) tir.Expr {
			if _, ok := x.(*tir.Var); ok {
				return n.expr(x) // a thread, whose variable is to stand there
			}
			return n.plain(x)
		}), e.Type)
	}
	return n.rebuild(e, n.exprs(e.Args, n.plain), e.Type)
}

func (n *narrower) rebuild(e *tir.Call, args []tir.Expr, d dtype.DType) tir.Expr {
	if same(args, e.Args) {
		return e
	}
	return &tir.Call{Base: e.Base, Type: d, Op: e.Op, Args: args}
}
