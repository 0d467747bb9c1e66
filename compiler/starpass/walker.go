package starpass

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
)

// Walker is a visitor or a mutator: handlers by the name of the node. It is TVM's ExprVisitor
// and StmtExprVisitor, or ExprMutator and StmtExprMutator, for both levels.
type Walker struct {
	mutates  bool
	handlers map[string]starlark.Callable
	names    []string          // of the handlers, in order
	leveled  bool              // some names have a level before them
	every    starlark.Callable // of an object that has a method visit_expr of its own
	frozen   bool
}

var (
	_ starlark.Callable = (*Walker)(nil)
	_ holder            = (*Walker)(nil)
)

func walkerMaker(mutates bool) builtinFunc {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 1 && len(kwargs) == 0 { // a decorator of a class
			if c, ok := args[0].(*Class); ok {
				return c, nil
			}
		}
		var d *starlark.Dict
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "handlers", &d); err != nil {
			return nil, err
		}
		w := &Walker{mutates: mutates, handlers: map[string]starlark.Callable{}}
		for k, v := range d.Entries() {
			name, ok := starlark.AsString(k)
			if !ok {
				return nil, fmt.Errorf("%s: handlers are named by strings, got %s", b.Name(), describe(k))
			}
			if err := checkHandler(name); err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			fn, ok := v.(starlark.Callable)
			if !ok {
				return nil, fmt.Errorf("%s: the handler of %q is a function, got %s", b.Name(), name, describe(v))
			}
			if f, ok := fn.(*starlark.Function); ok && f.NumParams() != 2 && !f.HasVarargs() {
				return nil, fmt.Errorf("%s: the handler of %q takes (self, node), but %s has %d parameters", b.Name(), name, f.Name(), f.NumParams())
			}
			w.handlers[name] = fn
			w.names = append(w.names, name)
			w.leveled = w.leveled || strings.Contains(name, ".")
		}
		return w, nil
	}
}

// String names the handlers.
func (w *Walker) String() string { return w.Type() + "(" + strings.Join(w.names, ", ") + ")" }

// Type is "visitor" or "mutator".
func (w *Walker) Type() string {
	if w.mutates {
		return "mutator"
	}
	return "visitor"
}

// Name is that of the type.
func (w *Walker) Name() string { return w.Type() }

// Freeze freezes the handlers.
func (w *Walker) Freeze() {
	if !w.frozen {
		w.frozen = true
		w.held(starlark.Value.Freeze)
	}
}

func (w *Walker) held(f func(starlark.Value)) {
	for _, n := range w.names {
		f(w.handlers[n])
	}
}

// Truth is true.
func (*Walker) Truth() starlark.Bool { return true }

// Hash fails: walkers are no keys.
func (w *Walker) Hash() (uint32, error) { return 0, errors.New("a " + w.Type() + " cannot be a key") }

// handler returns the handler for nodes of this name and level. A name with its level wins;
// kinds of variables fall back to that of variables.
func (w *Walker) handler(level, name string) starlark.Callable {
	for {
		if w.leveled {
			if h := w.handlers[level+"."+name]; h != nil {
				return h
			}
		}
		if h := w.handlers[name]; h != nil {
			return h
		}
		switch name {
		case "DataflowVar", "SizeVar":
			name = "Var"
		case "DataflowVarDef":
			name = "VarDef"
		default:
			return nil
		}
	}
}

// CallInternal walks a node or all functions of a module. A mutator returns what became of
// it, a visitor the dictionary self.state.
func (w *Walker) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v, state starlark.Value
	if err := starlark.UnpackArgs(w.Type(), args, kwargs, "node", &v, "state?", &state); err != nil {
		return nil, err
	}
	d := starlark.NewDict(0)
	if state != nil && state != starlark.None {
		var ok bool
		if d, ok = state.(*starlark.Dict); !ok {
			return nil, fmt.Errorf("%s: state is a dict, got %s", w.Type(), describe(state))
		}
	}
	r := runOf(t)
	var out starlark.Value
	switch x := v.(type) {
	case *Module:
		m, err := w.module(r, x.m, d)
		if err != nil {
			return nil, err
		}
		out = v
		if m != x.m {
			out = &Module{m: m}
		}
	case *Node:
		n, err := newWalk(w, r, r.mod, d).root(x.n)
		if err != nil {
			return nil, err
		}
		out = v
		if n != x.n {
			out = nodeValue(n)
		}
	default:
		return nil, fmt.Errorf("%s: expected a node or an IRModule, got %s", w.Type(), describe(v))
	}
	if !w.mutates {
		return d, nil
	}
	return out, nil
}

func (w *Walker) module(r *run, m *ir.Module, state *starlark.Dict) (*ir.Module, error) {
	e := m.Edit()
	for gv, f := range m.Funcs() {
		n, err := newWalk(w, r, m, state).root(f)
		if err != nil {
			return nil, err
		}
		if fn, ok := n.(ir.Function); ok && fn != f {
			e.Set(gv.Name, fn)
		} else if !ok {
			return nil, fmt.Errorf("mutator: the handler of %s must return a function, got %s", nodeName(f), describe(nodeValue(n)))
		}
	}
	return e.Done(), nil
}
