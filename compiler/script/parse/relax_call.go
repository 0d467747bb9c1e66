package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// relaxCall evaluates R.name(...).
func (b *builder) relaxCall(name string, n *node) any {
	if s, ok := b.sinfoCall(name, n); ok {
		return s
	}
	defer func(d bool) { b.dims = d }(b.dims)
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
		for _, k := range b.spread(n.kids[1:]) {
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
	case "match_cast":
		a := b.bind(n, "value", "struct_info", "ty")
		if a[1] == nil {
			a[1] = a[2]
		}
		b.need(n, a, 2, "value", "struct_info")
		return &matchCast{b.toRelax(b.eval(a[0]), a[0]), b.sinfo(a[1])}
	case "emit":
		return b.toRelax(b.eval(b.one(n)), n)
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
	full := "relax." + name
	o := op.Lookup(full)
	if o == nil {
		return b.foreignCall(full, n, pos, kws, sinfo)
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
func (b *builder) arguments(n *node) (pos []given, kws map[string]given, sinfo []relax.StructInfo) {
	for _, k := range b.spread(n.kids[1:]) {
		if k.kind == nLambda {
			pos = append(pos, given{nil, k})
			continue
		}
		pos = append(pos, given{b.eval(k), k})
	}
	for i := range n.kws {
		kw := &n.kws[i]
		switch kw.name {
		case "sinfo_args", "ty_args", "out_sinfo", "out_ty":
			list := b.sinfoList(kw.value)
			if strings.HasPrefix(kw.name, "out_") && (len(list) != 1 || kw.value.kind == nList) {
				list = []relax.StructInfo{&relax.TupleStructInfo{Base: b.span(kw.value), Fields: list}}
			}
			sinfo = list
		default:
			if kws == nil {
				kws = map[string]given{}
			}
			if kw.value.kind == nLambda {
				kws[kw.name] = given{nil, kw.value}
			} else {
				kws[kw.name] = given{b.eval(kw.value), kw.value}
			}
		}
	}
	return pos, kws, sinfo
}

// adapt brings arguments from the order of TVM's Python function into that of the operator.
func (b *builder) adapt(o *op.Op, pos []given, kws map[string]given, n *node) ([]given, map[string]given) {
	if names := pythonParams[o.Name]; names != nil {
		for i, g := range pos {
			if i >= len(names) {
				b.fail(g.at, "it takes "+strings.Join(names, ", "), "%s takes at most %d arguments, got %d", o.Name, len(names), len(pos))
			}
			if kws == nil {
				kws = map[string]given{}
			}
			if names[i] != "" {
				kws[names[i]] = g
			}
		}
		pos = nil
	}
	if o.Name == "relax.arange" {
		pos, kws = b.arange(pos, kws, n)
	}
	for from, to := range renamed[o.Name] {
		if g, ok := kws[from]; ok {
			delete(kws, from)
			kws[to] = g
		}
	}
	return pos, kws
}

// arange fills in what Python's range does: the start, the step, and the element type.
func (b *builder) arange(pos []given, kws map[string]given, n *node) ([]given, map[string]given) {
	all := map[string]given{}
	for k, g := range kws {
		all[k] = g
	}
	for i, g := range pos {
		if i < 4 {
			all[[]string{"start", "end", "step", "dtype"}[i]] = g
		}
	}
	if e, ok := all["end"]; !ok || e.v == nil {
		all["end"], all["start"] = all["start"], given{int64(0), n}
	}
	if s, ok := all["step"]; !ok || s.v == nil {
		all["step"] = given{int64(1), n}
	}
	if d, ok := all["dtype"]; !ok || d.v == nil {
		t := "int64"
		for _, k := range []string{"start", "end", "step"} {
			v := all[k].v
			if p, ok := v.(*relax.PrimValue); ok {
				v = p.Value
			}
			if e, ok := v.(tir.Expr); ok && e.DType().IsFloat() {
				t = "float32"
			} else if hasFloat(v) {
				t = "float32"
			}
		}
		all["dtype"] = given{t, n}
	}
	return nil, all
}

// packedCall evaluates the calls that have a form of their own; nil for others.
func (b *builder) packedCall(name string, n *node) any {
	var lead []string
	switch name {
	case "call_tir":
		lead = []string{"gvar", "args", "out_sinfo", "tir_vars"}
	case "call_tir_inplace":
		lead = []string{"gvar", "args", "inplace_indices", "out_sinfo", "tir_vars"}
	case "call_dps_packed":
		lead = []string{"func", "args", "out_sinfo"}
	case "call_packed":
		return b.callPacked(n)
	case "call_pure_packed":
		pos, _, sinfo := b.arguments(n)
		args := b.externFirst(pos, n)
		return &relax.Call{Base: b.span(n), Op: op.Lookup("relax.call_pure_packed").Ref(), Args: args, SInfoArgs: sinfo}
	default:
		return nil
	}
	var a [6]*node
	bound := map[string]*node{}
	rest := b.spread(n.kids[1:])
	if len(rest) > len(lead) {
		b.fail(n, "", "R.%s takes at most %d arguments", name, len(lead))
	}
	for i, k := range rest {
		bound[lead[i]] = k
	}
	for i := range n.kws {
		kw := &n.kws[i]
		key := kw.name
		switch key {
		case "out_ty":
			key = "out_sinfo"
		case "func":
			key = lead[0]
		}
		known := false
		for _, l := range lead {
			known = known || l == key
		}
		if !known {
			help := "it takes " + strings.Join(lead, ", ")
			b.d.add(kw.at, kw.end, "R."+name+" has no argument "+kw.name, help)
			panic(failure{})
		}
		bound[key] = kw.value
	}
	for i, l := range lead {
		a[i] = bound[l]
	}
	b.need(n, a[:], 2, lead...)
	callee := b.argument(b.eval(a[0]), op.Callee, "func", a[0])
	args := b.toRelax(b.eval(a[1]), a[1])
	if _, ok := args.(*relax.Tuple); !ok {
		if _, tuple := b.infoOf(args).(*relax.TupleStructInfo); !tuple {
			args = &relax.Tuple{Base: b.span(a[1]), Fields: []relax.Expr{args}}
		}
	}
	c := &relax.Call{Base: b.span(n), Op: op.Lookup("relax." + name).Ref(), Args: []relax.Expr{callee, args}}
	out := bound["out_sinfo"]
	if out == nil {
		b.fail(n, `add out_sinfo=R.Tensor(...)`, "R.%s needs the struct info of its result", name)
	}
	list := b.sinfoList(out)
	if out.kind == nList || out.kind == nTuple || len(list) != 1 {
		list = []relax.StructInfo{&relax.TupleStructInfo{Base: b.span(out), Fields: list}}
	}
	c.SInfoArgs = list
	if k := bound["tir_vars"]; k != nil {
		if v := b.eval(k); v != nil {
			c.Args = append(c.Args, b.argument(v, op.Shape, "tir_vars", k))
		}
	}
	if k := bound["inplace_indices"]; k != nil {
		v := b.numbers(b.eval(k), k)
		if i, ok := v.(int64); ok {
			v = []ir.Value{i}
		}
		c.Attrs = ir.NewAttrs("inplace_indices", v)
	}
	return c
}

func (b *builder) externFirst(pos []given, n *node) []relax.Expr {
	if len(pos) == 0 {
		b.fail(n, "", "the function that is to be called is missing")
	}
	args := []relax.Expr{b.argument(pos[0].v, op.Callee, "func", pos[0].at)}
	for _, g := range pos[1:] {
		args = append(args, b.toRelax(g.v, g.at))
	}
	return args
}

// callPacked evaluates R.call_packed("name", args..., sinfo_args=...). Other keywords are
// the attributes of the call.
func (b *builder) callPacked(n *node) any {
	pos, kws, sinfo := b.arguments(n)
	args := b.externFirst(pos, n)
	c := &relax.Call{Base: b.span(n), Op: args[0], Args: args[1:], SInfoArgs: sinfo}
	for i := range n.kws {
		kw := &n.kws[i]
		if g, ok := kws[kw.name]; ok && kw.name != "attrs_type_key" {
			c.Attrs = c.Attrs.With(kw.name, b.attrValue(g.v, g.at))
		}
	}
	return c
}

// formatted evaluates R.print and R.assert_op, whose format stands before the values.
func (b *builder) formatted(name string, n *node, pos []given, kws map[string]given) any {
	var args []relax.Expr
	if name == "assert_op" {
		if len(pos) == 0 {
			b.fail(n, "", "R.assert_op needs a condition")
		}
		args = append(args, b.toRelax(pos[0].v, pos[0].at))
		pos = pos[1:]
		if len(pos) == 1 { // R.assert_op(cond, [values])
			if l, ok := pos[0].v.(*list); ok {
				at := pos[0].at
				pos = nil
				for _, it := range l.items {
					pos = append(pos, given{it, at})
				}
			}
		}
	}
	format, ok := kws["format"]
	explicit := false
	if len(pos) > 0 && !ok {
		_, explicit = pos[0].v.(*relax.StringImm) // the printer's form
	}
	if !explicit {
		var f relax.Expr = &relax.StringImm{Base: b.span(n)}
		if ok {
			f = b.toRelax(format.v, format.at)
		}
		args = append(args, f)
	}
	for _, g := range pos {
		args = append(args, b.toRelax(g.v, g.at))
	}
	return &relax.Call{Base: b.span(n), Op: op.Lookup("relax." + name).Ref(), Args: args}
}

// deviceKinds are the numbers of DLPack.
var deviceKinds = map[string]int64{
	"cpu": 1, "llvm": 1, "cuda": 2, "opencl": 4, "cl": 4, "vulkan": 7, "metal": 8, "rocm": 10, "webgpu": 15, "hexagon": 16,
}

func (b *builder) deviceCall(n *node) any {
	a := b.bind(n, "dev_type", "dev_id")
	b.need(n, a, 1, "dev_type")
	d := device{}
	switch v := b.eval(a[0]).(type) {
	case string:
		k, ok := deviceKinds[v]
		if !ok {
			b.fail(a[0], "", "unknown kind of device %q", v)
		}
		d.kind = k
	case int64:
		d.kind = v
	}
	if a[1] != nil {
		d.index = b.intOf(a[1], "the number of the device")
	}
	return d
}

// graphCall calls a function of the module from the graph level.
func (b *builder) graphCall(callee relax.Expr, n *node) any {
	pos, _, sinfo := b.arguments(n)
	c := &relax.Call{Base: b.span(n), Op: callee, SInfoArgs: sinfo}
	for _, g := range pos {
		c.Args = append(c.Args, b.toRelax(g.v, g.at))
	}
	return c
}

// callValue calls a variable that holds a function, or an external function.
func (b *builder) callValue(v any, n *node) (any, bool) {
	switch x := v.(type) {
	case *relax.Var:
		return b.graphCall(x, n), true
	case *relax.ExternFunc:
		return b.graphCall(x, n), true
	case *relax.Function:
		return b.graphCall(x, n), true
	case relax.Expr:
		if b.graph {
			return b.graphCall(x, n), true
		}
	}
	return nil, false
}

// foreignFamilies are operators of TVM that are read and printed, but of which nothing else
// is known: what they yield must be annotated.
var foreignFamilies = []string{"relax.grad.", "relax.ccl.", "relax.dist.", "relax.vision.", "relax.distributed."}

func isForeignName(name string) bool {
	for _, f := range foreignFamilies {
		if strings.HasPrefix(name, f) {
			return true
		}
	}
	return foreignOps[name]
}

// foreign reports whether e calls an operator that the table does not have.
func foreign(e relax.Expr) bool {
	c, ok := e.(*relax.Call)
	if !ok {
		return false
	}
	o, ok := c.Op.(*ir.Op)
	return ok && op.Lookup(o.Name) == nil
}

func (b *builder) foreignCall(name string, n *node, pos []given, kws map[string]given, sinfo []relax.StructInfo) any {
	if !isForeignName(name) {
		help := ""
		if near := nearest(name, append(op.Names(), "relax.Tensor", "relax.call_packed", "relax.const", "relax.prim_value", "relax.match_cast", "relax.dataflow", "relax.output")); near != "" {
			help = "did you mean R." + strings.TrimPrefix(near, "relax.") + "?"
		}
		b.fail(n, help, "unknown operator R.%s", strings.TrimPrefix(name, "relax."))
	}
	c := &relax.Call{Base: b.span(n), Op: ir.NewOp(name), SInfoArgs: sinfo}
	for i, g := range pos {
		if s, ok := g.v.(string); ok && i > 0 {
			c.Args = append(c.Args, &relax.StringImm{Base: b.span(g.at), Value: s})
			continue
		}
		c.Args = append(c.Args, b.toRelax(g.v, g.at))
	}
	for i := range n.kws {
		kw := &n.kws[i]
		if g, ok := kws[kw.name]; ok {
			if e, is := g.v.(relax.Expr); is {
				if _, str := e.(*relax.StringImm); !str {
					c.Args = append(c.Args, e)
					continue
				}
			}
			c.Attrs = c.Attrs.With(kw.name, b.attrValue(g.v, g.at))
		}
	}
	return c
}
