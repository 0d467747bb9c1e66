package tir

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Const returns the constant v of type d, which may be integer, bool or float; a type
// with lanes gives a Broadcast.
func Const(d dtype.DType, v int64) Expr {
	if d.Lanes > 1 {
		return &Broadcast{Value: Const(d.Elem(), v), Lanes: int(d.Lanes), Scalable: d.Scalable}
	}
	if d.IsFloat() {
		return &FloatImm{Type: d, Value: float64(v)}
	}
	return &IntImm{Type: d, Value: wrapInt(d, v)}
}

// FloatConst returns the floating-point constant v of type d, with its lanes.
func FloatConst(d dtype.DType, v float64) Expr {
	if d.Lanes > 1 {
		return &Broadcast{Value: FloatConst(d.Elem(), v), Lanes: int(d.Lanes), Scalable: d.Scalable}
	}
	if !d.IsFloat() {
		return Const(d, int64(v))
	}
	return &FloatImm{Type: d, Value: v}
}

// Int returns an int64 constant, Int32 an int32 constant, Bool a bool constant.
func Int(v int64) *IntImm { return &IntImm{Type: dtype.Int64T, Value: v} }

// Int32 returns an int32 constant.
func Int32(v int64) *IntImm { return &IntImm{Type: dtype.Int32T, Value: v} }

// Bool returns a bool constant.
func Bool(v bool) *IntImm {
	n := int64(0)
	if v {
		n = 1
	}
	return &IntImm{Type: dtype.BoolT, Value: n}
}

// NewVar returns a variable of element type d.
func NewVar(name string, d dtype.DType) *Var { return &Var{Name: name, Type: &ir.PrimType{DType: d}} }

// NewSizeVar returns a variable of element type d that is known to be non-negative.
func NewSizeVar(name string, d dtype.DType) *Var {
	return &Var{Name: name, Type: &ir.PrimType{DType: d}, Size: true}
}

// AsInt returns the value of an integer or bool constant, looking through Broadcast.
func AsInt(e Expr) (int64, bool) {
	switch e := e.(type) {
	case *IntImm:
		return e.Value, true
	case *Broadcast:
		return AsInt(e.Value)
	}
	return 0, false
}

// IsConst reports whether e is the integer constant v.
func IsConst(e Expr, v int64) bool { n, ok := AsInt(e); return ok && n == v }

// Symbolic reports whether e is no integer constant.
func Symbolic(e Expr) bool {
	_, ok := AsInt(e)
	return !ok
}

// IsTrue reports whether e is nil or the constant true, as absent predicates are.
func IsTrue(e Expr) bool { return e == nil || IsConst(e, 1) }

// Add returns a + b.
func Add(a, b Expr) Expr { return BinaryExpr(OpAdd, a, b) }

// Sub returns a - b.
func Sub(a, b Expr) Expr { return BinaryExpr(OpSub, a, b) }

// Mul returns a * b.
func Mul(a, b Expr) Expr { return BinaryExpr(OpMul, a, b) }

// Div returns a / b; integers truncate towards zero.
func Div(a, b Expr) Expr { return BinaryExpr(OpDiv, a, b) }

// TruncMod returns the remainder of the truncating division of integers.
func TruncMod(a, b Expr) Expr { return BinaryExpr(OpMod, a, b) }

// FloorDiv returns a // b, rounded towards minus infinity.
func FloorDiv(a, b Expr) Expr { return BinaryExpr(OpFloorDiv, a, b) }

// FloorMod returns a % b with the sign of b.
func FloorMod(a, b Expr) Expr { return BinaryExpr(OpFloorMod, a, b) }

// Min returns the smaller of a and b.
func Min(a, b Expr) Expr { return BinaryExpr(OpMin, a, b) }

// Max returns the larger of a and b.
func Max(a, b Expr) Expr { return BinaryExpr(OpMax, a, b) }

// EQ returns a == b.
func EQ(a, b Expr) Expr { return BinaryExpr(OpEQ, a, b) }

// NE returns a != b.
func NE(a, b Expr) Expr { return BinaryExpr(OpNE, a, b) }

// LT returns a < b.
func LT(a, b Expr) Expr { return BinaryExpr(OpLT, a, b) }

// LE returns a <= b.
func LE(a, b Expr) Expr { return BinaryExpr(OpLE, a, b) }

// GT returns a > b.
func GT(a, b Expr) Expr { return BinaryExpr(OpGT, a, b) }

// GE returns a >= b.
func GE(a, b Expr) Expr { return BinaryExpr(OpGE, a, b) }

// And returns a and b.
func And(a, b Expr) Expr { return BinaryExpr(OpAnd, a, b) }

// Conjuncts appends to out the terms of the conjunction e, without those that are nil or true.
func Conjuncts(out []Expr, e Expr) []Expr {
	if IsTrue(e) {
		return out
	}
	if b, ok := e.(*Binary); ok && b.Op == OpAnd {
		return Conjuncts(Conjuncts(out, b.A), b.B)
	}
	return append(out, e)
}

// Or returns a or b.
func Or(a, b Expr) Expr { return BinaryExpr(OpOr, a, b) }

// LogicalNot returns the negation of a bool, folded for constants.
func LogicalNot(a Expr) Expr {
	switch x := a.(type) {
	case *IntImm:
		return Bool(x.Value == 0)
	case *Not:
		return x.A
	}
	return &Not{A: a}
}

// IfThenElseExpr returns the lazy conditional tir.if_then_else: only the chosen value is computed.
func IfThenElseExpr(cond, yes, no Expr) Expr {
	yes, no = MatchTypes(yes, no)
	if v, ok := cond.(*IntImm); ok {
		if v.Value != 0 {
			return yes
		}
		return no
	}
	return &Call{Type: yes.DType(), Op: OpIfThenElse, Args: []Expr{cond, yes, no}}
}

// Load reads b at indices.
func Load(b *Buffer, indices ...Expr) *BufferLoad { return &BufferLoad{Buffer: b, Indices: indices} }

// Store writes v to b at indices.
func Store(b *Buffer, v Expr, indices ...Expr) *BufferStore {
	return &BufferStore{Buffer: b, Value: v, Indices: indices}
}
