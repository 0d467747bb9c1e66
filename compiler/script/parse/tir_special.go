package parse

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// special evaluates the calls of T that make nodes other than calls of intrinsics.
func (b *builder) special(name string, n *node) (any, bool) {
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
		yes, no := b.pairOf(b.eval(a[1]), b.eval(a[2]), &node{kids: a[1:3]})
		return &tir.Select{Base: base, Cond: b.expr(a[0]), True: yes, False: no}, true
	case "Ramp", "ramp":
		a := b.bind(n, "base", "stride", "lanes", "span")
		b.need(n, a, 3, "base", "stride", "lanes")
		start, stride := b.pairOf(b.eval(a[0]), b.eval(a[1]), &node{kids: a[0:2]})
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
	case "Var", "SizeVar":
		a := b.bind(n, "name", "dtype", "span")
		b.need(n, a, 2, "name", "dtype")
		return fresh{&tir.Var{Base: base, Name: b.strOf(a[0], "the name"), Type: &ir.PrimType{DType: b.dtypeOf(a[1])}, Size: name == "SizeVar"}}, true
	case "ptr", "Ptr":
		return b.handle(n), true
	case "env_thread":
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
		return metaVar{b.eval(b.one(n))}, true
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
			return &tir.BufferLoad{Base: base, Buffer: buf, Indices: b.exprs(a[1])}, true
		}
	case "BufferRegion":
		a := b.bind(n, "buffer", "region")
		if buf, ok := b.eval(a[0]).(*tir.Buffer); ok {
			return b.toRegion(buf, n), true
		}
	}
	return nil, false
}

// one returns the only argument of a call.
func (b *builder) one(n *node) *node {
	a := b.bind(n, "value", "span")
	b.need(n, a, 1, "value")
	return a[0]
}

func (b *builder) lanes(n *node) int {
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

func (b *builder) limit(name string, d dtype.DType, n *node) tir.Expr {
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

// letExpr evaluates T.Let(body, where={x: value}).
func (b *builder) letExpr(n *node) any {
	a := b.bind(n, "expr", "where")
	b.need(n, a, 2, "expr", "where")
	if a[1].kind != nDict {
		b.fail(a[1], "", `expected a dictionary such as {x: value} after "where="`)
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	type let struct {
		v *tir.Var
		e tir.Expr
	}
	var lets []let
	for i := 0; i < len(a[1].kids); i += 2 {
		k := a[1].kids[i]
		e := b.expr(a[1].kids[i+1])
		var v *tir.Var
		if k.kind == nName {
			if old, ok := b.env.lookup(k.s); ok {
				v, _ = old.(*tir.Var)
			}
			if v == nil || v.DType() != e.DType() {
				v = &tir.Var{Base: b.span(k), Name: k.s, Type: &ir.PrimType{DType: e.DType()}}
			}
			b.env.define(k.s, v)
		} else {
			b.fail(k, "", "expected the name of a variable")
		}
		lets = append(lets, let{v, e})
	}
	out := b.expr(a[0])
	for i := len(lets) - 1; i >= 0; i-- {
		out = &tir.Let{Base: b.span(n), Var: lets[i].v, Value: lets[i].e, Body: out}
	}
	return out
}

func (b *builder) rangeCall(n *node) any {
	a := b.bind(n, "begin", "end")
	b.need(n, a, 1, "begin")
	if a[1] == nil {
		e := b.expr(a[0])
		return &tir.Range{Base: b.span(n), Min: tir.Const(e.DType(), 0), Extent: e}
	}
	lo, hi := b.pairOf(b.eval(a[0]), b.eval(a[1]), &node{kids: a})
	lo, hi = tir.MatchTypes(lo, hi)
	return &tir.Range{Base: b.span(n), Min: lo, Extent: extent(lo, hi)}
}

var iterKinds = map[string]tir.IterKind{
	"DataPar": tir.DataPar, "ThreadIndex": tir.ThreadIndex, "CommReduce": tir.CommReduce, "Ordered": tir.Ordered, "Opaque": tir.Opaque,
}

func (b *builder) iterVar(n *node) any {
	a := b.bind(n, "var", "dom", "iter_type", "thread_tag")
	b.need(n, a, 3, "var", "dom", "iter_type")
	iv := &tir.IterVar{Base: b.span(n)}
	if a[0].kind == nName {
		if _, known := b.env.lookup(a[0].s); !known {
			b.env.define(a[0].s, &tir.Var{Base: b.span(a[0]), Name: a[0].s, Type: &ir.PrimType{DType: b.intType}})
		}
	}
	switch v := b.eval(a[0]).(type) {
	case *tir.Var:
		iv.Var = v
	case fresh:
		iv.Var = v.v
	default:
		b.fail(a[0], "", "expected a variable, got %s", describe(v))
	}
	if r, ok := b.eval(a[1]).(*tir.Range); ok {
		iv.Dom = r
	}
	kind := b.strOf(a[2], "the kind of the variable")
	k, ok := iterKinds[kind]
	if !ok {
		b.fail(a[2], "it is DataPar, ThreadIndex, CommReduce, Ordered or Opaque", "unknown kind %q", kind)
	}
	iv.Kind = k
	if a[3] != nil {
		iv.ThreadTag = b.strOf(a[3], "the thread")
	}
	return iv
}

// lambdaBody evaluates a lambda over variables of the given types.
func (b *builder) lambdaBody(n *node, types func(i int) dtype.DType) ([]*tir.Var, []tir.Expr) {
	if n.kind != nLambda {
		b.fail(n, "", "expected a lambda")
	}
	mark := b.env.mark()
	defer b.env.release(mark)
	defer func(d dtype.DType) { b.intType = d }(b.intType)
	vars := make([]*tir.Var, len(n.params))
	for i, name := range n.params {
		if strings.HasPrefix(name, "*") {
			b.fail(n, "", "the parameters of the lambda must be written out")
		}
		vars[i] = &tir.Var{Base: b.span(n), Name: name, Type: &ir.PrimType{DType: types(i)}}
		b.env.define(name, vars[i])
	}
	if len(vars) > 0 && vars[0].DType().IsInt() {
		b.intType = vars[0].DType()
	}
	return vars, b.exprs(n.kids[0])
}

func (b *builder) commReducer(n *node) any {
	a := b.bind(n, "combiner", "identity")
	b.need(n, a, 2, "combiner", "identity")
	id := b.exprs(a[1])
	if a[0].kind == nLambda && len(a[0].params) != 2*len(id) {
		b.fail(a[0], "", "expected %d parameters, two for each of %d identities", 2*len(id), len(id))
	}
	vars, result := b.lambdaBody(a[0], func(i int) dtype.DType { return id[i%len(id)].DType() })
	k := len(id)
	return &tir.CommReducer{Base: b.span(n), LHS: vars[:k], RHS: vars[k:], Result: result, Identity: id}
}

func (b *builder) reduce(n *node) any {
	a := b.bind(n, "combiner", "source", "init", "axis", "condition", "value_index")
	b.need(n, a, 4, "combiner", "source", "init", "axis")
	c, ok := b.eval(a[0]).(*tir.CommReducer)
	if !ok {
		b.fail(a[0], "", "expected T.comm_reducer(...)")
	}
	out := &tir.Reduce{Base: b.span(n), Combiner: c}
	axes, ok := b.eval(a[3]).(*list)
	if !ok {
		b.fail(a[3], "", "expected a list of T.iter_var(...)")
	}
	for _, v := range axes.items {
		iv, ok := v.(*tir.IterVar)
		if !ok {
			b.fail(a[3], "", "expected a list of T.iter_var(...)")
		}
		out.Axis = append(out.Axis, iv)
	}
	out.Source, out.Init = b.exprs(a[1]), b.exprs(a[2])
	if a[4] != nil {
		out.Condition = b.expr(a[4])
	}
	if a[5] != nil {
		out.ValueIndex = int(b.intOf(a[5], "the number of the value"))
	}
	if out.ValueIndex < 0 || out.ValueIndex >= len(out.Source) {
		b.fail(n, "", "the reduction has no value %d", out.ValueIndex)
	}
	return out
}

func (b *builder) indexMap(n *node) any {
	a := b.bind(n, "mapping", "inverse_index_map", "index_dtype")
	b.need(n, a, 1, "mapping")
	d := b.intType
	if a[2] != nil {
		d = b.dtypeOf(a[2])
	}
	m := &tir.IndexMap{Base: b.span(n)}
	m.Initial, m.Final = b.lambdaBody(a[0], func(int) dtype.DType { return d })
	if a[1] != nil {
		switch {
		case a[1].kind == nLambda:
			inv := &tir.IndexMap{Base: b.span(a[1])}
			inv.Initial, inv.Final = b.lambdaBody(a[1], func(int) dtype.DType { return d })
			m.Inverse = inv
		default:
			m.Inverse, _ = b.eval(a[1]).(*tir.IndexMap)
		}
	}
	return m
}

// target evaluates T.target("llvm") and T.target({...}) to the text of the target.
func (b *builder) target(n *node) any {
	a := b.bind(n, "target_config", "host")
	b.need(n, a, 1, "target_config")
	out := targetText(b.eval(a[0]))
	if a[1] != nil {
		out += " host=" + targetText(b.eval(a[1]))
	}
	return out
}

func targetText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case *dict:
		return dictText(x)
	}
	return describe(v)
}

// dictText writes a dictionary as JSON, with its keys in order.
func dictText(d *dict) string {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return describe(d.keys[order[i]]) < describe(d.keys[order[j]]) })
	var s strings.Builder
	s.WriteByte('{')
	for i, k := range order {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(jsonText(d.keys[k]) + ": " + jsonText(d.vals[k]))
	}
	s.WriteByte('}')
	return s.String()
}

func jsonText(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case bool:
		return strconv.FormatBool(x)
	case nil:
		return "null"
	case *dict:
		return dictText(x)
	case *list:
		parts := make([]string, len(x.items))
		for i, it := range x.items {
			parts[i] = jsonText(it)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *tir.IntImm:
		if x.Type.IsBool() {
			return strconv.FormatBool(x.Value != 0)
		}
		return strconv.FormatInt(x.Value, 10)
	}
	return describe(v)
}

func (b *builder) callIntrin(n *node) any {
	args := b.spread(n.kids[1:])
	for _, kw := range n.kws {
		if kw.name == "dtype" {
			args = append([]*node{kw.value}, args...)
		}
	}
	if len(args) < 2 {
		b.fail(n, "", "T.call_intrin needs the type of the result and the name of the intrinsic")
	}
	name := b.strOf(args[1], "the name of the intrinsic")
	var op *ir.Op
	if k := tir.LookupBuiltin(name); k != nil {
		op = k.Op
	} else {
		op = ir.NewOp(name)
	}
	c := &tir.Call{Base: b.span(n), Type: b.dtypeOf(args[0]), Op: op}
	for _, a := range args[2:] {
		v := b.eval(a)
		if buf, ok := v.(*tir.Buffer); ok && len(buf.Shape) > 0 {
			v = buf.Data
		}
		c.Args = append(c.Args, b.toExpr(v, a))
	}
	if script.LookupCall(name).Name == "" {
		b.fail(args[1], "", "the name of an intrinsic is missing")
	}
	return c
}
