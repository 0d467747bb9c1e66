package op

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// dtypeAttr describes an attribute dtype that may be left out.
func dtypeAttr(doc string) Attr {
	return Attr{Name: "dtype", Type: DTypeAttr, Default: dtype.Void, Doc: doc}
}

func createOps() []*Op {
	shape := Arg{Name: "shape", Kind: Shape, Doc: "The extents of the result."}
	x := Arg{Name: "x", Doc: "The input tensor."}
	fill := Arg{Name: "fill_value", Doc: "The value, a tensor without dimensions."}
	like := dtypeAttr("The element type; void is that of the input.")
	must := Attr{Name: "dtype", Type: DTypeAttr, Required: true, Doc: "The element type."}
	k := Arg{Name: "k", Kind: Prim, Doc: "The diagonal: 0 is the main one, positive numbers are above it."}
	var ops []*Op
	for _, n := range []string{"ones", "zeros"} {
		ops = append(ops,
			&Op{Name: "relax." + n, Args: []Arg{shape}, Attrs: []Attr{must}, Infer: inferFilled, Pattern: ElemWise, Doc: "A tensor of " + n + "."},
			&Op{Name: "relax." + n + "_like", Args: []Arg{x}, Attrs: []Attr{like}, Infer: inferLike, Pattern: ElemWise, Doc: "A tensor of " + n + " in the shape of another."})
	}
	for _, n := range []string{"tril", "triu"} {
		ops = append(ops, &Op{
			Name: "relax." + n, Args: []Arg{x, k}, Infer: inferTriangle, Pattern: Injective,
			Doc: map[string]string{"tril": "Zeroes what is above", "triu": "Zeroes what is below"}[n] + " a diagonal of the last two axes.",
		})
	}
	return append(ops,
		&Op{
			Name: "relax.full", Args: []Arg{shape, fill}, Attrs: []Attr{dtypeAttr("The element type; void is that of the value.")},
			Infer: inferFull, Pattern: ElemWise, Doc: "A tensor with one value everywhere.",
		},
		&Op{
			Name: "relax.full_like", Args: []Arg{x, fill}, Attrs: []Attr{like}, Infer: inferFullLike, Pattern: ElemWise,
			Doc: "A tensor with one value everywhere in the shape of another.",
		},
		&Op{
			Name: "relax.arange",
			Args: []Arg{
				{Name: "start", Kind: Prim, Doc: "The first value."},
				{Name: "end", Kind: Prim, Doc: "The bound, which is left out."},
				{Name: "step", Kind: Prim, Doc: "The difference of neighbours."},
			},
			Attrs: []Attr{must}, Infer: inferArange, Pattern: Injective, Doc: "Numbers at equal distances.",
		},
		&Op{
			Name:  "relax.eye",
			Args:  []Arg{{Name: "n", Kind: Prim, Doc: "The number of rows."}, {Name: "m", Kind: Prim, Doc: "The number of columns."}, k},
			Attrs: []Attr{must}, Infer: inferEye, Pattern: Injective, Doc: "A matrix with ones on a diagonal.",
		},
		&Op{
			Name: "relax.eye_like", Args: []Arg{x, k}, Attrs: []Attr{like}, Infer: inferEyeLike, Pattern: Injective,
			Doc: "A matrix with ones on a diagonal in the shape of another.",
		},
		&Op{
			Name: "relax.astype", Args: []Arg{x}, Attrs: []Attr{must}, Infer: inferLike, Pattern: ElemWise,
			Doc: "Converts the elements to another type.",
		},
		&Op{
			Name: "relax.wrap_param", Args: []Arg{x}, Attrs: []Attr{must}, Infer: inferLike, Pattern: ElemWise,
			Doc: "Converts a model parameter to another type.",
		})
}

// filled returns a tensor of the shape that argument i gives.
func (c *InferContext) filled(i int, dt dtype.DType, like ...*relax.TensorStructInfo) (relax.StructInfo, error) {
	s, err := c.Shape(i)
	if err != nil {
		return nil, err
	}
	for _, e := range s.Values {
		if n, ok := tir.AsInt(e); ok && n < 0 {
			return nil, c.argErr(i, dims(s.Values), "extents that are not negative")
		}
	}
	t := relax.TensorStructInfo{DType: dt, VDevice: sameVDevice(like...)}
	return shapedBy(c.call.Args[i], s, &t), nil
}

func inferFilled(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	return c.filled(0, c.DType("dtype"))
}

func inferFull(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	v, err := c.scalar(1)
	if err != nil {
		return nil, err
	}
	dt := c.DType("dtype")
	if dt.IsVoid() {
		dt = v.DType
	}
	return c.filled(0, dt, v)
}

// scalar returns argument i, which must be a tensor without dimensions.
func (c *InferContext) scalar(i int) (*relax.TensorStructInfo, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return nil, err
	}
	if t.NDim > 0 {
		return nil, c.argErr(i, describe(t), "a tensor without dimensions")
	}
	return t, nil
}

func inferLike(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if dt := c.DType("dtype"); !dt.IsVoid() {
		return withDType(t, dt), nil
	}
	return t, nil
}

func inferEyeLike(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if t, err := c.Tensor(0); err == nil && t.NDim >= 0 && t.NDim != 2 {
		return nil, c.argErr(0, describe(t), "a matrix")
	}
	return inferLike(call, c)
}

func inferFullLike(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	if _, err := c.scalar(1); err != nil {
		return nil, err
	}
	return inferLike(call, c)
}

func inferTriangle(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if t.NDim >= 0 && t.NDim < 2 {
		return nil, c.argErr(0, describe(t), "a tensor of at least two dimensions")
	}
	return t, nil
}

func inferArange(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	var v [3]tir.Expr
	for i := range v {
		e, err := c.Prim(i)
		if err != nil {
			return nil, err
		}
		v[i] = e
	}
	if tir.IsConst(v[2], 0) {
		return nil, c.argErr(2, "0", "a step that is not zero")
	}
	return tensorOf(c.DType("dtype"), []tir.Expr{c.arangeLength(v[0], v[1], v[2])}), nil
}

// arangeLength is ceil((end - start) / step), and 0 where that is negative.
func (c *InferContext) arangeLength(start, end, step tir.Expr) tir.Expr {
	if x, ok := constFloat(start); ok {
		y, ok := constFloat(end)
		s, ok2 := constFloat(step)
		if ok && ok2 {
			return tir.Int(int64(math.Max(0, math.Ceil((y-x)/s))))
		}
	}
	if s, ok := tir.AsInt(step); ok && !start.DType().IsFloat() && !end.DType().IsFloat() {
		span := tir.Sub(end, start)
		if s < 0 {
			span, s = tir.Sub(start, end), -s
		}
		span = tir.CastTo(dtype.Int64T, span)
		n := c.Simplify(tir.FloorDiv(tir.Add(span, tir.Int(s-1)), tir.Int(s)))
		if c.CanProve(tir.GE(n, tir.Int(0))) || isSizeVar(n) {
			return n
		}
		return c.Simplify(tir.Max(n, tir.Int(0)))
	}
	q := tir.Div(tir.CastTo(dtype.Float32T, tir.Sub(end, start)), tir.CastTo(dtype.Float32T, step))
	return tir.CastTo(dtype.Int64T, tir.NewCall(tir.OpCeil, q))
}

// isSizeVar reports whether e is a variable: extents of tensors are not negative.
func isSizeVar(e tir.Expr) bool { _, ok := e.(*tir.Var); return ok }

func constFloat(e tir.Expr) (float64, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Float(), true
	case *tir.FloatImm:
		return e.Value, true
	}
	return 0, false
}

func inferEye(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	var shape []tir.Expr
	for i := range 2 {
		e, err := c.Prim(i)
		if err != nil {
			return nil, err
		}
		shape = append(shape, tir.CastTo(dtype.Int64T, e))
	}
	return tensorOf(c.DType("dtype"), shape), nil
}

// AsType converts x to another element type.
func AsType(x relax.Expr, dt dtype.DType) *relax.Call {
	return build("relax.astype", ir.NewAttrs("dtype", dt), x)
}

// Zeros returns a tensor of zeros; shape is a shape expression or a variable that holds one.
func Zeros(shape relax.Expr, dt dtype.DType) *relax.Call {
	return build("relax.zeros", ir.NewAttrs("dtype", dt), shape)
}

// Scalar returns a constant without dimensions; v is rounded to dt.
func Scalar(dt dtype.DType, v float64) (*relax.Constant, error) {
	t, err := tensor.New(dt, nil)
	if err != nil {
		return nil, err
	}
	t.SetFloat(0, v)
	blob, err := ir.NewBlob(dt, []int64{}, t.Data)
	if err != nil {
		return nil, err
	}
	return &relax.Constant{Data: blob}, nil
}
