package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// indexForms are those of slices, of elements at indices, of orders and of reductions.
func indexForms() map[string]relaxForm {
	return map[string]relaxForm{
		"strided_slice": (*site).stridedSlice,
		"take":          (*site).take,
		"gather": func(s *site, c *relax.Call) relax.Expr {
			return named("gather_elements", c.Args, "axis", c.Attrs.Int("axis", 0))
		},
		"gather_nd": func(s *site, c *relax.Call) relax.Expr {
			if c.Attrs.Int("batch_dims", 0) != 0 {
				return s.declined("batch_dims is not 0")
			}
			at := s.lastAxisFirst(c.Args[1])
			if at == nil {
				return nil
			}
			return named("gather_nd", []relax.Expr{c.Args[0], at})
		},
		"scatter_nd": func(s *site, c *relax.Call) relax.Expr {
			at := s.lastAxisFirst(c.Args[1])
			if at == nil {
				return nil
			}
			return named("scatter_nd", []relax.Expr{c.Args[0], at, c.Args[2]}, "reduction", c.Attrs.Str("mode", "update"))
		},
		"scatter_elements": func(_ *site, c *relax.Call) relax.Expr {
			return named("scatter_elements", c.Args, "axis", c.Attrs.Int("axis", 0), "reduction", c.Attrs.Str("reduction", "update"))
		},
		"sequence_mask": (*site).sequenceMask,
		"one_hot":       (*site).oneHot,
		"where": func(s *site, c *relax.Call) relax.Expr {
			return op.Where(s.truth(c.Args[0]), c.Args[1], c.Args[2])
		},
		"sort": func(_ *site, c *relax.Call) relax.Expr {
			return named("sort", c.Args, "axis", c.Attrs.Int("axis", -1), "descending", !c.Attrs.Bool("is_ascend", true))
		},
		"argsort": func(s *site, c *relax.Call) relax.Expr {
			return named("argsort", c.Args, "axis", c.Attrs.Int("axis", -1), "descending", !c.Attrs.Bool("is_ascend", true), "dtype", indexType(c))
		},
		"invert_permutation": func(s *site, c *relax.Call) relax.Expr { // the places of 0, 1, 2, ... are where sorting takes them from
			t := s.tensor(c.Args[0])
			if t == nil || t.NDim != 1 {
				return s.declined("it is not known to be a vector")
			}
			return s.asType(named("argsort", c.Args, "axis", int64(0), "dtype", dtype.Int32T), dtype.Int32T, t.DType)
		},
		"topk":     (*site).topK,
		"argmax":   argReduce("argmax"),
		"argmin":   argReduce("argmin"),
		"all":      allOrAny("min"),
		"any":      allOrAny("max"),
		"variance": (*site).varianceAround,
		"cumsum":   running("cumsum"),
		"cumprod":  running("cumprod"),
	}
}

// indexType is the element type of indices, which Relay gives as int32 where nothing is said.
func indexType(c *relax.Call) dtype.DType {
	if dt := c.Attrs.DType("dtype"); !dt.IsVoid() {
		return dt
	}
	return dtype.Int32T
}

// stridedSlice has for each axis a begin, an end and a step, or with slice_mode size a begin and a length of which -1 is all.
func (s *site) stridedSlice(c *relax.Call) relax.Expr {
	begin, end, step, axes := c.Attrs.Ints("begin"), c.Attrs.Ints("end"), c.Attrs.Ints("strides"), c.Attrs.Ints("axes")
	d := s.extents(c.Args[0])
	if d == nil || begin == nil || len(begin) != len(end) || axes != nil && len(axes) != len(begin) {
		return s.declined("the shape is not known, or there is no begin and end for each axis")
	}
	sizes := c.Attrs.Str("slice_mode", "end") == "size"
	var list []int64
	var from, to, by []tir.Expr
	for i := range begin {
		axis, k, last := int64(i), int64(1), tir.Expr(tir.Int(end[i]))
		if axes != nil {
			axis = axes[i]
		}
		a, ok := axisOf(axis, len(d))
		if !ok {
			return s.declined("the data has no such axis")
		}
		switch {
		case sizes && begin[i] < 0:
			return s.declined("a slice of some length begins at a negative index")
		case sizes && end[i] < 0:
			last = d[a]
		case sizes:
			last = tir.Int(begin[i] + end[i])
		case len(step) == 1:
			k = step[0]
		case i < len(step):
			k = step[i]
		}
		list, from, to, by = append(list, int64(a)), append(from, tir.Int(begin[i])), append(to, last), append(by, tir.Int(k))
	}
	return op.StridedSlice(c.Args[0], list, from, to, by)
}

// take takes elements along an axis, or of all of them in their order where there is none.
func (s *site) take(c *relax.Call) relax.Expr {
	if c.Attrs.Int("batch_dims", 0) != 0 {
		return s.declined("batch_dims is not 0")
	}
	x, axis := c.Args[0], ir.Value(nil)
	axis, _ = c.Attrs.Get("axis")
	if axis == nil {
		d := s.extents(x)
		if d == nil {
			return s.declined("the shape is not known")
		}
		n := tir.Expr(tir.Int(1))
		for _, k := range d {
			n = tir.Mul(n, k)
		}
		x, axis = op.Reshape(x, n), int64(0)
	}
	return named("take", []relax.Expr{x, c.Args[1]}, "axis", axis, "mode", c.Attrs.Str("mode", "clip"))
}

// lastAxisFirst is the opposite for the indices of an operator: Relay has the numbers of one index along the first axis, Relax along the last.
func (s *site) lastAxisFirst(e relax.Expr) relax.Expr {
	t := s.tensor(e)
	if t == nil || t.NDim < 1 {
		return s.declined("the rank of the indices is not known")
	}
	var order []int64
	for i := 1; i < t.NDim; i++ {
		order = append(order, int64(i))
	}
	if order == nil {
		return e
	}
	return op.PermuteDims(e, append(order, 0)...)
}

// numbers is the vector 0, 1, ... n-1, with axes of extent 1 around it: it lies along axis of a tensor of ndim dimensions.
func numbers(n tir.Expr, dt dtype.DType, axis, ndim int) relax.Expr {
	x := named("arange", []relax.Expr{primInt(0), &relax.PrimValue{Value: n}, primInt(1)}, "dtype", dt)
	return alongAxis(x, axis, ndim)
}

// sequenceMask keeps what stands in front of the end of each sequence: time is the axis, the batch is the other of the first two.
func (s *site) sequenceMask(c *relax.Call) relax.Expr {
	t, n := s.tensor(c.Args[0]), s.tensor(c.Args[1])
	d := s.extents(c.Args[0])
	if d == nil || n == nil || n.DType.IsVoid() || len(d) < 2 || t.DType != dtype.Float32T && t.DType != dtype.Float64T {
		return s.declined("the shape is not known, or the elements are no floats")
	}
	axis, ok := axisOf(c.Attrs.Int("axis", 0), len(d))
	if !ok || axis > 1 {
		return s.declined("time is neither the first nor the second axis")
	}
	inside := op.Binary("less", numbers(d[axis], n.DType, axis, len(d)), alongAxis(c.Args[1], 1-axis, len(d)))
	return op.Where(inside, c.Args[0], scalar(t.DType, c.Attrs.Float("mask_value", 0)))
}

// oneHot compares the indices with all numbers below the depth.
func (s *site) oneHot(c *relax.Call) relax.Expr {
	t := s.tensor(c.Args[0])
	if t == nil || t.DType.IsVoid() {
		return s.declined("the rank or the element type of the indices is not known")
	}
	axis, ok := axisOf(c.Attrs.Int("axis", -1), t.NDim+1)
	if !ok {
		return s.declined("the result has no such axis")
	}
	dt := c.Attrs.DType("dtype")
	hit := op.Binary("equal", op.ExpandDims(c.Args[0], int64(axis)), numbers(tir.Int(c.Attrs.Int("depth", 1)), t.DType, axis, t.NDim+1))
	return op.Where(hit, s.cast(c.Args[1], dt), s.cast(c.Args[2], dt))
}

// truth is a condition as truth values.
func (s *site) truth(e relax.Expr) relax.Expr { return s.cast(e, dtype.BoolT) }

// topK has all elements where k is not positive.
func (s *site) topK(c *relax.Call) relax.Expr {
	d, k := s.extents(c.Args[0]), c.Attrs.Int("k", 0)
	if len(c.Args) != 1 || d == nil {
		return s.declined("the shape or the number of elements is not known")
	}
	axis, ok := axisOf(c.Attrs.Int("axis", -1), len(d))
	if !ok {
		return s.declined("the data has no such axis")
	}
	if k < 1 {
		if k, ok = tir.AsInt(d[axis]); !ok {
			return s.declined("the extent along the axis is not known")
		}
	}
	return named("topk", c.Args, "k", k, "axis", int64(axis), "ret_type", c.Attrs.Str("ret_type", "both"), "largest", !c.Attrs.Bool("is_ascend", false), "dtype", indexType(c))
}

// argReduce joins the axes to one behind the others.
func argReduce(name string) relaxForm {
	return func(s *site, c *relax.Call) relax.Expr {
		d, r := s.extents(c.Args[0]), s.result()
		if d == nil || r == nil {
			return s.declined("the shape is not known")
		}
		if c.Attrs.Bool("select_last_index", false) {
			return s.declined("of equal elements the last one counts")
		}
		axes := axesOf(c, len(d))
		if len(axes) == 0 {
			return s.declined("no axis is reduced")
		}
		in := make([]bool, len(d))
		for _, a := range axes {
			in[a] = true
		}
		var order []int64
		shape, n := []tir.Expr{}, tir.Expr(tir.Int(1))
		for i := range d {
			if !in[i] {
				order, shape = append(order, int64(i)), append(shape, d[i])
			} else {
				n = tir.Mul(n, d[i])
			}
		}
		x := op.Reshape(op.PermuteDims(c.Args[0], append(order, axes...)...), append(shape, n)...)
		y := named(name, []relax.Expr{x}, "axis", int64(len(order)))
		return op.Reshape(s.asType(y, dtype.Int64T, r.DType), shapeOf(r).Values...)
	}
}

// allOrAny is the least or the greatest of truth values.
func allOrAny(reduce string) relaxForm {
	return func(s *site, c *relax.Call) relax.Expr {
		t := s.tensor(c.Args[0])
		if t == nil {
			return s.declined("the rank is not known")
		}
		axes := axesOf(c, t.NDim)
		if len(axes) == 0 {
			return s.declined("no axis is reduced")
		}
		return op.AsType(op.Reduce(reduce, op.AsType(s.truth(c.Args[0]), dtype.Int32T), axes, c.Attrs.Bool("keepdims", false)), dtype.BoolT)
	}
}

// varianceAround is the mean of the squared distances from a given mean.
func (s *site) varianceAround(c *relax.Call) relax.Expr {
	t, d := s.tensor(c.Args[0]), s.extents(c.Args[0])
	if d == nil || t.DType != dtype.Float32T && t.DType != dtype.Float64T {
		return s.declined("the shape is not known, or the elements are no floats")
	}
	axes, n := axesOf(c, len(d)), int64(1)
	for _, a := range axes {
		k, ok := tir.AsInt(d[a])
		if !ok {
			return s.declined("an extent is not known")
		}
		n *= k
	}
	if c.Attrs.Bool("unbiased", false) {
		n--
	}
	if len(axes) == 0 {
		return s.declined("no axis is reduced")
	}
	distance := op.Subtract(c.Args[0], c.Args[1])
	return op.Divide(op.Reduce("sum", op.Multiply(distance, distance), axes, c.Attrs.Bool("keepdims", false)), scalar(t.DType, float64(n)))
}

func running(name string) relaxForm {
	return func(_ *site, c *relax.Call) relax.Expr {
		axis, _ := c.Attrs.Get("axis")
		return named(name, c.Args, "axis", axis, "dtype", c.Attrs.DType("dtype"), "exclusive", c.Attrs.Bool("exclusive", false))
	}
}
