// Package topitest holds a kernel of each kind of operator, with small extents, for the tests
// of passes and code generators, which lower them and compare with the interpreter.
//
// Tests under compiler/ import it; it knows the operators, not what lowers them.
package topitest

import (
	"fmt"
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// fataler is what tests and benchmarks have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Placeholder is a tensor of constant extents.
func Placeholder(name string, d dtype.DType, shape ...int64) *te.Tensor {
	dims := make([]tir.Expr, len(shape))
	for i, n := range shape {
		dims[i] = tir.Int(n)
	}
	return te.Placeholder(name, d, dims...)
}

// Kernels returns operators by name, each with its inputs and outputs.
func Kernels(t fataler) map[string][]*te.Tensor {
	t.Helper()
	f32 := dtype.Float32T
	in := func(name string, shape ...int64) *te.Tensor { return Placeholder(name, f32, shape...) }
	must := func(x *te.Tensor, err error) *te.Tensor {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return x
	}
	x4, x2, y2, v12 := in("x", 1, 4, 9, 10), in("x", 5, 12), in("y", 12, 7), in("g", 12)
	idx := Placeholder("i", dtype.Int64T, 4, 12)
	n := tir.NewSizeVar("n", dtype.Int64T)
	sym := te.Placeholder("x", f32, n, tir.Int(6))
	conv := func(w *te.Tensor, o topi.ConvOpts) []*te.Tensor {
		t.Helper()
		o.Data, o.Kernel = "NCHW", "OIHW"
		return []*te.Tensor{x4, w, must(topi.Conv(x4, w, o))}
	}
	at := func(ns ...int64) []int64 { return ns }
	pool := func(kind string) []*te.Tensor {
		t.Helper()
		return []*te.Tensor{x4, must(topi.Pool(kind, x4, topi.PoolOpts{
			Size: at(3, 2), Strides: at(2, 2), Dilation: at(1, 1), Before: at(1, 0), After: at(1, 1), Layout: "NCHW",
		}))}
	}
	// A network of 20 units for three sequences of five steps.
	h0, c0 := in("h", 3, 20), in("c", 3, 20)
	gates := []topi.Gate{{Name: "sigmoid"}, {Name: "tanh"}, {Name: "tanh"}}
	network := func(columns int64, f func(x, r *te.Tensor) ([]*te.Tensor, error), more ...*te.Tensor) []*te.Tensor {
		t.Helper()
		x, r := in("x", 5, 3, columns), in("r", 20, columns)
		outs, err := f(x, r)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return append(append([]*te.Tensor{x, r}, more...), outs...)
	}
	bias := in("b", 20)
	relu := must(topi.Unary("relu", x2))
	mm := must(topi.Matmul(x2, y2, topi.MatmulOpts{}))
	return map[string][]*te.Tensor{
		"conv":           conv(in("w", 6, 4, 3, 3), topi.ConvOpts{Strides: at(1, 1), Dilation: at(1, 1), Before: at(1, 1), After: at(1, 1), Groups: 1}),
		"conv strided":   conv(in("w", 3, 4, 3, 2), topi.ConvOpts{Strides: at(2, 3), Dilation: at(1, 2), Before: at(0, 1), After: at(1, 2), Groups: 1}),
		"conv grouped":   conv(in("w", 6, 2, 3, 3), topi.ConvOpts{Strides: at(1, 1), Dilation: at(1, 1), Before: at(1, 1), After: at(1, 1), Groups: 2}),
		"conv depthwise": conv(in("w", 4, 1, 3, 3), topi.ConvOpts{Strides: at(1, 1), Dilation: at(1, 1), Before: at(1, 1), After: at(1, 1), Groups: 4}),
		"max_pool":       pool("max"),
		"avg_pool":       pool("avg"),
		"matmul":         {x2, y2, mm},
		"matmul relu":    {x2, y2, must(topi.Unary("relu", mm))},
		"softmax":        {x2, topi.Softmax(x2, 1)},
		"log_softmax":    {x2, topi.LogSoftmax(x2, 0)},
		"symbolic":       {sym, topi.Softmax(sym, 1)},
		"relu":           {x2, relu},
		"exp relu":       {x2, must(topi.Unary("exp", relu))},
		"erf":            {x2, must(topi.Unary("erf", x2))},
		"broadcast add":  {x2, v12, must(topi.Binary("add", topi.T(x2), topi.T(v12)))},
		"sum":            {x4, must(topi.Reduce("sum", x4, []int{1, 3}, false))},
		"max all":        {x2, must(topi.Reduce("max", x2, []int{0, 1}, true))},
		"argmax":         {x2, topi.ArgReduce(x2, 1, false, false, false, dtype.Int64T)},
		"permute":        {x4, topi.PermuteDims(x4, []int{0, 2, 3, 1})},
		"reshape":        {x4, topi.Reshape(x4, []tir.Expr{tir.Int(20), tir.Int(18)})},
		"concat":         {x2, y2, topi.Concat([]*te.Tensor{x2, topi.PermuteDims(y2, []int{1, 0})}, 0)},
		"split":          append([]*te.Tensor{x2}, topi.Split(x2, 1, []tir.Expr{tir.Int(0), tir.Int(5)}, []tir.Expr{tir.Int(5), tir.Int(7)})...),
		"cast":           {x2, topi.Cast(x2, dtype.Int32T)},
		"half":           {x2, topi.Cast(topi.Cast(x2, dtype.Float16T), f32)},
		"take":           {x2, idx, topi.Take(x2, idx, 0, "clip")},
		"gather":         {x2, idx, topi.GatherElements(x2, idx, 0)},
		"cumsum":         {x2, topi.Scan("sum", x2, 1, f32, false)},
		"pad":            {x4, must(topi.Pad(x4, at(0, 0, 1, 2), at(0, 0, 2, 1), "constant", tir.FloatConst(f32, 0)))},
		"pad reflect":    {x4, must(topi.Pad(x4, at(0, 0, 1, 2), at(0, 0, 2, 1), "reflect", nil))},
		"rnn": network(20, func(x, r *te.Tensor) ([]*te.Tensor, error) {
			return topi.RNN(x, r, h0, nil, topi.RecurrentOpts{Gates: gates[1:]})
		}, h0),
		"gru": network(60, func(x, r *te.Tensor) ([]*te.Tensor, error) {
			return topi.GRU(x, r, bias, h0, nil, topi.RecurrentOpts{Gates: gates})
		}, bias, h0),
		"lstm": network(80, func(x, r *te.Tensor) ([]*te.Tensor, error) {
			return topi.LSTM(x, r, h0, c0, nil, nil, topi.RecurrentOpts{Gates: gates, Reverse: true})
		}, h0, c0),
		"layer_norm": {x2, v12, in("b", 12), nil},
		"where":      {x2, must(topi.Where(topi.T(must(topi.Binary("greater", topi.T(x2), topi.T(v12)))), topi.T(x2), topi.T(v12))), v12},
	}
}

// Function makes the function of a kernel and arguments for it; symbolic extents are 3.
func Function(t fataler, args []*te.Tensor) (*tir.PrimFunc, []any) {
	t.Helper()
	if args[len(args)-1] == nil {
		args = append(args[:len(args)-1:len(args)-1], topi.LayerNorm(args[0], args[1], args[2], []int{1}, 1e-5))
	}
	f, err := te.CreatePrimFunc(args, te.FuncOpts{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	f = f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, "kernel")).(*tir.PrimFunc)
	var data []any
	for i, a := range args {
		shape := make([]int64, len(a.Shape))
		for k, e := range a.Shape {
			v, ok := tir.AsInt(e)
			if !ok {
				v = 3
			}
			shape[k] = v
		}
		x := tensor.MustNew(a.DType, shape...)
		for k := range x.Len() {
			v := (k*7+i*3)%11 - 5
			if a.DType.IsInteger() {
				x.SetInt(k, int64(v+5)%5)
			} else {
				x.SetFloat(k, float64(v)/4)
			}
		}
		data = append(data, x)
	}
	return f, data
}

// Apart describes the first elements that differ by more than rtol, "" if there are none.
func Apart(got, want []any, rtol float64) string {
	for i := range want {
		w := want[i].(*tensor.Tensor)
		g := got[i].(*tensor.Tensor)
		for k := range w.Len() {
			if a, b := g.Float(k), w.Float(k); math.Abs(a-b) > rtol*math.Max(1, math.Abs(b)) || (a != a) != (b != b) {
				return fmt.Sprintf("argument %d, element %d: got %g, want %g", i, k, a, b)
			}
		}
	}
	return ""
}
