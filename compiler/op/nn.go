package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// nnOps are the activations and what else works on one data tensor.
func nnOps() []*Op {
	data := []Arg{{Name: "data", Doc: "The input tensor."}}
	axis := Attr{Name: "axis", Type: IntAttr, Default: int64(-1), Doc: "The axis that is normalised."}
	ops := []*Op{{Name: "relax.nn.relu", Args: data, Infer: inferUnary, Pattern: ElemWise, Doc: "max(x, 0)."}}
	docs := map[string]string{
		"gelu": "x * (1 + erf(x / sqrt 2)) / 2.", "gelu_tanh": "The approximation of gelu by tanh.",
		"selu": "The scaled exponential linear unit.", "silu": "x * sigmoid(x).",
	}
	for _, n := range strings.Fields("gelu gelu_tanh selu silu") {
		ops = append(ops, &Op{Name: "relax.nn." + n, Args: data, Infer: inferFloatUnary, Pattern: ElemWise, Doc: docs[n]})
	}
	for _, n := range []string{"softmax", "log_softmax"} {
		ops = append(ops, &Op{
			Name: "relax.nn." + n, Args: data, Attrs: []Attr{axis}, Infer: inferAxisFloat, Pattern: OutEWiseFusable,
			Doc: map[string]string{"softmax": "exp(x) / sum(exp(x)) along an axis.", "log_softmax": "The logarithm of softmax along an axis."}[n],
		})
	}
	return append(ops,
		&Op{
			Name: "relax.nn.leakyrelu", Args: data, Infer: inferFloatUnary, Pattern: ElemWise,
			Attrs: []Attr{{Name: "alpha", Type: FloatAttr, Default: 0.01, Doc: "The slope of the negative part."}},
			Doc:   "x where it is positive, alpha * x elsewhere.",
		},
		&Op{
			Name: "relax.nn.prelu", Infer: inferPRelu, Pattern: Broadcast,
			Args:  []Arg{{Name: "data", Doc: "The input tensor."}, {Name: "alpha", Doc: "The slope for each channel."}},
			Attrs: []Attr{{Name: "axis", Type: IntAttr, Default: int64(1), Doc: "The axis of the channels."}},
			Doc:   "x where it is positive, alpha * x elsewhere, with a slope for each channel.",
		},
		&Op{
			Name: "relax.nn.softplus", Args: data, Infer: inferFloatUnary, Pattern: ElemWise,
			Attrs: []Attr{
				{Name: "beta", Type: FloatAttr, Default: 1.0, Doc: "The sharpness."},
				{Name: "threshold", Type: FloatAttr, Default: 20.0, Doc: "Where beta * x is above it the result is x."},
			},
			Doc: "log(1 + exp(beta * x)) / beta.",
		},
		&Op{
			Name: "relax.nn.dropout", Args: data, Infer: inferDropout, Pattern: Opaque,
			Attrs: []Attr{{Name: "rate", Type: FloatAttr, Default: 0.5, Doc: "The share of elements that are set to zero in training."}},
			Doc:   "Sets elements to zero at random in training; yields the result and the mask.",
		},
		&Op{
			Name: "relax.nn.pad", Args: data, Infer: inferPad, Pattern: Injective,
			Attrs: []Attr{
				{Name: "pad_width", Type: IntsAttr, Required: true, Doc: "For each axis what is added before and after."},
				{Name: "pad_value", Type: FloatAttr, Default: 0.0, Doc: "The value of a constant padding."},
				{Name: "pad_mode", Type: StringAttr, Default: "constant", Doc: "What is added.", Enum: []string{"constant", "reflect", "replicate", "circular", "edge"}},
			},
			Doc: "Adds elements at the ends of axes.",
		},
		&Op{
			Name: "relax.nn.pixel_shuffle", Args: data, Infer: inferPixelShuffle, Pattern: Injective,
			Attrs: []Attr{{Name: "upscale_factor", Type: IntAttr, Required: true, Doc: "The factor r."}},
			Doc:   "Moves channels to space: (*, C*r*r, H, W) becomes (*, C, H*r, W*r).",
		},
		&Op{
			Name: "relax.nn.batch_flatten", Args: data, Infer: inferBatchFlatten, Pattern: Injective,
			Doc: "Flattens all axes but the first.",
		})
}

// inferAxisFloat is inferFloatUnary for operators with an axis.
func inferAxisFloat(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.floatTensor(0)
	if err != nil {
		return nil, err
	}
	if a, _ := c.Int("axis"); t.NDim >= 0 {
		if _, err := c.axis("axis", a, t.NDim); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func inferPRelu(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	out, err := inferAxisFloat(call, c)
	if err != nil {
		return nil, err
	}
	alpha, err := c.Tensor(1)
	if err != nil {
		return nil, err
	}
	t := out.(*relax.TensorStructInfo)
	d, ok := c.dimsOf(t)
	slopes, ok2 := c.dimsOf(alpha)
	switch {
	case alpha.NDim >= 0 && alpha.NDim != 1:
		return nil, c.argErr(1, describe(alpha), "one dimension, a slope for each channel of data")
	case !alpha.DType.IsVoid() && !t.DType.IsVoid() && alpha.DType != t.DType:
		return nil, c.argErr(1, alpha.DType.String(), "slopes of the type of data, %s", t.DType)
	}
	if ok && ok2 && !tir.IsConst(slopes[0], 1) {
		a, _ := c.Int("axis")
		n, _ := c.axis("axis", a, t.NDim)
		if c.differ(slopes[0], d[n]) {
			return nil, c.argErr(1, dims(slopes), "one slope for each of the %s channels of data", relax.FormatPrim(d[n]))
		}
	}
	return t, nil
}

func inferDropout(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return &relax.TupleStructInfo{Fields: []relax.StructInfo{t, t}}, nil
}

func inferPad(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	width, _ := c.Ints("pad_width")
	if len(width)%2 != 0 || (t.NDim >= 0 && len(width) != 2*t.NDim) {
		return nil, c.attrErr("pad_width", formatInts(width), "two entries for each dimension of %s", describe(t))
	}
	for _, w := range width {
		if w > ir.MaxElements || w < -ir.MaxElements {
			return nil, c.attrErr("pad_width", formatInts(width), "numbers of at most %d", int64(ir.MaxElements))
		}
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, len(width)/2, t), nil
	}
	out := make([]tir.Expr, len(d))
	for i := range d {
		out[i] = c.Simplify(tir.Add(d[i], tir.Int(width[2*i]+width[2*i+1])))
		if n, ok := tir.AsInt(out[i]); ok && n < 0 {
			return nil, c.attrErr("pad_width", formatInts(width), "cuts no larger than the shape %s", dims(d))
		}
	}
	return tensorOf(t.DType, out, t), nil
}

func inferPixelShuffle(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	r, _ := c.Int("upscale_factor")
	if r <= 0 || r > maxStep {
		return nil, c.attrErr("upscale_factor", formatValue(r), "a number above zero, at most %d", maxStep)
	}
	if t.NDim >= 0 && t.NDim < 3 {
		return nil, c.argErr(0, describe(t), "a tensor of at least 3 dimensions")
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	n := len(d)
	if ch, ok := tir.AsInt(d[n-3]); ok && ch%(r*r) != 0 {
		return nil, c.argErr(0, dims(d), "channels that are a multiple of %d", r*r)
	}
	out := append([]tir.Expr{}, d...)
	out[n-3] = c.Simplify(tir.FloorDiv(d[n-3], tir.Int(r*r)))
	out[n-2] = c.Simplify(tir.Mul(d[n-2], tir.Int(r)))
	out[n-1] = c.Simplify(tir.Mul(d[n-1], tir.Int(r)))
	return tensorOf(t.DType, out, t), nil
}

func inferBatchFlatten(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if t.NDim == 0 {
		return nil, c.argErr(0, describe(t), "a tensor of at least one dimension")
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, 2, t), nil
	}
	return tensorOf(t.DType, []tir.Expr{d[0], c.product(d[1:])}, t), nil
}

// Relu returns max(x, 0).
func Relu(x relax.Expr) *relax.Call { return build("relax.nn.relu", nil, x) }

// Softmax returns the softmax of x along axis.
func Softmax(x relax.Expr, axis int64) *relax.Call {
	return build("relax.nn.softmax", ir.NewAttrs("axis", axis), x)
}

// Pad adds elements of a value at the ends of axes: two widths for each.
func Pad(x relax.Expr, widths []int64, mode string, value float64) *relax.Call {
	return build("relax.nn.pad", ir.NewAttrs("pad_width", widths, "pad_mode", mode, "pad_value", value), x)
}
