package parse

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// graphRows are the values of the graph level, and the calls that operators alone do not describe.
var graphRows = []row{
	{"R.const(value: value, dtype: value = None, struct_info: value = None)", (*call).constCall},
	{"R.shape|R.ShapeExpr(value: dims)", func(c *call) any {
		return &relax.ShapeExpr{Base: c.base(), Values: argument[[]tir.Expr](c, 0)}
	}},
	{"R.prim_value(value: value)", func(c *call) any {
		if f, ok := c.vals[0].(float64); ok {
			return &relax.PrimValue{Base: c.base(), Value: &tir.FloatImm{Base: c.base(), Type: dtype.Float64T, Value: f}}
		}
		return &relax.PrimValue{Base: c.base(), Value: c.toExpr(c.vals[0], c.at[0])}
	}},
	{"R.str(value: str)", func(c *call) any { return &relax.StringImm{Base: c.base(), Value: c.strAt(0)} }},
	{"R.dtype(value: dtype)", func(c *call) any { return &relax.DataTypeImm{Base: c.base(), Value: c.typeAt(0)} }},
	{"R.tuple(*fields: graph)", func(c *call) any { return &relax.Tuple{Base: c.base(), Fields: c.graphs()} }},
	{"R.TupleGetItem(tuple_value: graph, index: int)", func(c *call) any {
		return &relax.TupleGetItem{Base: c.base(), Tuple: c.graphAt(0), Index: c.intAt(1)}
	}},
	{"R.ExternFunc(global_symbol: str, struct_info: info = None)", func(c *call) any {
		return &relax.ExternFunc{Base: c.base(), Symbol: c.strAt(0), SInfo: c.infoAt(1)}
	}},
	{"R.match_cast|R.emit_match_cast(value: graph, struct_info|ty: info)", func(c *call) any {
		return &matchCast{c.graphAt(0), c.infoAt(1)}
	}},
	{"R.emit(value: graph)", func(c *call) any { return c.graphAt(0) }},
	{"R.emit_with_sinfo|R.emit_with_ty(op: str, args: graph, sinfo_args|ty_args: infos = None)", (*call).emitWithInfo},
	{"R.device(dev_type: value, dev_id: int = 0)", func(c *call) any {
		d := device{index: argument[int64](c, 1)}
		switch v := c.vals[0].(type) {
		case string:
			kind, ok := deviceKinds[v]
			if !ok {
				c.fail(c.at[0], "", "unknown kind of device %q", v)
			}
			d.kind = kind
		case int64:
			d.kind = v
		}
		return d
	}},
	{"R.cpu|R.cuda|R.opencl|R.vulkan|R.metal|R.rocm|R.webgpu|R.hexagon(dev_id: int = 0)", func(c *call) any {
		return device{kind: deviceKinds[c.sig.name[2:]], index: argument[int64](c, 0)}
	}},
	{"R.print(*values: value, format: graph = None)", func(c *call) any { return c.formatted(nil, c.graphAt(1)) }},
	{"R.assert_op(condition: graph, *values: value, format: graph = None)", func(c *call) any {
		if len(c.rest) == 1 { // R.assert_op(cond, [values])
			if l, ok := c.rest[0].(*list); ok {
				c.rest, c.restAt = append(c.rest[:0], l.items...), slices.Repeat(c.restAt, len(l.items))
			}
		}
		return c.formatted([]relax.Expr{c.graphAt(0)}, c.graphAt(2))
	}},
	{"R.linear(data: value, weight: value, bias: value = None, out_dtype: value = None)", func(c *call) any {
		weight := c.callOp(c.n, "relax.permute_dims", c.vals[1])
		out := c.callOp(c.n, "relax.matmul", c.vals[0], weight, c.orAbsent(3))
		if c.has(2) {
			out = c.callOp(c.n, "relax.add", out, c.vals[2])
		}
		return out
	}},
	{"R.nn.relu6(x: value)", func(c *call) any { return c.callOp(c.n, "relax.clip", c.vals[0], int64(0), int64(6)) }},
	{"R.nn.attention(query: value, key: value, value: value, bias: value = None, scale: value = None, causal_mask: value = None, window_size: value = None)", func(c *call) any {
		name, args := "relax.nn.attention", []any{c.vals[0], c.vals[1], c.vals[2]}
		if c.has(3) {
			if isGraphValue(c.vals[3]) {
				name = "relax.nn.attention_bias"
			}
			args = append(args, c.vals[3])
		}
		return c.callOp(c.n, name, append(args, c.orAbsent(4), c.orAbsent(5), c.orAbsent(6))...)
	}},
	{"R.arange(start: value, end: value = None, step: value = None, dtype: value = None)", (*call).arange},
	{"R.hint_on_device(data: value, device_type: value, index: value = None, memory_scope: value = None)", func(c *call) any {
		if d, ok := c.vals[1].(device); ok {
			return c.callOp(c.n, "relax.hint_on_device", c.vals[0], d.kind, d.index, c.orAbsent(3))
		}
		return c.callOp(c.n, "relax.hint_on_device", c.vals[0], c.vals[1], c.orAbsent(2), c.orAbsent(3))
	}},
	{"R.dataflow()", func(*call) any { return &frame{dataflow: true} }},
	{"R.output(*vars: node)", func(*call) any { return done }}, // read when the block ends
	{"R.func_ret_struct_info|R.func_ret_ty(*info: node)", func(*call) any { return done }},
}

// attrsRow are the attributes of a Relax function.
var attrsRow = row{"R.func_attr(attrs: attrs)", func(c *call) any {
	c.rf.attrs = c.funcAttrs(c.rf.attrs, ir.OlderName)
	return done
}}

// deviceKinds are the numbers of DLPack.
var deviceKinds = map[string]int64{
	"cpu": 1, "llvm": 1, "cuda": 2, "opencl": 4, "cl": 4, "vulkan": 7, "metal": 8, "rocm": 10, "webgpu": 15, "hexagon": 16,
}

// orAbsent returns an argument for callOp, absent where it is not given.
func (c *call) orAbsent(i int) any {
	if c.at[i] == nil {
		return absent{}
	}
	return c.vals[i]
}

// emitWithInfo builds R.emit_with_sinfo("relax.op", (args...), sinfo_args).
func (c *call) emitWithInfo() any {
	name := c.strAt(0)
	var o *op.Op
	if s := c.table[name]; s != nil {
		o = s.operator
	}
	if o == nil {
		c.unknown("R."+name, c.at[0])
	}
	args, ok := c.graphAt(1).(*relax.Tuple)
	if !ok {
		c.fail(c.at[1], "", "expected a tuple of arguments")
	}
	out, err := o.Call(args.Fields, nil)
	if err != nil {
		c.fail(c.n, "", "%v", err)
	}
	out.Base, out.SInfoArgs = c.base(), argument[[]relax.StructInfo](c, 2)
	return out
}

// formatted builds a call whose format stands between the arguments and the values behind the star.
// The printer writes it as the first of these.
func (c *call) formatted(args []relax.Expr, format relax.Expr) any {
	written := false
	if len(c.rest) > 0 && format == nil {
		_, written = c.rest[0].(*relax.StringImm)
	}
	switch {
	case format != nil:
		args = append(args, format)
	case !written:
		args = append(args, &relax.StringImm{Base: c.base()})
	}
	for i, v := range c.rest {
		args = append(args, c.toRelax(v, c.restAt[i]))
	}
	return &relax.Call{Base: c.base(), Op: op.Lookup("relax." + c.sig.name[2:]).Ref(), Args: args}
}

// arange fills in what Python's range does: the start, the step, and the element type.
func (c *call) arange() any {
	start, end, step := c.vals[0], c.vals[1], c.vals[2]
	if end == nil {
		start, end = int64(0), start
	}
	if step == nil {
		step = int64(1)
	}
	typ := c.vals[3]
	if typ == nil {
		typ = "int64"
		for _, v := range []any{start, end, step} {
			if p, ok := v.(*relax.PrimValue); ok {
				v = p.Value
			}
			if e, ok := v.(tir.Expr); ok && e.DType().IsFloat() || hasFloat(v) {
				typ = "float32"
			}
		}
	}
	return c.callOp(c.n, "relax.arange", start, end, step, typ)
}

// constCall builds R.const: a number or nested lists of them.
func (c *call) constCall() any {
	d := usualType(c.vals[0])
	if t, ok := c.vals[1].(*relax.TensorStructInfo); ok {
		d = t.DType
	} else if c.has(1) {
		d = c.toType(c.vals[1], c.at[1])
	}
	return c.denseConstant(c.vals[0], d, c.n, c.at[0])
}

// packedRows call functions that are no operators.
var packedRows = []row{
	{"R.call_tir(gvar|func: callee, args: graph, out_sinfo|out_ty: result, tir_vars: value = None)", (*call).callTIR},
	{"R.dist.call_tir_local_view(gvar|func: callee, args: graph, out_sinfo|out_ty: result, tir_vars: value = None)", (*call).callTIR},
	{"R.call_tir_inplace(gvar|func: callee, args: graph, inplace_indices: value, out_sinfo|out_ty: result, tir_vars: value = None)", (*call).callTIR},
	{"R.call_tir_with_grad(gvar|func: callee, args: graph, out_sinfo|out_ty: result, te_grad_name: str = None, te_grad_kwargs: attrs = None, tir_vars: value = None)", (*call).callTIR},
	{"R.call_dps_packed(func: callee, args: graph, out_sinfo|out_ty: result)", (*call).callTIR},
	{"R.call_packed(func: callee, *args: graph, **info, **)", func(c *call) any {
		out := &relax.Call{Base: c.base(), Op: c.graphAt(0), Args: c.graphs(), SInfoArgs: c.resultInfo()}
		for _, kw := range c.extra { // the attributes of the call
			if kw.Name != "attrs_type_key" && !isInfoName(kw.Name) {
				out.Attrs = out.Attrs.With(kw.Name, c.attrValue(c.eval(kw.Value), kw.Value))
			}
		}
		return out
	}},
	{"R.call_pure_packed(func: callee, *args: graph, **info)", func(c *call) any { return c.callExtern(nil) }},
	{"R.call_inplace_packed(func: callee, *args: graph, inplace_indices: value, **info)", func(c *call) any {
		return c.callExtern(ir.NewAttrs("inplace_indices", c.indexList(2)))
	}},
}

// functionRow is the call of a function of the graph level, which is the receiver.
var functionRow = row{"Function.call(*args: graph, **info)", func(c *call) any {
	return &relax.Call{Base: c.base(), Op: c.recv.(relax.Expr), Args: c.graphs(), SInfoArgs: c.resultInfo()}
}}

// callExtern builds the call of an operator whose first argument is what it calls.
func (c *call) callExtern(attrs *ir.Attrs) any {
	args := append([]relax.Expr{c.graphAt(0)}, c.graphs()...)
	return &relax.Call{Base: c.base(), Op: op.Lookup("relax." + c.sig.name[2:]).Ref(), Args: args, Attrs: attrs, SInfoArgs: c.resultInfo()}
}

// callTIR builds the calls that write into results of given struct info.
func (c *call) callTIR() any {
	args := c.graphAt(1)
	if _, ok := args.(*relax.Tuple); !ok {
		_, tuple := c.infoOf(args).(*relax.TupleStructInfo)
		if tuple && c.sig.name == "R.call_tir_inplace" {
			c.fail(c.at[1], "write the tuple out here", "what is written over must be seen in the call: expected a tuple, got a variable")
		}
		if !tuple {
			args = &relax.Tuple{Base: c.span(c.at[1]), Fields: []relax.Expr{args}}
		}
	}
	name := strings.Replace(c.sig.name, "R.dist.call_tir", "R.call_tir", 1) // the results say that they are distributed
	if c.sig.name == "R.dist.call_tir_local_view" {
		name = c.sig.name
	}
	out := &relax.Call{Base: c.base(), Op: op.Lookup("relax." + name[2:]).Ref(), Args: []relax.Expr{c.graphAt(0), args}}
	for i := 2; i < len(c.sig.params); i++ {
		switch name := c.sig.params[i].name; {
		case name == "out_sinfo":
			out.SInfoArgs = argument[[]relax.StructInfo](c, i)
		case name == "te_grad_kwargs":
			kwargs := c.attrsAt(i)
			if c.at[i] == nil {
				kwargs = ir.NewAttrs()
			}
			if out.Attrs != nil {
				out.Attrs = out.Attrs.With(name, kwargs)
			}
		case !c.has(i):
		case name == "tir_vars":
			out.Args = append(out.Args, c.toArgument(c.vals[i], op.Shape, name, c.at[i]))
		case name == "inplace_indices":
			out.Attrs = ir.NewAttrs(name, c.indexList(i))
		default:
			out.Attrs = out.Attrs.With(name, c.vals[i])
		}
	}
	return out
}

// indexList returns an index or a list of them as the value of an attribute.
func (c *call) indexList(i int) ir.Value {
	out := c.numbers(c.vals[i], c.at[i])
	if i, ok := out.(int64); ok {
		return []ir.Value{i}
	}
	return out
}
