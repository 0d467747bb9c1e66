package starpass

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// functor is what an instance of a visitor or mutator has: its methods visit_call_ and so on are handlers of a Walker.
type functor struct {
	walker *Walker
	walk   *walk // that is under way, nil if none is
	mod    *ir.Module
}

// functorClasses are the classes that visitors and mutators derive from.
var functorClasses = sync.OnceValue(func() map[string]*Class {
	out := map[string]*Class{}
	for name, n := range map[string]functorNative{
		"PyExprVisitor": {level: levelRelax}, "PyExprMutator": {level: levelRelax, mutates: true},
		"PyStmtExprVisitor": {level: levelTIR}, "PyStmtExprMutator": {level: levelTIR, mutates: true},
	} {
		c := &Class{name: name, native: n, members: map[string]starlark.Value{}, frozen: true}
		c.order = []*Class{c}
		out[name] = c
	}
	return out
})

// functorNative gives visitors and mutators TVM's methods.
type functorNative struct {
	level   string
	mutates bool
}

// visitNames are the names of nodes in the names of methods that do not follow from the name of the node.
var visitNames = map[string]string{"tuple_getitem": "TupleGetItem", "prim_func": "PrimFunc"}

// handlerOf returns the node that a method such as visit_data_type_imm_ is for, "" for none.
func handlerOf(method string) string {
	name, ok := strings.CutPrefix(method, "visit_")
	if !ok {
		return ""
	}
	name = strings.TrimSuffix(name, "_")
	if special := visitNames[name]; special != "" {
		return special
	}
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	for _, known := range handlerNames() {
		if known == b.String() || known == strings.ToUpper(name) {
			return known
		}
	}
	return ""
}

// walkerOf returns the walker whose handlers are the methods of an instance.
func (n functorNative) walkerOf(self *Instance) *Walker {
	if self.functor == nil {
		self.functor = &functor{}
	}
	f := self.functor
	if f.walker != nil {
		return f.walker
	}
	f.walker = &Walker{mutates: n.mutates, handlers: map[string]starlark.Callable{}, leveled: true}
	for _, c := range self.class.order {
		for _, name := range c.names {
			fn, ok := c.members[name].(*starlark.Function)
			if !ok {
				continue
			}
			if name == "visit_expr" && f.walker.every == nil {
				f.walker.every = fn
				continue
			}
			node := handlerOf(name)
			if key := n.level + "." + node; node != "" && node != "Expr" && f.walker.handlers[key] == nil {
				f.walker.handlers[key] = fn
			}
		}
	}
	return f.walker
}

// The methods of visitors and mutators besides those for nodes.
var (
	visitorMethods = []string{"__init__", "visit", "visit_binding", "visit_binding_block", "visit_expr", "visit_stmt", "visit_var_def"}
	mutatorMethods = []string{"builder_", "get_var_remap", "lookup_binding", "set_var_remap", "visit_expr_post_order", "with_struct_info"}
)

func (n functorNative) attrs() []string {
	out := slices.Clone(visitorMethods)
	if n.mutates {
		out = append(out, mutatorMethods...)
	}
	return out
}

func (n functorNative) attr(self *Instance, name string) starlark.Value {
	w := n.walkerOf(self)
	f := self.functor
	switch name {
	case "__init__":
		return builtin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var mod starlark.Value
			if err := starlark.UnpackArgs(self.class.name, args, kwargs, "mod?", &mod); err != nil {
				return nil, err
			}
			if m, ok := mod.(*Module); ok {
				f.mod = m.m
			} else if mod != nil && mod != starlark.None {
				return nil, fmt.Errorf("%s: expected an IRModule, got %s", self.class.name, describe(mod))
			}
			return starlark.None, nil
		})
	case "visit_expr", "visit_stmt", "visit":
		return n.visits(self, name, func(k *walk, x ir.Node) ir.Node {
			if x == k.at.of && w.every != nil { // super().visit_expr
				return k.specific(x)
			}
			return k.visit(x)
		})
	case "visit_binding", "visit_binding_block", "visit_var_def":
		return n.visits(self, name, (*walk).visit)
	case "visit_expr_post_order":
		if n.mutates {
			return n.visits(self, name, (*walk).defaulted)
		}
	case "builder_":
		if n.mutates && n.level == levelRelax {
			return &Builder{f: f}
		}
	case "lookup_binding", "set_var_remap", "get_var_remap", "with_struct_info":
		if n.mutates && n.level == levelRelax {
			return remapMethod(f, name)
		}
	}
	if handlerOf(name) != "" {
		return n.visits(self, name, (*walk).defaulted)
	}
	return nil
}

// defaulted visits the children of a node, and notes that for the handler that asks for it.
func (k *walk) defaulted(n ir.Node) ir.Node {
	out := k.defaultVisit(n)
	if n == k.at.of {
		k.at.visited, k.at.defaulted = true, out
	}
	return out
}

// visits is a method that visits a node: in the walk that is under way, or in one of its own.
func (n functorNative) visits(self *Instance, name string, visit func(*walk, ir.Node) ir.Node) starlark.Value {
	return builtin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value
		if err := starlark.UnpackArgs(name, args, kwargs, "node", &v); err != nil {
			return nil, err
		}
		if v == starlark.None {
			return v, nil
		}
		x, ok := v.(*Node)
		if !ok {
			return nil, fmt.Errorf("%s: expected a node, got %s", name, describe(v))
		}
		r, f := runOf(t), self.functor
		var out ir.Node
		var err error
		if f.walk != nil {
			out, err = f.walk.protect(func() ir.Node { return visit(f.walk, x.n) })
		} else {
			out, err = f.begin(n.walkerOf(self), r, self, x.n)
		}
		switch {
		case err != nil:
			return nil, err
		case !n.mutates:
			return starlark.None, nil
		case out == x.n:
			return v, nil
		}
		return nodeValue(out), nil
	})
}

// begin walks a node that no walk is around.
func (f *functor) begin(w *Walker, r *run, self *Instance, n ir.Node) (ir.Node, error) {
	if f.mod == nil {
		f.mod = r.mod
	}
	k := newWalk(w, r, f.mod, starlark.NewDict(0))
	k.object = self
	if w.every != nil {
		k.begun = n
	}
	f.walk = k
	defer func() { f.walk = nil }()
	out, err := k.root(n)
	if err == nil && k.m != nil && f.mod != nil {
		f.mod = k.m.Builder().Module() // with the functions that handlers added
	}
	return out, err
}

// remapMethod is lookup_binding(var), set_var_remap(var, var), get_var_remap(var), or with_struct_info(var, struct_info).
func remapMethod(f *functor, name string) starlark.Value {
	return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v, to starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "var", &v, "to?", &to); err != nil {
			return nil, err
		}
		x, err := asNode[*relax.Var](v, "a relax.Var")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == "with_struct_info" {
			s, err := asNode[relax.StructInfo](to, "struct info")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out := *x
			out.SInfo = s
			return &Node{&out}, nil
		}
		if f.walk == nil {
			return nil, fmt.Errorf("%s: nothing is being visited", name)
		}
		m := f.walk.mutator()
		switch name {
		case "set_var_remap":
			e, err := asNode[*relax.Var](to, "a relax.Var")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			m.Remap(x, e)
			return starlark.None, nil
		case "get_var_remap":
			return nodeValue(m.Lookup(x)), nil
		}
		if is, ok := m.Lookup(x).(*relax.Var); ok {
			x = is
		}
		return nodeValue(m.Builder().LookupBinding(x)), nil
	})
}

// blocks returns the builder that a mutator emits into.
func (f *functor) blocks() (*relax.BlockBuilder, error) {
	if f.walk == nil {
		if f.mod == nil {
			f.mod = ir.NewModule()
		}
		return op.NewBlockBuilder(f.mod), nil
	}
	return f.walk.mutator().Builder(), nil
}

var errNoBlock = errors.New("there is no block to emit into: visit a function, or enter one with bb.function(...)")
