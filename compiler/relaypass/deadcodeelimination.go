package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// DeadCodeElimination removes the values that nothing uses, those that a let binds too.
var DeadCodeElimination = &pass.Pass{
	Name: "relay.DeadCodeElimination", Level: 1, Kind: pass.Module, Required: []string{inferType}, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Removes values without effects that nothing uses: those that a let binds, too. Functions stay, which relay.RemoveUnusedFunctions removes.",
	Options: []pass.Option{
		{Name: "inline_once", Default: false, Doc: "make a let that is used once a node of the graph, in the scope of its use; none whose use is in a function inside, which may be called more than once"},
		{Name: "ignore_impurity", Default: false, Doc: "take what has effects for what has none, so that it is removed or moved like others"},
	},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mod := c.Step().Input
		ctx := op.NewBlockBuilder(mod).Context()
		pure := func(e relax.Expr) bool { return effectless(e, ctx) }
		if c.Arg("ignore_impurity").(bool) {
			pure = func(relax.Expr) bool { return true }
		}
		out := f
		if c.Arg("inline_once").(bool) {
			var err error
			if out, err = inlineOnce(c, mod, f, pure); err != nil {
				return nil, err
			}
		}
		d := &dropper{used: map[*relax.Var]bool{}, lets: true, pure: pure}
		dropped := 0
		d.dropped = func(b relax.Binding) {
			dropped++
			c.Rewrite("remove what is unused", b, nil)
		}
		if g := out.WithBody(d.seq(out.Body)); dropped > 0 {
			return g, nil
		}
		return out, nil
	}),
}
