package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// forCodegen puts functions that external generators can take alone in the place of those that others calls, of which it takes those that chosen
// names: public functions with the attribute Codegen in which composite functions are local functions. If callers is nil, it is all that are
// neither composite nor for a generator.
func forCodegen(c *pass.Context, m *ir.Module, callers []string, chosen func(name string) bool) (*ir.Module, error) {
	w := &codegenWrapper{c: c, m: m, e: m.Edit(), made: map[string]*ir.GlobalVar{}}
	if callers == nil {
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*relax.Function); ok && !f.Attrs.Has(attrComposite) && !f.Attrs.Has(pass.AttrCodegen) {
				callers = append(callers, gv.Name)
			}
		}
	}
	for _, name := range callers {
		if err := c.Err(); err != nil {
			return nil, err
		}
		f := m.Lookup(name).(*relax.Function)
		mu := op.NewExprMutator(m)
		mu.Call = func(call *relax.Call) relax.Expr {
			callee := calleeOf(call)
			if callee == "" || !chosen(callee) {
				return call
			}
			gv, err := w.wrapped(callee)
			if err != nil {
				mu.Fail(err)
				return call
			}
			return &relax.Call{Base: call.Base, Op: gv, Args: call.Args, SInfo: call.SInfo}
		}
		c.Working(name)
		out, err := mu.Function(f)
		if err != nil {
			return nil, err
		}
		w.e.Set(name, out)
	}
	c.Working("")
	return w.e.Done(), nil
}

// codegenWrapper makes the functions that external generators take.
type codegenWrapper struct {
	c    *pass.Context
	m    *ir.Module
	e    *ir.Editor
	made map[string]*ir.GlobalVar
}

// wrapped returns the function for the generator that stands for the named one, which it removes.
func (w *codegenWrapper) wrapped(name string) (*ir.GlobalVar, error) {
	if gv := w.made[name]; gv != nil {
		return gv, nil
	}
	f := w.m.Lookup(name).(*relax.Function)
	codegen := f.Attrs.Str(pass.AttrCodegen, "")
	var out *relax.Function
	if codegen != "" {
		var err error
		if out, err = w.withLocals(f); err != nil {
			return nil, err
		}
	} else {
		codegen = generatorOfComposite(f)
		out = around(f)
	}
	w.e.Remove(name)
	symbol := w.e.Fresh(name + "_" + codegen)
	out = out.WithAttrs(out.Attrs.Without(attrPrimitive).With(pass.AttrCodegen, codegen).With(ir.AttrGlobalSymbol, symbol))
	gv := w.e.Set(symbol, out)
	w.made[name] = gv
	w.c.Rewrite("make a function for an external generator", f, out)
	return gv, nil
}

// around returns a function that contains the composite function f and calls it.
func around(f *relax.Function) *relax.Function {
	f = f.WithAttrs(f.Attrs.Without(attrPrimitive))
	params := make([]*relax.Var, len(f.Params))
	call := &relax.Call{Base: f.Base, SInfo: f.Ret}
	for i, p := range f.Params {
		params[i] = &relax.Var{Base: p.Base, Name: p.Name, SInfo: p.SInfo}
		call.Args = append(call.Args, params[i])
	}
	local := &relax.Var{Base: f.Base, Name: "local_func", SInfo: relax.FuncSInfo(f)}
	result := &relax.Var{Base: f.Base, Name: "output", SInfo: f.Ret}
	call.Op = local
	return &relax.Function{
		Base: f.Base, Params: params, Ret: f.Ret, Pure: f.Pure,
		Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{
			&relax.VarBinding{Base: f.Base, Var: local, Value: f}, &relax.VarBinding{Base: f.Base, Var: result, Value: call},
		}}}, Body: result},
	}
}

// withLocals returns f without dataflow blocks and with the composite functions that it calls in it.
func (w *codegenWrapper) withLocals(f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(w.m)
	mu.VarDef = func(v *relax.Var) *relax.Var { return v.WithDataflow(false) }
	mu.Block = func(b *relax.BindingBlock) { mu.VisitBindings(b) }
	locals := map[string]*relax.Var{}
	mu.Call = func(call *relax.Call) relax.Expr {
		callee, ok := w.m.Lookup(calleeOf(call)).(*relax.Function)
		if !ok || !callee.Attrs.Has(attrComposite) {
			return call
		}
		v := locals[calleeOf(call)]
		if v == nil {
			v = mu.Emit(relax.CopyFunction(callee.WithAttrs(callee.Attrs.Without(attrPrimitive))), "local_func")
			locals[calleeOf(call)] = v
		}
		return &relax.Call{Base: call.Base, Op: v, Args: call.Args}
	}
	return mu.Function(f)
}
