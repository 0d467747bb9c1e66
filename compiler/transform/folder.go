package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// Folder computes calls on constants for passes of other packages, in one function and within the budget of FoldConstant.
type Folder struct{ fo *folder }

// NewFolder returns a folder for one function of mod.
func NewFolder(c *pass.Context, mod *ir.Module) *Folder {
	return &Folder{&folder{c: c, mod: mod, m: op.NewExprMutator(mod), done: map[foldKey][]*ir.Blob{}}}
}

// Fold returns the tensor that vb binds, nil where an argument of its call is no constant, no kernel computes it, or it is beyond the budget.
func (f *Folder) Fold(vb *relax.VarBinding) (*relax.Constant, error) {
	if f.fo.c.Evaluator == nil {
		return nil, nil
	}
	kernel, args, err := f.fo.kernelOf(vb)
	if kernel == nil || err != nil {
		return nil, err
	}
	return f.fo.evaluate(kernel, args, vb)
}
