package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// dtypeDefault is an attribute of an element type with a default.
func dtypeDefault(name, dt, doc string) Attr {
	d, err := dtype.Parse(dt)
	if err != nil {
		panic("op: " + err.Error())
	}
	return Attr{Name: name, Type: DTypeAttr, Default: d, Doc: doc}
}

// inferCastTo is the first argument with elements of out_dtype.
func inferCastTo(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return withDType(t, c.DType("out_dtype")), nil
}

// inferLoss is a scalar, or a value for each target where nothing is reduced.
func inferLoss(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, target, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	if c.Str("reduction") == "none" {
		return withDType(target, t.DType), nil
	}
	return tensorOf(t.DType, nil, t), nil
}

func inferGathered(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.rescaled(func(d tir.Expr, n int64) (tir.Expr, error) { return c.times("num_workers", d, n) })
}

func inferScattered(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.rescaled(func(d tir.Expr, n int64) (tir.Expr, error) {
		if v, ok := tir.AsInt(d); ok && v%n != 0 {
			return nil, c.attrErr("num_workers", formatValue(n), "a divisor of the extent %d", v)
		}
		return c.Simplify(tir.FloorDiv(d, tir.Int(n))), nil
	})
}

// rescaled changes the extent of the axis that workers share.
func (c *InferContext) rescaled(f func(d tir.Expr, workers int64) (tir.Expr, error)) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	n, _ := c.Int("num_workers")
	if n < 1 {
		return nil, c.attrErr("num_workers", formatValue(n), "a number above zero")
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, len(d))
	if err != nil {
		return nil, err
	}
	out := append([]tir.Expr{}, d...)
	if out[a], err = f(d[a], n); err != nil {
		return nil, err
	}
	return tensorOf(t.DType, out, t), nil
}

func inferIndexTensor(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	idx, err := c.Tensors(1)
	if err != nil {
		return nil, err
	}
	if len(idx) == 0 || t.NDim >= 0 && len(idx) > t.NDim {
		return nil, c.argErr(1, formatValue(int64(len(idx))), "from one to %d tensors", t.NDim)
	}
	d, ok := c.dimsOf(t)
	var out []tir.Expr
	for _, x := range idx {
		if !x.DType.IsVoid() && !x.DType.IsInteger() {
			return nil, c.argErr(1, x.DType.String(), "tensors of an integer type")
		}
		xd, known := c.dimsOf(x)
		if !known || !ok {
			ok = false
			continue
		}
		next, fits, bad := BroadcastDims(c.InferContext, out, xd)
		if bad >= 0 {
			return nil, c.argErr(1, dims(xd), "shapes that broadcast with %s", dims(out))
		}
		if ok = fits; ok {
			out = next
		}
	}
	if !ok {
		return rankOf(t.DType, -1, t), nil
	}
	return tensorOf(t.DType, append(append([]tir.Expr{}, out...), d[len(idx):]...), t), nil
}

// inferMedian is the reduced tensor, and where the medians stand if there is a single axis.
func inferMedian(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	s, err := inferReduce(call, c)
	if err != nil {
		return nil, err
	}
	axes, given := c.Ints("axis")
	if !given || len(axes) != 1 {
		return s, nil
	}
	t := s.(*relax.TensorStructInfo)
	return &relax.TupleStructInfo{Fields: []relax.StructInfo{t, withDType(t, dtype.Int64T)}}, nil
}

func inferMeshgrid(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, err := c.Tensors(0)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, c.argErr(0, "an empty tuple", "at least one tensor")
	}
	var shape []tir.Expr
	known := true
	for _, t := range ts {
		if t.NDim >= 0 && t.NDim != 1 {
			return nil, c.argErr(0, describe(t), "tensors of one dimension")
		}
		d, ok := c.dimsOf(t)
		known = known && ok
		shape = append(shape, d...)
	}
	if known && len(shape) > 1 && c.Str("indexing") == "xy" {
		shape[0], shape[1] = shape[1], shape[0]
	}
	out := &relax.TupleStructInfo{}
	for range ts {
		if known {
			out.Fields = append(out.Fields, tensorOf(commonDType(ts), shape, ts...))
		} else {
			out.Fields = append(out.Fields, rankOf(commonDType(ts), len(ts), ts...))
		}
	}
	return out, nil
}

func inferBroadcastLike(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	s, err := c.Shape(1)
	if err != nil {
		return nil, err
	}
	return shapedBy(call.Args[1], s, t), nil
}

func inferMultinomial(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if _, err := c.Tensor(0); err != nil {
		return nil, err
	}
	t, err := c.Tensor(2)
	if err != nil {
		return nil, err
	}
	if d, ok := c.dimsOf(t); ok && len(d) > 0 {
		return tensorOf(c.DType("dtype"), []tir.Expr{d[0], tir.Int(1)}, t), nil
	}
	return rankOf(c.DType("dtype"), 2, t), nil
}

func inferUnique(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	ndim := 1
	if c.HasArg(5) {
		ndim = t.NDim
	}
	out := []relax.StructInfo{rankOf(t.DType, ndim, t)}
	for i := 2; i < 5; i++ {
		if !c.HasArg(i) {
			continue
		}
		p, ok := call.Args[i].(*relax.PrimValue)
		if !ok {
			return nil, c.argErr(i, describe(c.SInfo(i)), "a constant truth value")
		}
		if !tir.IsConst(p.Value, 0) {
			out = append(out, rankOf(dtype.Int64T, 1, t))
		}
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return &relax.TupleStructInfo{Fields: out}, nil
}

func inferNonzero(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return rankOf(dtype.Int64T, 2, t), nil
}

func inferBucketize(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if c.Bool("out_int32") {
		return withDType(t, dtype.Int32T), nil
	}
	return withDType(t, dtype.Int64T), nil
}

func inferHamming(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	n, err := c.Prim(0)
	if err != nil {
		return nil, err
	}
	if !n.DType().IsInteger() {
		return nil, c.argErr(0, n.DType().String(), "an integer")
	}
	return tensorOf(c.DType("dtype"), []tir.Expr{tir.CastTo(dtype.Int64T, n)}), nil
}

func inferGridSample(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, grid, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	g, ok2 := c.dimsOf(grid)
	if !ok || !ok2 || len(d) != 4 || len(g) != 4 || c.Str("layout") != "NCHW" {
		return rankOf(t.DType, t.NDim, t), nil
	}
	return tensorOf(t.DType, []tir.Expr{d[0], d[1], g[2], g[3]}, t), nil
}

func inferAllClassNMS(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	boxes, scores, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	b, ok := c.dimsOf(boxes)
	s, ok2 := c.dimsOf(scores)
	if !ok || !ok2 || len(b) != 3 || len(s) != 3 {
		return relax.Object(), nil
	}
	onnx := c.Str("output_format") == "onnx"
	per := c.Simplify(tir.Mul(s[1], b[1]))
	if onnx {
		return &relax.TupleStructInfo{Fields: []relax.StructInfo{
			tensorOf(dtype.Int64T, []tir.Expr{c.product([]tir.Expr{b[0], s[1], b[1]}), tir.Int(3)}, boxes), tensorOf(dtype.Int64T, []tir.Expr{tir.Int(1)}, boxes),
		}}, nil
	}
	return &relax.TupleStructInfo{Fields: []relax.StructInfo{
		tensorOf(dtype.Int64T, []tir.Expr{b[0], per, tir.Int(2)}, boxes), tensorOf(dtype.Float32T, []tir.Expr{b[0], per}, boxes),
		tensorOf(dtype.Int64T, []tir.Expr{b[0]}, boxes),
	}}, nil
}

// inferInspect is the scalar that a field of the header of a tensor holds.
func inferInspect(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	field := strings.TrimPrefix(c.Op.Name, "relax.inspect.tensor_")
	out := &relax.PrimStructInfo{DType: dtype.Int64T}
	known := func(ok bool, v int64) {
		if ok {
			out.Value = &tir.IntImm{Type: out.DType, Value: v}
		}
	}
	switch field {
	case "dtype_code", "dtype_bits":
		out.DType = dtype.DType{Code: dtype.UInt, Bits: 8, Lanes: 1}
		if field == "dtype_code" {
			known(!t.DType.IsVoid(), int64(t.DType.Code))
		} else {
			known(!t.DType.IsVoid(), int64(t.DType.Bits))
		}
	case "dtype_lanes":
		out.DType = dtype.DType{Code: dtype.UInt, Bits: 16, Lanes: 1}
		known(!t.DType.IsVoid(), int64(t.DType.Lanes))
	case "ndim":
		out.DType = dtype.Int32T
		known(t.NDim >= 0, int64(t.NDim))
	case "byte_offset", "elem_offset":
		out.DType = dtype.UInt64T
	case "shape_i", "stride_i":
		p, ok := c.SInfo(1).(*relax.PrimStructInfo)
		if !ok {
			return nil, c.argErr(1, describe(c.SInfo(1)), "a scalar")
		}
		d, shaped := c.dimsOf(t)
		if i, ok := tir.AsInt(p.Value); ok && t.NDim >= 0 {
			if i < 0 || i >= int64(t.NDim) {
				return nil, c.argErr(1, formatValue(i), "an axis from 0 to %d", t.NDim-1)
			}
			if shaped && field == "shape_i" {
				out.Value = d[i]
			}
		}
	}
	return out, nil
}

// isAttrs reports whether v is a dictionary of attributes.
func isAttrs(v ir.Value) bool { _, ok := v.(*ir.Attrs); return ok || v == nil }
