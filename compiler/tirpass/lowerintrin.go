package tirpass

import (
	"math/bits"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// LowerIntrin replaces what no target has by what every target has.
var LowerIntrin = &pass.Pass{
	Name: "tir.LowerIntrin", Kind: pass.PrimFunc,
	Doc: "Replaces floor divisions by shifts, masks or truncating divisions, and composed intrinsics by their definitions.",
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !ir.Any(f.Body, composed) {
			return f, nil
		}
		l := &intrinLowerer{Mutator: newMutator(c, c.Budget()), c: c}
		l.Expr = l.expr
		return f.WithBody(l.MutateStmt(f.Body)), nil
	}),
}

type intrinLowerer struct {
	*arith.Mutator
	c *pass.Context
}

// composed reports whether something becomes of n.
func composed(n ir.Node) bool {
	switch n := n.(type) {
	case *tir.Binary:
		return (n.Op == tir.OpFloorDiv || n.Op == tir.OpFloorMod) && n.DType().IsInteger()
	case *tir.Call:
		_, ok := tir.IsCallTo(n, tir.OpLikely)
		return ok
	}
	return decided(n)
}

func (l *intrinLowerer) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Binary:
		if (e.Op == tir.OpFloorDiv || e.Op == tir.OpFloorMod) && e.DType().IsInteger() {
			out := l.floor(e)
			l.c.Rewrite(nameOfFloor(e, out), e, out)
			return out
		}
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpLikely); ok {
			out := l.expr(e.Args[0])
			l.c.Rewrite("drop likely", e, out)
			return out
		}
	}
	return l.VisitExpr(e)
}

// nameOfFloor says what became of a floor division or its remainder.
func nameOfFloor(e *tir.Binary, out tir.Expr) string {
	div := e.Op == tir.OpFloorDiv
	switch out.(type) {
	case *tir.Call:
		if div {
			return "floordiv to a shift"
		}
		return "floormod to a mask"
	case *tir.Binary:
		if div {
			return "floordiv to a truncating division"
		}
		return "floormod to a truncating remainder"
	}
	if div {
		return "correct a truncating division"
	}
	return "correct a truncating remainder"
}

// floor lowers floordiv and floormod: by a power of two to a shift or mask, of non-negative
// operands to the truncating forms, else to those with a correction.
func (l *intrinLowerer) floor(e *tir.Binary) tir.Expr {
	nonNeg := e.DType().IsUInt() || l.An.CanProveGreaterEqual(e.A, 0)
	positive := l.An.CanProveGreaterEqual(e.B, 1)
	a, b := l.expr(e.A), l.expr(e.B)
	d := e.DType()
	div := e.Op == tir.OpFloorDiv
	if n, _ := tir.AsInt(b); n > 0 && n&(n-1) == 0 {
		// The arithmetic shift and the mask of two's complement round down for any sign.
		if div {
			shift := tir.Const(d, int64(bits.TrailingZeros64(uint64(n))))
			return &tir.Call{Base: e.Base, Type: d, Op: tir.OpShiftRight, Args: []tir.Expr{a, shift}}
		}
		return &tir.Call{Base: e.Base, Type: d, Op: tir.OpBitwiseAnd, Args: []tir.Expr{a, tir.Const(d, n-1)}}
	}
	trunc := tir.OpMod
	if div {
		trunc = tir.OpDiv
	}
	if nonNeg && (positive || d.IsUInt()) {
		return tir.BinaryAt(e.Base, trunc, a, b)
	}
	return floorByCorrection(e, a, b, div, positive)
}

// floorByCorrection computes with q = a/b and r = a%b truncated: where r is not 0 and has
// another sign than b, the quotient is one less and the remainder r+b. Operands that are
// used twice get a variable, since they may be large or define variables themselves.
func floorByCorrection(e *tir.Binary, a, b tir.Expr, div, positive bool) tir.Expr {
	d := e.DType()
	zero := tir.Const(d, 0)
	var lets []*tir.Let
	bind := func(name string, x tir.Expr) tir.Expr {
		switch x.(type) {
		case *tir.Var, *tir.IntImm:
			return x
		}
		v := tir.NewVar(name, d)
		lets = append(lets, &tir.Let{Base: e.Base, Var: v, Value: x})
		return v
	}
	if div {
		a = bind("num", a)
	}
	b = bind("den", b)
	r := bind("rmod", tir.NewBinary(tir.OpMod, a, b))
	wrong := tir.Expr(tir.NewBinary(tir.OpLT, r, zero))
	if !positive {
		// r and b differ in sign where their exclusive or is negative.
		x := &tir.Call{Type: d, Op: tir.OpBitwiseXor, Args: []tir.Expr{r, b}}
		wrong = tir.And(tir.NewBinary(tir.OpNE, r, zero), tir.NewBinary(tir.OpLT, x, zero))
	}
	body := tir.Expr(&tir.Select{Cond: wrong, True: tir.NewBinary(tir.OpAdd, r, b), False: r})
	if div {
		q := tir.NewBinary(tir.OpDiv, a, b)
		body = &tir.Select{Cond: wrong, True: tir.NewBinary(tir.OpSub, q, tir.Const(d, 1)), False: q}
	}
	for i := len(lets) - 1; i >= 0; i-- {
		lets[i].Body = body
		body = lets[i]
	}
	return body
}

// SkipAssert drops assertions.
var SkipAssert = &pass.Pass{
	Name: "tir.SkipAssert", Kind: pass.PrimFunc,
	Doc:    "Drops assertions if tir.disable_assert is set: arguments are then not checked.",
	Config: []string{"tir.disable_assert"},
	Run: pass.EachPrimFunc(func(c *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		if !c.ConfigBool("tir.disable_assert") {
			return f, nil
		}
		return f.WithBody(tir.RewriteStmt(f.Body, reportingStmt(c, "drop an assertion", func(s tir.Stmt) tir.Stmt {
			if a, ok := s.(*tir.AssertStmt); ok {
				return a.Body
			}
			return s
		}), nil)), nil
	}),
}
