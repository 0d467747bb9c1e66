package passtest

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// A Fault rewrites one node wrongly; each of its functions returns what it was given where it does not apply, and may be nil.
type Fault struct {
	Name  string
	Graph func(relax.Expr) relax.Expr
	Expr  func(tir.Expr) tir.Expr
	Stmt  func(tir.Stmt) tir.Stmt
}

// faults are some that have been made in compilers, for any pass.
var faults = []Fault{
	{Name: "results are swapped", Graph: func(e relax.Expr) relax.Expr {
		if x, ok := e.(*relax.Tuple); ok {
			return x.WithFields(swapped(x.Fields))
		}
		return e
	}},
	{Name: "operands are swapped", Graph: func(e relax.Expr) relax.Expr {
		if c, ok := e.(*relax.Call); ok {
			if o, ok := c.Op.(*ir.Op); !ok || o.Name == "relax.subtract" {
				return c.WithArgs(swapped(c.Args))
			}
		}
		return e
	}},
	{Name: "an operator is dropped", Graph: func(e relax.Expr) relax.Expr {
		if c, ok := e.(*relax.Call); ok && len(c.Args) == 1 && alike(c, c.Args[0]) {
			return c.Args[0]
		}
		return e
	}},
	{Name: "one branch is taken for the other", Graph: func(e relax.Expr) relax.Expr {
		if x, ok := e.(*relax.If); ok {
			return x.WithThen(x.Else).WithElse(x.Then)
		}
		return e
	}},
	{Name: "plus becomes minus", Expr: func(e tir.Expr) tir.Expr { return other(e, tir.OpAdd, tir.OpSub) }},
	{Name: "the larger becomes the smaller", Expr: func(e tir.Expr) tir.Expr { return other(e, tir.OpMax, tir.OpMin) }},
	{Name: "less becomes less or equal", Expr: func(e tir.Expr) tir.Expr { return other(e, tir.OpLT, tir.OpLE) }},
	{Name: "a loop ends early", Stmt: func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok {
			return f.WithExtent(tir.Sub(f.Extent, tir.Const(f.Extent.DType(), 1)))
		}
		return s
	}},
	{Name: "a store is lost", Stmt: func(s tir.Stmt) tir.Stmt {
		if _, ok := s.(*tir.BufferStore); ok {
			return tir.NoOp()
		}
		return s
	}},
	{Name: "a value is one off", Stmt: func(s tir.Stmt) tir.Stmt {
		if x, ok := s.(*tir.BufferStore); ok && !x.Value.DType().IsBool() && !x.Value.DType().IsHandle() {
			return x.WithValue(tir.Add(x.Value, tir.Const(x.Value.DType(), 1)))
		}
		return s
	}},
}

func other(e tir.Expr, from, to tir.BinaryOp) tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op == from {
		return &tir.Binary{Op: to, A: b.A, B: b.B}
	}
	return e
}

// alike tells whether two expressions have the same type.
func alike(a, b relax.Expr) bool {
	x, y := relax.SInfoOf(a), relax.SInfoOf(b)
	return x != nil && y != nil && relax.EqualSInfo(x, y)
}

// swapped exchanges the first two neighbours that differ and have the same type.
func swapped(list []relax.Expr) []relax.Expr {
	for i := 1; i < len(list); i++ {
		if list[i] != list[i-1] && alike(list[i], list[i-1]) {
			out := append([]relax.Expr{}, list...)
			out[i], out[i-1] = out[i-1], out[i]
			return out
		}
	}
	return list
}

// Change makes the fault at one place of a module, after passing over some where it would apply too.
func (x Fault) Change(m *ir.Module, skip int) *ir.Module {
	done := false
	here := func(changed bool) bool {
		if !changed || done {
			return false
		}
		skip--
		done = skip < 0
		return done
	}
	for gv, fn := range m.Funcs() {
		switch f := fn.(type) {
		case *relax.Function:
			if x.Graph == nil {
				continue
			}
			r := &relax.Mapper{}
			r.Expr = func(e relax.Expr) relax.Expr {
				e = r.MapExpr(e)
				if out := x.Graph(e); here(out != e) {
					return out
				}
				return e
			}
			if g := r.MapFunction(f); done {
				return m.With(gv.Name, g)
			}
		case *tir.PrimFunc:
			body := tir.RewriteStmt(f.Body, func(s tir.Stmt) tir.Stmt {
				if x.Stmt != nil {
					if out := x.Stmt(s); here(out != s) {
						return out
					}
				}
				return s
			}, func(e tir.Expr) tir.Expr {
				if x.Expr != nil {
					if out := x.Expr(e); here(out != e) {
						return out
					}
				}
				return e
			})
			if done {
				return m.With(gv.Name, f.WithBody(body))
			}
		}
	}
	return m
}
