package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// RewriteUnsafeSelect makes selections lazy where computing both values could fail.
var RewriteUnsafeSelect = &pass.Pass{
	Name: "tir.RewriteUnsafeSelect", Kind: pass.PrimFunc, Lowering: true,
	Without: "programs compile, but both values of a selection are computed, so one that is not chosen may fail: it divides by zero or reads out of bounds",
	Doc:     "Replaces Select by if_then_else where a value may fail when its condition does not hold: it loads from memory or divides.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !ir.Any(f.Body, func(n ir.Node) bool { _, ok := n.(*tir.Select); return ok }) {
			return f, nil
		}
		u := unsafeExprs{}
		return f.WithBody(tir.RewriteStmt(f.Body, nil, func(e tir.Expr) tir.Expr {
			s, ok := e.(*tir.Select)
			switch {
			case !ok:
				return e
			case s.Cond.DType().Lanes > 1:
				c.Declined(ruleLazy, s, "its condition is a vector")
				return e
			case !u.of(s.True) && !u.of(s.False):
				c.Declined(ruleLazy, s, "neither value can fail")
				return e
			}
			out := &tir.Call{Base: s.Base, Type: s.DType(), Op: tir.OpIfThenElse, Args: []tir.Expr{s.Cond, s.True, s.False}}
			c.Rewrite(ruleLazy, s, out)
			return out
		})), nil
	}),
}

// ruleLazy is the name of the rule.
const ruleLazy = "make a selection lazy"

// unsafeExprs remembers which expressions may fail: loads, integer divisions by what may be
// zero, and calls with effects. What an if_then_else guards is safe by its condition, as in
// TVM.
type unsafeExprs map[tir.Expr]bool

func (u unsafeExprs) of(e tir.Expr) bool {
	if known, ok := u[e]; ok {
		return known
	}
	unsafe := false
	switch e := e.(type) {
	case *tir.BufferLoad:
		unsafe = true
	case *tir.Binary:
		unsafe = mayTrap(e) || u.of(e.A) || u.of(e.B)
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpIfThenElse); ok {
			unsafe = u.of(e.Args[0])
			break
		}
		unsafe = tir.CallEffect(e) > tir.Pure || u.inside(e)
	default:
		unsafe = u.inside(e)
	}
	u[e] = unsafe
	return unsafe
}

func (u unsafeExprs) inside(e tir.Expr) bool {
	unsafe := false
	e.EachChild(func(n ir.Node) {
		if x, ok := n.(tir.Expr); ok {
			unsafe = unsafe || u.of(x)
		}
	})
	return unsafe
}
