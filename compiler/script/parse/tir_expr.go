package parse

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// binaryRows returns the operations of two operands: by the names of their nodes as they are, by
// others with constants folded.
func binaryRows() []row {
	var out []row
	add := func(build func(tir.BinaryOp) func(*call) any, ops map[string]tir.BinaryOp) {
		for name, op := range ops {
			out = append(out, row{"T." + name + "(a: value, b: value)", build(op)})
		}
	}
	add(nodeOf, map[string]tir.BinaryOp{
		"Add": tir.OpAdd, "Sub": tir.OpSub, "Mul": tir.OpMul, "Div": tir.OpDiv, "Mod": tir.OpMod, "FloorDiv": tir.OpFloorDiv,
		"FloorMod": tir.OpFloorMod, "Min": tir.OpMin, "Max": tir.OpMax, "EQ": tir.OpEQ, "NE": tir.OpNE, "LT": tir.OpLT,
		"LE": tir.OpLE, "GT": tir.OpGT, "GE": tir.OpGE, "And": tir.OpAnd, "Or": tir.OpOr,
	})
	add(folded, map[string]tir.BinaryOp{
		"truncdiv": tir.OpDiv, "truncmod": tir.OpMod, "floordiv": tir.OpFloorDiv, "floormod": tir.OpFloorMod,
		"indexdiv": tir.OpFloorDiv, "indexmod": tir.OpFloorMod, "min": tir.OpMin, "max": tir.OpMax,
	})
	return out
}

// exprRows are the other expressions of T that are no intrinsics.
var exprRows = []row{
	{"T.Not(value: expr)", func(c *call) any { return &tir.Not{Base: c.base(), A: c.exprAt(0)} }},
	{"T.ceildiv(a: value, b: value)", func(c *call) any {
		x, y := c.operands(0, 1)
		return c.placed(tir.FloorDiv(tir.Sub(tir.Add(x, y), tir.Const(y.DType(), 1)), y))
	}},
	{"T.power(a: value, b: value)", func(c *call) any {
		x, y := c.operands(0, 1)
		return &tir.Call{Base: c.base(), Type: x.DType(), Op: tir.OpPow, Args: []tir.Expr{x, y}}
	}},
	{"T.abs(value: expr)", func(c *call) any {
		x := c.exprAt(0)
		if x.DType().IsFloat() {
			return &tir.Call{Base: c.base(), Type: x.DType(), Op: tir.OpFabs, Args: []tir.Expr{x}}
		}
		zero := tir.Const(x.DType(), 0)
		return &tir.Select{Base: c.base(), Cond: tir.GE(x, zero), True: x, False: tir.Sub(zero, x)}
	}},
	{"T.isfinite(value: expr)", func(c *call) any { // for which there is no intrinsic
		x := c.exprAt(0)
		no := func(op *ir.Op) tir.Expr {
			typ := dtype.BoolT.LikeVector(x.DType())
			return &tir.Not{Base: c.base(), A: &tir.Call{Base: c.base(), Type: typ, Op: op, Args: []tir.Expr{x}}}
		}
		return tir.BinaryAt(c.base(), tir.OpAnd, no(tir.OpIsInf), no(tir.OpIsNaN))
	}},
	{"T.Cast(dtype: dtype, value: expr)", func(c *call) any {
		return &tir.Cast{Base: c.base(), Type: c.typeAt(0), Value: c.exprAt(1)}
	}},
	{"T.cast(value: expr, dtype: dtype)", func(c *call) any { return c.placed(tir.CastTo(c.typeAt(1), c.exprAt(0))) }},
	{"T.Select(condition: expr, true_value: value, false_value: value)", func(c *call) any {
		yes, no := c.pairOf(c.vals[1], c.at[1], c.vals[2], c.at[2])
		return &tir.Select{Base: c.base(), Cond: c.exprAt(0), True: yes, False: no}
	}},
	{"T.Ramp|T.ramp(base: value, stride: value, lanes: lanes)", func(c *call) any {
		start, stride := c.pairOf(c.vals[0], c.at[0], c.vals[1], c.at[1])
		l := argument[lanes](c, 2)
		return &tir.Ramp{Base: c.base(), Start: start, Stride: stride, Lanes: l.n, Scalable: l.scalable}
	}},
	{"T.Broadcast|T.broadcast(value: expr, lanes: lanes)", func(c *call) any {
		l := argument[lanes](c, 1)
		return &tir.Broadcast{Base: c.base(), Value: c.exprAt(0), Lanes: l.n, Scalable: l.scalable}
	}},
	{"T.Shuffle(vectors: exprs, indices: exprs)", func(c *call) any {
		if len(c.exprsAt(0)) == 0 {
			c.fail(c.at[0], "", "T.Shuffle needs a vector")
		}
		return &tir.Shuffle{Base: c.base(), Vectors: c.exprsAt(0), Indices: c.exprsAt(1)}
	}},
	{"T.Let(expr: node, where: node)", (*call).let},
	{"T.FloatImm|T.IntImm(dtype: dtype, value: value)", func(c *call) any {
		return c.typedValue(c.typeAt(0), c.vals[1], c.at[1], c.n)
	}},
	{"T.StringImm(value: str)", func(c *call) any { return &tir.StringImm{Base: c.base(), Value: c.strAt(0)} }},
	{"T.min_value(value: dtype)", func(c *call) any { return c.limit(-1, false) }},
	{"T.max_value(value: dtype)", func(c *call) any { return c.limit(1, false) }},
	{"T.infinity(value: dtype)", func(c *call) any { return c.limit(1, true) }},
	{"T.type_annotation(dtype: dtype, shape: node = None)", func(c *call) any {
		return &tir.Call{Base: c.base(), Type: c.typeAt(0), Op: tir.OpTypeAnnot}
	}},
	{"T.BufferLoad(buffer: buffer, indices: exprs, predicate: value = None)", func(c *call) any {
		load := &tir.BufferLoad{Base: c.base(), Buffer: argument[*tir.Buffer](c, 0), Indices: c.exprsAt(1)}
		c.checkRank(load.Buffer, len(load.Indices), c.n)
		return load
	}},
	{"T.BufferRegion(buffer: buffer, region: node = None)", func(c *call) any { return c.toRegion(c.vals[0], c.n) }},
	{"T.meta_var|I.meta_var(value: value)", func(c *call) any {
		c.weigh(c.vals[0], c.n)
		return metaVar{c.vals[0]}
	}},
	{"T.target(target_config: value, host: value = None)", func(c *call) any {
		host := ""
		if c.has(1) {
			host = targetText(c.vals[1])
		}
		return canonicalTarget(targetText(c.vals[0]), host)
	}},
}

// typeRows make variables and pointers; the element types themselves are added by the table.
var typeRows = []row{
	{"T.Var|T.var(name: str, dtype|ty: dtype)", func(c *call) any { return fresh{c.newVar(c.typeAt(1), c.strAt(0), false)} }},
	{"T.SizeVar(name: str, dtype|ty: dtype)", func(c *call) any { return fresh{c.newVar(c.typeAt(1), c.strAt(0), true)} }},
	{"T.Tuple(*fields: node)", func(c *call) any {
		t := &ir.TupleType{Base: c.base()}
		for _, n := range c.restAt {
			t.Fields = append(t.Fields, c.typeOf(n))
		}
		return t
	}},
	{"T.void()", func(c *call) any { return fresh{&tir.Var{Base: c.base(), Type: ir.VoidType()}} }},
	{"T.handle|T.ptr|T.Ptr(dtype: dtype = None, storage_scope: str = 'global', is_size_var: bool = False)", func(c *call) any {
		v := c.newVar(dtype.HandleT, "", false)
		if c.has(0) {
			v.Type = &ir.PointerType{Elem: &ir.PrimType{DType: c.typeAt(0)}, Scope: c.scopeAt(1)}
		}
		return fresh{v}
	}},
	{"T.env_thread(thread_tag: str, dtype: dtype = None)", func(c *call) any {
		if c.tf == nil {
			c.fail(c.n, "", "T.env_thread is outside of a PrimFunc")
		}
		v := c.newVar(c.typeOr(1, c.intType), "", false)
		c.tf.threads[v] = &tir.IterVar{Base: v.Base, Var: v, Kind: tir.ThreadIndex, ThreadTag: c.strAt(0)}
		return fresh{v}
	}},
}

// newVar returns a variable; one without a name takes that which it is assigned to.
func (c *call) newVar(d dtype.DType, name string, size bool) *tir.Var {
	return c.nodes.variable(c.base(), name, d, size)
}

// conditionAt returns a condition; one that is not given holds.
func (c *call) conditionAt(i int) tir.Expr {
	if c.has(i) {
		return c.exprAt(i)
	}
	return tir.Bool(true)
}

// scopeAt returns a memory scope; that of global memory is not written.
func (c *call) scopeAt(i int) string {
	if s := c.strAt(i); s != "global" {
		return s
	}
	return ""
}

// placed gives what a constructor made the span of the call.
func (c *call) placed(e tir.Expr) tir.Expr {
	setSpan(e, c.base())
	return e
}

// operands returns two arguments as expressions of one type.
func (c *call) operands(i, j int) (tir.Expr, tir.Expr) {
	_, xn := asPythonFloat(c.vals[i])
	_, yn := asPythonFloat(c.vals[j])
	if xn && yn {
		return tir.MatchTypes(c.toExpr(c.vals[i], c.at[i]), c.toExpr(c.vals[j], c.at[j]))
	}
	return c.pairOf(c.vals[i], c.at[i], c.vals[j], c.at[j])
}

// nodeOf builds the node of an operation, as it is named after its node.
func nodeOf(op tir.BinaryOp) func(*call) any {
	return func(c *call) any {
		x, y := c.operands(0, 1)
		return tir.BinaryAt(c.base(), op, x, y)
	}
}

// folded builds an operation, of which constants are folded.
func folded(op tir.BinaryOp) func(*call) any {
	return func(c *call) any {
		x, y := c.operands(0, 1)
		return c.placed(tir.BinaryExpr(op, x, y))
	}
}

// typed builds the call of an element type: T.int32(v) is a constant or a cast, T.int32() a
// variable.
func typed(d dtype.DType) func(*call) any {
	return func(c *call) any {
		if c.at[0] == nil {
			return fresh{c.newVar(d, "", c.flagAt(1))}
		}
		out := c.typedValue(d, c.vals[0], c.at[0], c.n)
		if e, ok := out.(tir.Expr); ok {
			return c.placed(e)
		}
		return out
	}
}

// typedValue returns v as a constant of type d or a cast to it, None as a variable; n is where v
// stands, at where the constant does.
func (b *builder) typedValue(d dtype.DType, v any, n, at *syntax.Node) any {
	switch v := v.(type) {
	case nil:
		return fresh{&tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: d}}}
	case string:
		if f, ok := namedFloat(v); ok {
			return tir.FloatConst(d, f)
		}
		b.fail(n, `"inf", "-inf" and "nan" are the only numbers written as strings`, "%q is not a number", v)
	case int64, float64, bool, uint64:
		if !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
			b.fail(n, "", "there are no constants of type %s", d)
		}
		return b.literal(d, v, at)
	}
	e := b.toExpr(v, n)
	if f, ok := e.(*tir.FloatImm); ok && d.IsFloat() && d.Lanes == 1 {
		return &tir.FloatImm{Type: d, Value: f.Value}
	}
	if e.DType().Lanes > 1 && d.Lanes == 1 {
		d = d.LikeVector(e.DType())
	}
	return tir.CastTo(d, e)
}

// limit builds the smallest or largest value of a type, by sign.
func (c *call) limit(sign float64, infinite bool) tir.Expr {
	d := c.typeAt(0)
	if d.IsFloat() {
		largest := map[uint8]float64{64: math.MaxFloat64, 32: math.MaxFloat32, 16: 65504}[d.Bits]
		switch {
		case infinite:
			largest = math.Inf(1)
		case d.Code == dtype.BFloat:
			largest = 3.38953139e38
		case d.Code == dtype.Float8E4M3FN:
			largest = 448
		case d.Code == dtype.Float8E5M2:
			largest = 57344
		}
		return &tir.FloatImm{Base: c.base(), Type: d, Value: sign * largest}
	}
	v := int64(0)
	switch {
	case !d.IsInteger() && !d.IsBool():
		c.fail(c.n, "", "there is no limit of type %s", d)
	case d.IsBool() && sign > 0:
		v = 1
	case d.IsBool():
	case d.IsUInt() && sign > 0:
		v = int64(1)<<d.Bits - 1
	case d.IsUInt():
	case sign > 0:
		v = int64(1)<<(d.Bits-1) - 1
	default:
		v = -1 << (d.Bits - 1)
	}
	return &tir.IntImm{Base: c.base(), Type: d, Value: v}
}

// let builds T.Let(body, where={x: value}).
func (c *call) let() any {
	where := c.nodeAt(1)
	if where.Kind != syntax.Dict {
		c.fail(where, "", `expected a dictionary such as {x: value} after "where="`)
	}
	defer c.env.release(c.env.mark())
	var lets []*tir.Let
	for i := 0; i < len(where.Kids); i += 2 {
		k, e := where.Kids[i], c.expr(where.Kids[i+1])
		if k.Kind != syntax.Name {
			c.fail(k, "", "expected the name of a variable")
		}
		old, _ := c.env.lookup(k.Text)
		v, _ := old.(*tir.Var)
		if v == nil || v.DType() != e.DType() {
			v = c.variable(k, e.DType())
		}
		c.env.define(k.Text, v)
		lets = append(lets, &tir.Let{Base: c.base(), Var: v, Value: e})
	}
	out := c.expr(c.nodeAt(0))
	for i := len(lets) - 1; i >= 0; i-- {
		lets[i].Body = out
		out = lets[i]
	}
	return out
}
