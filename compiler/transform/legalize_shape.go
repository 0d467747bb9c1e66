package transform

import (
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// shapeRule returns the rules of operators that move elements.
func shapeRule(name string) rule {
	switch name {
	case "reshape", "flatten", "nn.batch_flatten":
		return one(func(k *kernel) *te.Tensor { return topi.Reshape(k.tensor(0), k.shape(0)) })
	case "permute_dims":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axes := k.axes("axes", x.NDim())
			if axes == nil {
				for a := x.NDim() - 1; a >= 0; a-- {
					axes = append(axes, a)
				}
			}
			return topi.PermuteDims(x, axes)
		})
	case "expand_dims":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			return topi.ExpandDims(x, k.axes("axis", x.NDim()+len(k.ints("axis"))))
		})
	case "squeeze":
		return one(squeeze)
	case "broadcast_to":
		return one(broadcastTo)
	case "concat":
		return one(func(k *kernel) *te.Tensor {
			xs := k.tensors(0)
			if len(xs) == 0 {
				return te.Placeholder("bad", k.out(0).DType)
			}
			axis, _ := k.axis("axis", xs[0].NDim())
			return topi.Concat(xs, axis)
		})
	case "stack":
		return one(func(k *kernel) *te.Tensor {
			xs := k.tensors(0)
			if len(xs) == 0 {
				return te.Placeholder("bad", k.out(0).DType)
			}
			axis, _ := k.axis("axis", xs[0].NDim()+1)
			return topi.Stack(xs, axis)
		})
	case "split":
		return split
	case "repeat":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, given := k.axis("axis", x.NDim())
			if !given {
				n := tir.Expr(tir.Int(1))
				for _, d := range x.Shape {
					n = tir.Mul(n, d)
				}
				x, axis = topi.Reshape(x, []tir.Expr{n}), 0
			}
			return topi.Repeat(x, k.int("repeats"), axis)
		})
	case "tile":
		return one(func(k *kernel) *te.Tensor { return topi.Tile(k.tensor(0), k.ints("repeats")) })
	case "flip":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			return topi.Flip(x, axis)
		})
	case "strided_slice":
		return stridedSlice
	case "layout_transform":
		return layoutTransform
	case "nn.pixel_shuffle":
		return one(func(k *kernel) *te.Tensor { return topi.PixelShuffle(k.tensor(0), k.int("upscale_factor")) })
	case "nn.pad":
		return func(k *kernel) ([]*te.Tensor, error) {
			x := k.tensor(0)
			w := k.ints("pad_width")
			var before, after []int64
			for i := 0; i+1 < len(w); i += 2 {
				before, after = append(before, w[i]), append(after, w[i+1])
			}
			return list(topi.Pad(x, before, after, k.str("pad_mode"), tir.FloatConst(x.DType, k.float("pad_value"))))
		}
	}
	return nil
}

func squeeze(k *kernel) *te.Tensor {
	x := k.tensor(0)
	axes := k.axes("axis", x.NDim())
	if axes == nil {
		for a, d := range x.Shape {
			if tir.IsConst(d, 1) {
				axes = append(axes, a)
			}
		}
	}
	return topi.Squeeze(x, axes)
}

// split takes the extents of the parts from the results, and their starts by adding those up.
func split(k *kernel) ([]*te.Tensor, error) {
	x := k.tensor(0)
	axis, _ := k.axis("axis", x.NDim())
	n := 1
	if t, ok := fieldCount(k.info); ok {
		n = t
	}
	var starts, extents []tir.Expr
	at := tir.Expr(tir.Int(0))
	for i := range n {
		extents, starts = append(extents, k.shape(i)[axis]), append(starts, at)
		at = tir.Add(at, extents[i])
	}
	return topi.Split(x, axis, starts, extents), nil
}

func stridedSlice(k *kernel) ([]*te.Tensor, error) {
	x := k.tensor(0)
	list, begin := k.prims(1), k.prims(2)
	var strides []tir.Expr
	if k.has(4) {
		strides = k.prims(4)
	}
	if k.err != nil {
		return nil, k.err
	}
	var axes []topi.SliceAxis
	for i, e := range list {
		a, ok := tir.AsInt(e)
		s := topi.SliceAxis{Begin: begin[i], Stride: 1}
		if strides != nil {
			n, isConst := tir.AsInt(strides[i])
			ok, s.Stride = ok && isConst, n
		}
		if !ok {
			return nil, skipf("its axes or steps are not constants")
		}
		if a < 0 {
			a += int64(x.NDim())
		}
		s.Axis = int(a)
		axes = append(axes, s)
	}
	return []*te.Tensor{topi.StridedSlice(x, axes, k.shape(0), k.bool("assume_inbound"))}, nil
}

func layoutTransform(k *kernel) ([]*te.Tensor, error) {
	x := k.tensor(0)
	m, ok := k.attr("index_map").(*tir.IndexMap)
	if !ok {
		return nil, skipf("its index_map is not an index map")
	}
	pad, _ := k.attr("pad_value").(tir.Expr)
	return []*te.Tensor{topi.LayoutTransform(x, sch.TypedMap(m, x.Shape), k.shape(0), pad)}, nil
}
