package tirtest

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Shrink takes statements and operands out of f as long as wrong holds of it.
func Shrink(f *tir.PrimFunc, wrong func(*tir.PrimFunc) bool) *tir.PrimFunc {
	for changed := true; changed; {
		changed = false
		for k := 0; k < size(f); k++ {
			for alt := range 4 {
				if g := simplify(f, k, alt); g != nil && wrong(g) {
					f, changed = g, true
					break
				}
			}
		}
	}
	return f
}

func size(f *tir.PrimFunc) int {
	n := 0
	ir.Walk(f.Body, func(ir.Node) bool { n++; return true })
	return n
}

// simplify replaces node number k of f by its child number alt, or by something trivial after
// the last child; nil where there is no such simplification.
func simplify(f *tir.PrimFunc, k, alt int) *tir.PrimFunc {
	i, done := -1, false
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if i++; i != k {
			return m.MapExpr(e)
		}
		out := simplerExpr(e, alt)
		done = out != nil
		if !done {
			return e
		}
		return out
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		if i++; i != k {
			return m.MapStmt(s)
		}
		out := simplerStmt(s, alt)
		done = out != nil
		if !done {
			return s
		}
		return out
	}
	body := m.Stmt(f.Body)
	if !done {
		return nil
	}
	return f.WithBody(body)
}

func simplerExpr(e tir.Expr, alt int) tir.Expr {
	var same []tir.Expr
	e.EachChild(func(c ir.Node) {
		if x, ok := c.(tir.Expr); ok && x.DType() == e.DType() {
			same = append(same, x)
		}
	})
	switch e.(type) {
	case *tir.Binary, *tir.Call, *tir.Cast, *tir.Select, *tir.BufferLoad, *tir.Let, *tir.Not:
		if alt < len(same) {
			return same[alt]
		}
		if alt == len(same) {
			return tir.Const(e.DType(), 1)
		}
	}
	return nil
}

func simplerStmt(s tir.Stmt, alt int) tir.Stmt {
	if b, ok := s.(*tir.BufferStore); ok && strings.HasPrefix(b.Buffer.Name, "tmp") {
		return nil // it may initialise a local array
	}
	if alt == 0 && !tir.IsNoOp(s) {
		return tir.NoOp()
	}
	if _, ok := s.(*tir.SeqStmt); ok {
		return nil
	}
	var kids []tir.Stmt
	s.EachChild(func(c ir.Node) {
		if x, ok := c.(tir.Stmt); ok {
			kids = append(kids, x)
		}
	})
	if alt >= 1 && alt <= len(kids) {
		return kids[alt-1]
	}
	return nil
}
