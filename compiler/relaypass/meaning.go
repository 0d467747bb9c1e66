package relaypass

import (
	"strings"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// meaning is what a call of an operator that only Relay has computes, in operators of Relax, which have kernels; nil where they cannot say it,
// or where a shape is not known.
func (s *site) meaning(c *relax.Call, name string) relax.Expr {
	out := s.tensor(c)
	if out == nil {
		return nil
	}
	dims, ok := out.StaticDims()
	if !ok {
		return nil
	}
	arg := func(i int) relax.Expr { return c.Args[i] }
	turned := func(i int, flag string, otherwise bool) relax.Expr {
		if c.Attrs.Bool(flag, otherwise) {
			return s.lastTwoSwapped(c.Args[i])
		}
		return c.Args[i]
	}
	switch strings.TrimPrefix(name, op.RelayPrefix) {
	case "nn.dense":
		return op.Matmul(arg(0), s.lastTwoSwapped(arg(1)), out.DType)
	case "nn.matmul":
		return op.Matmul(turned(0, "transpose_a", false), turned(1, "transpose_b", false), out.DType)
	case "nn.batch_matmul":
		return op.Matmul(turned(0, "transpose_a", false), turned(1, "transpose_b", false), out.DType)
	case "nn.bias_add":
		axis := int(c.Attrs.Int("axis", 1))
		if axis < 0 {
			axis += out.NDim
		}
		return op.Add(arg(0), alongAxis(arg(1), axis, out.NDim))
	case "nn.pad":
		if v, ok := padValue(c); ok && c.Attrs.Str("pad_mode", "constant") == "constant" {
			return op.Pad(arg(0), c.Attrs.Ints("pad_width"), "constant", v)
		}
	case "zeros_like", "ones_like":
		v := 0.0
		if name == "relay.ones_like" {
			v = 1
		}
		if k, ok := numberOf(out.DType, v); ok {
			return op.BroadcastTo(k, shapeExpr(dims))
		}
	case "full":
		return op.BroadcastTo(op.AsType(arg(0), out.DType), shapeExpr(dims))
	case "full_like":
		return op.BroadcastTo(op.AsType(arg(1), out.DType), shapeExpr(dims))
	case "broadcast_to", "broadcast_to_like":
		return op.BroadcastTo(arg(0), shapeExpr(dims))
	case "reshape", "contrib_reverse_reshape", "reshape_like":
		return op.Reshape(arg(0), relax.Ints(dims)...)
	case "cast_like", "copy":
		return op.AsType(arg(0), out.DType)
	case "where":
		return op.Where(arg(0), arg(1), arg(2))
	case "layout_transform":
		if axes, ok := s.order(c); ok {
			return op.PermuteDims(arg(0), axes...)
		}
	case "qnn.quantize", "qnn.dequantize":
		return s.quantized(c, out.DType, name == "relay.qnn.quantize")
	case "qnn.add", "qnn.subtract":
		return s.quantizedSum(c, out.DType, name == "relay.qnn.add")
	}
	return nil
}

func shapeExpr(dims []int64) relax.Expr { return &relax.ShapeExpr{Values: relax.Ints(dims)} }

// lastTwoSwapped transposes matrices.
func (s *site) lastTwoSwapped(e relax.Expr) relax.Expr {
	t := s.tensor(e)
	if t == nil || t.NDim < 2 {
		return e
	}
	axes := make([]int64, t.NDim)
	for i := range axes {
		axes[i] = int64(i)
	}
	axes[t.NDim-2], axes[t.NDim-1] = axes[t.NDim-1], axes[t.NDim-2]
	return op.PermuteDims(e, axes...)
}

// quantized is round(x / scale) + zero, cut off at the ends of the type, or its inverse. Scales along an axis get the axes behind it.
func (s *site) quantized(c *relax.Call, dt dtype.DType, forth bool) relax.Expr {
	x := s.tensor(c.Args[0])
	if x == nil {
		return nil
	}
	axis := int(c.Attrs.Int("axis", -1))
	if axis < 0 {
		axis += x.NDim
	}
	along := func(e relax.Expr) relax.Expr {
		if t := s.tensor(e); t != nil && t.NDim == 1 {
			return alongAxis(e, axis, x.NDim)
		}
		return e
	}
	scale, zero := along(c.Args[1]), along(c.Args[2])
	if !forth {
		return op.AsType(op.Multiply(op.AsType(op.Subtract(op.AsType(c.Args[0], dtype.Int32T), zero), dtype.Float32T), scale), dt)
	}
	lo, hi, ok := bounds(dt)
	if !ok || dt.Bits > 16 || x.DType != dtype.Float32T {
		return nil // wider ones are no exact floats
	}
	return op.AsType(clip(op.Add(op.Unary("round", op.Divide(c.Args[0], scale)), op.AsType(zero, dtype.Float32T)), lo, hi), dt)
}

// quantizedSum adds or subtracts what two quantized tensors stand for: both are brought to the scale of the result, halves upwards, before.
// Scales are scalars.
func (s *site) quantizedSum(c *relax.Call, dt dtype.DType, plus bool) relax.Expr {
	lo, hi, ok := bounds(dt)
	if !ok || dt.Bits > 16 {
		return nil
	}
	var k [6]float64 // scale and zero point of left, right, and result
	for i := range k {
		e, isConst := c.Args[2+i].(*relax.Constant)
		if !isConst || len(e.Data.Shape()) > 0 {
			return nil
		}
		if k[i], ok = number(e.Data); !ok {
			return nil
		}
	}
	wide := dtype.Float64T
	part := func(i int) relax.Expr {
		x := op.Subtract(op.AsType(c.Args[i], wide), scalar(wide, k[2*i+1]))
		return op.Unary("floor", op.Add(op.Multiply(x, scalar(wide, k[2*i]/k[4])), scalar(wide, 0.5)))
	}
	sum := op.Subtract(part(0), part(1))
	if plus {
		sum = op.Add(part(0), part(1))
	}
	return op.AsType(clip(op.Add(sum, scalar(wide, k[5])), lo, hi), dt)
}

// clip bounds the elements of a tensor of floats.
func clip(x relax.Expr, lo, hi float64) relax.Expr {
	bound := func(v float64) relax.Expr { return &relax.PrimValue{Value: tir.FloatConst(dtype.Float32T, v)} }
	return callOf("relax.clip", nil, x, bound(lo), bound(hi))
}
