package starpass

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// loopDialect is T outside of functions: T.vscale() * 2, T.exp(x), T.float16(1.5). The reader of TVMScript makes the expressions, from the
// text of a call whose arguments are names. Decorators such as T.prim_func are read before a script runs.
type loopDialect struct{}

var _ starlark.HasAttrs = loopDialect{}

// String is T.
func (loopDialect) String() string { return "T" }

// Type is what errors call it.
func (loopDialect) Type() string { return "T" }

// Freeze does nothing.
func (loopDialect) Freeze() {}

// Truth is true.
func (loopDialect) Truth() starlark.Bool { return true }

// Hash fails.
func (loopDialect) Hash() (uint32, error) { return 0, errors.New("the dialect T cannot be a key") }

// AttrNames returns what may be called.
func (loopDialect) AttrNames() []string { return slices.Clone(parse.ExprNames()) }

// Attr returns the function that builds expressions of a name.
func (loopDialect) Attr(name string) (starlark.Value, error) {
	if _, known := slices.BinarySearch(parse.ExprNames(), name); !known {
		if _, err := dtype.Parse(name); err != nil {
			return nil, nil
		}
	}
	return builtin("T."+name, loopCall), nil
}

// loopCall builds the expression of a call of T.
func loopCall(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	if err := r.work(len(args) + len(kwargs)); err != nil {
		return nil, err
	}
	given, names := map[string]any{}, make([]string, 0, len(args)+len(kwargs))
	bind := func(keyword string, v starlark.Value) error {
		x, err := scriptValue(v)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name(), err)
		}
		name := fmt.Sprintf("arg%d", len(names))
		given[name] = x
		names = append(names, keyword+name)
		return nil
	}
	for _, v := range args {
		if err := bind("", v); err != nil {
			return nil, err
		}
	}
	for _, kv := range kwargs {
		if err := bind(string(kv[0].(starlark.String))+"=", kv[1]); err != nil {
			return nil, err
		}
	}
	e, diags := parse.Expr(r.name, b.Name()+"("+strings.Join(names, ", ")+")", parse.Options{Define: given})
	if len(diags) > 0 {
		return nil, fmt.Errorf("%s: %s", b.Name(), diags[0].Message)
	}
	return &Node{e}, nil
}

// scriptValue returns a value as a text of TVMScript may close over it.
func scriptValue(v starlark.Value) (any, error) {
	v, err := plain(v)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *Node:
		if a, ok := v.n.(*tir.IterVar); ok {
			return ir.Node(a.Var), nil
		}
		return v.n, nil
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Float:
		return float64(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, errors.New("the integer needs more than 64 bits")
		}
		return n, nil
	case starlark.Tuple, *starlark.List:
		list := []any{}
		err := eachOf(v, func(x starlark.Value) error {
			y, err := scriptValue(x)
			list = append(list, y)
			return err
		})
		return list, err
	}
	return nil, fmt.Errorf("expected numbers, strings and expressions of the loop level, got %s", describe(v))
}
