package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relay"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// relayNamespace is relay: its operators, its passes, and what makes functions of them. Expressions are nodes of the graph level, which is Relax's; relay.Function
// binds those that are operands of others.
func relayNamespace(d, relaxNames, passes starlark.StringDict) starlark.Value {
	types := starlark.StringDict{
		"TensorType": builtin("TensorType", relayTensorType),
		"TupleType":  relaxNames["TupleStructInfo"], "FuncType": relaxNames["FuncStructInfo"],
		"Any": builtin("Any", relayAny),
	}
	expressions := starlark.StringDict{
		"Var": &typeValue{name: "Var", call: builtin("var", relayVar), is: typeOfNodes[*relax.Var]("Var").is}, "var": builtin("var", relayVar),
		"const": relaxNames["const"], "Constant": relaxNames["Constant"], "Call": relaxNames["Call"], "If": relaxNames["If"], "Expr": relaxNames["Expr"],
		"Function": &typeValue{name: "Function", call: builtin("Function", relayFunction), is: typeOfNodes[*relax.Function]("Function").is},
		"Tuple":    relaxNames["Tuple"], "TupleGetItem": relaxNames["TupleGetItem"], "GlobalVar": relaxNames["GlobalVar"],
		"ExprMutator": d["PyExprMutator"], "ExprVisitor": d["PyExprVisitor"],
	}
	all := starlark.StringDict{}
	for _, table := range []starlark.StringDict{types, expressions} {
		for name, v := range table {
			all[name] = v
		}
	}
	makers := starlark.StringDict{"module_pass": d["module_pass"], "function_pass": d["function_pass"], "PassContext": d["PassContext"], "PrintIR": d["PrintIR"]}
	for name, v := range passes {
		makers[name] = v
	}
	infer := builtin("run_infer_type", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value // every node has its types
		return v, errors.Join(starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &v))
	})
	all["expr"], all["ty"] = namespace("relay.expr", expressions), namespace("relay.ty", types)
	all["expr_functor"] = namespace("relay.expr_functor", starlark.StringDict{"ExprMutator": d["PyExprMutator"], "ExprVisitor": d["PyExprVisitor"]})
	all["transform"] = namespace("relay.transform", makers)
	all["analysis"] = namespace("relay.analysis", starlark.StringDict{"free_vars": member(relaxNames["analysis"], "free_vars"), "post_order_visit": member(relaxNames["analysis"], "post_order_visit")})
	temporary := builtin("TempOpAttr", tempOpAttr)
	all["testing"] = namespace("relay.testing", starlark.StringDict{
		"run_infer_type": infer, "run_opt_pass": builtin("run_opt_pass", runOptPass), "temp_op_attr": namespace("relay.testing.temp_op_attr", starlark.StringDict{"TempOpAttr": temporary}), "TempOpAttr": temporary,
	})
	all["op"] = &relayOperators{}
	return &relayOperators{more: all}
}

func member(v starlark.Value, name string) starlark.Value { return v.(*nameModule).members[name] }

// relayVar is relay.var(name, type_annotation=None, shape=None, dtype="float32"). Nothing is known of a variable without a type until an operator says what it takes.
func relayVar(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var typ, shape, dt starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name_hint", &name, "type_annotation?", &typ, "shape?", &shape, "dtype?", &dt); err != nil {
		return nil, err
	}
	if typ != nil && typ != starlark.None {
		if shape != nil {
			return nil, fmt.Errorf("var: %s has both a type and a shape", name)
		}
		info, err := asNode[relax.StructInfo](typ, "a type")
		if err != nil {
			return nil, err
		}
		return &Node{&relax.Var{Name: name, SInfo: info}}, nil
	}
	if shape == nil || shape == starlark.None {
		return &Node{&relax.Var{Name: name, SInfo: relax.Object()}}, nil
	}
	info, err := tensorType(shape, dt)
	if err != nil {
		return nil, fmt.Errorf("var: %s: %w", name, err)
	}
	return &Node{&relax.Var{Name: name, SInfo: info}}, nil
}

// relayTensorType is relay.TensorType(shape, dtype="float32").
func relayTensorType(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var shape, dt starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "shape", &shape, "dtype?", &dt); err != nil {
		return nil, err
	}
	info, err := tensorType(shape, dt)
	if err != nil {
		return nil, fmt.Errorf("TensorType: %w", err)
	}
	return &Node{info}, nil
}

func tensorType(shape, dt starlark.Value) (*relax.TensorStructInfo, error) {
	dims, err := dimsOf(shape)
	if err != nil {
		return nil, err
	}
	d := dtype.Float32T
	if dt != nil && dt != starlark.None {
		if d, err = dtypeOf(dt); err != nil {
			return nil, err
		}
	}
	return &relax.TensorStructInfo{Shape: &relax.ShapeExpr{Values: dims}, DType: d, NDim: len(dims)}, nil
}

// relayAny is relay.Any(): an extent of its own.
func relayAny(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return &Node{tir.NewVar("any", dtype.Int64T)}, starlark.UnpackArgs(b.Name(), args, kwargs)
}

// relayFunction is relay.Function(params, body, ret_type=None, type_params=None, attrs=None).
func relayFunction(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var params, body, ret, typeParams, attrs starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "params", &params, "body", &body, "ret_type?", &ret, "type_params?", &typeParams, "attrs?", &attrs); err != nil {
		return nil, err
	}
	var list []*relax.Var
	err := eachOf(params, func(x starlark.Value) error {
		p, err := asNode[*relax.Var](x, "a variable")
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("relay.Function: params: %w", err)
	}
	e, err := valueExpr(body)
	if err != nil {
		return nil, fmt.Errorf("relay.Function: %w", err)
	}
	var info relax.StructInfo
	if ret != nil && ret != starlark.None {
		if info, err = asNode[relax.StructInfo](ret, "a type"); err != nil {
			return nil, fmt.Errorf("relay.Function: ret_type: %w", err)
		}
	}
	a, err := attrsOf(attrs)
	if err != nil {
		return nil, fmt.Errorf("relay.Function: attrs: %w", err)
	}
	r := runOf(t)
	if err := r.countNodes("Function", e); err != nil {
		return nil, err
	}
	r.graphs = true
	f, err := relay.Graph(list, e, info, a)
	if err != nil {
		return nil, fmt.Errorf("relay.Function: %w", err)
	}
	return &Node{f}, nil
}

// functionOf is a function, or that of an expression over its free variables.
func functionOf(v starlark.Value) (ir.Function, error) {
	if n, ok := v.(*Node); ok {
		if e, ok := n.n.(relax.Expr); ok {
			if _, function := e.(*relax.Function); !function {
				return relay.Graph(relax.FreeVars(e), e, nil, nil)
			}
		}
	}
	return asNode[ir.Function](v, "a function")
}

// runOptPass is run_opt_pass(expr, passes): it runs passes on the module of an expression, at level 3.
func runOptPass(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var expr, passes starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &expr, "opt_pass", &passes); err != nil {
		return nil, err
	}
	if _, one := passes.(*Pass); one {
		passes = starlark.NewList([]starlark.Value{passes})
	}
	f, err := functionOf(expr)
	if err != nil {
		return nil, err
	}
	level, err := contextBuiltin(t, b, nil, []starlark.Tuple{{starlark.String("opt_level"), starlark.MakeInt(3)}})
	if err != nil {
		return nil, err
	}
	seq, err := sequentialBuiltin(t, builtin("sequential", sequentialBuiltin), starlark.Tuple{passes}, nil)
	if err != nil {
		return nil, err
	}
	_, exit, err := level.(manager).enter(t)
	if err != nil {
		return nil, err
	}
	out, err := starlark.Call(t, seq, starlark.Tuple{&Module{m: ir.NewModule().With("main", f)}}, nil)
	if err = errors.Join(err, exit(err)); err != nil {
		return nil, err
	}
	return &Node{out.(*Module).m.Lookup("main")}, nil
}

// sameGraph reports whether two functions are equal as texts of Relay, in which nodes of the graph have no order.
func sameGraph(a, b ir.Node, opts ir.EqualOpts) bool {
	var made [2]*ir.Module
	for i, n := range []ir.Node{a, b} {
		f, ok := n.(*relax.Function)
		if !ok {
			return false
		}
		text, err := relay.Text(ir.NewModule().With("main", f.WithAttrs(f.Attrs.Without(ir.AttrGlobalSymbol))))
		if err != nil {
			return false
		}
		if made[i], _ = relay.Read("graph.relay", text); made[i] == nil {
			return false
		}
	}
	return ir.StructuralEqualModule(made[0], made[1], opts)
}
