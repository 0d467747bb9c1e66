package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// Normalize brings functions into A-normal form.
var Normalize = &pass.Pass{
	Name: "Normalize", Level: 1, Kind: pass.Function,
	Doc: "Brings functions into A-normal form: operands that are calls are bound to variables of their own, sequences inside of sequences are joined, and struct info that is missing is inferred.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		out, err := op.NewBlockBuilder(c.Step().Input).NormalizeFunction(f)
		if err == nil && out != f {
			c.Rewrite("bring into A-normal form", f, out)
		}
		return out, err
	}),
}
