package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvertForLoopsToSerial runs parallel loops one iteration after the other.
var ConvertForLoopsToSerial = &pass.Pass{
	Name: "tir.ConvertForLoopsToSerial", Kind: pass.PrimFunc,
	Doc: "Makes parallel loops serial, those inside of others too. It is for devices with one core, and for code that is run by several threads already.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		m := &tir.Mapper{}
		m.Stmt = func(s tir.Stmt) tir.Stmt {
			loop, ok := s.(*tir.For)
			if !ok || loop.Kind != tir.Parallel {
				return m.MapStmt(s)
			}
			out := loop.WithKind(tir.Serial).WithBody(m.Stmt(loop.Body))
			c.Rewrite("make a parallel loop serial", loop, out)
			return out
		}
		return f.WithBody(m.Stmt(f.Body)), nil
	}),
}
