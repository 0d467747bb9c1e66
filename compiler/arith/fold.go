package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// num returns the constant v of type d.
func num(d dtype.DType, v int64) tir.Expr { return tir.Const(d, v) }

// truth returns the bool constant v with the lanes of d.
func truth(d dtype.DType, v bool) tir.Expr {
	n := int64(0)
	if v {
		n = 1
	}
	return tir.Const(dtype.BoolT.LikeVector(d), n)
}

// fold computes op on constants and drops neutral operands. It returns nil if there is
// nothing to fold. The operands have the same type.
func fold(op tir.BinaryOp, a, b tir.Expr) tir.Expr {
	x, xok := a.(*tir.IntImm)
	y, yok := b.(*tir.IntImm)
	if xok && yok {
		v, ok := tir.FoldInt(op, x.Type, x.Value, y.Value)
		if !ok {
			return nil
		}
		d := x.Type
		if op >= tir.OpEQ {
			d = dtype.BoolT
		}
		return &tir.IntImm{Type: d, Value: v}
	}
	if !xok && !yok {
		if (op == tir.OpMin || op == tir.OpMax) && a == b {
			return a
		}
		return foldFloat(op, a, b)
	}
	switch op {
	case tir.OpAdd:
		if xok && x.Value == 0 {
			return b
		}
		if yok && y.Value == 0 {
			return a
		}
	case tir.OpSub:
		if yok && y.Value == 0 {
			return a
		}
	case tir.OpMul:
		if xok && x.Value == 0 || yok && y.Value == 1 {
			return a
		}
		if yok && y.Value == 0 || xok && x.Value == 1 {
			return b
		}
	case tir.OpDiv, tir.OpFloorDiv:
		if yok && y.Value == 1 || xok && x.Value == 0 {
			return a
		}
	case tir.OpMod, tir.OpFloorMod:
		if xok && x.Value == 0 {
			return a
		}
		if yok && y.Value == 1 {
			return num(y.Type, 0)
		}
	case tir.OpAnd:
		if xok {
			return pick(x.Value != 0, b, a)
		}
		return pick(y.Value != 0, a, b)
	case tir.OpOr:
		if xok {
			return pick(x.Value != 0, a, b)
		}
		return pick(y.Value != 0, b, a)
	}
	return nil
}

func pick(c bool, yes, no tir.Expr) tir.Expr {
	if c {
		return yes
	}
	return no
}

func foldFloat(op tir.BinaryOp, a, b tir.Expr) tir.Expr {
	x, xok := a.(*tir.FloatImm)
	y, yok := b.(*tir.FloatImm)
	switch {
	case !xok && !yok:
		return nil
	case xok && yok:
		e := tir.BinaryExpr(op, a, b)
		if _, same := e.(*tir.Binary); same {
			return nil
		}
		return e
	case op == tir.OpAdd && xok && x.Value == 0, op == tir.OpMul && xok && x.Value == 1:
		return b
	case (op == tir.OpAdd || op == tir.OpSub) && yok && y.Value == 0,
		(op == tir.OpMul || op == tir.OpDiv) && yok && y.Value == 1:
		return a
	}
	return nil
}

// mk applies op to operands of the same type, folded.
func mk(op tir.BinaryOp, a, b tir.Expr) tir.Expr {
	if e := fold(op, a, b); e != nil {
		return e
	}
	return tir.NewBinary(op, a, b)
}

func add(a, b tir.Expr) tir.Expr      { return mk(tir.OpAdd, a, b) }
func sub(a, b tir.Expr) tir.Expr      { return mk(tir.OpSub, a, b) }
func mul(a, b tir.Expr) tir.Expr      { return mk(tir.OpMul, a, b) }
func floorDiv(a, b tir.Expr) tir.Expr { return mk(tir.OpFloorDiv, a, b) }
func floorMod(a, b tir.Expr) tir.Expr { return mk(tir.OpFloorMod, a, b) }
func eqOf(a, b tir.Expr) tir.Expr     { return mk(tir.OpEQ, a, b) }
func ltOf(a, b tir.Expr) tir.Expr     { return mk(tir.OpLT, a, b) }
func leOf(a, b tir.Expr) tir.Expr     { return mk(tir.OpLE, a, b) }
func andOf(a, b tir.Expr) tir.Expr    { return mk(tir.OpAnd, a, b) }
func orOf(a, b tir.Expr) tir.Expr     { return mk(tir.OpOr, a, b) }

// addC, subC and mulC combine an expression of type d with a constant.
func addC(d dtype.DType, a tir.Expr, c int64) tir.Expr { return add(a, num(d, c)) }

func mulC(d dtype.DType, a tir.Expr, c int64) tir.Expr {
	if c == 1 {
		return a
	}
	return mul(a, num(d, c))
}

// notOf negates a bool, folding constants and double negation.
func notOf(a tir.Expr) tir.Expr { return tir.LogicalNot(a) }
