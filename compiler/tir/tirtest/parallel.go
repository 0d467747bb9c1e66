package tirtest

import "github.com/irscope/irscope/compiler/tir"

// Backwards returns f with the turns of its parallel loops from the last to the first, one after the other: a function computes the same as f where these turns
// do not depend on each other. It also returns how many such loops there are.
func Backwards(f *tir.PrimFunc) (out *tir.PrimFunc, loops int) {
	m := &tir.Mapper{}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		l, ok := x.(*tir.For)
		if !ok || l.Kind != tir.Parallel {
			return m.MapStmt(x)
		}
		loops++
		back := *l
		back.Kind, back.LoopVar = tir.Serial, tir.NewVar(l.LoopVar.Name, l.LoopVar.DType())
		turn := tir.Sub(tir.Sub(tir.Add(tir.Add(l.Min, l.Min), l.Extent), tir.Const(l.LoopVar.DType(), 1)), back.LoopVar)
		back.Body = tir.SubstStmt(m.Stmt(l.Body), map[*tir.Var]tir.Expr{l.LoopVar: turn})
		return &back
	}
	return f.WithBody(m.Stmt(f.Body)), loops
}
