package relaypass

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// shapeForms are those of operators that move elements, make tensors, and ask for shapes.
func shapeForms() map[string]relaxForm {
	return map[string]relaxForm{
		"nn.depth_to_space":    (*site).depthToSpace,
		"nn.space_to_depth":    (*site).spaceToDepth,
		"nn.batch_to_space_nd": (*site).batchToSpace,
		"nn.space_to_batch_nd": (*site).spaceToBatch,

		"reshape": reshaped, "contrib_reverse_reshape": reshaped, "reshape_like": reshaped,
		"broadcast_to": broadcasted, "broadcast_to_like": broadcasted,
		"full": func(s *site, c *relax.Call) relax.Expr {
			r := s.result()
			if r == nil {
				return nil
			}
			return op.BroadcastTo(s.cast(c.Args[0], r.DType), shapeOf(r))
		},
		"zeros": fillWith("zeros"), "ones": fillWith("ones"),
		"zeros_like": func(_ *site, c *relax.Call) relax.Expr { return named("zeros_like", c.Args) },
		"ones_like":  func(_ *site, c *relax.Call) relax.Expr { return named("ones_like", c.Args) },
		"full_like":  func(_ *site, c *relax.Call) relax.Expr { return named("full_like", c.Args) },
		"collapse_sum_to": func(s *site, c *relax.Call) relax.Expr {
			r := s.result()
			if r == nil {
				return nil
			}
			return named("collapse_sum_to", []relax.Expr{c.Args[0], shapeOf(r)})
		},
		"slice_like": func(s *site, c *relax.Call) relax.Expr {
			d, r := s.extents(c.Args[0]), s.result()
			if d == nil || r == nil {
				return s.declined("a shape is not known")
			}
			to, _ := r.Dims()
			var axes []int64
			var begin, end []tir.Expr
			for i := range d {
				if s.ctx.Equal(d[i], to[i]) != relax.True {
					axes, begin, end = append(axes, int64(i)), append(begin, tir.Int(0)), append(end, to[i])
				}
			}
			if axes == nil {
				return c.Args[0]
			}
			return op.StridedSlice(c.Args[0], axes, begin, end, nil)
		},
		"layout_transform": func(s *site, c *relax.Call) relax.Expr {
			from, to := layoutOf(c.Attrs.Str("src_layout", "")), layoutOf(c.Attrs.Str("dst_layout", ""))
			d := s.extents(c.Args[0])
			if from == nil || to == nil || len(d) != len(from) {
				return s.declined("a layout or the shape is not known")
			}
			x, err := inLayout(c.Args[0], from, to)
			if err != nil {
				return s.declined(err.Error())
			}
			return x
		},
		"shape_of": shapeAsTensor, "vm.shape_of": shapeAsTensor,
		"ndarray_size": func(s *site, c *relax.Call) relax.Expr {
			r := s.result()
			if r == nil {
				return nil
			}
			return s.cast(named("size", c.Args), r.DType)
		},
		"arange": (*site).arange,
	}
}

// cast casts to an element type where e is not known to be of it.
func (s *site) cast(e relax.Expr, dt dtype.DType) relax.Expr {
	if t := s.tensor(e); t != nil {
		return s.asType(e, t.DType, dt)
	}
	return op.AsType(e, dt)
}

func reshaped(s *site, c *relax.Call) relax.Expr {
	r := s.result()
	if r == nil {
		return nil
	}
	return op.Reshape(c.Args[0], shapeOf(r).Values...)
}

func broadcasted(s *site, c *relax.Call) relax.Expr {
	r := s.result()
	if r == nil {
		return nil
	}
	return op.BroadcastTo(c.Args[0], shapeOf(r))
}

func fillWith(name string) relaxForm {
	return func(s *site, _ *relax.Call) relax.Expr {
		r := s.result()
		if r == nil {
			return nil
		}
		return named(name, []relax.Expr{shapeOf(r)}, "dtype", r.DType)
	}
}

func shapeAsTensor(s *site, c *relax.Call) relax.Expr {
	r := s.result()
	if r == nil {
		return nil
	}
	x := relax.Expr(named("shape_to_tensor", []relax.Expr{op.ShapeOf(c.Args[0])}))
	return s.asType(x, dtype.Int64T, r.DType)
}

// blockAxes are the extents of a tensor of images in NCHW and the order of axes that brings it there, nil where they are not known.
func (s *site) blockAxes(c *relax.Call) (d []tir.Expr, in, out layout) {
	from := layoutOf(c.Attrs.Str("layout", "NCHW"))
	to := layoutOf("NCHW")
	have := s.extents(c.Args[0])
	if from == nil || len(from) != 4 || len(have) != 4 {
		return nil, nil, nil
	}
	for _, a := range to {
		i := from.Pos(a.Letter)
		if i < 0 {
			return nil, nil, nil
		}
		d = append(d, have[i])
	}
	return d, from, to
}

// depthToSpace splits the channels into blocks: DCR has the channels innermost, CRD outermost.
func (s *site) depthToSpace(c *relax.Call) relax.Expr {
	d, from, nchw := s.blockAxes(c)
	if d == nil {
		return s.declined("the layout or the shape is not known")
	}
	b := tir.Int(c.Attrs.Int("block_size", 1))
	depth := tir.FloorDiv(d[1], tir.Mul(b, b))
	split, order := []tir.Expr{d[0], b, b, depth, d[2], d[3]}, []int64{0, 3, 4, 1, 5, 2}
	if c.Attrs.Str("mode", "DCR") == "CRD" {
		split, order = []tir.Expr{d[0], depth, b, b, d[2], d[3]}, []int64{0, 1, 4, 2, 5, 3}
	}
	return s.viaNCHW(c, from, nchw, split, order, []tir.Expr{d[0], depth, tir.Mul(d[2], b), tir.Mul(d[3], b)})
}

func (s *site) spaceToDepth(c *relax.Call) relax.Expr {
	d, from, nchw := s.blockAxes(c)
	if d == nil {
		return s.declined("the layout or the shape is not known")
	}
	b := tir.Int(c.Attrs.Int("block_size", 1))
	h, w := tir.FloorDiv(d[2], b), tir.FloorDiv(d[3], b)
	return s.viaNCHW(c, from, nchw, []tir.Expr{d[0], d[1], h, b, w, b}, []int64{0, 3, 5, 1, 2, 4}, []tir.Expr{d[0], tir.Mul(d[1], tir.Mul(b, b)), h, w})
}

// viaNCHW brings the argument of c to NCHW, splits and orders its axes and joins them to a shape, and brings it back.
func (s *site) viaNCHW(c *relax.Call, from, nchw layout, split []tir.Expr, order []int64, shape []tir.Expr) relax.Expr {
	x, err := inLayout(c.Args[0], from, nchw)
	if err != nil {
		return s.declined(err.Error())
	}
	x, err = inLayout(op.Reshape(op.PermuteDims(op.Reshape(x, split...), order...), shape...), nchw, from)
	if err != nil {
		return s.declined(err.Error())
	}
	return x
}

// batchToSpace moves blocks of the batch into the axes behind it, and crops those.
func (s *site) batchToSpace(c *relax.Call) relax.Expr {
	b, crops, d := c.Attrs.Ints("block_shape"), c.Attrs.Ints("crops"), s.extents(c.Args[0])
	if d == nil {
		return s.declined("the shape is not known")
	}
	n := tir.Expr(d[0])
	split := relax.Ints(b)
	order := []int64{int64(len(b))}
	for _, f := range b {
		n = tir.FloorDiv(n, tir.Int(f))
	}
	split = append(append(split, n), d[1:]...)
	whole := []tir.Expr{n}
	for i, f := range b {
		order = append(order, int64(len(b)+1+i), int64(i))
		whole = append(whole, tir.Mul(d[i+1], tir.Int(f)))
	}
	for i := len(b) + 1; i < len(d); i++ {
		order, whole = append(order, int64(len(b)+i)), append(whole, d[i])
	}
	x := op.Reshape(op.PermuteDims(op.Reshape(c.Args[0], split...), order...), whole...)
	var axes []int64
	var begin, end []tir.Expr
	for i := range b {
		lo, hi := crops[2*i], crops[2*i+1]
		if lo != 0 || hi != 0 {
			axes, begin, end = append(axes, int64(i+1)), append(begin, tir.Int(lo)), append(end, tir.Sub(whole[i+1], tir.Int(hi)))
		}
	}
	if axes == nil {
		return x
	}
	return op.StridedSlice(x, axes, begin, end, nil)
}

// spaceToBatch pads the axes behind the batch, and moves their blocks into it.
func (s *site) spaceToBatch(c *relax.Call) relax.Expr {
	b, p, d := c.Attrs.Ints("block_shape"), c.Attrs.Ints("paddings"), s.extents(c.Args[0])
	if d == nil {
		return s.declined("the shape is not known")
	}
	widths := make([]int64, 2*len(d))
	copy(widths[2:], p)
	x := relax.Expr(op.Pad(c.Args[0], widths, "constant", c.Attrs.Float("pad_value", 0)))
	split, n := []tir.Expr{d[0]}, tir.Expr(d[0])
	var blocks, parts []int64
	shape := []tir.Expr{nil}
	for i, f := range b {
		part := tir.FloorDiv(tir.Add(d[i+1], tir.Int(p[2*i]+p[2*i+1])), tir.Int(f))
		parts, blocks = append(parts, int64(len(split))), append(blocks, int64(len(split)+1))
		split, shape, n = append(split, part, tir.Int(f)), append(shape, part), tir.Mul(n, tir.Int(f))
	}
	order := append(append(blocks, 0), parts...)
	for i := len(b) + 1; i < len(d); i++ {
		order, split, shape = append(order, int64(len(split))), append(split, d[i]), append(shape, d[i])
	}
	shape[0] = n
	return op.Reshape(op.PermuteDims(op.Reshape(x, split...), order...), shape...)
}

// arange is that of Relax where its bounds are constants.
func (s *site) arange(c *relax.Call) relax.Expr {
	args := make([]relax.Expr, len(c.Args))
	for i, a := range c.Args {
		v, ok := s.number(a)
		if !ok {
			return s.declined("its bounds are not constants")
		}
		if s.constant(a).Data.DType().IsFloat() {
			args[i] = &relax.PrimValue{Value: &tir.FloatImm{Type: dtype.Float32T, Value: v}}
		} else {
			args[i] = &relax.PrimValue{Value: tir.Int(int64(v))}
		}
	}
	return named("arange", args, "dtype", c.Attrs.DType("dtype"))
}
