package relaypass

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// plainForms are those of operators on single elements, and of those that only say something to the compiler.
func plainForms() map[string]relaxForm {
	return map[string]relaxForm{
		"copy": argument, "on_device": argument, "device_copy": argument,
		"annotation.compiler_begin": argument, "annotation.compiler_end": argument, "annotation.stop_fusion": argument,
		"annotation.checkpoint": argument, "annotation.cast_hint": argument,

		"log2":  logarithm(math.Ln2),
		"log10": logarithm(math.Ln10),
		"cast_like": func(s *site, c *relax.Call) relax.Expr {
			t := s.tensor(c.Args[1])
			if t == nil || t.DType.IsVoid() {
				return s.declined("the element type is not known")
			}
			return s.cast(c.Args[0], t.DType)
		},
		"trunc_divide": func(s *site, c *relax.Call) relax.Expr {
			r := s.result()
			switch {
			case r == nil:
				return nil
			case r.DType.IsFloat():
				return op.Unary("trunc", op.Divide(c.Args[0], c.Args[1]))
			}
			return op.Divide(c.Args[0], c.Args[1])
		},
		"trunc_mod": func(s *site, c *relax.Call) relax.Expr {
			if r := s.result(); r == nil || r.DType.IsFloat() {
				return s.declined("the elements are not known to be integers")
			}
			return op.Binary("mod", c.Args[0], c.Args[1])
		},
		"fixed_point_multiply": (*site).fixedPointMultiply,
		"qnn.quantize":         (*site).quantize,
		"qnn.dequantize":       (*site).dequantize,
	}
}

// integer is a scalar constant of int64.
func integer(n int64) relax.Expr { return &relax.Constant{Data: ir.Int64Blob(nil, n)} }

func primInt(n int64) relax.Expr { return &relax.PrimValue{Value: tir.Int(n)} }

func logarithm(base float64) relaxForm {
	return func(s *site, c *relax.Call) relax.Expr {
		t := s.tensor(c.Args[0])
		if t == nil || !floats(t.DType) {
			return s.declined("the elements are no float32 or float64")
		}
		return op.Divide(op.Unary("log", c.Args[0]), scalar(t.DType, base))
	}
}

// fixedPointMultiply multiplies by multiplier * 2^(shift-31), rounded to the nearest, halves up, as TVM's q_multiply_shift does.
func (s *site) fixedPointMultiply(c *relax.Call) relax.Expr {
	t := s.tensor(c.Args[0])
	shift := c.Attrs.Int("shift", 0)
	if t == nil || t.DType != dtype.Int32T || shift < -31 || shift > 31 {
		return s.declined("the elements are no int32, or the shift is beyond 31")
	}
	x := relax.Expr(op.AsType(c.Args[0], dtype.Int64T))
	down := int64(31)
	if shift > 0 {
		x = op.Binary("left_shift", x, integer(shift))
	} else {
		down -= shift
	}
	x = op.Add(op.Multiply(x, integer(c.Attrs.Int("multiplier", 0))), integer(1<<(down-1)))
	return op.AsType(op.Binary("right_shift", x, integer(down)), t.DType)
}

// parameter is a scale or a zero point, along the axis of the data if it is a vector.
func (s *site) parameter(c *relax.Call, i int, ndim int) relax.Expr {
	p := s.tensor(c.Args[i])
	axis, ok := axisOf(c.Attrs.Int("axis", -1), ndim)
	if p == nil || p.NDim > 1 || p.NDim == 1 && !ok {
		return nil
	}
	if p.NDim == 0 {
		return c.Args[i]
	}
	return alongAxis(c.Args[i], axis, ndim)
}

// quantize divides by the scale, rounds, adds the zero point and bounds the sum by what the element type holds.
func (s *site) quantize(c *relax.Call) relax.Expr {
	t, dt := s.tensor(c.Args[0]), c.Attrs.DType("out_dtype")
	lo, hi, ok := bounds(dt)
	if t == nil || !ok || dt.Bits > 16 {
		return s.declined("the rank is not known, or the element type is no integer of at most 16 bits")
	}
	scale, zero := s.parameter(c, 1, t.NDim), s.parameter(c, 2, t.NDim)
	if scale == nil || zero == nil {
		return s.declined("the rank of a parameter is not known")
	}
	q := op.Add(op.AsType(op.Unary("round", op.Divide(c.Args[0], scale)), dtype.Int32T), s.cast(zero, dtype.Int32T))
	return op.AsType(named("clip", []relax.Expr{q, primInt(int64(lo)), primInt(int64(hi))}), dt)
}

// dequantize subtracts the zero point and multiplies by the scale.
func (s *site) dequantize(c *relax.Call) relax.Expr {
	t := s.tensor(c.Args[0])
	if t == nil || c.Attrs.DType("out_dtype") != dtype.Float32T {
		return s.declined("the rank is not known, or the result is not float32")
	}
	scale, zero := s.parameter(c, 1, t.NDim), s.parameter(c, 2, t.NDim)
	if scale == nil || zero == nil {
		return s.declined("the rank of a parameter is not known")
	}
	shifted := op.Subtract(op.AsType(c.Args[0], dtype.Int32T), s.cast(zero, dtype.Int32T))
	return op.Multiply(op.AsType(shifted, dtype.Float32T), scale)
}
