package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

var binaryTokens = map[syntax.Token]tir.BinaryOp{
	syntax.PLUS: tir.OpAdd, syntax.MINUS: tir.OpSub, syntax.STAR: tir.OpMul, syntax.SLASH: tir.OpDiv,
	syntax.SLASHSLASH: tir.OpFloorDiv, syntax.PERCENT: tir.OpFloorMod,
}

// Binary builds loop-level expressions, folding constants as TVM's operators do.
func (v *Node) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	e, ok := v.n.(tir.Expr)
	if a, axis := v.n.(*tir.IterVar); axis {
		e, ok = a.Var, true
	}
	if x, graph := v.n.(relax.Expr); graph {
		return graphBinary(op.String(), x, y, bool(side))
	}
	bop, known := binaryTokens[op]
	if !ok || !known {
		return nil, nil
	}
	other, err := exprOf(y, e.DType())
	if err != nil {
		return nil, nil //nolint:nilerr // other types have no operators: Starlark says so
	}
	if side == starlark.Right {
		e, other = other, e
	}
	out, err := arithmetic(bop, e, other, true)
	if err != nil {
		return nil, err
	}
	return &Node{out}, nil
}

// Unary negates loop-level expressions.
func (v *Node) Unary(op syntax.Token) (starlark.Value, error) {
	e, ok := v.n.(tir.Expr)
	if !ok || op != syntax.MINUS {
		return nil, nil
	}
	zero, err := exprOf(starlark.MakeInt(0), e.DType())
	if err != nil {
		return nil, err
	}
	out, err := arithmetic(tir.OpSub, zero, e, true)
	if err != nil {
		return nil, err
	}
	return &Node{out}, nil
}

// arithmetic applies op to numbers. With fold, constants are computed and types matched.
func arithmetic(op tir.BinaryOp, a, b tir.Expr, fold bool) (tir.Expr, error) {
	for _, e := range []tir.Expr{a, b} {
		if d := e.DType(); !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
			return nil, fmt.Errorf("%s of a %s: expected numbers", op, d)
		}
	}
	if x, y := a.DType(), b.DType(); x.Lanes != y.Lanes && x.Lanes > 1 && y.Lanes > 1 {
		return nil, fmt.Errorf("%s of %s and %s: the lanes differ", op, x, y)
	}
	if fold {
		return tir.BinaryExpr(op, a, b), nil
	}
	a, b = tir.MatchTypes(a, b)
	return tir.NewBinary(op, a, b), nil
}

// scalarOf returns the value of a constant of the loop level, or of a graph-level scalar.
func scalarOf(n ir.Node) (starlark.Value, bool) {
	switch n := n.(type) {
	case *tir.IntImm:
		if n.Type.IsBool() {
			return starlark.Bool(n.Value != 0), true
		}
		return starlark.MakeInt64(n.Value), true
	case *tir.FloatImm:
		return starlark.Float(n.Value), true
	case *relax.PrimValue:
		return scalarOf(n.Value)
	}
	return nil, false
}

var errNotNumber = errors.New("expected a number or a loop-level expression")
