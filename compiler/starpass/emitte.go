package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// teMethod is emit_te(f, *args, primfunc_name_hint=None, **kwargs), or call_te, which does not bind the call: f gets tensors in the place of
// expressions, and what it computes becomes a kernel that is called with these.
func (v *Builder) teMethod(name string) starlark.Value {
	return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 0 {
			return nil, fmt.Errorf("%s: the function is missing", name)
		}
		f, ok := args[0].(starlark.Callable)
		if !ok {
			return nil, fmt.Errorf("%s: expected a function, got %s", name, describe(args[0]))
		}
		b, err := v.blocks()
		if err != nil {
			return nil, err
		}
		if err := v.open(); err != nil && name == "emit_te" {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		k := &teCall{hint: f.Name()}
		if k.hint == "lambda" {
			k.hint = "te"
		}
		var given starlark.Tuple
		for _, a := range args[1:] {
			x, err := k.arg(a)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			given = append(given, x)
		}
		var named []starlark.Tuple
		for _, kv := range kwargs {
			if kv[0] == starlark.String("primfunc_name_hint") {
				if s, ok := starlark.AsString(kv[1]); ok {
					k.hint = s
				}
				continue
			}
			x, err := k.arg(kv[1])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			named = append(named, starlark.Tuple{kv[0], x})
		}
		out, err := starlark.Call(t, f, given, named)
		if err != nil {
			return nil, err
		}
		call, err := k.call(runOf(t), b, out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == "call_te" {
			return &Node{call}, nil
		}
		x, err := b.Emit(call, "")
		if err != nil {
			return nil, err
		}
		return v.emitted(x), nil
	})
}

// teCall is a kernel of te that is being made, and the expressions that it is called with.
type teCall struct {
	hint   string
	args   []relax.Expr
	inputs []*te.Tensor
}

// arg returns what the function gets for an argument: a tensor for an expression that is one.
func (k *teCall) arg(v starlark.Value) (starlark.Value, error) {
	switch x := v.(type) {
	case *Node:
		e, ok := x.n.(relax.Expr)
		if !ok {
			return v, nil
		}
		if p, ok := e.(*relax.PrimValue); ok {
			return &Node{p.Value}, nil
		}
		info, ok := relax.SInfoOf(e).(*relax.TensorStructInfo)
		if !ok {
			return nil, fmt.Errorf("expected a tensor, got %s of struct info %s", x.Type(), relax.FormatSInfo(relax.SInfoOf(e)))
		}
		shape, ok := info.Shape.(*relax.ShapeExpr)
		if !ok || info.DType.IsVoid() {
			return nil, errors.New("the shape or type of an argument is not known")
		}
		for _, d := range shape.Values {
			if _, static := d.(*tir.IntImm); !static {
				return nil, errors.New("kernels of te are made of static shapes only: write the kernel as a PrimFunc, or emit an operator")
			}
		}
		for i, have := range k.args {
			if have == e {
				return &Computed{k.inputs[i]}, nil
			}
		}
		t := te.Placeholder(string(rune('A'+len(k.args)%26)), info.DType, shape.Values...)
		k.args, k.inputs = append(k.args, e), append(k.inputs, t)
		return &Computed{t}, nil
	case *starlark.List, starlark.Tuple:
		var out []starlark.Value
		err := eachOf(x, func(y starlark.Value) error {
			z, err := k.arg(y)
			out = append(out, z)
			return err
		})
		return starlark.NewList(out), err
	}
	return v, nil
}

// call adds the kernel that computes out, and returns a call of it.
func (k *teCall) call(r *run, b *relax.BlockBuilder, out starlark.Value) (*relax.Call, error) {
	list, several := out.(starlark.Tuple)
	if !several {
		list = starlark.Tuple{out}
	}
	tensors := append([]*te.Tensor{}, k.inputs...)
	var infos []relax.StructInfo
	for _, x := range list {
		c, ok := x.(*Computed)
		if !ok || c.t.IsPlaceholder() {
			return nil, fmt.Errorf("the function must return a computed tensor, or a tuple of such, got %s", describe(x))
		}
		tensors = append(tensors, c.t)
		infos = append(infos, &relax.TensorStructInfo{Shape: &relax.ShapeExpr{Values: c.t.Shape}, DType: c.t.DType, NDim: c.t.NDim()})
	}
	fn, err := r.primFunc(tensors)
	if err != nil {
		return nil, err
	}
	gv := b.AddFunc(relax.Identifier(k.hint), fn)
	c, err := op.New("relax.call_tir", []relax.Expr{gv, &relax.Tuple{Fields: k.args}}, nil)
	if err != nil {
		return nil, err
	}
	c.SInfoArgs = infos
	if several {
		c.SInfoArgs = []relax.StructInfo{&relax.TupleStructInfo{Fields: infos}}
	}
	return c, nil
}
