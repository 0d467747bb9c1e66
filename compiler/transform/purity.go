package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// attrForcePure is the attribute that lets a pure function hold impure calls.
const attrForcePure = "relax.force_pure"

// RemovePurityChecking takes purity for granted from here on.
var RemovePurityChecking = &pass.Pass{
	Name: "RemovePurityChecking", Kind: pass.Function, Lowering: true,
	Doc: "Marks pure functions relax.force_pure, so that lowered calls with effects may stand in them, and unwraps call_pure_packed and invoke_pure_closure.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return removePurity(c, f), nil
	}),
}

func removePurity(ctx *pass.Context, f *relax.Function) *relax.Function {
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		if g, ok := e.(*relax.Function); ok {
			return removePurity(ctx, g)
		}
		e = m.MapExpr(e)
		if c := callsOp(e, opCallPurePacked); c != nil {
			out := *c
			out.Op, out.Args = c.Args[0], c.Args[1:]
			ctx.Rewrite("unwrap call_pure_packed", c, &out)
			return &out
		}
		if c := callsOp(e, "relax.invoke_pure_closure"); c != nil {
			out := *c
			out.Op = ir.NewOp("relax.invoke_closure")
			ctx.Rewrite("unwrap invoke_pure_closure", c, &out)
			return &out
		}
		return e
	}
	out := m.MapFunction(f)
	if !out.Pure || out.Attrs.Has(attrForcePure) {
		return out
	}
	c := *out
	c.Attrs = c.Attrs.With(attrForcePure, 1)
	ctx.Rewrite("mark a function force_pure", f, &c)
	return &c
}
