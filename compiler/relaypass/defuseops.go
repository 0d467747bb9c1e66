package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// DefuseOps undoes FuseOps.
var DefuseOps = &pass.Pass{
	Name: "relay.DefuseOps", Level: 3, Kind: pass.Function, Required: []string{inferType}, Breaks: []*pass.Form{pass.NoDataflow},
	Doc: "Replaces calls of functions that stand in the graph, as FuseOps makes them, by what they compute. Functions that a let names stay.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		mod := c.Step().Input
		ctx := op.NewBlockBuilder(mod).Context()
		literals := map[*relax.Var]*relax.Function{}
		relax.EachBinding(f.Body, func(b *relax.BindingBlock, bind relax.Binding) {
			if fn, ok := bind.BoundValue().(*relax.Function); ok && b.Dataflow && fn.Attrs.Str("Compiler", "") == "" {
				literals[bind.Bound()] = fn
			}
		})
		if len(literals) == 0 {
			return f, nil
		}
		var failed error
		out, err := eachSequence(mod, f, func(s *relax.SeqExpr) *relax.SeqExpr {
			made := &relax.SeqExpr{Base: s.Base, Body: s.Body}
			changed := false
			for _, b := range s.Blocks {
				for _, bind := range b.Bindings {
					if fn, ok := bind.BoundValue().(*relax.Function); ok && literals[bind.Bound()] != nil {
						literals[bind.Bound()] = fn // whose own calls are gone
					}
					call, _ := bind.BoundValue().(*relax.Call)
					var fn *relax.Function
					if call != nil {
						if v, ok := call.Op.(*relax.Var); ok {
							fn = literals[v]
						}
					}
					if fn == nil || failed != nil {
						place(made, bind, b.Dataflow)
						continue
					}
					v := bind.Bound()
					result, err := splice(made, fn, call.Op.(*relax.Var).Name, v, call, ctx)
					if err != nil {
						failed = err
						continue
					}
					changed = true
					c.Rewrite("put the body of a function in the place of its call", bind, result)
					if result != v {
						place(made, bind.(*relax.VarBinding).WithValue(result), b.Dataflow)
					}
				}
			}
			if !changed {
				return s
			}
			return made
		})
		if err == nil {
			err = failed
		}
		if err != nil || out == f {
			return f, err
		}
		return dropUnused(out, func(e relax.Expr) bool { return effectless(e, ctx) }), nil
	}),
}
