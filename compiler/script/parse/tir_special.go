package parse

import (
	"math"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// special evaluates the calls of T that make nodes other than calls of intrinsics.
func (b *builder) special(name string, n *syntax.Node) (any, bool) {
	base := b.span(n)
	switch name {
	case "Cast":
		a := b.bind(n, "dtype", "value", "span")
		b.need(n, a, 2, "dtype", "value")
		d := b.dtypeOf(a[0])
		return &tir.Cast{Base: base, Type: d, Value: b.expr(a[1])}, true
	case "cast":
		a := b.bind(n, "value", "dtype", "span")
		b.need(n, a, 2, "value", "dtype")
		out := tir.CastTo(b.dtypeOf(a[1]), b.expr(a[0]))
		setSpan(out, base)
		return out, true
	case "Not":
		return &tir.Not{Base: base, A: b.expr(b.one(n))}, true
	case "Select":
		a := b.bind(n, "condition", "true_value", "false_value", "span")
		b.need(n, a, 3, "condition", "true_value", "false_value")
		yes, no := b.pairOf(b.eval(a[1]), b.eval(a[2]), &syntax.Node{Kids: a[1:3]})
		return &tir.Select{Base: base, Cond: b.expr(a[0]), True: yes, False: no}, true
	case "Ramp", "ramp":
		a := b.bind(n, "base", "stride", "lanes", "span")
		b.need(n, a, 3, "base", "stride", "lanes")
		start, stride := b.pairOf(b.eval(a[0]), b.eval(a[1]), &syntax.Node{Kids: a[0:2]})
		return &tir.Ramp{Base: base, Start: start, Stride: stride, Lanes: b.lanes(a[2])}, true
	case "Broadcast", "broadcast":
		a := b.bind(n, "value", "lanes", "span")
		b.need(n, a, 2, "value", "lanes")
		return &tir.Broadcast{Base: base, Value: b.expr(a[0]), Lanes: b.lanes(a[1])}, true
	case "Shuffle":
		a := b.bind(n, "vectors", "indices", "span")
		b.need(n, a, 2, "vectors", "indices")
		vs := b.exprs(a[0])
		if len(vs) == 0 {
			b.fail(a[0], "", "T.Shuffle needs a vector")
		}
		return &tir.Shuffle{Base: base, Vectors: vs, Indices: b.exprs(a[1])}, true
	case "Let", "let":
		return b.letExpr(n), true
	case "abs":
		x := b.expr(b.one(n))
		if x.DType().IsFloat() {
			return &tir.Call{Base: base, Type: x.DType(), Op: tir.OpFabs, Args: []tir.Expr{x}}, true
		}
		return &tir.Select{Base: base, Cond: tir.GE(x, tir.Const(x.DType(), 0)), True: x, False: tir.Sub(tir.Const(x.DType(), 0), x)}, true
	case "isfinite":
		return b.isFinite(n), true
	case "ceildiv":
		x, y := b.two(n)
		out := tir.FloorDiv(tir.Sub(tir.Add(x, y), tir.Const(y.DType(), 1)), y)
		setSpan(out, base)
		return out, true
	case "power":
		x, y := b.two(n)
		return &tir.Call{Base: base, Type: x.DType(), Op: tir.OpPow, Args: []tir.Expr{x, y}}, true
	case "min_value", "max_value", "infinity":
		d := b.dtypeOf(b.one(n))
		return b.limit(name, d, n), true
	case "FloatImm", "IntImm":
		a := b.bind(n, "dtype", "value", "span")
		b.need(n, a, 2, "dtype", "value")
		return b.typedValue(b.dtypeOf(a[0]), a[1], n), true
	case "StringImm":
		return &tir.StringImm{Base: base, Value: b.strOf(b.one(n), "the text")}, true
	case "Var", "SizeVar", "var":
		a := b.bind(n, "name", "dtype", "span")
		b.need(n, a, 2, "name", "dtype")
		return fresh{&tir.Var{Base: base, Name: b.strOf(a[0], "the name"), Type: &ir.PrimType{DType: b.dtypeOf(a[1])}, Size: name == "SizeVar"}}, true
	case "void":
		return fresh{&tir.Var{Base: base, Type: ir.VoidType()}}, true
	case "ptr", "Ptr":
		return b.handle(n), true
	case "env_thread":
		if b.tf == nil {
			b.fail(n, "", "T.env_thread stands outside of a loop-level function")
		}
		a := b.bind(n, "thread_tag", "dtype")
		b.need(n, a, 1, "thread_tag")
		d := b.intType
		if a[1] != nil {
			d = b.dtypeOf(a[1])
		}
		iv := &tir.IterVar{Base: base, Var: &tir.Var{Base: base, Type: &ir.PrimType{DType: d}}, Kind: tir.ThreadIndex, ThreadTag: b.strOf(a[0], "the name of the thread")}
		b.tf.threads[iv.Var] = iv
		return fresh{iv.Var}, true
	case "meta_var":
		v := b.eval(b.one(n))
		b.weigh(v, n)
		return metaVar{v}, true
	case "type_annotation":
		a := b.bind(n, "dtype", "shape")
		b.need(n, a, 1, "dtype")
		return &tir.Call{Base: base, Type: b.dtypeOf(a[0]), Op: tir.OpTypeAnnot}, true
	case "Range":
		return b.rangeCall(n), true
	case "iter_var":
		return b.iterVar(n), true
	case "comm_reducer":
		return b.commReducer(n), true
	case "reduce":
		return b.reduce(n), true
	case "index_map":
		return b.indexMap(n), true
	case "target":
		return b.target(n), true
	case "call_intrin":
		return b.callIntrin(n), true
	case "BufferLoad":
		a := b.bind(n, "buffer", "indices", "predicate")
		b.need(n, a, 2, "buffer", "indices")
		if buf, ok := b.eval(a[0]).(*tir.Buffer); ok {
			load := &tir.BufferLoad{Base: base, Buffer: buf, Indices: b.exprs(a[1])}
			b.checkRank(buf, len(load.Indices), n)
			return load, true
		}
	case "BufferRegion":
		a := b.bind(n, "buffer", "region")
		b.need(n, a, 1, "buffer")
		if buf, ok := b.eval(a[0]).(*tir.Buffer); ok {
			return b.toRegion(buf, n), true
		}
	}
	return nil, false
}

// one returns the only argument of a call.
func (b *builder) one(n *syntax.Node) *syntax.Node {
	a := b.bind(n, "value", "span")
	b.need(n, a, 1, "value")
	return a[0]
}

func (b *builder) lanes(n *syntax.Node) int {
	v := b.eval(n)
	l, ok := asInt(v)
	if !ok {
		b.fail(n, "vectors of scalable length are not supported", "the number of lanes must be a constant")
	}
	if l < 1 || l > 1<<15 {
		b.fail(n, "", "the number of lanes must be from 1 to %d, got %d", 1<<15, l)
	}
	return int(l)
}

func (b *builder) limit(name string, d dtype.DType, n *syntax.Node) tir.Expr {
	base := b.span(n)
	sign := 1.0
	if name == "min_value" {
		sign = -1
	}
	if d.IsFloat() {
		largest := map[uint8]float64{64: math.MaxFloat64, 32: math.MaxFloat32, 16: 65504}[d.Bits]
		switch {
		case name == "infinity":
			largest = math.Inf(1)
		case d.Code == dtype.BFloat:
			largest = 3.38953139e38
		case d.Code == dtype.Float8E4M3FN:
			largest = 448
		case d.Code == dtype.Float8E5M2:
			largest = 57344
		}
		return &tir.FloatImm{Base: base, Type: d, Value: sign * largest}
	}
	if !d.IsInteger() && !d.IsBool() {
		b.fail(n, "", "there is no limit of type %s", d)
	}
	v := int64(0)
	switch {
	case d.IsBool():
		if sign > 0 {
			v = 1
		}
	case d.IsUInt():
		if sign > 0 {
			v = int64(1)<<d.Bits - 1
		}
	case sign > 0:
		v = int64(1)<<(d.Bits-1) - 1
	default:
		v = -1 << (d.Bits - 1)
	}
	return &tir.IntImm{Base: base, Type: d, Value: v}
}
