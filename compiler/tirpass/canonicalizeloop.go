package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// CanonicalizeLoop makes loops start at 0 with step 1.
var CanonicalizeLoop = &pass.Pass{
	Name: "tir.CanonicalizeLoop", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Rewrites loops with another start or step so that they count from 0 by 1.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		lc := &loopCanonicalizer{c: c, an: arith.Bounded(c.Budget()), at: map[*tir.Var]tir.Expr{}}
		lc.m.Stmt, lc.m.Expr = lc.stmt, lc.expr
		return f.WithBody(lc.stmt(f.Body)), lc.err
	}),
}

type loopCanonicalizer struct {
	c   *pass.Context
	m   tir.Mapper
	an  *arith.Analyzer
	at  map[*tir.Var]tir.Expr // what the old value of a loop variable is in terms of the new one
	err error
}

func (lc *loopCanonicalizer) expr(e tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok {
		if x, ok := lc.at[v]; ok {
			return x
		}
		return e
	}
	return lc.m.MapExpr(e)
}

func (lc *loopCanonicalizer) stmt(s tir.Stmt) tir.Stmt {
	loop, ok := s.(*tir.For)
	if ok {
		lc.an.BindRange(loop.LoopVar, &tir.Range{Min: loop.Min, Extent: loop.Extent})
	}
	if !ok || tir.IsConst(loop.Min, 0) && (loop.Step == nil || tir.IsConst(loop.Step, 1)) {
		return lc.m.MapStmt(s)
	}
	step := loop.Step
	if step == nil {
		step = tir.Const(loop.LoopVar.DType(), 1)
	}
	if !lc.an.CanProveGreaterEqual(step, 1) {
		if lc.err == nil {
			lc.err = fmt.Errorf("the step %s of loop %s may not be positive: expected one that is known to be at least 1", exprName(step), loop.LoopVar.Name)
		}
		return s
	}
	start, step := lc.expr(loop.Min), lc.expr(step)
	v := *loop.LoopVar
	out := *loop
	out.LoopVar = &v
	out.Min, out.Step = tir.Const(loop.LoopVar.DType(), 0), nil
	if out.Extent = lc.expr(loop.Extent); !tir.IsConst(step, 1) {
		out.Extent = lc.an.Simplify(ceilDiv(out.Extent, step))
	}
	lc.at[loop.LoopVar] = tir.Add(tir.Mul(&v, step), start)
	out.Body = lc.stmt(loop.Body)
	delete(lc.at, loop.LoopVar)
	lc.c.Rewrite("count from 0 by 1", s, &out)
	return &out
}

func ceilDiv(a, b tir.Expr) tir.Expr {
	if tir.IsConst(b, 1) {
		return a
	}
	return tir.FloorDiv(tir.Sub(tir.Add(a, b), tir.Const(b.DType(), 1)), b)
}
