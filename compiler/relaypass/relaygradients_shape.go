package relaypass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// shapeGradients are the rules of operators that move and choose elements.
func shapeGradients() map[string]relayGradient {
	back := of(func(d *derivation, x relax.Expr) relax.Expr { return reshapedLike(d.g, x) })
	first := func(d *derivation) []relax.Expr {
		out := none(d)
		out[0] = reshapedLike(d.g, d.x(0))
		return out
	}
	return map[string]relayGradient{
		"reshape": back, "contrib_reverse_reshape": back, "nn.batch_flatten": back, "squeeze": back,
		"reshape_like": first, "dyn.reshape": first, "expand_dims": back,
		"collapse_sum_like": func(d *derivation) []relax.Expr { return []relax.Expr{repeatedLike(d.g, d.x(0)), nil} },
		"collapse_sum_to":   func(d *derivation) []relax.Expr { return []relax.Expr{repeatedLike(d.g, d.x(0)), nil} },
		"permute_dims":      of(gradTranspose),
		"concat":            of(gradConcatenate),
		"stack":             of(gradStack),
		"split": of(func(d *derivation, _ relax.Expr) relax.Expr {
			return callOf("relax.concat", attrsOf("axis", d.call.Attrs.Int("axis", 0)), d.g)
		}),
		"strided_slice": of(gradStridedSlice),
		"take":          gradTake,
		"gather_nd": func(d *derivation) []relax.Expr {
			if d.call.Attrs.Int("batch_dims", 0) != 0 {
				return d.fail("batch_dims is not 0")
			}
			return []relax.Expr{scattered(zerosLike(d.x(0)), d.x(1), d.g), nil}
		},
		"one_hot": gradOneHot,
		"arange": func(d *derivation) []relax.Expr {
			for _, a := range d.call.Args {
				if _, constant := a.(*relax.Constant); !constant {
					return d.fail("its bounds are computed, and so is its length")
				}
			}
			return none(d)
		},
	}
}

// scattered adds updates to data where the indices say, each time they do.
func scattered(data, indices, updates relax.Expr) relax.Expr {
	return callOf("relay.scatter_nd", attrsOf("mode", "add"), data, indices, updates)
}

// gradTranspose moves the axes back.
func gradTranspose(d *derivation, _ relax.Expr) relax.Expr {
	axes := d.call.Attrs.Ints("axes")
	if len(axes) == 0 {
		return op.PermuteDims(d.g)
	}
	back := make([]int64, len(axes))
	for i, a := range axes {
		if k, ok := axisOf(a, len(axes)); ok {
			back[k] = int64(i)
		}
	}
	return op.PermuteDims(d.g, back...)
}

// gradConcatenate splits the adjoint where the parts begin.
func gradConcatenate(d *derivation, x relax.Expr) relax.Expr {
	t, ok := d.bb.Context().SInfoOf(x).(*relax.TupleStructInfo)
	if !ok || len(t.Fields) == 0 {
		d.fail("the parts are not known")
		return nil
	}
	axis, from, at := d.call.Attrs.Int("axis", 0), int64(0), []int64{}
	for i, f := range t.Fields[:len(t.Fields)-1] {
		part, ok := f.(*relax.TensorStructInfo)
		if !ok {
			d.fail("part %d is no tensor", i)
			return nil
		}
		dims, _ := part.Dims()
		k, inside := axisOf(axis, len(dims))
		if !inside {
			d.fail("the shape of part %d is not known", i)
			return nil
		}
		n, static := tir.AsInt(dims[k])
		if !static {
			d.fail("part %d has an extent along axis %d that is no number", i, axis)
			return nil
		}
		from += n
		at = append(at, from)
	}
	return op.SplitAt(d.g, axis, at...)
}

// gradStack splits the adjoint along the axis of the parts, which it drops.
func gradStack(d *derivation, x relax.Expr) relax.Expr {
	t, ok := d.bb.Context().SInfoOf(x).(*relax.TupleStructInfo)
	if !ok {
		d.fail("the parts are not known")
		return nil
	}
	axis := d.call.Attrs.Int("axis", 0)
	parts, err := d.bb.Emit(callOf("relax.split", attrsOf("indices_or_sections", int64(len(t.Fields)), "axis", axis), d.g), "")
	if err != nil {
		d.fail("%w", err)
		return nil
	}
	out := &relax.Tuple{}
	for i := range t.Fields {
		out.Fields = append(out.Fields, op.Squeeze(&relax.TupleGetItem{Tuple: parts, Index: i}, axis))
	}
	return out
}

// gradStridedSlice writes the adjoint over zeros where the slice was.
func gradStridedSlice(d *derivation, x relax.Expr) relax.Expr {
	dims, a := d.static(x), d.call.Attrs
	begin, end, steps, axes := a.Ints("begin"), a.Ints("end"), a.Ints("strides"), a.Ints("axes")
	if d.err != nil || len(begin) != len(end) {
		d.fail("there is no begin and end for each axis")
		return nil
	}
	var bounds [3][]int64
	for _, n := range dims {
		bounds[0], bounds[1], bounds[2] = append(bounds[0], 0), append(bounds[1], n), append(bounds[2], 1)
	}
	for i := range begin {
		axis := int64(i)
		if axes != nil {
			axis = axes[i]
		}
		k, ok := axisOf(axis, len(dims))
		if !ok {
			d.fail("the data has no axis %d", axis)
			return nil
		}
		step, to := int64(1), end[i]
		switch {
		case a.Str("slice_mode", "end") == "size":
			if to = begin[i] + end[i]; end[i] < 0 {
				to = dims[k]
			}
		case len(steps) == 1:
			step = steps[0]
		case i < len(steps):
			step = steps[i]
		}
		if step < 1 {
			d.fail("the step along axis %d is %d; there is a gradient only of slices forwards", k, step)
			return nil
		}
		bounds[0][k], bounds[1][k], bounds[2][k] = inRange(begin[i], dims[k]), inRange(to, dims[k]), step
	}
	args := []relax.Expr{zerosLike(x), d.g}
	for _, list := range bounds {
		args = append(args, &relax.Constant{Data: ir.Int64Blob([]int64{int64(len(list))}, list...)})
	}
	return callOf("relay.strided_set", nil, args...)
}

// inRange is an index from the start, cut off at the ends.
func inRange(i, n int64) int64 {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// gradTake adds the adjoint up where elements were taken. TVM does so by a loop, for scalars and vectors of indices that are inside.
func gradTake(d *derivation) []relax.Expr {
	x, at, a := d.x(0), d.x(1), d.call.Attrs
	dims, rank := d.extents(x), d.info(at).NDim
	integer := d.info(at).DType
	switch {
	case d.err != nil:
		return none(d)
	case rank < 0 || !integer.IsInteger():
		return d.fail("the rank or the element type of the indices is not known")
	case a.Int("batch_dims", 0) != 0:
		return d.fail("batch_dims is not 0")
	}
	axis, flat := 0, true
	if v, given := a.Get("axis"); given && v != nil {
		k, ok := axisOf(a.Int("axis", 0), len(dims))
		if !ok {
			return d.fail("the data has no such axis")
		}
		axis, flat = k, false
	}
	var n tir.Expr = tir.Int(1)
	data, g := relax.Expr(zerosLike(x)), d.g
	if flat {
		for _, e := range dims {
			n = tir.Mul(n, e)
		}
		data = callOf("relay.reshape", attrsOf("newshape", []int64{-1}), data)
	} else {
		n = dims[axis]
	}
	extent, static := tir.AsInt(n)
	limit := func(v int64) relax.Expr { k, _ := numberOf(integer, float64(v)); return k }
	switch mode := a.Str("mode", "clip"); {
	case mode == "fast":
	case !static || limit(extent-1) == nil:
		return d.fail("the extent along the axis is no number")
	case mode == "clip":
		at = op.Binary("maximum", op.Binary("minimum", at, limit(extent-1)), limit(0))
	default:
		at = op.Binary("floor_mod", at, limit(extent))
	}
	at = op.ExpandDims(at, 0)
	if axis == 0 {
		sum := scattered(data, at, g)
		if flat {
			sum = reshapedLike(sum, x)
		}
		return []relax.Expr{sum, nil}
	}
	// The axis goes first, in front of those before it, and back.
	front, back := []int64{int64(axis)}, []int64{}
	places := make([]int64, 0, rank+len(dims))
	for i := range rank {
		places = append(places, int64(axis+i))
	}
	for i := range dims {
		if i == axis {
			back = append(back, 0)
			continue
		}
		front = append(front, int64(i))
		if i < axis {
			back, places = append(back, int64(i+1)), append(places, int64(i))
		} else {
			back, places = append(back, int64(i)), append(places, int64(i-1+rank))
		}
	}
	return []relax.Expr{op.PermuteDims(scattered(op.PermuteDims(data, front...), at, op.PermuteDims(g, places...)), back...), nil}
}

// gradOneHot adds the adjoint up where the value on is and where off is.
func gradOneHot(d *derivation) []relax.Expr {
	where := func(on, off float64) relax.Expr {
		mask := callOf("relay.one_hot", d.call.Attrs.With("dtype", dtype.Void).With("dtype", d.info(d.g).DType), d.x(0), d.number(on), d.number(off))
		return op.Reduce("sum", op.Multiply(d.g, mask), nil, false)
	}
	return []relax.Expr{nil, where(1, 0), where(0, 1)}
}
