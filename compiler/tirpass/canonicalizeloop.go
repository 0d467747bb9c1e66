package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// CanonicalizeLoop makes loops start at 0 with step 1.
var CanonicalizeLoop = &pass.Pass{
	Name: "tir.CanonicalizeLoop", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Rewrites loops with another start or step so that they count from 0 by 1.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		return f.WithBody(tir.RewriteStmt(f.Body, reportingStmt(c, "count from 0 by 1", canonicalLoop), nil)), nil
	}),
}

func canonicalLoop(s tir.Stmt) tir.Stmt {
	loop, ok := s.(*tir.For)
	if !ok || tir.IsConst(loop.Min, 0) && (loop.Step == nil || tir.IsConst(loop.Step, 1)) {
		return s
	}
	step := loop.Step
	if step == nil {
		step = tir.Const(loop.LoopVar.DType(), 1)
	}
	v := *loop.LoopVar
	out := *loop
	out.LoopVar = &v
	out.Min, out.Step = tir.Const(loop.LoopVar.DType(), 0), nil
	out.Extent = ceilDiv(loop.Extent, step)
	out.Body = tir.SubstStmt(loop.Body, map[*tir.Var]tir.Expr{
		loop.LoopVar: tir.Add(loop.Min, tir.Mul(&v, step)),
	})
	return &out
}

func ceilDiv(a, b tir.Expr) tir.Expr {
	if tir.IsConst(b, 1) {
		return a
	}
	return tir.FloorDiv(tir.Sub(tir.Add(a, b), tir.Const(b.DType(), 1)), b)
}
