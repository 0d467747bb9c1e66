package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// unaryOps are the operators that compute each element from the element of one tensor.
func unaryOps() []*Op {
	var ops []*Op
	add := func(infer InferFunc, names string) {
		for _, n := range strings.Fields(names) {
			ops = append(ops, &Op{
				Name: "relax." + n, Args: []Arg{{Name: "x", Doc: "The input tensor."}},
				Infer: infer, Pattern: ElemWise, Doc: unaryDocs[n],
			})
		}
	}
	add(inferFloatUnary, "acos acosh asin asinh atan atanh cos cosh erf exp log rsqrt sigmoid sin sinh sqrt tan tanh")
	add(inferUnary, "abs bitwise_not ceil floor logical_not negative round sign square trunc")
	add(inferCheck, "isfinite isinf isnan")
	return append(ops, &Op{
		Name: "relax.clip",
		Args: []Arg{
			{Name: "x", Doc: "The input tensor."},
			{Name: "min", Kind: Prim, Doc: "The lower bound."},
			{Name: "max", Kind: Prim, Doc: "The upper bound."},
		},
		Infer: inferUnary, Pattern: ElemWise, Doc: "Limits each element to the range from min to max.",
	})
}

var unaryDocs = map[string]string{
	"abs": "The absolute value.", "acos": "The inverse cosine.", "acosh": "The inverse hyperbolic cosine.",
	"asin": "The inverse sine.", "asinh": "The inverse hyperbolic sine.", "atan": "The inverse tangent.",
	"atanh": "The inverse hyperbolic tangent.", "bitwise_not": "The complement of all bits.",
	"ceil": "The smallest integer that is not less.", "cos": "The cosine.", "cosh": "The hyperbolic cosine.",
	"erf": "The Gauss error function.", "exp": "The exponential function.", "floor": "The largest integer that is not greater.",
	"isfinite": "Whether the element is neither infinite nor NaN.", "isinf": "Whether the element is infinite.",
	"isnan": "Whether the element is NaN.", "log": "The natural logarithm.", "logical_not": "The negation of a truth value.",
	"negative": "The negation.", "round": "The nearest integer, halves to even.", "rsqrt": "The reciprocal of the square root.",
	"sigmoid": "The logistic function 1 / (1 + exp(-x)).", "sign": "-1, 0 or 1 by the sign.", "sin": "The sine.",
	"sinh": "The hyperbolic sine.", "sqrt": "The square root.", "square": "The square.", "tan": "The tangent.",
	"tanh": "The hyperbolic tangent.", "trunc": "The integer part.",
}

// inferUnary keeps shape and element type of the first argument.
func inferUnary(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// inferFloatUnary is inferUnary for functions that are defined on floating-point numbers.
func inferFloatUnary(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.floatTensor(0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// floatTensor is Tensor with a floating-point (or unknown) element type.
func (c *InferContext) floatTensor(i int) (*relax.TensorStructInfo, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return nil, err
	}
	if !t.DType.IsVoid() && !t.DType.IsFloat() {
		return nil, c.argErr(i, t.DType.String(), "a tensor of a floating-point type")
	}
	return t, nil
}

// inferCheck keeps the shape and yields bool.
func inferCheck(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return withDType(t, dtype.BoolT), nil
}
