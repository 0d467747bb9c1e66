package models

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// halfCase is a node whose result in float16 is that of its rule in float64, rounded.
type halfCase struct {
	op     string
	opset  int64
	shapes [][]int64
	fill   []func(i int) float64
	attrs  []onnxpb.Attribute
	// rule computes the first result from the inputs, of which the first has n elements.
	rule func(in [][]float64) []float64
}

func constant(v float64) func(int) float64 { return func(int) float64 { return v } }

// wave has a large mean and a small spread, which halves lose in sums and squares.
func wave(i int) float64 { return 300 + 4*float64(i%9) }

func sumOf(v []float64, f func(float64) float64) float64 {
	s := 0.0
	for _, x := range v {
		s += f(x)
	}
	return s
}

func square(x float64) float64 { return x * x }

// standardized is the rule of the normalisations over runs of n elements.
func standardized(v []float64, n int, eps float64) []float64 {
	var out []float64
	for at := 0; at < len(v); at += n {
		run := v[at : at+n]
		mean := sumOf(run, func(x float64) float64 { return x }) / float64(n)
		variance := sumOf(run, func(x float64) float64 { return square(x - mean) }) / float64(n)
		for _, x := range run {
			out = append(out, (x-mean)/math.Sqrt(variance+eps))
		}
	}
	return out
}

func halfCases() []halfCase {
	const n = 3000
	row := [][]int64{{1, n}}
	reduce := func(op string, f func(float64) float64, v []float64) []float64 {
		s := sumOf(v, f)
		switch op {
		case "ReduceL2":
			s = math.Sqrt(s)
		case "ReduceLogSum":
			s = math.Log(s)
		case "ReduceMean":
			s /= n
		case "ReduceLogSumExp":
			s = 8 + math.Log(s)
		}
		return []float64{s}
	}
	cases := []halfCase{
		{op: "Softmax", opset: 13, shapes: row, fill: []func(int) float64{func(i int) float64 { return float64(i%4) / 4 }}, rule: func(in [][]float64) []float64 {
			s := sumOf(in[0], math.Exp)
			var out []float64
			for _, x := range in[0] {
				out = append(out, math.Exp(x)/s)
			}
			return out
		}},
		{op: "LayerNormalization", opset: 17, shapes: [][]int64{{2, n}, {1}}, fill: []func(int) float64{wave, constant(2)}, rule: func(in [][]float64) []float64 {
			out := standardized(in[0], n, 1e-5)
			for i := range out {
				out[i] *= 2
			}
			return out
		}},
		{op: "RMSNormalization", opset: 23, shapes: [][]int64{{1, n}, {n}}, fill: []func(int) float64{wave, constant(1)}, rule: func(in [][]float64) []float64 {
			root := math.Sqrt(sumOf(in[0], square)/n + 1e-5)
			var out []float64
			for _, x := range in[0] {
				out = append(out, x/root)
			}
			return out
		}},
		{op: "InstanceNormalization", opset: 7, shapes: [][]int64{{1, 2, n}, {2}, {2}}, fill: []func(int) float64{wave, constant(1), constant(0)}, rule: func(in [][]float64) []float64 {
			return standardized(in[0], n, 1e-5)
		}},
		{op: "GroupNormalization", opset: 21, shapes: [][]int64{{1, 4, n}, {4}, {4}}, fill: []func(int) float64{wave, constant(1), constant(0)}, attrs: []onnxpb.Attribute{onnxbuild.Int("num_groups", 2)}, rule: func(in [][]float64) []float64 {
			return standardized(in[0], 2*n, 1e-5)
		}},
		{op: "BatchNormalization", opset: 9, shapes: [][]int64{{1, 1, 64}, {1}, {1}, {1}, {1}}, fill: []func(int) float64{wave, constant(3), constant(1), constant(315), constant(120)}, rule: func(in [][]float64) []float64 {
			var out []float64
			for _, x := range in[0] {
				out = append(out, (x-in[3][0])/math.Sqrt(in[4][0]+1e-5)*3+1)
			}
			return out
		}},
		{op: "LRN", opset: 13, shapes: [][]int64{{1, 1, 8}}, fill: []func(int) float64{wave}, attrs: []onnxpb.Attribute{onnxbuild.Int("size", 1)}, rule: func(in [][]float64) []float64 {
			var out []float64
			for _, x := range in[0] {
				out = append(out, x/math.Pow(1+1e-4*x*x, 0.75))
			}
			return out
		}},
		{op: "Gemm", opset: 13, shapes: [][]int64{{1, n}, {n, 1}, {1}}, fill: []func(int) float64{wave, constant(1), constant(3)}, attrs: []onnxpb.Attribute{onnxbuild.Float("alpha", 1.0/128), onnxbuild.Float("beta", 2)}, rule: func(in [][]float64) []float64 {
			return []float64{sumOf(in[0], func(x float64) float64 { return x })/128 + 6}
		}},
		{op: "Conv", opset: 11, shapes: [][]int64{{1, n, 1}, {1, n, 1}, {1}}, fill: []func(int) float64{wave, constant(0.125), constant(-60000)}, rule: func(in [][]float64) []float64 {
			return []float64{sumOf(in[0], func(x float64) float64 { return x })*0.125 + in[2][0]}
		}},
		{op: "ConvTranspose", opset: 11, shapes: [][]int64{{1, n, 1}, {n, 1, 1}, {1}}, fill: []func(int) float64{wave, constant(0.125), constant(-60000)}, rule: func(in [][]float64) []float64 {
			return []float64{sumOf(in[0], func(x float64) float64 { return x })*0.125 + in[2][0]}
		}},
		{op: "GlobalAveragePool", opset: 7, shapes: [][]int64{{1, 1, n}}, fill: []func(int) float64{wave}, rule: func(in [][]float64) []float64 {
			return reduce("ReduceMean", func(x float64) float64 { return x }, in[0])
		}},
		{op: "AveragePool", opset: 11, shapes: [][]int64{{1, 1, n}}, fill: []func(int) float64{wave}, attrs: []onnxpb.Attribute{onnxbuild.IntList("kernel_shape", n)}, rule: func(in [][]float64) []float64 {
			return reduce("ReduceMean", func(x float64) float64 { return x }, in[0])
		}},
	}
	for op, f := range map[string]func(float64) float64{
		"ReduceMean": func(x float64) float64 { return x }, "ReduceL1": math.Abs, "ReduceL2": square,
		"ReduceLogSum": func(x float64) float64 { return x },
	} {
		fill := wave
		if op == "ReduceL1" { // the sum itself must be a float16
			fill = func(i int) float64 { return -1 - float64(i%9)/8 }
		}
		cases = append(cases, halfCase{op: op, opset: 13, shapes: row, fill: []func(int) float64{fill}, rule: func(in [][]float64) []float64 {
			return reduce(op, f, in[0])
		}})
	}
	small := func(i int) float64 { return 0.25 + float64(i%9)/16 }
	cases = append(cases,
		halfCase{op: "ReduceSum", opset: 11, shapes: row, fill: []func(int) float64{small}, rule: func(in [][]float64) []float64 {
			return reduce("ReduceSum", func(x float64) float64 { return x }, in[0])
		}},
		halfCase{op: "ReduceSumSquare", opset: 11, shapes: row, fill: []func(int) float64{small}, rule: func(in [][]float64) []float64 {
			return reduce("ReduceSumSquare", square, in[0])
		}},
		halfCase{op: "ReduceLogSumExp", opset: 11, shapes: row, fill: []func(int) float64{func(i int) float64 { return 8 - float64(i%2)/8 }}, rule: func(in [][]float64) []float64 {
			return reduce("ReduceLogSumExp", func(x float64) float64 { return math.Exp(x - 8) }, in[0])
		}},
	)
	return cases
}

// TestHalvesAreRoundedOnce runs operators on float16 and bfloat16, of which many become several
// nodes, by the rule of the operator in float64: what is rounded in between would be off by
// more than the last place.
func TestHalvesAreRoundedOnce(t *testing.T) {
	h := newHarness(t)
	for _, elem := range []onnxpb.DataType{onnxpb.FromDType(dtype.Float16T), onnxpb.FromDType(dtype.BFloat16T)} {
		d, _ := elem.DType()
		ulp := map[dtype.DType]float64{dtype.Float16T: 1.0 / 1024, dtype.BFloat16T: 1.0 / 128}[d]
		for _, c := range halfCases() {
			b := onnxbuild.New("half", c.opset)
			var names []string
			var ins []*tensor.Tensor
			var data [][]float64
			for i, shape := range c.shapes {
				x := tensor.MustNew(d, shape...)
				var dims []any
				for _, n := range shape {
					dims = append(dims, int(n))
				}
				var v []float64
				for k := range x.Len() {
					x.SetFloat(k, c.fill[i](k))
					v = append(v, x.Float(k))
				}
				ins, data = append(ins, x), append(data, v)
				names = append(names, b.Input(string(rune('a'+i)), elem, dims...))
			}
			b.Output(b.Node(c.op, "node", names, c.attrs...), elem)
			mod := h.importModel(b.Model())
			want := c.rule(data)
			for _, level := range []int{0, 3} {
				outs, err := h.compileAndRun(mod, settings{level: level, verify: true}, [][]*tensor.Tensor{ins})
				if err != nil {
					t.Fatalf("%s %s: %v", c.op, d, err)
				}
				got := outs[0][0]
				if got.DType != d || got.Len() != len(want) {
					t.Fatalf("%s: %s with %d elements, want %s with %d", c.op, got.DType, got.Len(), d, len(want))
				}
				for i, w := range want {
					// One rounding is half a last place; a scale behind it (LayerNormalization) none for powers of 2.
					if g := got.Float(i); !(math.Abs(g-w) <= 0.503*ulp*math.Abs(w)+4e-5) {
						t.Errorf("%s %s, opt_level %d: element %d is %v, want %v", c.op, d, level, i, g, w)
						break
					}
				}
			}
		}
	}
}

// TestLongSums adds 2^20 times 0.1, with a constant and with a symbolic extent: added one after
// the other in float32 the sum is wrong by a hundredth.
func TestLongSums(t *testing.T) {
	h := newHarness(t)
	const n = 1 << 20
	tenth := float64(float32(0.1))
	x := tensor.MustNew(dtype.Float32T, 1, n)
	for i := range n {
		x.SetFloat(i, 0.1)
	}
	column := tensor.MustNew(dtype.Float32T, n, 1)
	copy(column.Data, x.Data)
	for _, c := range []struct {
		op   string
		want float64
	}{{"ReduceMean", tenth}, {"ReduceSumSquare", n * tenth * tenth}, {"MatMul", n * tenth * tenth}, {"Softmax", 1.0 / n}} {
		for _, extent := range []any{n, "n"} {
			b := onnxbuild.New("long", 13)
			ins := []*tensor.Tensor{x}
			names := []string{b.Input("x", onnxpb.FromDType(dtype.Float32T), 1, extent)}
			if c.op == "MatMul" {
				names = append(names, b.Input("y", onnxpb.FromDType(dtype.Float32T), extent, 1))
				ins = append(ins, column)
			}
			b.Output(b.Node(c.op, "node", names), onnxpb.FromDType(dtype.Float32T))
			mod := h.importModel(b.Model())
			for _, level := range []int{0, 1, 3} {
				outs, err := h.compileAndRun(mod, settings{level: level, verify: true}, [][]*tensor.Tensor{ins})
				if err != nil {
					t.Fatalf("%s: %v", c.op, err)
				}
				if g := outs[0][0].Float(0); !(math.Abs(g/c.want-1) <= 1e-6) {
					t.Errorf("%s over %v at opt_level %d: %v, want %v", c.op, extent, level, g, c.want)
				}
			}
		}
	}
}
