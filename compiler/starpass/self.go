package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// Self is the first argument of handlers: the walk that they are part of.
type Self struct {
	k     *walk
	state *starlark.Dict
}

var _ starlark.HasAttrs = (*Self)(nil)

// String names the walker.
func (s *Self) String() string { return "<self of a " + s.k.w.Type() + ">" }

// Type is "visitor" or "mutator".
func (s *Self) Type() string { return s.k.w.Type() }

// Freeze freezes the state.
func (s *Self) Freeze() { s.state.Freeze() }

// Truth is true.
func (*Self) Truth() starlark.Bool { return true }

// Hash fails.
func (*Self) Hash() (uint32, error) { return 0, errors.New("self cannot be a key") }

// AttrNames returns the fields and methods.
func (s *Self) AttrNames() []string {
	if s.k.w.mutates {
		return []string{"emit", "lookup_binding", "mod", "state", "visit", "visit_default"}
	}
	return []string{"mod", "state", "visit", "visit_default"}
}

// Attr returns a field or method.
func (s *Self) Attr(name string) (starlark.Value, error) {
	switch name {
	case "state":
		return s.state, nil
	case "mod":
		if s.k.mod == nil {
			return starlark.None, nil
		}
		return &Module{m: s.k.mod}, nil
	case "visit":
		return s.walks(name, s.k.visit), nil
	case "visit_default":
		return s.walks(name, func(n ir.Node) ir.Node {
			out := s.k.defaultVisit(n)
			if n == s.k.at.of {
				s.k.at.visited, s.k.at.defaulted = true, out
			}
			return out
		}), nil
	case "emit":
		if s.k.w.mutates {
			return builtin(name, s.emit), nil
		}
	case "lookup_binding":
		if s.k.w.mutates {
			return builtin(name, s.lookup), nil
		}
	}
	return nil, nil
}

// walks is self.visit(node) or self.visit_default(node).
func (s *Self) walks(name string, f func(ir.Node) ir.Node) starlark.Value {
	return builtin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value
		if err := starlark.UnpackArgs(name, args, kwargs, "node", &v); err != nil {
			return nil, err
		}
		if v == starlark.None {
			return v, nil // a child that is not set
		}
		n, ok := v.(*Node)
		if !ok {
			return nil, fmt.Errorf("%s: expected a node, got %s", name, describe(v))
		}
		out, err := s.k.protect(func() ir.Node { return f(n.n) })
		switch {
		case err != nil:
			return nil, err
		case out == n.n:
			return v, nil
		}
		return nodeValue(out), nil
	})
}

// emit is self.emit(expr, name_hint=""): it binds expr in the current block and returns the
// variable, as self.builder_.emit does in TVM.
func (s *Self) emit(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	var hint string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &v, "name_hint?", &hint); err != nil {
		return nil, err
	}
	if !s.k.mutator().InFunction() {
		return nil, errors.New("emit: there is no block to emit into: give the mutator the function")
	}
	e, err := valueExpr(v)
	if err != nil {
		return nil, fmt.Errorf("emit: %w", err)
	}
	out, err := s.k.m.Builder().Emit(e, hint)
	if err != nil {
		return nil, err
	}
	if s.k.r.cur.Observed() {
		s.k.at.emitted = append(s.k.at.emitted, out)
	}
	return &Node{out}, nil
}

// lookup is self.lookup_binding(var): what the variable was bound to, None for parameters.
func (s *Self) lookup(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "var", &v); err != nil {
		return nil, err
	}
	x, err := asNode[*relax.Var](v, "a relax.Var")
	if err != nil {
		return nil, fmt.Errorf("lookup_binding: %w", err)
	}
	if to, ok := s.k.mutator().Lookup(x).(*relax.Var); ok {
		x = to
	}
	return nodeValue(s.k.m.Builder().LookupBinding(x)), nil
}
