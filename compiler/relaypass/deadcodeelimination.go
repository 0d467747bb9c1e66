package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// DeadCodeElimination removes the values that nothing uses, those that a let binds too.
var DeadCodeElimination = &pass.Pass{
	Name: "relay.DeadCodeElimination", Level: 1, Kind: pass.Module, Required: []string{inferType},
	Doc: "Removes values without effects that nothing uses: those that a let binds, too. Functions stay, which relay.RemoveUnusedFunctions removes.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		ctx := op.NewBlockBuilder(c.Step().Input).Context()
		d := &dropper{used: map[*relax.Var]bool{}, lets: true, pure: func(e relax.Expr) bool { return effectless(e, ctx) }}
		dropped := 0
		d.dropped = func(b relax.Binding) {
			dropped++
			c.Rewrite("remove what is unused", b, nil)
		}
		out := f.WithBody(d.seq(f.Body))
		if dropped == 0 {
			return f, nil
		}
		return out, nil
	}),
}
