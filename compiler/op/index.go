package op

import (
	"math"
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func indexOps() []*Op {
	x := Arg{Name: "x", Doc: "The source tensor."}
	return []*Op{
		{
			Name: "relax.take", Args: []Arg{x, {Name: "indices", Doc: "The indices, of an integer type."}},
			Attrs: []Attr{
				{Name: "axis", Type: OptIntAttr, Doc: "The axis that is indexed; None is for tensors of one dimension."},
				{Name: "mode", Type: StringAttr, Default: "fast", Doc: "What is done with indices out of bounds.", Enum: []string{"fast", "clip", "wrap", "nan"}},
			},
			Infer: inferTake, Pattern: Injective, Doc: "Takes elements along an axis.",
		},
		{
			Name: "relax.strided_slice",
			Args: []Arg{
				x,
				{Name: "axes", Kind: Tuple, Doc: "The axes that are sliced."},
				{Name: "begin", Kind: Tuple, Doc: "The first index on each axis."},
				{Name: "end", Kind: Tuple, Doc: "The index after the last on each axis."},
				{Name: "strides", Kind: Tuple, Doc: "The step on each axis; 1 if left out.", Optional: true},
			},
			Attrs: []Attr{{Name: "assume_inbound", Type: BoolAttr, Default: false, Doc: "Whether begin and end are known to be inside the tensor."}},
			Infer: inferStridedSlice, Pattern: Injective, Doc: "Takes a slice with steps along axes. Negative indices count from the end.",
		},
		{
			Name: "relax.dynamic_strided_slice",
			Args: []Arg{
				x,
				{Name: "begin", Doc: "The first index on each axis, of type int64."},
				{Name: "end", Doc: "The index after the last on each axis, of type int64."},
				{Name: "strides", Doc: "The step on each axis, of type int64."},
			},
			Infer: inferDynamicSlice, Pattern: Injective, Doc: "Takes a slice whose bounds are tensors.",
		},
	}
}

// integerTensor is Tensor with an integer (or unknown) element type; a scalar counts as a
// tensor without dimensions.
func (c *InferContext) integerTensor(i int) (*relax.TensorStructInfo, error) {
	t, err := c.operand(i)
	if err != nil {
		return nil, err
	}
	if !t.DType.IsVoid() && !t.DType.IsInteger() {
		return nil, c.argErr(i, t.DType.String(), "a tensor of an integer type")
	}
	return t, nil
}

func inferTake(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.taken(0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// taken is what is taken of argument i by the next one.
func (c *InferContext) taken(i int) (*relax.TensorStructInfo, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return nil, err
	}
	idx, err := c.integerTensor(i + 1)
	if err != nil {
		return nil, err
	}
	axis, given := c.Int("axis")
	if !given && t.NDim >= 0 && t.NDim != 1 {
		return nil, c.attrErr("axis", "None", "an axis, since x is %s", describe(t))
	}
	if t.NDim < 0 || idx.NDim < 0 {
		return rankOf(t.DType, -1, t), nil
	}
	a, err := c.axis("axis", axis, t.NDim)
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	id, ok2 := c.dimsOf(idx)
	if !ok || !ok2 {
		return rankOf(t.DType, t.NDim+idx.NDim-1, t), nil
	}
	out := append(append([]tir.Expr{}, d[:a]...), id...)
	return tensorOf(t.DType, append(out, d[a+1:]...), t), nil
}

// prims returns the scalars in argument i, a tuple; ok is false if some are not known.
func (c *InferContext) prims(i int) (out []tir.Expr, ok bool, err error) {
	s := c.SInfo(i)
	if _, unknown := s.(*relax.ObjectStructInfo); unknown {
		return nil, false, nil
	}
	t, isTuple := s.(*relax.TupleStructInfo)
	if !isTuple {
		return nil, false, c.argErr(i, describe(s), "a tuple of scalars")
	}
	ok = true
	for _, f := range t.Fields {
		p, isPrim := f.(*relax.PrimStructInfo)
		if !isPrim {
			return nil, false, c.argErr(i, describe(s), "a tuple of scalars")
		}
		ok = ok && p.Value != nil
		out = append(out, p.Value)
	}
	return out, ok, nil
}

func inferStridedSlice(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	known := true
	lists := make([][]tir.Expr, 4)
	for i := 1; i < c.NumArgs(); i++ {
		list, ok, err := c.prims(i)
		if err != nil {
			return nil, err
		}
		if len(list) != len(lists[0]) && i > 1 && ok && known {
			return nil, c.argErr(i, strconv.Itoa(len(list))+" entries", "one for each of the %d axes", len(lists[0]))
		}
		lists[i-1], known = list, known && ok
	}
	d, ok := c.dimsOf(t)
	if !ok || !known {
		return rankOf(t.DType, t.NDim, t), nil
	}
	list, ok := relax.StaticInts(lists[0])
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	axes, err := c.axes("axes", list, t.NDim)
	if err != nil {
		return nil, err
	}
	out := append([]tir.Expr{}, d...)
	for i, a := range axes {
		var stride tir.Expr = tir.Int(1)
		if lists[3] != nil {
			stride = lists[3][i]
		}
		step, ok := tir.AsInt(stride)
		if !ok {
			return rankOf(t.DType, t.NDim, t), nil
		}
		if step == 0 {
			return nil, c.argErr(4, "0", "a step that is not zero")
		}
		out[a] = c.sliceLength(lists[1][i], lists[2][i], step, d[a], c.Bool("assume_inbound"))
	}
	return tensorOf(t.DType, out, t), nil
}

// sliceLength returns the number of indices from begin to end (exclusive) in steps of step
// on an axis. As in Python, negative bounds count from the end and bounds beyond the ends
// are cut.
func (c *InferContext) sliceLength(begin, end tir.Expr, step int64, extent tir.Expr, inbound bool) tir.Expr {
	if !inbound {
		begin, end = c.sliceBound(begin, step, extent), c.sliceBound(end, step, extent)
	}
	span := tir.Sub(end, begin)
	if step < 0 {
		span, step = tir.Sub(begin, end), -step
	}
	n := tir.FloorDiv(c.Simplify(tir.Add(span, tir.Int(step-1))), tir.Int(step))
	if v, ok := tir.AsInt(n); ok {
		return tir.Int(max(0, v))
	}
	n = c.Simplify(n)
	if inbound || c.CanProve(tir.GE(n, tir.Int(0))) {
		return n
	}
	return c.Simplify(tir.Max(n, tir.Int(0)))
}

// sliceBound maps a bound of a slice to the range that steps of step's sign may reach.
func (c *InferContext) sliceBound(b tir.Expr, step int64, extent tir.Expr) tir.Expr {
	lo, hi := tir.Expr(tir.Int(0)), extent
	if step < 0 {
		lo, hi = tir.Int(-1), tir.Sub(extent, tir.Int(1))
	}
	n, isConst := tir.AsInt(b)
	v, sized := tir.AsInt(extent)
	switch {
	case isConst && sized:
		if n < 0 && n >= -v {
			n += v
		} else if n < 0 {
			n = -1
		}
		l, _ := tir.AsInt(lo)
		h, _ := tir.AsInt(hi)
		return tir.Int(max(l, min(n, h)))
	case isConst && n >= math.MaxInt32:
		return hi // no extent is larger in practice: writes n for min(n, 9223372036854775807)
	case isConst && n <= -math.MaxInt32:
		return lo
	case isConst && n < 0:
		return c.Simplify(tir.Max(tir.Add(extent, tir.Int(n)), lo))
	case isConst && n == 0 && step > 0:
		return tir.Int(0)
	case isConst:
		return c.Simplify(tir.Min(tir.Int(n), hi))
	}
	if !c.CanProve(tir.GE(b, tir.Int(0))) {
		b = &tir.Select{Cond: tir.LT(b, tir.Int(0)), True: tir.Add(b, extent), False: b}
	}
	return c.Simplify(tir.Max(lo, tir.Min(b, hi)))
}

func inferDynamicSlice(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	for i := 1; i < 4; i++ {
		b, err := c.integerTensor(i)
		if err != nil {
			return nil, err
		}
		if b.NDim >= 0 && b.NDim != 1 {
			return nil, c.argErr(i, describe(b), "a tensor of one dimension")
		}
		if d, ok := c.dimsOf(b); ok && t.NDim >= 0 && c.differ(d[0], tir.Int(int64(t.NDim))) {
			return nil, c.argErr(i, describe(b), "one entry for each of the %d dimensions of x", t.NDim)
		}
	}
	return rankOf(t.DType, t.NDim, t), nil
}

// Take takes elements of x along axis.
func Take(x, indices relax.Expr, axis int64) *relax.Call {
	return build("relax.take", ir.NewAttrs("axis", axis), x, indices)
}

// StridedSlice takes a slice of x. The lists have one entry for each axis in axes; strides
// nil is 1.
func StridedSlice(x relax.Expr, axes []int64, begin, end, strides []tir.Expr) *relax.Call {
	args := []relax.Expr{x, primTuple(relax.Ints(axes)), primTuple(begin), primTuple(end)}
	if strides != nil {
		args = append(args, primTuple(strides))
	}
	return build("relax.strided_slice", nil, args...)
}

func primTuple(es []tir.Expr) *relax.Tuple {
	fields := make([]relax.Expr, len(es))
	for i, e := range es {
		fields[i] = &relax.PrimValue{Value: e}
	}
	return &relax.Tuple{Fields: fields}
}
