package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The evaluator in this file and the next computes graph-level programs with float64
// arithmetic, one naive loop nest for each operator that the importer emits. It lets tests
// compare what was imported with published results without the rest of the compiler.

type tensor = refeval.Tensor

// errNotEvaluated is the cause of errors about what the evaluator lacks.
var errNotEvaluated = errors.New("the evaluator has no rule")

type evaluator struct {
	vars map[*relax.Var]any // *tensor or []any for a tuple
}

// evaluate runs main on static inputs.
func evaluate(f *relax.Function, inputs []*tensor) (out []*tensor, err error) {
	ev := &evaluator{vars: map[*relax.Var]any{}}
	for i, p := range f.Params {
		ev.vars[p] = inputs[i]
	}
	for _, blk := range f.Body.Blocks {
		for _, b := range blk.Bindings {
			v, err := ev.value(b.BoundValue())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Bound().Name, err)
			}
			if t, ok := v.(*tensor); ok {
				want, _ := b.Bound().SInfo.(*relax.TensorStructInfo).StaticDims()
				if !slices.Equal(dims64(t.Dims), want) {
					return nil, fmt.Errorf("%s: computed shape %v, inferred %v", b.Bound().Name, t.Dims, want)
				}
			}
			ev.vars[b.Bound()] = v
		}
	}
	v, err := ev.value(f.Body.Body)
	if err != nil {
		return nil, err
	}
	if t, ok := v.(*tensor); ok {
		return []*tensor{t}, nil
	}
	for _, x := range v.([]any) {
		out = append(out, x.(*tensor))
	}
	return out, nil
}

func dims64(xs []int) []int64 {
	out := make([]int64, len(xs))
	for i, x := range xs {
		out[i] = int64(x)
	}
	return out
}

func (ev *evaluator) value(e relax.Expr) (any, error) {
	switch e := e.(type) {
	case *relax.Var:
		return ev.vars[e], nil
	case *relax.Constant:
		return blobTensor(e.Data)
	case *relax.Tuple:
		var out []any
		for _, f := range e.Fields {
			v, err := ev.value(f)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case *relax.TupleGetItem:
		t, err := ev.value(e.Tuple)
		if err != nil {
			return nil, err
		}
		return t.([]any)[e.Index], nil
	case *relax.ShapeExpr:
		out := refeval.New(len(e.Values))
		for i, d := range e.Values {
			n, ok := tir.AsInt(d)
			if !ok {
				return nil, fmt.Errorf("symbolic shape")
			}
			out.Data[i] = float64(n)
		}
		return out, nil
	case *relax.PrimValue:
		return primTensor(e.Value)
	case *relax.Call:
		return ev.call(e)
	}
	return nil, fmt.Errorf("%w for %T", errNotEvaluated, e)
}

func primTensor(e tir.Expr) (*tensor, error) {
	out := refeval.New()
	switch e := e.(type) {
	case *tir.IntImm:
		out.Data[0] = float64(e.Value)
	case *tir.FloatImm:
		out.Data[0] = e.Value
	default:
		return nil, fmt.Errorf("symbolic scalar")
	}
	return out, nil
}

func blobTensor(b *ir.Blob) (*tensor, error) {
	out := &tensor{Dims: make([]int, len(b.Shape()))}
	for i, d := range b.Shape() {
		out.Dims[i] = int(d)
	}
	for i := range b.NumElements() {
		one, err := ir.NewBlob(b.DType(), []int64{}, b.Elem(i))
		if err != nil {
			return nil, err
		}
		k := knownOf(one)
		if k == nil {
			return nil, fmt.Errorf("%w for constants of type %s", errNotEvaluated, b.DType())
		}
		p, err := primTensor(k.elems[0])
		if err != nil {
			return nil, err
		}
		out.Data = append(out.Data, p.Data[0])
	}
	return out, nil
}

// evalCall is a call with evaluated arguments.
type evalCall struct {
	in    []*tensor
	list  []*tensor // fields of a first argument that is a tuple
	attrs *ir.Attrs
	dtype dtype.DType // of the first argument
	out   []int       // extents of the result
	odt   dtype.DType
}

func (ev *evaluator) call(e *relax.Call) (any, error) {
	name := e.Op.(*ir.Op).Name
	c := &evalCall{attrs: e.Attrs}
	for i, a := range e.Args {
		v, err := ev.value(a)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case *tensor:
			c.in = append(c.in, v)
		case []any:
			flat := refeval.New(len(v))
			for k, f := range v {
				t := f.(*tensor)
				if i == 0 {
					c.list = append(c.list, t)
				}
				if len(t.Data) == 1 {
					flat.Data[k] = t.Data[0]
				}
			}
			c.in = append(c.in, flat)
		}
		if t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo); ok && i == 0 {
			c.dtype = t.DType
		}
	}
	if t, ok := e.SInfo.(*relax.TensorStructInfo); ok {
		c.odt = t.DType
		for _, d := range func() []int64 { d, _ := t.StaticDims(); return d }() {
			c.out = append(c.out, int(d))
		}
	}
	switch {
	case unaryFns[name] != nil:
		return c.each(unaryFns[name]), nil
	case binaryFns[name] != nil:
		return refeval.Broadcast(c.in[0], c.in[1], binaryFns[name]), nil
	case evalFns[name] != nil:
		return evalFns[name](c), nil
	}
	return nil, fmt.Errorf("%w for %s", errNotEvaluated, name)
}

func (c *evalCall) each(f func(float64) float64) *tensor {
	out := refeval.New(c.in[0].Dims...)
	for i, v := range c.in[0].Data {
		out.Data[i] = f(v)
	}
	return out
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func sign(x float64) float64 { return truth(x > 0) - truth(x < 0) }

func gelu(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }

func geluTanh(x float64) float64 {
	return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

var unaryFns = map[string]func(float64) float64{
	"relax.abs": math.Abs, "relax.acos": math.Acos, "relax.acosh": math.Acosh, "relax.asin": math.Asin,
	"relax.asinh": math.Asinh, "relax.atan": math.Atan, "relax.atanh": math.Atanh, "relax.cos": math.Cos,
	"relax.cosh": math.Cosh, "relax.erf": math.Erf, "relax.exp": math.Exp, "relax.log": math.Log, "relax.sin": math.Sin,
	"relax.sinh": math.Sinh, "relax.sqrt": math.Sqrt, "relax.tan": math.Tan, "relax.tanh": math.Tanh,
	"relax.ceil": math.Ceil, "relax.floor": math.Floor, "relax.round": math.RoundToEven, "relax.sign": sign,
	"relax.negative": func(x float64) float64 { return -x }, "relax.logical_not": func(x float64) float64 { return 1 - x },
	"relax.sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, "relax.isnan": func(x float64) float64 { return truth(x != x) },
	"relax.isfinite": func(x float64) float64 { return truth(x-x == 0) },
	"relax.isinf":    func(x float64) float64 { return truth(math.IsInf(x, 0)) }, "relax.nn.relu": func(x float64) float64 { return max(x, 0) },
	"relax.nn.gelu": gelu, "relax.nn.gelu_tanh": geluTanh,
}

var binaryFns = map[string]func(a, b float64) float64{
	"relax.add": func(a, b float64) float64 { return a + b }, "relax.subtract": func(a, b float64) float64 { return a - b },
	"relax.multiply": func(a, b float64) float64 { return a * b }, "relax.power": math.Pow, "relax.mod": math.Mod,
	"relax.floor_mod": func(a, b float64) float64 { return a - b*math.Floor(a/b) },
	"relax.maximum":   math.Max, "relax.minimum": math.Min,
	"relax.equal":         func(a, b float64) float64 { return truth(a == b) },
	"relax.greater":       func(a, b float64) float64 { return truth(a > b) },
	"relax.greater_equal": func(a, b float64) float64 { return truth(a >= b) },
	"relax.less":          func(a, b float64) float64 { return truth(a < b) },
	"relax.less_equal":    func(a, b float64) float64 { return truth(a <= b) },
	"relax.logical_and":   func(a, b float64) float64 { return a * b },
	"relax.logical_or":    func(a, b float64) float64 { return max(a, b) },
	"relax.logical_xor":   func(a, b float64) float64 { return truth(a != b) },
	"relax.bitwise_and":   func(a, b float64) float64 { return float64(int64(a) & int64(b)) },
	"relax.bitwise_or":    func(a, b float64) float64 { return float64(int64(a) | int64(b)) },
	"relax.bitwise_xor":   func(a, b float64) float64 { return float64(int64(a) ^ int64(b)) },
}
