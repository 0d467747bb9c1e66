package lower

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Late unrolling: tir.UnrollLoop may leave loops marked (mark_only, explicit_unroll), so that the passes behind it, and those who read the program, have one
// body to look at in place of its copies. The copies are made here, before the function is scanned: indices that they make constant keep arrays in
// variables, and values that copies have in common are numbered once. The result is what the pass would have made.
//
// What all copies of an index have in common is bound in front of them (rests), so that an index of a copy is a variable and a constant: the code is the
// same, in less time.

// maxCopies bounds the statements that one marked loop may become: beyond it the loop runs serially.
const maxCopies = 4096

// unroll replaces marked loops by copies of their bodies. from is told what statements of the result were in s, where they are others.
func unroll(s tir.Stmt, from *sources) tir.Stmt {
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
	u := &unroller{from: from}
	u.Stmt = u.visit
	return u.visit(s)
}

// unroller replaces marked loops. size is the number of statements that those visited so far consist of then.
type unroller struct {
	tir.Mapper
	from *sources
	size int64
	nest bool // around is a marked loop
}

// sources are the statements that others were made of.
type sources struct {
	ir.Memo[tir.Stmt, tir.Stmt]
}

// note says that a statement was made of another one.
func (f *sources) note(to, from tir.Stmt) {
	if to != from {
		f.Put(to, f.of(from))
	}
}

// of returns what a statement was made of in the end.
func (f *sources) of(s tir.Stmt) tir.Stmt {
	if from, ok := f.Get(s); ok {
		return from
	}
	return s
}

func (u *unroller) visit(s tir.Stmt) tir.Stmt {
	outer, nest := u.size, u.nest
	u.size = 0
	var r *rests
	if loop, ok := s.(*tir.For); ok && loop.Kind == tir.Unrolled && !nest {
		u.nest = true
		r = newRests(loop, u.from)
		s = r.stmt(s)
	}
	out := u.MapStmt(s)
	u.from.note(out, s)
	loop, ok := out.(*tir.For)
	if ok {
		out = u.copies(loop)
	} else if _, list := out.(*tir.SeqStmt); !list {
		u.size++
	}
	u.size += outer
	u.nest = nest
	return r.around(out)
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
	c := tir.NewCopier()
	c.OnExpr, c.Copied = folded, u.from.note
	c.Inline = isInt
	for i := range copies {
		c.Reset()
		c.Vars[loop.LoopVar] = tir.Add(loop.Min, tir.Const(loop.LoopVar.DType(), int64(i)))
		copies[i] = c.Stmt(loop.Body)
	}
	return tir.Seq(copies...)
}

func isInt(e tir.Expr) bool {
	_, ok := e.(*tir.IntImm)
	return ok
}

// folded is e, computed where it is a constant integer.
func folded(e tir.Expr) tir.Expr {
	switch e.(type) {
	case *tir.Binary, *tir.Cast:
		if v, ok := EvalInt(e); ok && e.DType().IsInteger() {
			return tir.Const(e.DType(), v)
		}
	}
	return e
}

// jumps reports whether something in s leaves a turn of a loop.
func jumps(s tir.Stmt) bool {
	return ir.Any(s, func(n ir.Node) bool {
		c, ok := n.(*tir.Call)
		return ok && (c.Op.CalleeName() == tir.OpBreakLoop.Name || c.Op.CalleeName() == tir.OpContinueLoop.Name)
	})
}
