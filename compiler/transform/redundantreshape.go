package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// RemoveRedundantReshape removes reshapes of reshapes.
var RemoveRedundantReshape = &pass.Pass{
	Name: "RemoveRedundantReshape", Kind: pass.Function,
	Doc: "Reshapes once where a function does so several times in a row, and not at all where the shape stays.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		x, shape := dpl.Wildcard(), dpl.Wildcard()
		inner := dpl.Op(opReshape, x, dpl.Wildcard())
		twice, once := dpl.Op(opReshape, inner, shape), dpl.Op(opReshape, x, shape)
		return rewriteCalls(c, "reshape once", f, dpl.Or(twice, once), func(s *site) relax.Expr {
			if s.found.Has(twice) {
				return &relax.Call{Op: ir.NewOp(opReshape), Args: []relax.Expr{s.found[x], s.found[shape]}}
			}
			have, ok := dimsOf(s.ctx.SInfoOf(s.found[x]))
			want, also := dimsOf(s.ctx.SInfoOf(s.found[shape]))
			if !ok || !also || len(have) != len(want) || s.ctx.EqualDims(have, want) != relax.True {
				return nil
			}
			return s.found[x]
		})
	})),
}
