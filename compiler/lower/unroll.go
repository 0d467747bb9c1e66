package lower

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Late unrolling: tir.UnrollLoop may leave loops marked (explicit_unroll), so that the passes behind it, and those who read the program, have one body to
// look at in place of its copies. The copies are made here, before the function is scanned: indices that they make constant keep arrays in
// variables, and values that copies have in common are numbered once. The result is what the pass would have made.

// maxCopies bounds the statements that one marked loop may become: beyond it the loop runs serially.
const maxCopies = 4096

// unroll replaces marked loops by copies of their bodies.
func unroll(s tir.Stmt) tir.Stmt {
	marked := false
	ir.Walk(s, func(n ir.Node) bool {
		loop, ok := n.(*tir.For)
		marked = marked || ok && loop.Kind == tir.Unrolled
		_, in := n.(tir.Stmt)
		return in && !marked
	})
	if !marked {
		return s
	}
	u := &unroller{}
	u.Stmt = u.visit
	return u.visit(s)
}

// unroller replaces marked loops. size is the number of statements that those visited so far consist of then.
type unroller struct {
	tir.Mapper
	size int64
}

func (u *unroller) visit(s tir.Stmt) tir.Stmt {
	outer := u.size
	u.size = 0
	out := u.MapStmt(s)
	loop, ok := out.(*tir.For)
	if ok {
		out = u.copies(loop)
	} else if _, list := out.(*tir.SeqStmt); !list {
		u.size++
	}
	u.size += outer
	return out
}

// copies returns the loop, whose body consists of size statements, unrolled if it is marked and that is not too much.
func (u *unroller) copies(loop *tir.For) tir.Stmt {
	size := u.size
	u.size++
	n, ok := tir.AsInt(loop.Extent)
	if !ok || loop.Kind != tir.Unrolled || loop.Step != nil && !tir.IsConst(loop.Step, 1) || n < 0 || n > maxCopies || n*size > maxCopies || jumps(loop.Body) {
		return loop
	}
	u.size = n * size
	copies := make([]tir.Stmt, n)
	for i := range copies {
		c := tir.NewCopier()
		c.Vars[loop.LoopVar] = tir.Add(loop.Min, tir.Const(loop.LoopVar.DType(), int64(i)))
		copies[i] = c.Stmt(loop.Body)
	}
	return tir.Seq(copies...)
}

// jumps reports whether something in s leaves a turn of a loop.
func jumps(s tir.Stmt) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		if c, ok := n.(*tir.Call); ok {
			name := c.Op.CalleeName()
			found = found || name == tir.OpBreakLoop.Name || name == tir.OpContinueLoop.Name
		}
		return !found
	})
	return found
}
