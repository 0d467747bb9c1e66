package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Bind gives a value that a definition uses more than once a variable.
type Bind func(name string, value tir.Expr) *tir.Var

// formula builds the expressions of one definition. All nodes get the span and origin of the
// call. Expressions are made as written: nothing is folded or reordered, since rounding counts.
type formula struct {
	base   ir.Base
	d      dtype.DType // of the argument, with its lanes
	native func(name string) bool
	bind   Bind
}

// let names a value.
func (m *formula) let(name string, e tir.Expr) tir.Expr {
	switch e.(type) {
	case *tir.Var, *tir.FloatImm, *tir.IntImm:
		return e
	}
	return m.bind(name, e)
}

// as is an element type with the lanes of the argument.
func (m *formula) as(d dtype.DType) dtype.DType { return d.LikeVector(m.d) }

// word is the type of the integers that have the bits of a number.
func (m *formula) word() dtype.DType {
	if m.d.Bits == 64 {
		return m.as(dtype.Int64T)
	}
	return m.as(dtype.Int32T)
}

// c is a float constant, ci one of the integers that have the bits of a number.
func (m *formula) c(v float64) tir.Expr {
	if m.d.Bits == 32 && v == v { // the one NaN that text reads back as stays
		v = float64(float32(v))
	}
	return m.splat(&tir.FloatImm{Base: m.base, Type: m.d.Elem(), Value: v})
}

func (m *formula) ci(v int64) tir.Expr {
	return m.splat(&tir.IntImm{Base: m.base, Type: m.word().Elem(), Value: v})
}

func (m *formula) splat(e tir.Expr) tir.Expr {
	if m.d.Lanes <= 1 {
		return e
	}
	return &tir.Broadcast{Base: m.base, Value: e, Lanes: int(m.d.Lanes), Scalable: m.d.Scalable}
}

func (m *formula) bin(op tir.BinaryOp, x, y tir.Expr) tir.Expr { return tir.BinaryAt(m.base, op, x, y) }

func (m *formula) add(x, y tir.Expr) tir.Expr { return m.bin(tir.OpAdd, x, y) }
func (m *formula) sub(x, y tir.Expr) tir.Expr { return m.bin(tir.OpSub, x, y) }
func (m *formula) mul(x, y tir.Expr) tir.Expr { return m.bin(tir.OpMul, x, y) }
func (m *formula) div(x, y tir.Expr) tir.Expr { return m.bin(tir.OpDiv, x, y) }
func (m *formula) lt(x, y tir.Expr) tir.Expr  { return m.bin(tir.OpLT, x, y) }
func (m *formula) eq(x, y tir.Expr) tir.Expr  { return m.bin(tir.OpEQ, x, y) }

// between clamps x; NaN stays NaN.
func (m *formula) between(x tir.Expr, lo, hi float64) tir.Expr {
	return m.bin(tir.OpMax, m.bin(tir.OpMin, x, m.c(hi)), m.c(lo))
}

func (m *formula) neg(x tir.Expr) tir.Expr { return m.sub(m.c(0), x) }

// call calls an intrinsic that every target has.
func (m *formula) call(op *ir.Op, d dtype.DType, args ...tir.Expr) tir.Expr {
	return &tir.Call{Base: m.base, Type: d, Op: op, Args: args}
}

func (m *formula) abs(x tir.Expr) tir.Expr { return m.call(tir.OpFabs, m.d, x) }

// copysign gives x the sign of y.
func (m *formula) copysign(x, y tir.Expr) tir.Expr { return m.call(tir.OpCopysign, m.d, x, y) }

func (m *formula) iand(x, y tir.Expr) tir.Expr { return m.ints(tir.OpBitwiseAnd, x, y) }

func (m *formula) shl(x tir.Expr, k int64) tir.Expr { return m.ints(tir.OpShiftLeft, x, m.ci(k)) }

// sra shifts right and keeps the sign.
func (m *formula) sra(x tir.Expr, k int64) tir.Expr { return m.ints(tir.OpShiftRight, x, m.ci(k)) }

func (m *formula) ints(op *ir.Op, x, y tir.Expr) tir.Expr {
	return m.call(op, m.word(), x, y)
}

// bits and float read the same bits as the other type.
func (m *formula) bits(x tir.Expr) tir.Expr {
	return m.call(tir.OpReinterpret, m.word(), x)
}

func (m *formula) float(x tir.Expr) tir.Expr { return m.call(tir.OpReinterpret, m.d, x) }

// toFloat converts integers.
func (m *formula) toFloat(x tir.Expr) tir.Expr {
	return &tir.Cast{Base: m.base, Type: m.d, Value: x}
}

// sel takes x where cond holds, else y. All are computed.
func (m *formula) sel(cond, x, y tir.Expr) tir.Expr {
	return &tir.Select{Base: m.base, Cond: cond, True: x, False: y}
}

// poly evaluates a polynomial by Horner's rule, highest coefficient first.
func (m *formula) poly(x tir.Expr, coef ...float64) tir.Expr {
	p := m.c(coef[0])
	for _, c := range coef[1:] {
		p = m.add(m.mul(p, x), m.c(c))
	}
	return p
}

func (m *formula) inf() tir.Expr { return m.c(math.Inf(1)) }
