package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// relaxCall evaluates R.name(...).
func (b *builder) relaxCall(name string, n *syntax.Node) any {
	if s, ok := b.sinfoCall(name, n); ok {
		return s
	}
	if name == "DTensor" || name == "device_mesh" || strings.HasPrefix(name, "dist.") && op.Lookup("relax."+name) == nil {
		b.fail(n, "distributed tensors (R.DTensor, R.device_mesh and most of R.dist) cannot be read yet", "R.%s is not supported", name)
	}
	info := b.dims // in an annotation
	defer func() { b.dims = info }()
	b.dims = false
	base := b.span(n)
	switch name {
	case "const":
		return b.constCall(n)
	case "shape", "ShapeExpr":
		a := b.bind(n, "value", "span")
		b.need(n, a, 1, "value")
		return &relax.ShapeExpr{Base: base, Values: b.dimList(b.eval(a[0]), a[0])}
	case "prim_value":
		v := b.one(n)
		x := b.eval(v)
		if f, ok := x.(float64); ok {
			return &relax.PrimValue{Base: base, Value: &tir.FloatImm{Base: base, Type: dtype.Float64T, Value: f}}
		}
		return &relax.PrimValue{Base: base, Value: b.toExpr(x, v)}
	case "str":
		return &relax.StringImm{Base: base, Value: b.strOf(b.one(n), "the text")}
	case "dtype":
		return &relax.DataTypeImm{Base: base, Value: b.dtypeOf(b.one(n))}
	case "tuple":
		t := &relax.Tuple{Base: base}
		for _, k := range b.spread(n.Kids[1:]) {
			t.Fields = append(t.Fields, b.toRelax(b.eval(k), k))
		}
		return t
	case "TupleGetItem":
		a := b.bind(n, "tuple_value", "index")
		b.need(n, a, 2, "tuple_value", "index")
		return &relax.TupleGetItem{Base: base, Tuple: b.toRelax(b.eval(a[0]), a[0]), Index: int(b.intOf(a[1], "the number of the field"))}
	case "ExternFunc":
		a := b.bind(n, "global_symbol", "struct_info")
		b.need(n, a, 1, "global_symbol")
		f := &relax.ExternFunc{Base: base, Symbol: b.strOf(a[0], "the symbol")}
		if a[1] != nil {
			f.SInfo = b.sinfo(a[1])
		}
		return f
	case "match_cast", "emit_match_cast":
		a := b.bind(n, "value", "struct_info", "ty")
		if a[1] == nil {
			a[1] = a[2]
		}
		b.need(n, a, 2, "value", "struct_info")
		return &matchCast{b.toRelax(b.eval(a[0]), a[0]), b.sinfo(a[1])}
	case "emit":
		return b.toRelax(b.eval(b.one(n)), n)
	case "emit_with_sinfo":
		return b.emitWithSInfo(n)
	case "emit_te", "rewriter", "If", "Then", "Else", "SeqExpr", "emit_var_binding", "func_name", "arg":
		b.fail(n, hostOnly[name], "R.%s cannot be read from text", name)
	case "stop_lift_params":
		name = "builtin.stop_lift_params"
	case "linear":
		return b.linear(n)
	case "cpu", "cuda", "opencl", "vulkan", "metal", "rocm", "webgpu", "hexagon":
		d := device{kind: deviceKinds[name]}
		if a := b.bind(n, "dev_id"); a[0] != nil {
			d.index = b.intOf(a[0], "the number of the device")
		}
		return d
	case "nn.relu6":
		x := b.one(n)
		return b.opCall(n, "relax.clip", []any{b.eval(x), int64(0), int64(6)}, nil)
	case "device":
		return b.deviceCall(n)
	case "dataflow", "output", "func_attr":
		b.fail(n, "", "R.%s is a statement of its own", name)
	}
	if c := b.packedCall(name, n); c != nil {
		return c
	}
	pos, kws, sinfo := b.arguments(n)
	switch name {
	case "print", "assert_op":
		return b.formatted(name, n, pos, kws)
	case "hint_on_device":
		if len(pos) > 1 {
			if d, ok := pos[1].v.(device); ok {
				pos = pos[:1]
				kws = map[string]given{"device_type": {d.kind, n}, "index": {d.index, n}}
			}
		}
	}
	o := op.Lookup("relax." + name)
	if o == nil {
		b.dims = info
		b.unknownOperator(name, n)
	}
	if name == "nn.attention" {
		if bias, ok := kws["bias"]; ok && bias.v != nil || len(pos) > 3 && isGraphValue(pos[3].v) {
			o = op.Lookup("relax.nn.attention_bias")
		} else if ok {
			delete(kws, "bias")
		}
	}
	pos, kws = b.adapt(o, pos, kws, n)
	return b.buildOp(n, o, pos, kws, sinfo)
}

// arguments evaluates the arguments of a call. Struct info arguments are kept apart.
func (b *builder) arguments(n *syntax.Node) (pos []given, kws map[string]given, sinfo []relax.StructInfo) {
	for _, k := range b.spread(n.Kids[1:]) {
		if k.Kind == syntax.Lambda {
			pos = append(pos, given{nil, k})
			continue
		}
		pos = append(pos, given{b.eval(k), k})
	}
	for i := range n.Keywords() {
		kw := &n.Keywords()[i]
		switch kw.Name {
		case "sinfo_args", "ty_args", "out_sinfo", "out_ty":
			list := b.sinfoList(kw.Value)
			if strings.HasPrefix(kw.Name, "out_") && (len(list) != 1 || kw.Value.Kind == syntax.List) {
				list = []relax.StructInfo{&relax.TupleStructInfo{Base: b.span(kw.Value), Fields: list}}
			}
			sinfo = list
		default:
			if kws == nil {
				kws = map[string]given{}
			}
			if kw.Value.Kind == syntax.Lambda {
				kws[kw.Name] = given{nil, kw.Value}
			} else {
				kws[kw.Name] = given{b.eval(kw.Value), kw.Value}
			}
		}
	}
	return pos, kws, sinfo
}

// adapt brings arguments from the order of TVM's Python function into that of the operator.
func (b *builder) adapt(o *op.Op, pos []given, kws map[string]given, n *syntax.Node) ([]given, map[string]given) {
	if o.Name == "relax.arange" {
		pos, kws = b.arange(pos, kws, n)
	}
	if g, ok := kws["input_tensor"]; ok && o.Name == "relax.slice_scatter" {
		delete(kws, "input_tensor")
		kws["data"] = g
	}
	return pos, kws
}

// unknownOperator reports a name that R does not have.
func (b *builder) unknownOperator(name string, n *syntax.Node) {
	names := append([]string{}, relaxNames...)
	for _, o := range append(op.All(), op.Foreign()...) {
		names = append(names, strings.TrimPrefix(o.Name, "relax."))
	}
	help := ""
	if best := near(name, names); best != "" {
		help = "did you mean R." + best + "?"
	}
	if b.dims {
		b.fail(n.Kids[0], help, "R has no %q", name)
	}
	b.fail(n.Kids[0], help, "unknown operator R.%s", name)
}

// relaxNames are names of R besides the operators, for hints.
var relaxNames = strings.Fields(`function dataflow output func_attr const prim_value str dtype shape tuple match_cast call_packed
	call_tir call_dps_packed Tensor Shape Tuple Prim Object Callable ExternFunc TupleGetItem device emit_te macro nn.relu6
	emit_with_sinfo`)
