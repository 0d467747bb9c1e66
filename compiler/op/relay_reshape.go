package op

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// inferRelayReshape reads the special values of newshape: 0 copies an extent, -1 is what is left, -2 copies all that remain,
// -3 is the product of two, -4 splits one into the two numbers behind it, of which one may be -1. With reverse all is read from the right.
func inferRelayReshape(reverse bool) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		t, err := c.Tensor(0)
		if err != nil {
			return nil, err
		}
		shape, _ := c.Ints("newshape")
		d, ok := c.dimsOf(t)
		if !ok {
			return rankOf(t.DType, plainRank(shape), t), nil
		}
		d = slices.Clone(d)
		if reverse {
			slices.Reverse(d)
			shape = slices.Clone(shape)
			slices.Reverse(shape)
			for i := 2; i < len(shape); i++ { // -4 stands behind its numbers now
				if shape[i] == -4 {
					shape[i-2], shape[i-1], shape[i] = -4, shape[i-2], shape[i-1]
				}
			}
		}
		out, err := c.newShape(t, d, shape)
		if err != nil {
			return nil, err
		}
		if reverse {
			slices.Reverse(out)
		}
		return tensorOf(t.DType, out, t), nil
	}
}

// plainRank is the rank of a shape without values that copy or join axes, else -1.
func plainRank(shape []int64) int {
	for _, s := range shape {
		if s < -1 {
			return -1
		}
	}
	return len(shape)
}

func (c *InferContext) newShape(t *relax.TensorStructInfo, d []tir.Expr, shape []int64) ([]tir.Expr, error) {
	var out []tir.Expr
	at, open := 0, -1
	next := func() tir.Expr { at++; return d[at-1] }
	bad := func() error { return c.attrErr("newshape", formatInts(shape), "a shape for %s", describe(t)) }
	for i := 0; i < len(shape); i++ {
		switch s := shape[i]; {
		case s == 0 && c.Bool("allowzero"):
			out = append(out, tir.Int(0))
		case s == 0 || s == -3 || s == -4:
			if at+max(1, map[int64]int{-3: 2}[s]) > len(d) || s == -4 && i+2 >= len(shape) {
				return nil, bad()
			}
			x := next()
			switch s {
			case 0:
				out = append(out, x)
			case -3:
				out = append(out, c.Simplify(tir.Mul(x, next())))
			default:
				a, b := shape[i+1], shape[i+2]
				i += 2
				if a == -1 && b > 0 {
					out = append(out, c.Simplify(tir.FloorDiv(x, tir.Int(b))), tir.Int(b))
				} else if a > 0 && (b == -1 || b > 0) {
					out = append(out, tir.Int(a), c.Simplify(tir.FloorDiv(x, tir.Int(a))))
				} else {
					return nil, bad()
				}
			}
		case s == -2:
			for at < len(d) {
				out = append(out, next())
			}
		case s == -1 && open < 0:
			open = len(out)
			out = append(out, nil)
			at = min(at+1, len(d))
		case s > 0:
			out = append(out, tir.Int(s))
			at = min(at+1, len(d))
		default:
			return nil, bad()
		}
	}
	total := c.product(d)
	if open < 0 {
		if c.differ(total, c.product(out)) {
			return nil, bad()
		}
		return out, nil
	}
	rest := append(slices.Clone(out[:open]), out[open+1:]...)
	by := c.product(rest)
	if tir.IsConst(by, 0) {
		return nil, bad()
	}
	if n, ok := tir.AsInt(total); ok {
		if m, ok := tir.AsInt(by); ok && n%m != 0 {
			return nil, bad()
		}
	}
	out[open] = c.Simplify(tir.FloorDiv(total, by))
	return out, nil
}

func inferReshapeLike(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, u, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	a, ok := c.dimsOf(t)
	b, ok2 := c.dimsOf(u)
	if !ok || !ok2 {
		return rankOf(t.DType, -1, t), nil
	}
	lo, hi, ok := c.part("lhs", len(a))
	lo2, hi2, ok2 := c.part("rhs", len(b))
	if !ok || !ok2 {
		return nil, c.attrErr("lhs_begin", formatValue(int64(lo)), "ranges of axes of both tensors")
	}
	return tensorOf(t.DType, slices.Concat(a[:lo], b[lo2:hi2], a[hi:]), t), nil
}

// part is the range of axes that the attributes of reshape_like give for a side.
func (c *InferContext) part(side string, ndim int) (lo, hi int, ok bool) {
	b, _ := c.Int(side + "_begin")
	e, given := c.Int(side + "_end")
	if !given {
		e = int64(ndim)
	}
	if b < 0 {
		b += int64(ndim)
	}
	if e < 0 {
		e += int64(ndim)
	}
	return int(b), int(e), b >= 0 && b <= e && e <= int64(ndim)
}

func inferSliceLike(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, u, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	a, ok := c.dimsOf(t)
	b, ok2 := c.dimsOf(u)
	if !ok || !ok2 {
		return rankOf(t.DType, t.NDim, t), nil
	}
	a = slices.Clone(a)
	list, given := c.Ints("axes")
	if !given || len(list) == 0 {
		list = nil
		for i := range min(len(a), len(b)) {
			list = append(list, int64(i))
		}
	}
	axes, err := c.axes("axes", list, len(a))
	if err != nil {
		return nil, err
	}
	for _, x := range axes {
		if x < len(b) {
			a[x] = b[x]
		}
	}
	return tensorOf(t.DType, a, t), nil
}

// inferRelaySplit gives equal parts for one number, and parts that end before each index for a list of two or more.
func inferRelaySplit(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	at, _ := c.Ints("indices_or_sections")
	out := &relax.TupleStructInfo{}
	for range len(at) + 1 {
		out.Fields = append(out.Fields, rankOf(t.DType, t.NDim, t))
	}
	return out, nil
}

func inferRelayStack(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, err := c.Tensors(0)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, c.argErr(0, "an empty tuple", "at least one tensor")
	}
	t := ts[0]
	d, ok := c.dimsOf(t)
	if !ok {
		if t.NDim < 0 {
			return rankOf(t.DType, -1, t), nil
		}
		return rankOf(t.DType, t.NDim+1, t), nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, len(d)+1)
	if err != nil {
		return nil, err
	}
	return tensorOf(t.DType, slices.Insert(slices.Clone(d), a, tir.Expr(tir.Int(int64(len(ts))))), t), nil
}

// inferRelayTopK is the largest k elements along an axis, where they stand, or both; k of 0 or less is all.
func inferRelayTopK(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	values := rankOf(t.DType, t.NDim, t)
	k, given := c.Int("k")
	if d, ok := c.dimsOf(t); ok && given && c.NumArgs() == 1 {
		axis, _ := c.Int("axis")
		a, err := c.axis("axis", axis, len(d))
		if err != nil {
			return nil, err
		}
		d = slices.Clone(d)
		if k > 0 {
			d[a] = tir.Int(k)
		}
		values = tensorOf(t.DType, d, t)
	}
	indices := withDType(values, c.orDType(dtype.Int32T))
	switch c.Str("ret_type") {
	case "values":
		return values, nil
	case "indices":
		return indices, nil
	case "both":
		return &relax.TupleStructInfo{Fields: []relax.StructInfo{values, indices}}, nil
	}
	return nil, c.attrErr("ret_type", c.Str("ret_type"), "both, values or indices")
}

func inferRelayArgsort(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return withDType(t, c.orDType(dtype.Int32T)), nil
}

// inferRelayLayout permutes the axes; where a layout splits one, the rank is what is known.
func inferRelayLayout(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	from, to := c.Str("src_layout"), c.Str("dst_layout")
	d, at, ok := c.byLetter(t, from)
	out := make([]tir.Expr, 0, len(to))
	for i := range len(to) {
		j := at(to[i])
		if ok = ok && j >= 0 && len(to) == len(from); !ok {
			break
		}
		out = append(out, d[j])
	}
	if ok {
		return tensorOf(t.DType, out, t), nil
	}
	if out := blockedExtents(t, from, to); out != nil {
		return tensorOf(t.DType, out, t), nil
	}
	rank := 0
	for _, l := range to {
		if l >= 'A' && l <= 'Z' || l >= 'a' && l <= 'z' {
			rank++
		}
	}
	if strings.TrimSpace(to) == "" {
		rank = t.NDim
	}
	return rankOf(t.DType, rank, t), nil
}

// blockedExtents is the shape of a tensor in layout to, nil where it is not known.
func blockedExtents(t *relax.TensorStructInfo, from, to string) []tir.Expr {
	a, err := tensorlayout.Parse(from)
	b, err2 := tensorlayout.Parse(to)
	d, known := t.Dims()
	if err != nil || err2 != nil || !known || len(d) != len(a) || a.Rank() != b.Rank() || len(b) == 0 {
		return nil
	}
	for _, x := range b {
		if a.Pos(x.Letter) < 0 {
			return nil
		}
	}
	out := b.Shape(a.Letters(), a.Extents(a.Letters(), d))
	an := arith.NewAnalyzer()
	for i := range out {
		out[i] = an.Simplify(out[i])
	}
	return out
}

func inferRelaySlice(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	begin, ok2 := c.Ints("begin")
	end, ok3 := c.Ints("end")
	if !ok || !ok2 || !ok3 {
		return rankOf(t.DType, t.NDim, t), nil
	}
	strides, _ := c.Ints("strides")
	list, given := c.Ints("axes")
	if !given {
		for i := range max(len(begin), len(end)) {
			list = append(list, int64(i))
		}
	}
	axes, err := c.axes("axes", list, len(d))
	if err != nil {
		return nil, err
	}
	out := slices.Clone(d)
	for i, a := range axes {
		from, step, to := int64(0), int64(1), int64(maxSlice)
		if i < len(begin) {
			from = begin[i]
		}
		if i < len(strides) {
			step = strides[i]
		} else if len(strides) == 1 {
			step = strides[0]
		}
		if i < len(end) {
			to = end[i]
		}
		if step == 0 || step > maxStep || step < -maxStep {
			return nil, c.attrErr("strides", formatInts(strides), "steps that are not zero, at most %d", maxStep)
		}
		if c.Str("slice_mode") == "size" {
			step = 1
			if to < 0 {
				to = maxSlice
			} else {
				to += from
			}
		}
		out[a] = c.sliceLength(tir.Int(from), tir.Int(to), step, d[a], false)
	}
	return tensorOf(t.DType, out, t), nil
}

// maxSlice stands for the end of an axis.
const maxSlice = 1 << 31

func inferRelayTake(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, idx, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	axis, given := c.Int("axis")
	d, ok := c.dimsOf(t)
	id, ok2 := c.dimsOf(idx)
	batch, _ := c.Int("batch_dims")
	switch {
	case !given:
		return withDType(idx, t.DType), nil
	case !ok || !ok2 || batch != 0:
		return rankOf(t.DType, -1, t), nil
	}
	a, err := c.axis("axis", axis, len(d))
	if err != nil {
		return nil, err
	}
	return tensorOf(t.DType, slices.Concat(d[:a], id, d[a+1:]), t), nil
}

func inferRelayOneHot(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	dt := c.DType("dtype")
	d, ok := c.dimsOf(t)
	depth, _ := c.Int("depth")
	if !ok || c.NumArgs() > 3 {
		if t.NDim < 0 {
			return rankOf(dt, -1, t), nil
		}
		return rankOf(dt, t.NDim+1, t), nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, len(d)+1)
	if err != nil {
		return nil, err
	}
	return tensorOf(dt, slices.Insert(slices.Clone(d), a, tir.Expr(tir.Int(depth))), t), nil
}
