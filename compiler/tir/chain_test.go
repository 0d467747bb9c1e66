package tir

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// asked is a leaf that counts how often its type is asked for.
type asked struct {
	*Var
	times *int
}

func (a asked) DType() dtype.DType { *a.times++; return a.Var.DType() }

// TestChainIsLinear builds and maps sums of two lengths: each step of a chain may look at its
// own operands, and not at the chain below.
func TestChainIsLinear(t *testing.T) {
	build := func(n int) int {
		leaf := asked{NewVar("x", dtype.Int32T), new(int)}
		var e Expr = leaf
		for range n {
			e = Add(e, Const(dtype.Int32T, 7))
			e = NewBinary(OpMul, e, leaf)
		}
		if got := e.DType(); got != dtype.Int32T {
			t.Fatalf("the type is %s", got)
		}
		double := RewriteExpr(e, func(e Expr) Expr {
			if v, ok := e.(*IntImm); ok {
				return &IntImm{Type: dtype.Int32T, Value: v.Value * 2}
			}
			return e
		})
		if got := LT(double, e).DType(); got != dtype.BoolT {
			t.Fatalf("the type of a comparison is %s", got)
		}
		return *leaf.times
	}
	few, many := build(100), build(10_000)
	if many > 110*few {
		t.Errorf("types were asked for %d times in chains of 100 and %d times in chains of 10,000", few, many)
	}
}

// TestMappedTypes checks that the type of an operation follows its operands when they are mapped.
func TestMappedTypes(t *testing.T) {
	x, y := NewVar("x", dtype.Int32T), NewVar("y", dtype.Int64T)
	e := NewBinary(OpAdd, x, x)
	m := &Mapper{Expr: func(e Expr) Expr {
		if e == Expr(x) {
			return y
		}
		return e
	}}
	out := m.MapExpr(e)
	if out.DType() != dtype.Int64T || e.DType() != dtype.Int32T {
		t.Errorf("mapped from %s to %s", e.DType(), out.DType())
	}
	if e := BinaryAt(ir.Base{Origin: 3}, OpLT, x, x); e.Origin != 3 || e.DType() != dtype.BoolT || e.OperandType() != dtype.Int32T {
		t.Errorf("got %+v of type %s", e, e.DType())
	}
}
