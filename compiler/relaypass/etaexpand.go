package relaypass

import (
	"errors"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// EtaExpand wraps functions of the module that are used as values. After src/relay/transforms/eta_expand.cc of TVM v0.18, which wraps
// the function of a call as well.
var EtaExpand = &pass.Pass{
	Name: "relay.EtaExpand", Level: 1, Kind: pass.Module, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Replaces a function of the module that is a value (a result, an argument, a field) by a local function that calls it. What is called stays.",
	Options: []pass.Option{
		{Name: "expand_constructor", Default: false, Doc: "wrap constructors of algebraic data types, which this IR has not"},
		{Name: "expand_global_var", Default: true, Doc: "wrap functions of the module; false in TVM, where one of the two must be asked for"},
	},
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		if !c.Arg("expand_global_var").(bool) {
			if !c.Arg("expand_constructor").(bool) {
				return nil, errors.New("expand_constructor and expand_global_var: one of them must be true")
			}
			return m, nil
		}
		return pass.EachRelax(etaExpand)(c, m)
	},
}

func etaExpand(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
	m := c.Step().Input
	ctx := op.NewBlockBuilder(m).Context()
	return eachSequence(m, f, func(s *relax.SeqExpr) *relax.SeqExpr {
		made := &relax.SeqExpr{Base: s.Base}
		changed := false
		values := &relax.Mapper{}
		values.Expr = func(e relax.Expr) relax.Expr {
			switch e := e.(type) {
			case *relax.SeqExpr, *relax.Function:
				return e // they were treated before
			case *relax.Call:
				if takesTuples(e) {
					return e // kernels, and functions that an operator calls
				}
				if _, global := e.Op.(*ir.GlobalVar); global {
					args := make([]relax.Expr, len(e.Args))
					same := true
					for i, a := range e.Args {
						args[i] = values.Expr(a)
						same = same && args[i] == a
					}
					if same {
						return e
					}
					return &relax.Call{Base: e.Base, Op: e.Op, Args: args, Attrs: e.Attrs, SInfo: e.SInfo}
				}
			case *ir.GlobalVar:
				of, ok := m.Lookup(e.Name).(*relax.Function)
				if !ok {
					return e
				}
				wrapped := etaExpanded(e, of)
				v := &relax.Var{Base: e.Base, Name: e.Name, SInfo: ctx.SInfoOf(wrapped)}
				place(made, &relax.VarBinding{Base: e.Base, Var: v, Value: wrapped}, true)
				c.Rewrite("wrap a function that is a value", e, wrapped)
				changed = true
				return v
			}
			return values.MapExpr(e)
		}
		for _, b := range s.Blocks {
			for _, bind := range b.Bindings {
				place(made, values.MapBinding(bind), b.Dataflow)
			}
		}
		if made.Body = values.Expr(s.Body); !changed {
			return s
		}
		return made
	})
}

// etaExpanded is a local function that calls f, which gv names.
func etaExpanded(gv *ir.GlobalVar, f *relax.Function) *relax.Function {
	f = relax.CopyFunction(f)
	args := make([]relax.Expr, len(f.Params))
	for i, p := range f.Params {
		args[i] = p
	}
	call := &relax.Call{Base: gv.Base, Op: gv, Args: args}
	v := &relax.Var{Base: gv.Base, Name: "gv", SInfo: f.Ret, Dataflow: false}
	body := &relax.SeqExpr{Base: gv.Base, Body: v}
	place(body, &relax.VarBinding{Base: gv.Base, Var: v, Value: call}, f.Pure)
	return f.WithAttrs(f.Attrs.Without(ir.AttrGlobalSymbol)).WithBody(body)
}
