package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ExpandTupleArguments replaces tuples that private functions take.
var ExpandTupleArguments = &pass.Pass{
	Name: "ExpandTupleArguments", Kind: pass.Sequential,
	Doc: "Gives private functions a parameter for each field of a tuple that they take, and removes the tuples that only passed values on.",
	Children: []*pass.Pass{
		{
			Name: "ExpandTupleArgumentsInner", Kind: pass.Module,
			Doc: "Replaces each parameter of a private function that is a tuple with one for each field, and passes the fields where the function is called.",
			Run: expandTupleArguments,
		},
		CanonicalizeBindings, DeadCodeElimination,
	},
}

func expandTupleArguments(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	expanded := map[string]bool{}
	e := m.Edit()
	calls := calledOnly(m)
	for gv, fn := range m.Funcs() {
		if _, ok := calls[gv.Name]; !ok {
			continue
		}
		f := fn.(*relax.Function)
		out := expandParams(f)
		if out == f {
			continue
		}
		c.Working(gv.Name)
		c.Rewrite("a parameter for each field", f, out)
		expanded[gv.Name] = true
		e.Set(gv.Name, out)
	}
	c.Working("")
	if len(expanded) == 0 {
		return m, nil
	}
	m = e.Done()
	return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mu := op.NewExprMutator(m)
		mu.Call = func(call *relax.Call) relax.Expr {
			if !expanded[calleeOf(call)] {
				return call
			}
			var args []relax.Expr
			for _, a := range call.Args {
				args = appendFields(args, mu, a)
			}
			return rewritten(c, "pass each field", call, call.WithArgs(args))
		}
		return mu.Function(f)
	})
}

// expandParams returns f with a parameter for each field of its parameters that are tuples, which it builds at its start; f itself if none
// is.
func expandParams(f *relax.Function) *relax.Function {
	used := namesOf(f)
	var params []*relax.Var
	var bindings []relax.Binding
	var expand func(p *relax.Var)
	expand = func(p *relax.Var) {
		t, ok := p.SInfo.(*relax.TupleStructInfo)
		if !ok {
			params = append(params, p)
			return
		}
		tuple := &relax.Tuple{Base: p.Base}
		for i, field := range t.Fields {
			v := &relax.Var{Base: p.Base, Name: used.fresh(fmt.Sprintf("%s_%d", p.Name, i)), SInfo: field}
			tuple.Fields = append(tuple.Fields, v)
			expand(v)
		}
		bindings = append(bindings, &relax.VarBinding{Base: p.Base, Var: p, Value: tuple})
	}
	for _, p := range f.Params {
		expand(p)
	}
	if len(bindings) == 0 {
		return f
	}
	return f.WithParams(params).WithBody(f.Body.WithBlocks(joined(append([]*relax.BindingBlock{{Bindings: bindings}}, f.Body.Blocks...))))
}

// appendFields appends an argument, or all fields of one that is a tuple.
func appendFields(args []relax.Expr, mu *relax.ExprMutator, a relax.Expr) []relax.Expr {
	t, ok := mu.Builder().Context().SInfoOf(a).(*relax.TupleStructInfo)
	if !ok {
		return append(args, a)
	}
	tuple, built := a.(*relax.Tuple)
	for i := range t.Fields {
		var field relax.Expr = &relax.TupleGetItem{Tuple: a, Index: i, SInfo: t.Fields[i]}
		if built {
			field = tuple.Fields[i]
		}
		args = appendFields(args, mu, field)
	}
	return args
}
