package interp

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// binary compiles a binary operation.
func (c *compiler) binary(e *tir.Binary) value {
	a, b := c.expr(e.A), c.expr(e.B)
	if (a.f != nil) != (b.f != nil) {
		c.fail("%s of a %s and a %s", e.Op, e.A.DType(), e.B.DType())
	}
	d := e.A.DType().Elem()
	if a.f != nil {
		if e.Op.IsCompare() {
			return value{i: compareFloat(e.Op, a.f, b.f)}
		}
		return value{f: c.counting(c.arithFloat(e.Op, d, a.f, b.f), flops, 1)}
	}
	switch {
	case e.Op.IsCompare():
		return value{i: compareInt(e.Op, d, a.i, b.i)}
	case e.Op == tir.OpAnd:
		return value{i: func(fr *frame) int64 {
			if a.i(fr) == 0 {
				return 0
			}
			return b.i(fr)
		}}
	case e.Op == tir.OpOr:
		return value{i: func(fr *frame) int64 {
			if a.i(fr) != 0 {
				return 1
			}
			return b.i(fr)
		}}
	}
	return value{i: c.arithInt(e, d, a.i, b.i)}
}

func (c *compiler) arithFloat(op tir.BinaryOp, d dtype.DType, a, b floatFn) floatFn {
	single := d == dtype.Float32T
	var f func(x, y float64) float64
	switch op {
	case tir.OpAdd:
		if single {
			return func(fr *frame) float64 { return float64(float32(a(fr)) + float32(b(fr))) }
		}
		f = func(x, y float64) float64 { return x + y }
	case tir.OpSub:
		if single {
			return func(fr *frame) float64 { return float64(float32(a(fr)) - float32(b(fr))) }
		}
		f = func(x, y float64) float64 { return x - y }
	case tir.OpMul:
		if single {
			return func(fr *frame) float64 { return float64(float32(a(fr)) * float32(b(fr))) }
		}
		f = func(x, y float64) float64 { return x * y }
	case tir.OpDiv:
		if single {
			return func(fr *frame) float64 { return float64(float32(a(fr)) / float32(b(fr))) }
		}
		f = func(x, y float64) float64 { return x / y }
	case tir.OpMod:
		f = math.Mod
	case tir.OpFloorDiv:
		f = func(x, y float64) float64 { return math.Floor(x / y) }
	case tir.OpFloorMod:
		f = func(x, y float64) float64 { return x - math.Floor(x/y)*y }
	case tir.OpMin: // NaN if either is
		return func(fr *frame) float64 { return min(a(fr), b(fr)) }
	case tir.OpMax:
		return func(fr *frame) float64 { return max(a(fr), b(fr)) }
	default:
		c.fail("%s of floats", op)
	}
	r := rounder(d)
	if r == nil {
		return func(fr *frame) float64 { return f(a(fr), b(fr)) }
	}
	return func(fr *frame) float64 { return r(f(a(fr), b(fr))) }
}

func (c *compiler) arithInt(e *tir.Binary, d dtype.DType, a, b intFn) intFn {
	wide := d.Bits == 64
	switch e.Op {
	case tir.OpAdd:
		if n, ok := tir.AsInt(e.B); ok && wide {
			return func(fr *frame) int64 { return a(fr) + n }
		}
		if wide {
			return func(fr *frame) int64 { return a(fr) + b(fr) }
		}
		return func(fr *frame) int64 { return wrap(d, a(fr)+b(fr)) }
	case tir.OpSub:
		if wide {
			return func(fr *frame) int64 { return a(fr) - b(fr) }
		}
		return func(fr *frame) int64 { return wrap(d, a(fr)-b(fr)) }
	case tir.OpMul:
		if n, ok := tir.AsInt(e.B); ok && wide {
			return func(fr *frame) int64 { return a(fr) * n }
		}
		if wide {
			return func(fr *frame) int64 { return a(fr) * b(fr) }
		}
		return func(fr *frame) int64 { return wrap(d, a(fr)*b(fr)) }
	case tir.OpMin, tir.OpMax:
		less := lessInt(d)
		isMin := e.Op == tir.OpMin
		return func(fr *frame) int64 {
			x, y := a(fr), b(fr)
			if less(x, y) == isMin {
				return x
			}
			return y
		}
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		return divide(e.Op, d, a, b)
	}
	panic(fmt.Sprintf("interp: unknown operation %s", e.Op))
}

func divide(op tir.BinaryOp, d dtype.DType, a, b intFn) intFn {
	unsigned := d.IsUInt() && d.Bits == 64
	return func(fr *frame) int64 {
		x, y := a(fr), b(fr)
		switch {
		case y == 0:
			fr.fail("integer division of %d by zero (%s)", x, op)
		case unsigned && (op == tir.OpDiv || op == tir.OpFloorDiv):
			return int64(uint64(x) / uint64(y))
		case unsigned:
			return int64(uint64(x) % uint64(y))
		}
		switch op {
		case tir.OpDiv:
			return wrap(d, x/y)
		case tir.OpMod:
			return wrap(d, x%y)
		case tir.OpFloorDiv:
			return wrap(d, tir.FloorDivInt(x, y))
		}
		return wrap(d, tir.FloorModInt(x, y))
	}
}

func lessInt(d dtype.DType) func(x, y int64) bool {
	if d.IsUInt() && d.Bits == 64 {
		return func(x, y int64) bool { return uint64(x) < uint64(y) }
	}
	return func(x, y int64) bool { return x < y }
}

func compareInt(op tir.BinaryOp, d dtype.DType, a, b intFn) intFn {
	if d.IsUInt() && d.Bits == 64 { // order of unsigned numbers after flipping the sign bit
		flip := func(f intFn) intFn { return func(fr *frame) int64 { return f(fr) ^ math.MinInt64 } }
		a, b = flip(a), flip(b)
	}
	switch op {
	case tir.OpEQ:
		return func(fr *frame) int64 { return truth(a(fr) == b(fr)) }
	case tir.OpNE:
		return func(fr *frame) int64 { return truth(a(fr) != b(fr)) }
	case tir.OpLT:
		return func(fr *frame) int64 { return truth(a(fr) < b(fr)) }
	case tir.OpLE:
		return func(fr *frame) int64 { return truth(a(fr) <= b(fr)) }
	case tir.OpGT:
		return func(fr *frame) int64 { return truth(a(fr) > b(fr)) }
	}
	return func(fr *frame) int64 { return truth(a(fr) >= b(fr)) }
}

func compareFloat(op tir.BinaryOp, a, b floatFn) intFn {
	switch op {
	case tir.OpEQ:
		return func(fr *frame) int64 { return truth(a(fr) == b(fr)) }
	case tir.OpNE:
		return func(fr *frame) int64 { return truth(a(fr) != b(fr)) }
	case tir.OpLT:
		return func(fr *frame) int64 { return truth(a(fr) < b(fr)) }
	case tir.OpLE:
		return func(fr *frame) int64 { return truth(a(fr) <= b(fr)) }
	case tir.OpGT:
		return func(fr *frame) int64 { return truth(a(fr) > b(fr)) }
	}
	return func(fr *frame) int64 { return truth(a(fr) >= b(fr)) }
}
