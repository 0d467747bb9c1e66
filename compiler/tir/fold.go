package tir

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// wrapInt reduces v to the range of d, as arithmetic in d would.
func wrapInt(d dtype.DType, v int64) int64 {
	switch {
	case d.IsBool():
		if v != 0 {
			return 1
		}
		return 0
	case d.Bits >= 64 || d.Bits == 0:
		return v
	case d.IsUInt():
		return int64(uint64(v) & (1<<d.Bits - 1))
	case d.IsInt():
		s := 64 - d.Bits
		return v << s >> s
	}
	return v
}

// FloorDivInt divides rounding towards minus infinity; b must not be 0.
func FloorDivInt(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// FloorModInt is the remainder of FloorDivInt; it has the sign of b, which must not be 0.
func FloorModInt(a, b int64) int64 {
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// FoldInt computes op on two constants of type d. It is undefined for a division by zero.
func FoldInt(op BinaryOp, d dtype.DType, a, b int64) (int64, bool) {
	truth := func(t bool) (int64, bool) {
		if t {
			return 1, true
		}
		return 0, true
	}
	if d.IsUInt() && d.Bits == 64 && (a < 0 || b < 0) && op != OpAdd && op != OpSub && op != OpMul && op != OpEQ && op != OpNE {
		return 0, false // beyond int64: leave the operation to run time
	}
	switch op {
	case OpAdd:
		return wrapInt(d, a+b), true
	case OpSub:
		return wrapInt(d, a-b), true
	case OpMul:
		return wrapInt(d, a*b), true
	case OpDiv, OpMod, OpFloorDiv, OpFloorMod:
		if b == 0 || (b == -1 && a == math.MinInt64) {
			return 0, false
		}
		switch op {
		case OpDiv:
			return wrapInt(d, a/b), true
		case OpMod:
			return wrapInt(d, a%b), true
		case OpFloorDiv:
			return wrapInt(d, FloorDivInt(a, b)), true
		}
		return wrapInt(d, FloorModInt(a, b)), true
	case OpMin:
		return min(a, b), true
	case OpMax:
		return max(a, b), true
	case OpEQ:
		return truth(a == b)
	case OpNE:
		return truth(a != b)
	case OpLT:
		return truth(a < b)
	case OpLE:
		return truth(a <= b)
	case OpGT:
		return truth(a > b)
	case OpGE:
		return truth(a >= b)
	case OpAnd:
		return truth(a != 0 && b != 0)
	case OpOr:
		return truth(a != 0 || b != 0)
	}
	return 0, false
}

// NewBinary applies op to a and b as they are, without folding. Their types must agree.
func NewBinary(op BinaryOp, a, b Expr) *Binary { return BinaryAt(ir.Base{}, op, a, b) }

// BinaryAt is NewBinary for a node with a span and an origin. It notes the type of the operands,
// so that asking for the type of a chain of n operations takes one step in place of n.
func BinaryAt(base ir.Base, op BinaryOp, a, b Expr) *Binary {
	return &Binary{Base: base, Op: op, operand: a.DType(), A: a, B: b}
}

// BinaryExpr applies op to a and b after matching their types as TVM does (a scalar is
// broadcast to the other's lanes, integers widen, an integer meets a float as float) and
// folds constants and neutral operands.
func BinaryExpr(op BinaryOp, a, b Expr) Expr {
	a, b = MatchTypes(a, b)
	d := a.DType()
	x, xok := a.(*IntImm)
	y, yok := b.(*IntImm)
	if xok && yok {
		if v, ok := FoldInt(op, d, x.Value, y.Value); ok {
			if op >= OpEQ {
				d = dtype.BoolT
			}
			return &IntImm{Type: d, Value: v}
		}
	}
	if f := foldFloat(op, a, b); f != nil {
		return f
	}
	if e := foldNeutral(op, a, b, x, y); e != nil {
		return e
	}
	return NewBinary(op, a, b)
}

func foldFloat(op BinaryOp, a, b Expr) Expr {
	x, ok := a.(*FloatImm)
	if !ok {
		return nil
	}
	y, ok := b.(*FloatImm)
	if !ok {
		return nil
	}
	var v float64
	switch op {
	case OpAdd:
		v = x.Value + y.Value
	case OpSub:
		v = x.Value - y.Value
	case OpMul:
		v = x.Value * y.Value
	case OpDiv:
		if y.Value == 0 {
			return nil
		}
		v = x.Value / y.Value
	case OpMin:
		v = min(x.Value, y.Value)
	case OpMax:
		v = max(x.Value, y.Value)
	case OpLT:
		return Bool(x.Value < y.Value)
	case OpLE:
		return Bool(x.Value <= y.Value)
	case OpGT:
		return Bool(x.Value > y.Value)
	case OpGE:
		return Bool(x.Value >= y.Value)
	case OpEQ:
		return Bool(x.Value == y.Value)
	case OpNE:
		return Bool(x.Value != y.Value)
	default:
		return nil
	}
	if x.Type == dtype.Float32T {
		v = float64(float32(v))
	} else if x.Type != dtype.Float64T {
		return nil // narrower types round in their own way: left to the interpreter
	}
	return &FloatImm{Type: x.Type, Value: v}
}

func foldNeutral(op BinaryOp, a, b Expr, x, y *IntImm) Expr {
	switch op {
	case OpAdd:
		if x != nil && x.Value == 0 {
			return b
		}
		if y != nil && y.Value == 0 {
			return a
		}
	case OpSub:
		if y != nil && y.Value == 0 {
			return a
		}
	case OpMul:
		if x != nil && x.Value == 1 {
			return b
		}
		if y != nil && y.Value == 1 {
			return a
		}
		if (x != nil && x.Value == 0) || (y != nil && y.Value == 0) {
			return Const(a.DType(), 0)
		}
	case OpDiv, OpFloorDiv:
		if y != nil && y.Value == 1 {
			return a
		}
		if x != nil && x.Value == 0 && y == nil {
			return x
		}
	case OpMod, OpFloorMod:
		if y != nil && y.Value == 1 {
			return Const(a.DType(), 0)
		}
	case OpAnd:
		if x != nil {
			if x.Value != 0 {
				return b
			}
			return a
		}
		if y != nil {
			if y.Value != 0 {
				return a
			}
			return b
		}
	case OpOr:
		if x != nil {
			if x.Value != 0 {
				return a
			}
			return b
		}
		if y != nil {
			if y.Value != 0 {
				return b
			}
			return a
		}
	case OpMin, OpMax:
		// Only of a variable: whether two equal expressions are one node must not decide what is computed, since printed
		// text does not tell.
		if _, ok := a.(*Var); ok && a == b {
			return a
		}
	}
	return nil
}
