package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// ruleElide is the name of the rewrite.
const ruleElide = "compute where it is copied to"

// ElideCopies lets kernels write their results where a copy would put them.
//
//	x = alloc(4 KB); f(a, x)                    out = alloc(12 KB)
//	y = alloc(8 KB); g(b, y)                    x = view(out, 0); f(a, x)
//	out = alloc(12 KB); concatenate(x, y, out)  y = view(out, 4 KB); g(b, y)
//
// A kernel is such a copy if it stores nothing but elements of its inputs, those of each at one distance (copykernel.go): of concatenations
// those of the first axis longer than 1. Tensors become parts of another where nobody can tell (copygroups.go): none of them is written
// behind the copy, and what it is copied to is not written while a part is still read.
var ElideCopies = &pass.Pass{
	Name: "ElideCopies", Level: 1, Kind: pass.Module,
	Doc: "Removes calls of kernels that only copy tensors into parts of another one, such as concatenate of the first axis: the tensors become views of their parts, so that what computes them writes there at once. A part begins at a multiple of 64 bytes, tensors are allocated and last used within one block, and none is written behind the copy. Kernels that nothing calls any more are removed.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		e := &copyElision{c: c, kernels: map[string]*copyKernel{}, m: m, gone: map[string]bool{}}
		out, err := eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			return mapBlocks(f, e.block), nil
		})
		if err != nil || out == m {
			return out, err
		}
		return e.withoutUnused(out), nil
	},
}

// copyElision is the pass at work.
type copyElision struct {
	c       *pass.Context
	m       *ir.Module
	kernels map[string]*copyKernel
	gone    map[string]bool // kernels of which a call was removed
}

// kernel returns what the called kernel does with its arguments, nil if value calls none.
func (e *copyElision) kernel(value relax.Expr) (*relax.Call, *copyKernel) {
	call, ok := value.(*relax.Call)
	if !ok {
		return nil, nil
	}
	gv, ok := call.Op.(*ir.GlobalVar)
	if !ok {
		return nil, nil
	}
	k, known := e.kernels[gv.Name]
	if !known {
		if f, ok := e.m.Lookup(gv.Name).(*tir.PrimFunc); ok {
			k = copyKernelOf(f)
		}
		e.kernels[gv.Name] = k
	}
	if k == nil || len(call.Args) != len(k.writes) {
		return nil, nil
	}
	return call, k
}

// block rewrites the copies of a block that nobody needs.
func (e *copyElision) block(b *relax.BindingBlock, outer map[*relax.Var]bool) *relax.BindingBlock {
	if !slices.ContainsFunc(b.Bindings, func(x relax.Binding) bool {
		_, k := e.kernel(x.BoundValue())
		return k != nil && k.out >= 0
	}) {
		return b
	}
	g := e.groupsOf(b, outer)
	removed := map[relax.Binding]bool{}
	for i, x := range b.Bindings {
		call, k := e.kernel(x.BoundValue())
		if call == nil || k.out < 0 {
			continue
		}
		if why := g.place(i, x, call, k); why != "" {
			e.c.Declined(ruleElide, x, why)
			continue
		}
		removed[x] = true
		e.gone[call.Op.(*ir.GlobalVar).Name] = true
	}
	if len(removed) == 0 {
		return b
	}
	early := map[int][]*relax.VarBinding{} // whole tensors, by the binding before which they are needed
	for _, p := range g.order {
		if p.in == nil && p.grouped {
			early[p.first] = append(early[p.first], p.binding)
		}
	}
	var out []relax.Binding
	for i, x := range b.Bindings {
		for _, whole := range early[i] {
			out = append(out, whole)
		}
		p := g.parts[x.Bound()]
		switch {
		case removed[x]:
			e.c.Rewrite(ruleElide, x, nil)
		case p == nil || p.at != i || p.in == nil && !p.grouped:
			out = append(out, x)
		case p.in != nil:
			whole, offset := p.place()
			out = append(out, rewrote(e.c, ruleElide, x, []relax.Binding{p.binding.WithValue(viewOf(p, whole, offset))})...)
		}
	}
	return b.WithBindings(out)
}

// viewOf is a view in place of the tensor that p allocates.
func viewOf(p *tensorPart, whole *tensorPart, offset int64) *relax.Call {
	c := p.alloc
	return callOpAt(c.Base, opMemView, c.SInfo, whole.binding.Var, c.Args[0], c.Args[1], primInt(offset))
}

// withoutUnused removes the kernels that only calls needed that are gone.
func (e *copyElision) withoutUnused(m *ir.Module) *ir.Module {
	for _, f := range m.Funcs() {
		ir.Walk(f, func(n ir.Node) bool {
			if gv, ok := n.(*ir.GlobalVar); ok {
				delete(e.gone, gv.Name)
			}
			return len(e.gone) > 0
		})
	}
	edit := m.Edit()
	for name := range e.gone {
		if f := m.Lookup(name); !f.FuncAttrs().Has(ir.AttrGlobalSymbol) {
			edit.Remove(name)
		}
	}
	return edit.Done()
}
