package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sliceSpec is what a Slice cuts out, by axis.
type sliceSpec struct {
	axes       []int
	begin, end []tir.Expr
	step       []int64
}

// sliceArgs reads the operands of a Slice (attributes up to operator set 9) for an input of
// the given rank.
func (n *node) sliceArgs(rank int) sliceSpec {
	var s sliceSpec
	var axes, steps []int64
	if n.opset < 10 {
		s.begin, s.end, axes = relax.Ints(n.ints("starts")), relax.Ints(n.ints("ends")), n.ints("axes")
	} else {
		s.begin, s.end = n.shapeOperand(1, "starts"), n.shapeOperand(2, "ends")
		if n.has(3) {
			axes = n.intsOperand(3, "axes")
		}
		if n.has(4) {
			steps = n.intsOperand(4, "steps")
		}
	}
	if axes == nil {
		for i := range s.begin {
			axes = append(axes, int64(i))
		}
	}
	if len(s.begin) != len(s.end) || len(axes) != len(s.begin) || steps != nil && len(steps) != len(axes) {
		n.fail("has %d starts, %d ends, %d axes and %d steps, expected as many of each", len(s.begin), len(s.end), len(axes), len(steps))
	}
	s.axes = n.axes(axes, rank)
	s.step = make([]int64, len(axes))
	for i := range s.step {
		if s.step[i] = 1; steps != nil {
			s.step[i] = max(min(steps[i], math.MaxInt32), -math.MaxInt32)
		}
		if s.step[i] == 0 {
			n.fail("step %d is 0", i)
		}
	}
	return s
}

// clampSlice brings start and end of a slice into the range of an axis: a slice backwards
// starts between the first element and the last, and ends at -1 where it includes the first.
func clampSlice(begin, end, step, extent int64) (int64, int64) {
	if begin < 0 {
		begin += extent
	}
	if end < 0 {
		end += extent
	}
	if step > 0 {
		return min(max(begin, 0), extent), min(max(end, 0), extent)
	}
	return min(max(begin, 0), extent-1), min(max(end, -1), extent-1)
}

func slice(n *node) {
	dims := n.dims(0)
	if n.opset >= 10 && n.has(1) && n.has(2) && len(dims) > 0 && (n.known(1) == nil || n.known(2) == nil) {
		sliceByData(n, dims)
		return
	}
	s := n.sliceArgs(len(dims))
	var cut sliceOperands
	for i, a := range s.axes {
		begin, end := tir.CastTo(dtype.Int64T, s.begin[i]), tir.CastTo(dtype.Int64T, s.end[i])
		b, bok := tir.AsInt(begin)
		e, eok := tir.AsInt(end)
		extent, static := tir.AsInt(dims[a])
		switch {
		case static && bok && eok:
			b, e = clampSlice(b, e, s.step[i], extent)
			if b == 0 && e == extent && s.step[i] == 1 {
				continue
			}
			if s.step[i] < 0 && e < 0 {
				e = -extent - 1 // counts from the end: one before the first element
			}
			begin, end = tir.Int(b), tir.Int(e)
		case s.step[i] < 0:
			begin = firstBackwards(begin, dims[a])
		default:
			if eok && e >= math.MaxInt32 {
				end = dims[a]
			}
			if bok && b == 0 && end == dims[a] && s.step[i] == 1 {
				continue
			}
		}
		cut.add(a, begin, end, s.step[i])
	}
	if len(cut.axes) == 0 {
		n.setValue(0, n.value(0))
		return
	}
	n.result("relax.strided_slice", cut.of(n.expr(0)))
}

// sliceOperands are those of relax.strided_slice, by axis.
type sliceOperands struct{ axes, begins, ends, steps []relax.Expr }

func (c *sliceOperands) add(axis int, begin, end tir.Expr, step int64) {
	prim := func(e tir.Expr) relax.Expr { return &relax.PrimValue{Value: e} }
	c.axes, c.steps = append(c.axes, prim(tir.Int(int64(axis)))), append(c.steps, prim(tir.Int(step)))
	c.begins, c.ends = append(c.begins, prim(begin)), append(c.ends, prim(end))
}

// of returns the operands for a tensor.
func (c *sliceOperands) of(x relax.Expr) []relax.Expr {
	return args(x, tuple(c.axes), tuple(c.begins), tuple(c.ends), tuple(c.steps))
}

// firstBackwards is where a slice backwards starts on an axis whose extent or whose start is
// symbolic. ONNX moves a start in front of the axis to the first element, where
// relax.strided_slice, as Python, has no element left; all else the operator clamps itself.
func firstBackwards(begin, extent tir.Expr) tir.Expr {
	b, ok := tir.AsInt(begin)
	switch {
	case ok && b >= 0:
		return begin
	case ok:
		return tir.Max(tir.Add(extent, tir.Int(max(b, -math.MaxInt32))), tir.Int(0))
	}
	fromEnd := &tir.Select{Cond: tir.LT(begin, tir.Int(0)), True: tir.Add(begin, extent), False: begin}
	return tir.Max(fromEnd, tir.Int(0))
}
