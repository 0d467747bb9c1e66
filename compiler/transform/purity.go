package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// attrForcePure is the attribute that lets a pure function hold impure calls.
const attrForcePure = "relax.force_pure"

// RemovePurityChecking takes purity for granted from here on.
var RemovePurityChecking = &pass.Pass{
	Name: "RemovePurityChecking", Kind: pass.Function, Lowering: true,
	Doc: "Marks pure functions relax.force_pure, so that lowered calls with effects may stand in them, and unwraps call_pure_packed, call_inplace_packed and invoke_pure_closure.",
	Run: pass.EachRelax(func(ctx *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := op.NewExprMutator(ctx.Step().Input)
		m.Call = func(c *relax.Call) relax.Expr {
			switch opName(c) {
			case opCallPurePacked:
				return rewritten(ctx, "unwrap call_pure_packed", c, c.WithOp(c.Args[0]).WithArgs(c.Args[1:]))
			case "relax.call_inplace_packed": // its attributes say what the function overwrites, which only the operator may
				return rewritten(ctx, "unwrap call_inplace_packed", c, c.WithOp(c.Args[0]).WithArgs(c.Args[1:]).WithAttrs(nil))
			case "relax.invoke_pure_closure":
				return rewritten(ctx, "unwrap invoke_pure_closure", c, c.WithOp(ir.NewOp("relax.invoke_closure")))
			}
			return c
		}
		m.Expr = func(e relax.Expr) relax.Expr {
			e = m.VisitExpr(e)
			if g, ok := e.(*relax.Function); ok && g.Pure && !g.Attrs.Has(attrForcePure) {
				return rewritten(ctx, "mark a function force_pure", g, g.WithAttrs(g.Attrs.With(attrForcePure, true)))
			}
			return e
		}
		return m.Function(f)
	}),
}
