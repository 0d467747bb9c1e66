package onnx

import (
	"errors"
	"fmt"
	"math"

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
	mod  *ir.Module
	vars map[*relax.Var]any // *tensor or []any for a tuple
	syms relax.Subst        // what symbolic variables are
}

// evaluate runs main.
func evaluate(mod *ir.Module, inputs []*tensor) (out []*tensor, err error) {
	args := make([]any, len(inputs))
	for i, x := range inputs {
		args[i] = x
	}
	v, err := evaluateCall(mod, "main", args)
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

// evaluateCall runs a function of the module.
func evaluateCall(mod *ir.Module, name string, args []any) (any, error) {
	f := ir.MustLookup[*relax.Function](mod, name)
	ev := &evaluator{mod: mod, vars: map[*relax.Var]any{}, syms: relax.Subst{Prims: map[*tir.Var]tir.Expr{}}}
	for i, p := range f.Params {
		ev.vars[p] = args[i]
		if err := ev.match(p.SInfo, args[i]); err != nil {
			return nil, fmt.Errorf("%s: parameter %s: %w", name, p.Name, err)
		}
	}
	return ev.sequence(f.Body)
}

func (ev *evaluator) sequence(s *relax.SeqExpr) (any, error) {
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			v, err := ev.value(b.BoundValue())
			if err == nil {
				err = ev.match(b.Bound().SInfo, v)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Bound().Name, err)
			}
			ev.vars[b.Bound()] = v
		}
	}
	return ev.value(s.Body)
}

// match compares a value with what is inferred of it, and notes the symbolic variables that are new.
func (ev *evaluator) match(s relax.StructInfo, v any) error {
	var dims []tir.Expr
	var have []int64
	t, isTensor := v.(*tensor)
	switch s := s.(type) {
	case *relax.TupleStructInfo:
		for i, f := range s.Fields {
			if err := ev.match(f, v.([]any)[i]); err != nil {
				return err
			}
		}
		return nil
	case *relax.TensorStructInfo:
		d, ok := s.Dims()
		if !ok || !isTensor {
			return nil
		}
		dims, have = d, dims64(t.Dims)
		if len(dims) != len(have) {
			return fmt.Errorf("computed shape %v, inferred %s", t.Dims, relax.FormatSInfo(s))
		}
	case *relax.ShapeStructInfo:
		dims = s.Values
		for i := range dims {
			have = append(have, int64(t.Data[i]))
		}
	}
	for i, d := range dims {
		if x, ok := d.(*tir.Var); ok && ev.syms.Prims[x] == nil {
			ev.syms.Prims[x] = tir.Int(have[i])
		}
		if n, ok := ev.int(d); !ok || n != have[i] {
			return fmt.Errorf("computed shape %v, inferred %s", have, relax.FormatSInfo(s))
		}
	}
	return nil
}

// int is the value of an extent.
func (ev *evaluator) int(e tir.Expr) (int64, bool) {
	return tir.AsInt(tir.RewriteExpr(ev.syms.Prim(e), func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok {
			return tir.BinaryExpr(b.Op, b.A, b.B)
		}
		return e
	}))
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
			n, ok := ev.int(d)
			if !ok {
				return nil, fmt.Errorf("symbolic shape")
			}
			out.Data[i] = float64(n)
		}
		return out, nil
	case *relax.DataTypeImm:
		return refeval.New(0), nil // which the struct info says too
	case *relax.PrimValue:
		if n, ok := ev.int(e.Value); ok {
			return &tensor{Data: []float64{float64(n)}}, nil
		}
		return primTensor(e.Value)
	case *relax.If:
		c, err := ev.value(e.Cond)
		if err != nil {
			return nil, err
		}
		if c.(*tensor).Data[0] != 0 {
			return ev.sequence(e.Then)
		}
		return ev.sequence(e.Else)
	case *relax.Call:
		if gv, ok := e.Op.(*ir.GlobalVar); ok {
			args := make([]any, len(e.Args))
			for i, a := range e.Args {
				var err error
				if args[i], err = ev.value(a); err != nil {
					return nil, err
				}
			}
			return evaluateCall(ev.mod, gv.Name, args)
		}
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
	if name == "relax.call_tir_inplace" {
		return ev.row(e)
	}
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
		dims, _ := t.Dims()
		for _, d := range dims {
			n, _ := ev.int(d)
			c.out = append(c.out, int(n))
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
	"relax.right_shift":   func(a, b float64) float64 { return float64(int64(a) >> int64(b)) },
	"relax.bitwise_and":   func(a, b float64) float64 { return float64(int64(a) & int64(b)) },
	"relax.bitwise_or":    func(a, b float64) float64 { return float64(int64(a) | int64(b)) },
	"relax.bitwise_xor":   func(a, b float64) float64 { return float64(int64(a) ^ int64(b)) },
}
