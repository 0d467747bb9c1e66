package starpass

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// operators is R: R.add(x, y), R.nn.softmax(x, axis=-1), by the table of operators.
type operators struct{ prefix string } // "relax." or "relax.nn."

var _ starlark.HasAttrs = operators{}

// String names the operators.
func (o operators) String() string {
	return "R" + strings.TrimSuffix(strings.TrimPrefix(o.prefix, "relax"), ".")
}

// Type is "operators".
func (operators) Type() string { return "operators" }

// Freeze does nothing.
func (operators) Freeze() {}

// Truth is true.
func (operators) Truth() starlark.Bool { return true }

// Hash fails.
func (operators) Hash() (uint32, error) { return 0, errors.New("the operators R cannot be a key") }

// AttrNames returns the operators and groups of operators.
func (o operators) AttrNames() []string {
	set := map[string]bool{}
	for _, n := range op.Names() {
		if rest, ok := strings.CutPrefix(n, o.prefix); ok {
			name, _, _ := strings.Cut(rest, ".")
			set[name] = true
		}
	}
	names := make([]string, 0, len(set)+2)
	for n := range set {
		names = append(names, n)
	}
	if o.prefix == "relax." {
		names = append(names, "const", "shape")
	}
	sort.Strings(names)
	return names
}

// Attr returns an operator as a function that builds calls of it, or a group of operators.
func (o operators) Attr(name string) (starlark.Value, error) {
	if o.prefix == "relax." {
		switch name {
		case "const":
			return builtin(name, constBuiltin), nil
		case "shape":
			return builtin(name, shapeBuiltin), nil
		}
	}
	if x := op.Lookup(o.prefix + name); x != nil {
		return builtin(x.Name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return opCall(x, args, kwargs)
		}), nil
	}
	for _, n := range op.Names() {
		if strings.HasPrefix(n, o.prefix+name+".") {
			return operators{o.prefix + name + "."}, nil
		}
	}
	return nil, nil
}

func shapeBuiltin(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "values", &v); err != nil {
		return nil, err
	}
	dims, err := dimsOf(v)
	if err != nil {
		return nil, fmt.Errorf("shape: %w", err)
	}
	return &Node{&relax.ShapeExpr{Values: dims}}, nil
}

// opBuiltin is op("relax.add"): the operator as a node, to compare call.op with.
func opBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	if x := op.Lookup(name); x != nil {
		return &Node{x.Ref()}, nil
	}
	if x := runOf(t).operators[name]; x != nil {
		return &Node{x.Ref()}, nil
	}
	if c, err := calleeOf(name); err == nil {
		return &Node{c}, nil
	}
	return nil, noOperator(name)
}

// noOperator says that no operator has a name.
func noOperator(name string) error {
	msg := fmt.Sprintf("there is no operator %q", name)
	if near := nearestOf(name, op.Names()); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(msg)
}

// opCall builds a call of an operator: arguments by position or name, attributes after them by
// position or by name.
func opCall(o *op.Op, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	fail := func(err error) (starlark.Value, error) { return nil, fmt.Errorf("%s: %w", o.Name, err) }
	var exprs []relax.Expr
	var attrs *ir.Attrs
	var sinfo []relax.StructInfo
	variadic := len(o.Args) > 0 && o.Args[len(o.Args)-1].Variadic
	for i, v := range args {
		switch {
		case i < len(o.Args) || variadic:
			e, err := argExpr(o.Args[min(i, len(o.Args)-1)], v)
			if err != nil {
				return fail(err)
			}
			exprs = append(exprs, e)
		case i-len(o.Args) < len(o.Attrs):
			a := o.Attrs[i-len(o.Args)]
			x, err := opAttr(a, v)
			if err != nil {
				return fail(err)
			}
			attrs = attrs.With(a.Name, x)
		default:
			return fail(fmt.Errorf("it takes %d arguments and %d attributes, got %d values", len(o.Args), len(o.Attrs), len(args)))
		}
	}
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		if name == "sinfo_args" {
			err := eachOf(kv[1], func(v starlark.Value) error {
				s, err := asNode[relax.StructInfo](v, "struct info")
				sinfo = append(sinfo, s)
				return err
			})
			if err != nil {
				return fail(err)
			}
			continue
		}
		if i := len(exprs); i < len(o.Args) && o.Args[i].Name == name {
			e, err := argExpr(o.Args[i], kv[1])
			if err != nil {
				return fail(err)
			}
			exprs = append(exprs, e)
			continue
		}
		a := o.Attr(name)
		if a == nil {
			return fail(unknownAttr(o, name))
		}
		x, err := opAttr(*a, kv[1])
		if err != nil {
			return fail(err)
		}
		attrs = attrs.With(name, x)
	}
	for i := len(exprs); i < len(o.Args); i++ {
		if a := o.Args[i]; !a.Optional && !a.Variadic {
			return fail(fmt.Errorf("the argument %s is missing", a.Name))
		}
	}
	c, err := o.Call(exprs, attrs)
	if err != nil {
		return nil, err
	}
	c.SInfoArgs = sinfo
	return &Node{c}, nil
}

func unknownAttr(o *op.Op, name string) error {
	var known []string
	for _, a := range o.Args {
		known = append(known, a.Name)
	}
	for _, a := range o.Attrs {
		known = append(known, a.Name)
	}
	if near := nearestOf(name, known); near != "" {
		return fmt.Errorf("it has no %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("it has no %q; it has %s", name, strings.Join(known, ", "))
}

// argExpr returns v as an argument of an operator.
func argExpr(a op.Arg, v starlark.Value) (relax.Expr, error) {
	if a.Kind == op.Shape && !isNode(v) {
		dims, err := dimsOf(v)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.Name, err)
		}
		return &relax.ShapeExpr{Values: dims}, nil
	}
	if _, text := v.(starlark.String); a.Kind == op.DType && text {
		d, err := dtypeOf(v)
		return &relax.DataTypeImm{Value: d}, err
	}
	e, err := valueExpr(v)
	if err != nil {
		return nil, fmt.Errorf("argument %s: %w", a.Name, err)
	}
	return e, nil
}

func isNode(v starlark.Value) bool { _, ok := v.(*Node); return ok }

func opAttr(a op.Attr, v starlark.Value) (ir.Value, error) {
	if _, text := v.(starlark.String); a.Type == op.DTypeAttr && text {
		return dtypeOf(v)
	}
	x, err := attrValue(v, 0)
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", a.Name, err)
	}
	return x, nil
}
