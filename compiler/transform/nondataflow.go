package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ToNonDataflow turns dataflow blocks into ordinary blocks.
var ToNonDataflow = &pass.Pass{
	Name: "ToNonDataflow", Kind: pass.Function, Lowering: true,
	Gives: []*pass.Form{pass.NoDataflow},
	Doc:   "Turns dataflow blocks into ordinary binding blocks and their variables into ordinary variables, so that bindings with effects may follow.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := op.NewExprMutator(c.Step().Input)
		m.VarDef = func(v *relax.Var) *relax.Var { return v.WithDataflow(false) }
		m.Block = func(b *relax.BindingBlock) {
			m.VisitBindings(b) // all into one ordinary block
			if b.Dataflow {
				c.Rewrite("dataflow block to an ordinary block", b, b.WithDataflow(false))
			}
		}
		return m.Function(f)
	}),
}
