package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// LowerInitBlock turns the init of a block into a conditional at the start of its body.
var LowerInitBlock = &pass.Pass{
	Name: "tir.LowerInitBlock", Kind: pass.PrimFunc, Lowering: true,
	Doc: "Moves the init of reduction blocks into their bodies, under the condition that all reduction variables are at their start, and in front of loops that may have no iteration.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		body := tir.InitEmptyReductions(f.Body)
		c.Rewrite("set the result of a loop that may be empty", f.Body, body)
		return f.WithBody(tir.RewriteStmt(body, reportingStmt(c, "move init into the body", lowerInit), nil)), nil
	}),
}

func lowerInit(s tir.Stmt) tir.Stmt {
	b, ok := s.(*tir.Block)
	if !ok || b.Init == nil {
		return s
	}
	init := b.Init
	var first tir.Expr
	for _, iv := range b.IterVars {
		if iv.Kind != tir.CommReduce {
			continue
		}
		at := tir.EQ(iv.Var, iv.Dom.Min)
		if first == nil {
			first = at
		} else {
			first = tir.And(first, at)
		}
	}
	if first != nil {
		init = &tir.IfThenElse{Cond: first, Then: init}
	}
	return b.WithInit(nil).WithBody(tir.Seq(init, b.Body))
}
