package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Operand is a tensor, or a scalar that stands in the kernel as a constant.
type Operand struct {
	Tensor *te.Tensor
	Scalar tir.Expr // used where Tensor is nil
}

// T is the operand t.
func T(t *te.Tensor) Operand { return Operand{Tensor: t} }

// DType is the element type.
func (o Operand) DType() dtype.DType {
	if o.Tensor != nil {
		return o.Tensor.DType
	}
	return o.Scalar.DType()
}

func (o Operand) shape() []tir.Expr {
	if o.Tensor != nil {
		return o.Tensor.Shape
	}
	return nil
}

// at reads the element that broadcasts to index idx of a result of extents shape.
func (o Operand) at(idx, shape []tir.Expr) tir.Expr {
	if o.Tensor == nil {
		return o.Scalar
	}
	return o.Tensor.At(broadcastIndex(o.Tensor.Shape, idx, shape)...)
}

// broadcastIndex returns the index into a tensor of extents from for idx of a result of
// extents to: trailing axes align, and an axis of extent 1 is read at 0.
func broadcastIndex(from, idx, to []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(from))
	skip := len(to) - len(from)
	for k, d := range from {
		if tir.IsConst(d, 1) && !tir.IsConst(to[skip+k], 1) {
			out[k] = tir.Const(d.DType(), 0)
		} else {
			out[k] = idx[skip+k]
		}
	}
	return out
}

func sameExpr(a, b tir.Expr) bool { return a == b || ir.StructuralEqual(a, b, ir.EqualOpts{}) }

// BroadcastShape returns the extents that shapes broadcast to. Extents that are symbolic and
// differ are taken to be equal at run time; the one that is written out wins.
func BroadcastShape(shapes ...[]tir.Expr) ([]tir.Expr, error) {
	var out []tir.Expr
	for _, s := range shapes {
		if len(s) > len(out) {
			out = append(append([]tir.Expr{}, s[:len(s)-len(out)]...), out...)
		}
		for k := range s {
			at := len(out) - len(s) + k
			a, b := out[at], s[k]
			x, xok := tir.AsInt(a)
			y, yok := tir.AsInt(b)
			switch {
			case sameExpr(a, b), yok && y == 1:
			case xok && x == 1, yok && !xok:
				out[at] = b
			case xok && yok:
				return nil, fmt.Errorf("extents %d and %d do not broadcast", x, y)
			}
		}
	}
	return out, nil
}

// binary describes an operator on two elements of one type.
type binary func(a, b tir.Expr) tir.Expr

func call2(op *ir.Op) binary {
	return func(a, b tir.Expr) tir.Expr { return tir.NewCall(op, a, b) }
}

func asBool(e tir.Expr) tir.Expr { return tir.CastTo(dtype.BoolT, e) }

var binaries = map[string]binary{
	"add": tir.Add, "subtract": tir.Sub, "multiply": tir.Mul, "divide": tir.Div,
	"floor_divide": floorDivide, "mod": truncMod, "floor_mod": floorMod, "power": call2(tir.OpPow),
	"maximum": tir.Max, "minimum": tir.Min, "atan2": call2(tir.OpAtan2), "log_add_exp": logAddExp,
	"equal": tir.EQ, "not_equal": tir.NE, "less": tir.LT, "less_equal": tir.LE, "greater": tir.GT, "greater_equal": tir.GE,
	"logical_and": func(a, b tir.Expr) tir.Expr { return tir.And(asBool(a), asBool(b)) },
	"logical_or":  func(a, b tir.Expr) tir.Expr { return tir.Or(asBool(a), asBool(b)) },
	"logical_xor": func(a, b tir.Expr) tir.Expr { return tir.NE(asBool(a), asBool(b)) },
	"bitwise_and": bitwise(tir.OpBitwiseAnd, tir.And), "bitwise_or": bitwise(tir.OpBitwiseOr, tir.Or), "bitwise_xor": bitwise(tir.OpBitwiseXor, tir.NE),
	"left_shift": call2(tir.OpShiftLeft), "right_shift": call2(tir.OpShiftRight),
}

// bitwise applies op to integers and logic to bools.
func bitwise(op *ir.Op, logic binary) binary {
	return func(a, b tir.Expr) tir.Expr {
		if a.DType().IsBool() {
			return logic(a, b)
		}
		return tir.NewCall(op, a, b)
	}
}

func floorDivide(a, b tir.Expr) tir.Expr {
	if a.DType().IsFloat() {
		return tir.NewCall(tir.OpFloor, tir.Div(a, b))
	}
	return tir.FloorDiv(a, b)
}

func truncMod(a, b tir.Expr) tir.Expr {
	if a.DType().IsFloat() {
		return tir.NewCall(tir.OpFmod, a, b)
	}
	return tir.TruncMod(a, b)
}

func floorMod(a, b tir.Expr) tir.Expr {
	if a.DType().IsFloat() {
		return tir.Sub(a, tir.Mul(tir.NewCall(tir.OpFloor, tir.Div(a, b)), b))
	}
	return tir.FloorMod(a, b)
}

func logAddExp(a, b tir.Expr) tir.Expr {
	m := tir.Max(a, b)
	sum := tir.Add(tir.NewCall(tir.OpExp, tir.Sub(a, m)), tir.NewCall(tir.OpExp, tir.Sub(b, m)))
	return tir.Add(m, tir.NewCall(tir.OpLog, sum))
}

// IsBinary reports whether Binary knows name ("add").
func IsBinary(name string) bool { return binaries[name] != nil }

// Binary applies the operator called name ("add") to a and b, with broadcasting.
func Binary(name string, a, b Operand) (*te.Tensor, error) {
	f := binaries[name]
	if f == nil {
		return nil, fmt.Errorf("no binary operator is called %q", name)
	}
	shape, err := BroadcastShape(a.shape(), b.shape())
	if err != nil {
		return nil, err
	}
	return te.Compute("T_"+name, shape, func(i []tir.Expr) tir.Expr {
		x, y := a.at(i, shape), b.at(i, shape)
		if a.Tensor == nil {
			x = tir.CastTo(y.DType(), x)
		}
		if b.Tensor == nil {
			y = tir.CastTo(x.DType(), y)
		}
		return f(x, y)
	}), nil
}

// Where takes elements of a where cond holds and of b elsewhere, with broadcasting.
func Where(cond, a, b Operand) (*te.Tensor, error) {
	shape, err := BroadcastShape(cond.shape(), a.shape(), b.shape())
	if err != nil {
		return nil, err
	}
	return te.Compute("T_where", shape, func(i []tir.Expr) tir.Expr {
		x, y := tir.MatchTypes(a.at(i, shape), b.at(i, shape))
		return &tir.Select{Cond: asBool(cond.at(i, shape)), True: x, False: y}
	}), nil
}

// BroadcastTo repeats x along axes of extent 1 and in front. A symbolic extent that is not
// that of the result may turn out to be 1.
func BroadcastTo(x *te.Tensor, shape []tir.Expr) *te.Tensor {
	return te.Compute("T_broadcast_to", shape, func(i []tir.Expr) tir.Expr {
		at := broadcastIndex(x.Shape, i, shape)
		for k, d := range x.Shape {
			if _, static := tir.AsInt(d); !static && !sameExpr(d, shape[len(shape)-len(at)+k]) {
				at[k] = &tir.Select{Cond: tir.EQ(d, tir.Const(d.DType(), 1)), True: tir.Const(at[k].DType(), 0), False: at[k]}
			}
		}
		return x.At(at...)
	})
}

// EwiseFMA computes a * b + c for tensors of one shape.
func EwiseFMA(a, b, c *te.Tensor) *te.Tensor {
	return te.Compute("T_ewise_fma", a.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Add(tir.Mul(a.At(i...), b.At(i...)), c.At(i...))
	})
}
