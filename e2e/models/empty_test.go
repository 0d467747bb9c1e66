package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// reductions are ONNX's, as what they make of the elements of one row.
var reductions = map[string]func(row []float64) float64{
	"ReduceSum":       func(r []float64) float64 { return fold(r, 0, func(a, x float64) float64 { return a + x }) },
	"ReduceProd":      func(r []float64) float64 { return fold(r, 1, func(a, x float64) float64 { return a * x }) },
	"ReduceMax":       func(r []float64) float64 { return fold(r, math.Inf(-1), math.Max) },
	"ReduceMin":       func(r []float64) float64 { return fold(r, math.Inf(1), math.Min) },
	"ReduceL1":        func(r []float64) float64 { return fold(r, 0, func(a, x float64) float64 { return a + math.Abs(x) }) },
	"ReduceSumSquare": func(r []float64) float64 { return fold(r, 0, func(a, x float64) float64 { return a + x*x }) },
	"ReduceL2":        func(r []float64) float64 { return math.Sqrt(fold(r, 0, func(a, x float64) float64 { return a + x*x })) },
	"ReduceLogSum":    func(r []float64) float64 { return math.Log(fold(r, 0, func(a, x float64) float64 { return a + x })) },
	"ReduceLogSumExp": func(r []float64) float64 {
		return math.Log(fold(r, 0, func(a, x float64) float64 { return a + math.Exp(x) }))
	},
	"ReduceMean": func(r []float64) float64 {
		return fold(r, 0, func(a, x float64) float64 { return a + x }) / float64(len(r)) // NaN of none, as in NumPy
	},
}

func fold(xs []float64, start float64, f func(a, x float64) float64) float64 {
	for _, x := range xs {
		start = f(start, x)
	}
	return start
}

// TestEmptyReductions reduces over extents of 0, fixed and symbolic, at every level: each
// result is the initial value, not what memory held. The program runs with other extents
// before, so that memory holds something.
func TestEmptyReductions(t *testing.T) {
	const rows, cols = 5, 7
	names := []string{
		"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMean",
	}
	build := func(k any) (*onnxpb.Model, bool) {
		_, static := k.(int)
		b := onnxbuild.New("empty", 18)
		x := b.Input("x", onnxpb.Float, rows, k)
		w := b.Input("w", onnxpb.Float, k, cols)
		b.Initializer("axis0", onnxbuild.Shape(0))
		b.Initializer("axis1", onnxbuild.Shape(1))
		b.Initializer("bias", onnxbuild.Floats([]int64{cols}, 0, 1, 2, 3, 4, 5, 6))
		b.Initializer("deep", onnxbuild.Shape(0, 3))
		out := func(op string, in []string, attrs ...onnxpb.Attribute) {
			b.Output(b.Node(op, fmt.Sprintf("%s%d", op, len(b.Model().Graph.Nodes)), in, attrs...), onnxpb.Undefined)
		}
		for _, name := range names {
			out(name, []string{x, "axis1"}, onnxbuild.Int("keepdims", 0))
			out(name, []string{w, "axis0"})
		}
		out("MatMul", []string{x, w})
		out("Gemm", []string{x, w, "bias"}, onnxbuild.Float("alpha", 2))
		exp := b.Node("Relu", "after", []string{b.Node("MatMul", "product", []string{x, w})})
		b.Output(exp, onnxpb.Undefined)
		deep := b.Node("Unsqueeze", "image", []string{x, "deep"}) // (1, rows, k, 1)
		if !static {
			out("ArgMax", []string{x}, onnxbuild.Int("axis", 1))
			out("ArgMin", []string{w}, onnxbuild.Int("axis", 0))
		}
		out("GlobalMaxPool", []string{deep})
		return b.Model(), static
	}
	matrix := func(r, c int) ([][]float64, *tensor.Tensor) {
		vals := make([]float32, r*c)
		out := make([][]float64, r)
		for i := range vals {
			vals[i] = float32((i*7)%11)/4 + 0.25
			out[i/c] = append(out[i/c], float64(vals[i]))
		}
		return out, tensor.MustOf([]int64{int64(r), int64(c)}, vals)
	}
	h := newHarness(t)
	for _, extent := range []any{0, 3, "k"} {
		m, static := build(extent)
		mod := h.importModel(m)
		ks := []int{9, 0, 1, 4, 0}
		if static {
			ks = []int{extent.(int), extent.(int)}
		}
		var sets [][]*tensor.Tensor
		for _, k := range ks {
			_, x := matrix(rows, k)
			_, w := matrix(k, cols)
			sets = append(sets, []*tensor.Tensor{x, w})
		}
		for _, level := range levels() {
			outs, err := h.compileAndRun(mod, settings{level: level}, sets)
			if err != nil {
				t.Errorf("extent %v, level %d: %v", extent, level, err)
				continue
			}
			for s, k := range ks {
				x, _ := matrix(rows, k)
				w, _ := matrix(k, cols)
				column := func(j int) (out []float64) {
					for _, r := range w {
						out = append(out, r[j])
					}
					return out
				}
				var wants [][]float64
				for _, name := range names {
					var byRow, byCol []float64
					for _, r := range x {
						byRow = append(byRow, reductions[name](r))
					}
					for j := range cols {
						byCol = append(byCol, reductions[name](column(j)))
					}
					wants = append(wants, byRow, byCol)
				}
				var product, gemm []float64
				for _, r := range x {
					for j := range cols {
						p := 0.0
						for i, v := range r {
							p += v * w[i][j]
						}
						product, gemm = append(product, p), append(gemm, 2*p+float64(j))
					}
				}
				wants = append(wants, product, gemm, product)
				index := func(n int, row func(int) []float64, better func(a, b float64) bool) (out []float64) {
					for i := range n {
						best := -1
						for j, v := range row(i) {
							if best < 0 || better(v, row(i)[best]) {
								best = j
							}
						}
						out = append(out, float64(best))
					}
					return out
				}
				if !static {
					wants = append(wants, index(rows, func(i int) []float64 { return x[i] }, func(a, b float64) bool { return a > b }),
						index(cols, column, func(a, b float64) bool { return a < b }))
				}
				wants = append(wants, wants[4])
				for o, want := range wants {
					got := outs[s][o]
					if got.Len() != len(want) {
						t.Errorf("extent %v is %d, level %d: output %d has %d elements, want %d", extent, k, level, o, got.Len(), len(want))
						continue
					}
					for i, v := range want {
						g := got.Float(i)
						if got.DType.IsInteger() {
							g = float64(got.Int(i))
						}
						if g != v && !(g != g && v != v) && !(math.Abs(g-v) <= 1e-4*math.Abs(v)) {
							t.Errorf("extent %v is %d, level %d: output %d, element %d is %v, want %v", extent, k, level, o, i, g, v)
							break
						}
					}
				}
			}
		}
	}
}
