package starpass

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// stmtFunctor is tir.stmt_functor.
func stmtFunctor() starlark.Value {
	return namespace("tir.stmt_functor", starlark.StringDict{
		"ir_transform":     builtin("ir_transform", irTransform),
		"post_order_visit": builtin("post_order_visit", orderedVisit(true)),
		"pre_order_visit":  builtin("pre_order_visit", orderedVisit(false)),
		"substitute":       builtin("substitute", substitute),
	})
}

// substitute is substitute(node, {var: expression}).
func substitute(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var node starlark.Value
	var vmap *starlark.Dict
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "node", &node, "vmap", &vmap); err != nil {
		return nil, err
	}
	sub := map[*tir.Var]tir.Expr{}
	for k, v := range vmap.Entries() {
		x, err := asNode[*tir.Var](k, "a tir.Var")
		if err != nil {
			return nil, fmt.Errorf("substitute: %w", err)
		}
		e, err := exprOf(v, x.DType())
		if err != nil {
			return nil, fmt.Errorf("substitute: %w", err)
		}
		if e.DType() != x.DType() {
			return nil, fmt.Errorf("substitute: %s is a %s and cannot become a %s", x.Name, x.DType(), e.DType())
		}
		sub[x] = e
	}
	n, err := asNode[ir.Node](node, "a statement or expression")
	if err == nil {
		err = runOf(t).countNodes("substitute", n)
	}
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case tir.Stmt:
		return nodeValue(tir.SubstStmt(n, sub)), nil
	case tir.Expr:
		return nodeValue(tir.SubstExpr(n, sub)), nil
	}
	return nil, fmt.Errorf("substitute: expected a statement or expression of the loop level, got %s", describe(node))
}

// countNodes bounds the nodes of a tree, those that stand in several places counted for each, and counts them as work.
func (m *meter) countNodes(what string, n ir.Node) error {
	count := 0
	ir.Walk(n, func(ir.Node) bool { count++; return count <= maxScript })
	if count > maxScript {
		return &LimitError{fmt.Sprintf("%s: more than %d nodes", what, maxScript)}
	}
	return m.work(count)
}

// orderedVisit is post_order_visit(node, f), or pre_order_visit(node, f), whose function returns whether to go below the node.
func orderedVisit(post bool) builtinFunc {
	return func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var node starlark.Value
		var f starlark.Callable
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "stmt", &node, "fvisit", &f); err != nil {
			return nil, err
		}
		n, err := asNode[ir.Node](node, "a node")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		r := runOf(t)
		if err := r.countNodes(b.Name(), n); err != nil {
			return nil, err
		}
		visit := func(n ir.Node) (below bool) {
			if err != nil {
				return false
			}
			var v starlark.Value
			if v, err = starlark.Call(t, f, starlark.Tuple{&Node{n}}, nil); err != nil {
				return false
			}
			return v == starlark.None || bool(v.Truth())
		}
		if post {
			ir.WalkPost(n, func(n ir.Node) { visit(n) })
		} else {
			ir.Walk(n, visit)
		}
		return starlark.None, err
	}
}

// irTransform is ir_transform(stmt, preorder, postorder, only_enable=None): preorder gets each node before its children, and what it returns
// takes the place of the node; postorder gets it after them. None leaves the node as it is.
func irTransform(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var node, pre, post, only starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "stmt", &node, "preorder", &pre, "postorder", &post, "only_enable?", &only); err != nil {
		return nil, err
	}
	s, err := asNode[tir.Stmt](node, "a statement")
	if err != nil {
		return nil, fmt.Errorf("ir_transform: %w", err)
	}
	enabled := handlerNames()
	if only != nil && only != starlark.None {
		if enabled, err = names(only); err != nil {
			return nil, fmt.Errorf("ir_transform: only_enable: %w", err)
		}
	}
	w := &Walker{mutates: true, handlers: map[string]starlark.Callable{}}
	for _, name := range enabled {
		if len(name) > 4 && name[:4] == "tir." {
			name = name[4:]
		}
		if err := checkHandler(name); err != nil {
			return nil, fmt.Errorf("ir_transform: %w", err)
		}
		w.handlers[name] = builtin("ir_transform", func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if pre != starlark.None {
				if v, err := starlark.Call(t, pre, args[1:], nil); err != nil || v != starlark.None {
					return v, err
				}
			}
			visit, err := args[0].(*Self).Attr("visit_default")
			if err != nil {
				return nil, err
			}
			out, err := starlark.Call(t, visit, args[1:], nil)
			if err != nil || post == starlark.None {
				return out, err
			}
			if v, err := starlark.Call(t, post, starlark.Tuple{out}, nil); err != nil || v != starlark.None {
				return v, err
			}
			return out, nil
		})
	}
	r := runOf(t)
	out, err := newWalk(w, r, r.mod, starlark.NewDict(0)).root(s)
	if err != nil {
		return nil, err
	}
	return nodeValue(out), nil
}

// analysis is relax.analysis.
func analysis() starlark.Value {
	function := func(name string, f func(*relax.Function) starlark.Value) *starlark.Builtin {
		return builtin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "func", &v); err != nil {
				return nil, err
			}
			fn, err := asNode[*relax.Function](v, "a relax.Function")
			if err == nil {
				err = runOf(t).countNodes(name, fn)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return f(fn), nil
		})
	}
	return namespace("relax.analysis", starlark.StringDict{
		"get_var2val": function("get_var2val", func(f *relax.Function) starlark.Value {
			d := starlark.NewDict(0)
			relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
				_ = d.SetKey(&Node{b.Bound()}, nodeValue(b.BoundValue())) // nodes hash
			})
			return d
		}),
		"defined_symbolic_vars": function("defined_symbolic_vars", func(f *relax.Function) starlark.Value { return listOf(relax.DefinedSymbolicVars(f)) }),
		"free_vars": builtin("free_vars", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "expr", &v); err != nil {
				return nil, err
			}
			e, err := asNode[relax.Expr](v, "a graph-level expression")
			if err == nil {
				err = runOf(t).countNodes(b.Name(), e)
			}
			if err != nil {
				return nil, err
			}
			return listOf(relax.FreeVars(e)), nil
		}),
		"post_order_visit": builtin("post_order_visit", orderedVisit(true)),
		"well_formed": builtin("well_formed", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v, sinfo starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "obj", &v, "check_struct_info?", &sinfo); err != nil {
				return nil, err
			}
			m, ok := v.(*Module)
			if !ok {
				return nil, fmt.Errorf("well_formed: expected an IRModule, got %s", describe(v))
			}
			for _, f := range m.m.Funcs() {
				if err := runOf(t).countNodes("well_formed", f); err != nil {
					return nil, err
				}
			}
			for _, d := range relax.WellFormed(m.m, op.VerifyOpts()) {
				if d.Severity == ir.Error {
					return starlark.False, nil
				}
			}
			return starlark.True, nil
		}),
	})
}
