package transform

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

const (
	// attrWorkspace is the number of bytes that a function of an external generator needs besides its arguments and result.
	attrWorkspace = "WorkspaceSize"
	ruleWorkspace = "hand over a workspace"
)

// AllocateWorkspace gives functions of external generators the memory that they need while they run.
var AllocateWorkspace = &pass.Pass{
	Name: "AllocateWorkspace", Kind: pass.Module,
	Doc: "Gives functions for external code generators, and the composite functions in them, that have the attribute WorkspaceSize a parameter for that many bytes, and allocates it in the functions that call them. One size, the largest, is for all.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		w := &workspaces{c: c, m: m, renamed: map[string]*ir.GlobalVar{}}
		if err := w.find(); err != nil || len(w.renamed) == 0 {
			return m, err
		}
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				continue
			}
			if err := c.Err(); err != nil {
				return nil, err
			}
			c.Working(gv.Name)
			to := w.renamed[gv.Name]
			out, err := w.function(f, to)
			if err != nil {
				return nil, err
			}
			if to == nil {
				e.Set(gv.Name, out)
				continue
			}
			e.Remove(gv.Name)
			e.Adopt(to, out.WithAttrs(out.Attrs.With(ir.AttrGlobalSymbol, to.Name)))
		}
		c.Working("")
		return e.Done(), nil
	},
}

type workspaces struct {
	c       *pass.Context
	m       *ir.Module
	size    int64
	renamed map[string]*ir.GlobalVar // functions that get a parameter, with their new names: what they take is part of what a name stands for
}

// find finds the functions that need a workspace, and the size of the largest.
func (w *workspaces) find() error {
	e := w.m.Edit()
	for gv, fn := range w.m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok || !f.Attrs.Has(attrWorkspace) {
			continue
		}
		n, err := workspaceOf(gv.Name, f)
		if err != nil {
			return err
		}
		if n == 0 || !isExternal(f) {
			w.c.Working(gv.Name)
			w.c.Declined(ruleWorkspace, f, "the function is for no external generator, or needs no bytes")
			continue
		}
		w.size = max(w.size, n)
		w.renamed[gv.Name] = ir.NewGlobalVar(e.Fresh(gv.Name))
		e.Adopt(w.renamed[gv.Name], f)
	}
	w.c.Working("")
	return nil
}

func isExternal(f *relax.Function) bool {
	return f.Attrs.Has(pass.AttrCodegen) || f.Attrs.Has(attrComposite)
}

// workspaceOf returns the bytes that a function needs.
func workspaceOf(name string, f *relax.Function) (int64, error) {
	v, _ := f.Attrs.Get(attrWorkspace)
	if n := f.Attrs.Int(attrWorkspace, -1); n >= 0 {
		return n, nil
	}
	return 0, fmt.Errorf("the attribute %s of %s is %v, want a number of bytes", attrWorkspace, name, v)
}

// function rewrites a function; to is its new name if it gets a parameter.
func (w *workspaces) function(f *relax.Function, to *ir.GlobalVar) (*relax.Function, error) {
	mu := newMutator(w.c, w.m, ruleWorkspace)
	var here *relax.Var // the workspace at hand
	if to != nil {
		f, here = w.extended(f)
	}
	inner := map[*relax.Var]bool{}
	mu.Binding = func(b relax.Binding) {
		g, local := b.BoundValue().(*relax.Function)
		if !local || here == nil || !g.Attrs.Has(attrComposite) || !g.Attrs.Has(attrWorkspace) {
			mu.VisitBinding(b)
			return
		}
		g, _ = w.extended(g)
		nb := bindNew(b.Meta(), b.Bound().Name, relax.SInfoOf(g), g)
		nb.Var.Dataflow = b.Bound().Dataflow
		mu.Remap(b.Bound(), nb.Var)
		inner[nb.Var] = true
		mu.EmitNormalized(nb)
	}
	mu.Block = func(b *relax.BindingBlock) {
		if to != nil || !w.calls(b) {
			mu.VisitBlock(b)
			return
		}
		mu.InBlock(b, func() {
			outer := here
			here = mu.Emit(w.alloc(b), "workspace_main")
			mu.VisitBindings(b)
			here = outer
		})
	}
	mu.Call = func(call *relax.Call) relax.Expr {
		for _, a := range call.Args {
			if gv, ok := a.(*ir.GlobalVar); ok && w.renamed[gv.Name] != nil {
				mu.Fail(fmt.Errorf("%s, which needs a workspace, is handed on as a value: it can only be called", gv.Name))
			}
		}
		callee, global := call.Op.(*ir.GlobalVar)
		if v, local := call.Op.(*relax.Var); local && inner[v] || global && w.renamed[callee.Name] != nil {
			if global {
				call = call.WithOp(w.renamed[callee.Name])
			}
			return call.WithArgs(append(call.Args[:len(call.Args):len(call.Args)], here))
		}
		return call
	}
	return mu.Function(f)
}

// extended returns a function with a parameter for the workspace, and that parameter.
func (w *workspaces) extended(f *relax.Function) (*relax.Function, *relax.Var) {
	v := &relax.Var{Base: f.Base, Name: "workspace", SInfo: relax.StaticTensor(dtype.UInt8T, w.size)}
	params := append(f.Params[:len(f.Params):len(f.Params)], v)
	return f.WithParams(params).WithAttrs(f.Attrs.Without(attrWorkspace)), v
}

// calls reports whether a binding of b, and not one in a branch of it, calls a function that needs a workspace.
func (w *workspaces) calls(b *relax.BindingBlock) bool {
	return slices.ContainsFunc(b.Bindings, func(x relax.Binding) bool {
		call, ok := x.BoundValue().(*relax.Call)
		return ok && w.renamed[calleeOf(call)] != nil
	})
}

// alloc allocates the workspace, with the origin of the first binding of b.
func (w *workspaces) alloc(b *relax.BindingBlock) relax.Expr {
	c := callOp(opBuiltinAlloc, relax.StaticTensor(dtype.UInt8T, w.size), &relax.ShapeExpr{Values: []tir.Expr{tir.Int(w.size)}}, dtypeImm(dtype.UInt8T), primInt(0), str("global"))
	c.Base = ir.Base{Origin: b.Bindings[0].Meta().Origin}
	return c
}
