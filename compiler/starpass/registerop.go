package starpass

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// maxOperators bounds the operators that a script registers.
const maxOperators = 1000

// registerOp is register_op(name, infer_struct_info, args=["x"], attrs={}, legalize=None, purity=True, pattern="kOpaque", doc=""): an operator of
// the script, and the function that makes calls of it. infer_struct_info(call) returns the struct info of a call, legalize(bb, call) what LegalizeOps makes
// of it. attrs are the defaults of the attributes, which have their types.
func registerOp(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, doc string
	var infer, legalize starlark.Callable
	var params, attrs, rule starlark.Value
	purity, pattern := true, op.Opaque.String()
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name, "infer_struct_info", &infer, "args?", &params, "attrs?", &attrs,
		"legalize?", &rule, "purity?", &purity, "pattern?", &pattern, "doc?", &doc)
	if err != nil {
		return nil, err
	}
	if rule != nil && rule != starlark.None {
		var ok bool
		if legalize, ok = rule.(starlark.Callable); !ok {
			return nil, fmt.Errorf("register_op: legalize is a function (bb, call), got %s", describe(rule))
		}
	}
	r := runOf(t)
	if len(r.operators) == maxOperators {
		return nil, fmt.Errorf("register_op: a script has at most %d operators", maxOperators)
	}
	if r.operators[name] != nil {
		return nil, fmt.Errorf("register_op: %s is registered already", name)
	}
	o := op.Op{Name: name, Impure: !purity, Doc: doc, Args: []op.Arg{{Name: "x", Doc: "The argument."}}}
	if o.Pattern, err = patternNamed(pattern); err != nil {
		return nil, err
	}
	if params != nil && params != starlark.None {
		list, err := names(params)
		if err != nil {
			return nil, fmt.Errorf("register_op: args: %w", err)
		}
		o.Args = nil
		for _, n := range list {
			o.Args = append(o.Args, op.Arg{Name: n, Kind: op.AnyValue, Doc: "An argument."})
		}
	}
	if o.Attrs, err = attributesOf(attrs); err != nil {
		return nil, fmt.Errorf("register_op: %w", err)
	}
	// The functions may be called by whatever infers or lowers calls later, in any goroutine: they get threads of their own, and change nothing.
	infer.Freeze()
	limits, script := r.limits, r.name
	each := func() *run { return newRun(context.Background(), script, limits, nil) }
	o.Infer = func(call *relax.Call, _ *op.InferContext) (relax.StructInfo, error) {
		v, err := each().call(infer, &Node{call})
		if err != nil {
			return nil, located(err)
		}
		return asNode[relax.StructInfo](v, "struct info from infer_struct_info of "+name)
	}
	if legalize != nil {
		legalize.Freeze()
		o.Legalize = func(bb *relax.BlockBuilder, call *relax.Call) (relax.Expr, error) {
			x, err := each().legalizer(name, legalize)(bb, call)
			return x, located(err)
		}
	}
	made, err := op.Define(o)
	if err != nil {
		return nil, err
	}
	if r.operators == nil {
		r.operators = map[string]*op.Op{}
	}
	r.operators[name] = made
	return builtin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return opCall(made, args, kwargs)
	}), nil
}

// patternNamed is the pattern that TVM calls by a name.
func patternNamed(name string) (op.Pattern, error) {
	for _, p := range []op.Pattern{op.ElemWise, op.Broadcast, op.Injective, op.CommReduce, op.OutEWiseFusable, op.TuplePattern, op.Opaque} {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("register_op: there is no pattern %q, only kElemWise, kBroadcast, kInjective, kCommReduce, kOutEWiseFusable, kTuple and kOpaque", name)
}

// attributesOf are attributes whose defaults a dictionary has.
func attributesOf(v starlark.Value) ([]op.Attr, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("attrs is a dictionary of defaults, got %s", describe(v))
	}
	var out []op.Attr
	for _, kv := range d.Items() {
		name, ok := starlark.AsString(kv[0])
		if !ok {
			return nil, fmt.Errorf("the name of an attribute is a string, got %s", describe(kv[0]))
		}
		x, err := attrValue(kv[1], 0)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		typ, err := typeOfDefault(x)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out = append(out, op.Attr{Name: name, Type: typ, Default: x, Doc: "An attribute."})
	}
	return out, nil
}

func typeOfDefault(v ir.Value) (op.AttrType, error) {
	switch v := v.(type) {
	case int64:
		return op.IntAttr, nil
	case float64:
		return op.FloatAttr, nil
	case bool:
		return op.BoolAttr, nil
	case string:
		return op.StringAttr, nil
	case []ir.Value:
		for _, x := range v {
			if _, ok := x.(int64); !ok {
				return 0, fmt.Errorf("a list is one of integers, got %v", x)
			}
		}
		return op.IntsAttr, nil
	}
	return 0, fmt.Errorf("the default is %v, expected a number, a truth value, a string or a list of integers", v)
}
