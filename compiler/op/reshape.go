package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// resolveReshape replaces -1 and 0 among the extents of a reshape. ok is false where an
// extent cannot be told from what is known. 0 copies an extent of t, unless t has no elements:
// then some extent of the result must be 0, and only the literal reading can say which. (It
// may have been a variable, which a pass bound to 0.)
func (c *InferContext) resolveReshape(t *relax.TensorStructInfo, to []tir.Expr) (out []tir.Expr, ok bool, err error) {
	from, known := c.dimsOf(t)
	out = append([]tir.Expr{}, to...)
	free := -1
	empty := known && tir.IsConst(c.product(from), 0)
	for i, e := range to {
		n, isConst := tir.AsInt(e)
		switch {
		case !isConst || n > 0:
		case n == 0 && empty:
		case n == 0 && known && i < len(from):
			out[i] = from[i]
		case n == 0 && known:
			return nil, false, c.argErr(1, dims(to), "0 only at an axis that x, of shape %s, has", dims(from))
		case n == 0:
			return nil, false, nil
		case n == -1 && free < 0:
			free = i
		case n == -1:
			return nil, false, c.argErr(1, dims(to), "-1 at most once")
		default:
			return nil, false, c.argErr(1, dims(to), "extents above zero, 0 or -1")
		}
	}
	if free < 0 {
		return out, true, nil
	}
	if !known {
		return nil, false, nil
	}
	out[free] = tir.Int(1)
	rest, total := c.product(out), c.product(from)
	n, nok := tir.AsInt(total)
	m, mok := tir.AsInt(rest)
	if nok && mok {
		if m == 0 || n%m != 0 {
			return nil, false, c.argErr(1, dims(to), "extents that divide the %d elements of x", n)
		}
		out[free] = tir.Int(n / m)
		return out, true, nil
	}
	out[free] = c.Simplify(tir.FloorDiv(total, rest))
	return out, true, nil
}

func inferReshape(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	s, err := c.Shape(1)
	if err != nil {
		return nil, err
	}
	if s.Values == nil && s.NDim != 0 {
		return shapedBy(call.Args[1], s, t), nil
	}
	// A shape that is a variable means what it says: 0 and -1 are for literals only.
	out, ok, err := c.resolveReshape(t, s.Values)
	if err != nil {
		return nil, err
	}
	if !ok {
		return rankOf(t.DType, len(s.Values), t), nil
	}
	if from, known := c.dimsOf(t); known {
		if a, b := c.product(from), c.product(out); c.differ(a, b) {
			return nil, c.argErr(1, dims(out)+" with "+relax.FormatPrim(b), "a shape of %s elements, like x of shape %s", relax.FormatPrim(a), dims(from))
		}
	}
	return tensorOf(t.DType, out, t), nil
}

// normalizeReshape writes the extents -1 and 0 of a literal shape out.
func normalizeReshape(call *relax.Call, c *InferContext) (*relax.Call, error) {
	s, ok := call.Args[1].(*relax.ShapeExpr)
	if !ok {
		return call, nil
	}
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	special := false
	for _, e := range s.Values {
		n, isConst := tir.AsInt(e)
		special = special || isConst && n <= 0
	}
	if !special {
		return call, nil
	}
	out, ok, err := c.resolveReshape(t, s.Values)
	if err != nil || !ok {
		return call, err
	}
	for i := range out {
		if out[i] != s.Values[i] {
			return call.WithArgs([]relax.Expr{call.Args[0], &relax.ShapeExpr{Base: s.Base, Values: out}}), nil
		}
	}
	return call, nil
}

func inferSplit(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	axis, _ := c.Int("axis")
	v := c.attr("indices_or_sections")
	sections, equal := v.(int64)
	cuts, _ := c.Ints("indices_or_sections")
	n := len(cuts) + 1
	if equal {
		if n = int(sections); n <= 0 {
			return nil, c.attrErr("indices_or_sections", strconv.Itoa(n), "a number above zero or a list of indices")
		}
		if n > MaxParts {
			return nil, c.attrErr("indices_or_sections", strconv.Itoa(n), "at most %d parts", MaxParts)
		}
	}
	unknown := func() relax.StructInfo {
		fields := make([]relax.StructInfo, n)
		for i := range fields {
			fields[i] = rankOf(t.DType, t.NDim, t)
		}
		return &relax.TupleStructInfo{Fields: fields}
	}
	if t.NDim < 0 {
		return unknown(), nil
	}
	a, err := c.axis("axis", axis, t.NDim)
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return unknown(), nil
	}
	fields := make([]relax.StructInfo, n)
	for i := range fields {
		out := append([]tir.Expr{}, d...)
		if equal {
			out[a], err = c.section(d[a], i, n)
		} else {
			out[a], err = c.between(d[a], cuts, i)
		}
		if err != nil {
			return nil, err
		}
		fields[i] = tensorOf(t.DType, out, t)
	}
	return &relax.TupleStructInfo{Fields: fields}, nil
}

// MaxParts bounds the parts of a split, each of which becomes a node.
const MaxParts = 1 << 12

// section returns the extent of part i of n of equal size; the last may be smaller.
func (c *InferContext) section(extent tir.Expr, i, n int) (tir.Expr, error) {
	k := int64(n)
	size := c.Simplify(tir.FloorDiv(tir.Add(extent, tir.Int(k-1)), tir.Int(k)))
	if i < n-1 {
		return size, nil
	}
	last := c.Simplify(tir.Sub(extent, tir.Mul(size, tir.Int(k-1))))
	if v, ok := tir.AsInt(last); ok && v < 0 {
		return nil, c.attrErr("indices_or_sections", strconv.Itoa(n), "at most as many parts as give the extent %s", relax.FormatPrim(extent))
	}
	return last, nil
}

// between returns the extent of part i of an axis that is cut at the given indices.
func (c *InferContext) between(extent tir.Expr, cuts []int64, i int) (tir.Expr, error) {
	clamp := func(n int64) tir.Expr {
		if v, ok := tir.AsInt(extent); ok {
			return tir.Int(max(0, min(n, v)))
		}
		return c.Simplify(tir.Max(tir.Int(0), tir.Min(tir.Int(n), extent)))
	}
	var lo, hi tir.Expr = tir.Int(0), extent
	if i > 0 {
		lo = clamp(cuts[i-1])
	}
	if i < len(cuts) {
		hi = clamp(cuts[i])
	}
	out := c.Simplify(tir.Max(tir.Int(0), tir.Sub(hi, lo)))
	return out, nil
}

func inferSqueeze(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	list, given := c.Ints("axis")
	if t.NDim < 0 {
		return rankOf(t.DType, -1, t), nil
	}
	d, known := c.dimsOf(t)
	if !given && !known {
		return rankOf(t.DType, -1, t), nil
	}
	axes, err := c.axes("axis", list, t.NDim)
	if err != nil {
		return nil, err
	}
	drop := make([]bool, t.NDim)
	for _, a := range axes {
		drop[a] = true
		if known && c.differ(d[a], tir.Int(1)) {
			return nil, c.argErr(0, dims(d), "extent 1 at axis %d, which is to be dropped", a)
		}
	}
	if !known {
		return rankOf(t.DType, t.NDim-len(axes), t), nil
	}
	out := []tir.Expr{}
	for i, e := range d {
		if !drop[i] && (given || !tir.IsConst(e, 1)) {
			out = append(out, e)
		}
	}
	return tensorOf(t.DType, out, t), nil
}

// Reshape returns x with the given extents, among which -1 and 0 mean what they do in NumPy
// and ONNX.
func Reshape(x relax.Expr, shape ...tir.Expr) *relax.Call {
	return build("relax.reshape", nil, x, &relax.ShapeExpr{Values: shape})
}

// LayoutTransform moves the elements of x to where an index map says.
func LayoutTransform(x relax.Expr, m *tir.IndexMap) *relax.Call {
	return build("relax.layout_transform", ir.NewAttrs("index_map", m), x)
}

// PermuteDims returns x with its axes permuted; no axes reverse them.
func PermuteDims(x relax.Expr, axes ...int64) *relax.Call {
	var attrs *ir.Attrs
	if axes != nil {
		attrs = ir.NewAttrs("axes", axes)
	}
	return build("relax.permute_dims", attrs, x)
}
