package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// attrLayoutFree lists the parameters of a kernel whose layout a schedule may choose, by their numbers.
const attrLayoutFree = "layout_free_buffers"

// AttachAttrLayoutFreeBuffers says which buffers of a kernel hold weights.
var AttachAttrLayoutFreeBuffers = &pass.Pass{
	Name: "AttachAttrLayoutFreeBuffers", Kind: pass.Module,
	Doc: "Notes in the attribute layout_free_buffers of each kernel which of its parameters are weights (parameters behind the first num_input ones) or constants, so that a schedule may choose their layout. A kernel that is called with weights in different places becomes several, and what is not called any more is removed.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		b := op.NewBlockBuilder(m)
		out, err := eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			n, has, err := numInput(f)
			if err != nil {
				return nil, err
			}
			weights := map[*relax.Var]bool{}
			if has {
				for _, p := range f.Params[n:] {
					weights[p] = true
				}
			}
			mu := newMutator(c, m, "note the weights of a kernel")
			mu.Call = func(call *relax.Call) relax.Expr {
				callee := kernelOf(m, call)
				if callee == nil {
					return call
				}
				gv := call.Args[0].(*ir.GlobalVar)
				free := []ir.Value{}
				for i, a := range fieldsOf(call.Args[1]) {
					v, isVar := a.(*relax.Var)
					if _, isConst := a.(*relax.Constant); isConst || isVar && weights[v] {
						free = append(free, int64(i))
					}
				}
				if had, ok := callee.Attrs.Get(attrLayoutFree); ok && fmt.Sprint(had) == fmt.Sprint(free) {
					return call
				}
				to := b.AddFunc(gv.Name, tir.CopyFunc(callee).WithAttrs(callee.Attrs.With(attrLayoutFree, free)))
				return call.WithArgs(append([]relax.Expr{to}, call.Args[1:]...))
			}
			return mu.Function(f)
		})
		return replacedKernels(c, m, out, b.Module(), err)
	},
}

// kernelOf returns the kernel that a call_tir calls, nil if e is none or the kernel is not in m.
func kernelOf(m *ir.Module, e relax.Expr) *tir.PrimFunc {
	call := callsOp(e, opCallTIR)
	if call == nil {
		return nil
	}
	gv, ok := call.Args[0].(*ir.GlobalVar)
	if !ok {
		return nil
	}
	f, _ := m.Lookup(gv.Name).(*tir.PrimFunc)
	return f
}

// replacedKernels returns the module out, which was made of m, with the kernels that were added to kernels, and without those that nothing calls any more.
func replacedKernels(c *pass.Context, m, out, kernels *ir.Module, err error) (*ir.Module, error) {
	if err != nil || out == m {
		return m, err
	}
	e := out.Edit()
	for gv, f := range kernels.Funcs() {
		if m.Lookup(gv.Name) == nil {
			e.Adopt(gv, f)
			c.Working(gv.Name)
			c.Rewrite("add a kernel", nil, f)
		}
	}
	c.Working("")
	return removeUnreachable(c, e.Done(), nil), nil
}
