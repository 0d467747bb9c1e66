package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// InferType infers the struct info of all values. Programs have theirs when they have been read and passes keep it, so that it finds
// nothing to do but behind a pass of a user.
var InferType = &pass.Pass{
	Name: inferType, Kind: pass.Module,
	Doc: "Infers the struct info of all values. The other passes of Relay require it. Here every program has its types when it was read, and every pass keeps them, so that only what a pass of your own left open is filled in.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		out, err := op.NewBlockBuilder(c.Step().Input).NormalizeFunction(f)
		if err != nil || out == f || ir.StructuralEqual(f, out, ir.EqualOpts{}) {
			return f, err // what it inferred is what was there
		}
		c.Rewrite("infer types", f, out)
		return out, nil
	}),
}
