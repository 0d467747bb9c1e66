package opeval

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// rule computes a call of an operator on tensors into out, which has the element type and shape of the result. Its elements have the value NaN before.
type rule func(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error

// rules are the operators that are known, without "relax.".
var rules = func() map[string]rule {
	out := map[string]rule{
		"matmul": matmul, "nn.conv2d": conv2d, "nn.max_pool2d": pool2d, "nn.avg_pool2d": pool2d, "nn.softmax": softmax, "nn.log_softmax": softmax,
		"permute_dims": permute, "concat": concat, "expand_dims": copied, "squeeze": copied, "flatten": copied, "broadcast_to": broadcast,
		"sum": reduce, "mean": reduce, "max": reduce, "min": reduce, "prod": reduce,
	}
	for name, f := range unary {
		out[name] = elementwise(func(_ *relax.Call, x []float64) float64 { return f(x[0]) })
	}
	for name, f := range binary {
		out[name] = elementwise(func(_ *relax.Call, x []float64) float64 { return f(x[0], x[1]) })
	}
	out["nn.leakyrelu"] = elementwise(func(c *relax.Call, x []float64) float64 {
		if x[0] < 0 {
			return x[0] * c.Attrs.Float("alpha", 0.01)
		}
		return x[0]
	})
	return out
}()

// operator returns the name of the operator of a call, without "relax."; "" for any other call.
func operator(c *relax.Call) string {
	if o, ok := c.Op.(*ir.Op); ok && len(o.Name) > len("relax.") {
		return o.Name[len("relax."):]
	}
	return ""
}

// Known tells whether Eval computes a call: the operator is known, operands and result are tensors of one type, float32 or float64, and the layouts
// are the default ones.
func Known(c *relax.Call) bool {
	if rules[operator(c)] == nil {
		return false
	}
	for _, name := range []string{"data_layout", "out_layout", "layout"} {
		if l := c.Attrs.Str(name, ""); l != "" && l != "NCHW" {
			return false
		}
	}
	if l := c.Attrs.Str("kernel_layout", ""); l != "" && l != "OIHW" {
		return false
	}
	to, ok := relax.SInfoOf(c).(*relax.TensorStructInfo)
	if !ok || to.DType != dtype.Float32T && to.DType != dtype.Float64T {
		return false
	}
	var same func(s relax.StructInfo) bool
	same = func(s relax.StructInfo) bool {
		switch s := s.(type) {
		case *relax.TensorStructInfo:
			return s.DType == to.DType
		case *relax.TupleStructInfo:
			for _, f := range s.Fields {
				if !same(f) {
					return false
				}
			}
			return true
		case *relax.ShapeStructInfo:
			return true
		}
		return false
	}
	for _, a := range c.Args {
		if !same(relax.SInfoOf(a)) {
			return false
		}
	}
	return true
}

// Eval computes a call that is known, with the values of its arguments, into out. Its errors say what does not fit.
func Eval(c *relax.Call, args []graphrun.Value, out *tensor.Tensor) error {
	f := rules[operator(c)]
	if f == nil {
		return fmt.Errorf("the operator %s is not known", operator(c))
	}
	var in []*tensor.Tensor
	for _, a := range args {
		in = append(in, graphrun.Tensors(a)...)
	}
	if err := f(c, in, out); err != nil {
		return fmt.Errorf("%s: %w", operator(c), err)
	}
	return nil
}

var unary = map[string]func(float64) float64{
	"abs": math.Abs, "acos": math.Acos, "acosh": math.Acosh, "asin": math.Asin, "asinh": math.Asinh, "atan": math.Atan, "atanh": math.Atanh,
	"ceil": math.Ceil, "cos": math.Cos, "cosh": math.Cosh, "erf": math.Erf, "exp": math.Exp, "floor": math.Floor, "log": math.Log,
	"round": math.RoundToEven, "sin": math.Sin, "sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh, "trunc": math.Trunc,
	"negative": func(x float64) float64 { return -x },
	"rsqrt":    func(x float64) float64 { return 1 / math.Sqrt(x) },
	"sigmoid":  func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"square":   func(x float64) float64 { return x * x },
	"nn.relu":  func(x float64) float64 { return math.Max(x, 0) },
	"nn.silu":  func(x float64) float64 { return x / (1 + math.Exp(-x)) },
	"sign": func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x
	},
}

var binary = map[string]func(a, b float64) float64{
	"add":      func(a, b float64) float64 { return a + b },
	"subtract": func(a, b float64) float64 { return a - b },
	"multiply": func(a, b float64) float64 { return a * b },
	"divide":   func(a, b float64) float64 { return a / b },
	"power":    math.Pow, "maximum": math.Max, "minimum": math.Min,
}

// elementwise computes each element from those that its operands have there, broadcast to the shape of the result.
func elementwise(f func(c *relax.Call, x []float64) float64) rule {
	return func(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
		at := make([]cursor, len(in))
		for i, t := range in {
			var err error
			if at[i], err = broadcasted(t.Shape, out.Shape); err != nil {
				return err
			}
		}
		x := make([]float64, len(in))
		each(out.Shape, func(i int, index []int64) {
			for k, t := range in {
				x[k] = t.Float(at[k].at(index))
			}
			out.SetFloat(i, f(c, x))
		})
		return nil
	}
}

func copied(_ *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	if len(in) != 1 || len(in[0].Data) != len(out.Data) {
		return fmt.Errorf("%v has not the size of %v", in, out)
	}
	copy(out.Data, in[0].Data)
	return nil
}

func broadcast(c *relax.Call, in []*tensor.Tensor, out *tensor.Tensor) error {
	return elementwise(func(_ *relax.Call, x []float64) float64 { return x[0] })(c, in[:1], out)
}
