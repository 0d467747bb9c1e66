package models

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// sliceCase is one Slice of a vector.
type sliceCase struct{ start, end, step int64 }

// want is what ONNX's rules leave of a vector of n elements (operator Slice-13): negative
// bounds count from the end; then forwards start and end are clamped to [0, n], backwards
// the start to [0, n-1] and the end to [-1, n-1].
func (c sliceCase) want(n int64) []float32 {
	clamp := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += n
		}
		return max(lo, min(v, hi))
	}
	out := []float32{}
	if n == 0 {
		return out
	}
	if c.step > 0 {
		for i, end := clamp(c.start, 0, n), clamp(c.end, 0, n); i < end; i += c.step {
			out = append(out, float32(10*(i+1)))
		}
		return out
	}
	for i, end := clamp(c.start, 0, n-1), clamp(c.end, -1, n-1); i > end; i += c.step {
		out = append(out, float32(10*(i+1)))
	}
	return out
}

// TestEverySlice takes all slices of vectors of 0 to 4 elements, of fixed and of symbolic
// extent, with bounds within and beyond the ends.
func TestEverySlice(t *testing.T) {
	bounds := []int64{math.MinInt64, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, math.MaxInt64}
	var cases []sliceCase
	steps := []int64{-5, -2, -1, 1, 2, 5}
	if testing.Short() {
		steps = []int64{-2, 1}
	}
	for _, step := range steps {
		for _, start := range bounds {
			for _, end := range bounds {
				cases = append(cases, sliceCase{start, end, step})
			}
		}
	}
	build := func(extent any) *onnxpb.Model {
		b := onnxbuild.New("slices", 17)
		x := b.Input("x", onnxpb.Float, extent)
		axes := b.Initializer("axes", onnxbuild.Shape(0))
		seen := map[int64]string{}
		bound := func(v int64) string {
			if seen[v] == "" {
				seen[v] = b.Initializer(fmt.Sprintf("c%d", len(seen)), onnxbuild.Shape(v))
			}
			return seen[v]
		}
		for i, c := range cases {
			y := fmt.Sprintf("y%d", i)
			b.NodeOut("Slice", "slice"+y, []string{x, bound(c.start), bound(c.end), axes, bound(c.step)}, []string{y})
			b.Output(y, onnxpb.Float, "m"+y)
		}
		return b.Model()
	}
	h := newHarness(t)
	check := func(extent any, level int, ns ...int64) {
		mod := h.importModel(build(extent))
		var sets [][]*tensor.Tensor
		for _, n := range ns {
			vs := []float32{10, 20, 30, 40}[:n]
			sets = append(sets, []*tensor.Tensor{tensor.MustOf([]int64{n}, vs)})
		}
		outs, err := h.compileAndRun(mod, settings{level: level}, sets)
		if err != nil {
			t.Errorf("extent %v, level %d: %v", extent, level, err)
			return
		}
		wrong := 0
		for k, n := range ns {
			for i, c := range cases {
				if got, want := outs[k][i].Floats(), c.want(n); !slices.EqualFunc(got, want, func(a float64, b float32) bool { return a == float64(b) }) {
					if wrong++; wrong < 10 {
						t.Errorf("extent %v is %d, level %d: x[%d:%d:%d] = %v, want %v", extent, n, level, c.start, c.end, c.step, got, want)
					}
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%d of %d slices are wrong", wrong, len(cases)*len(ns))
		}
	}
	for n := range int64(5) {
		check(int(n), 0, n)
	}
	check("n", 0, 0, 1, 2, 3, 4)
	check("n", 3, 0, 1, 2, 3, 4)
}

// python is what x[start:end:step] leaves in Python, where a start in front of the first
// element leaves nothing to a slice backwards (PySlice_AdjustIndices).
func (c sliceCase) python(n int64) []float32 {
	lo, hi := int64(0), n
	if c.step < 0 {
		lo, hi = -1, n-1
	}
	clamp := func(v int64) int64 {
		if v < 0 {
			v += n
		}
		return max(lo, min(v, hi))
	}
	out := []float32{}
	for i, end := clamp(c.start), clamp(c.end); c.step > 0 && i < end || c.step < 0 && i > end; i += c.step {
		out = append(out, float32(10*(i+1)))
	}
	return out
}

// TestEveryStridedSlice takes the slices of TestEverySlice by relax.strided_slice.
func TestEveryStridedSlice(t *testing.T) {
	var cases []sliceCase
	for _, step := range []int64{-5, -2, -1, 1, 2} {
		for _, start := range []int64{-1 << 40, -6, -4, -3, -1, 0, 1, 3, 5, 1 << 40} {
			for _, end := range []int64{-1 << 40, -6, -4, -3, -1, 0, 1, 3, 5, 1 << 40} {
				cases = append(cases, sliceCase{start, end, step})
			}
		}
	}
	h := newHarness(t)
	check := func(extent string, level int, ns ...int64) {
		var body, outs strings.Builder
		for i, c := range cases {
			fmt.Fprintf(&body, "            y%d = R.strided_slice(x, axes=[0], begin=[%d], end=[%d], strides=[%d])\n", i, c.start, c.end, c.step)
			fmt.Fprintf(&outs, "y%d, ", i)
		}
		mod := h.script(fmt.Sprintf("@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((%s,), \"float32\")):\n        with R.dataflow():\n%s            out = (%s)\n            R.output(out)\n        return out\n",
			extent, body.String(), outs.String()))
		var sets [][]*tensor.Tensor
		for _, n := range ns {
			sets = append(sets, []*tensor.Tensor{tensor.MustOf([]int64{n}, []float32{10, 20, 30, 40}[:n])})
		}
		got, err := h.compileAndRun(mod, settings{level: level}, sets)
		if err != nil {
			t.Errorf("extent %s, level %d: %v", extent, level, err)
			return
		}
		for k, n := range ns {
			for i, c := range cases {
				if g, want := got[k][i].Floats(), c.python(n); !slices.EqualFunc(g, want, func(a float64, b float32) bool { return a == float64(b) }) {
					t.Errorf("extent %s is %d, level %d: x[%d:%d:%d] = %v, want %v", extent, n, level, c.start, c.end, c.step, g, want)
				}
			}
		}
	}
	for _, n := range []int64{0, 1, 4} {
		check(fmt.Sprint(n), 0, n)
	}
	check("\"n\"", 3, 0, 1, 2, 3, 4)
}

// TestConvTransposeOutputShape compares transposed convolutions of a vector with the sum
// that defines them, for output shapes below, at and above the full convolution.
func TestConvTransposeOutputShape(t *testing.T) {
	b := onnxbuild.New("transposed", 17)
	const n = 3
	in := []float32{1, -2, 3}
	x := b.Input("x", onnxpb.Float, 1, 1, n)
	kernels := [][]float32{{2}, {1, 10}, {1, 10, 100}}
	var names []string
	for _, k := range kernels {
		names = append(names, b.Initializer(fmt.Sprintf("w%d", len(k)), onnxbuild.Floats([]int64{1, 1, int64(len(k))}, k...)))
	}
	bias := b.Initializer("bias", onnxbuild.Floats([]int64{1}, 0.5))
	var wants [][]float32
	for ki, k := range kernels {
		for _, stride := range []int{1, 2, 3} {
			for _, dilation := range []int{1, 2} {
				for extra := range min(2, max(stride, dilation)) {
					for _, auto := range []string{"", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"} {
						full := make([]float32, (n-1)*stride+extra+(len(k)-1)*dilation+1)
						for i, v := range in {
							for j, w := range k {
								full[i*stride+j*dilation] += v * w
							}
						}
						for delta := -2; delta <= 4; delta++ {
							size := len(full) + delta
							given := delta < 4
							if !given { // the shape follows from auto_pad
								size = n * stride
							}
							if size < 1 || !given && !strings.HasPrefix(auto, "SAME") {
								continue
							}
							attrs := []onnxpb.Attribute{
								onnxbuild.IntList("strides", int64(stride)), onnxbuild.IntList("dilations", int64(dilation)),
								onnxbuild.IntList("output_padding", int64(extra)),
							}
							if given {
								attrs = append(attrs, onnxbuild.IntList("output_shape", int64(size)))
							}
							if auto != "" {
								attrs = append(attrs, onnxbuild.Str("auto_pad", auto))
							}
							ins, plus := []string{x, names[ki]}, float32(0)
							if delta&1 == 0 {
								ins, plus = append(ins, bias), 0.5
							}
							// ONNX, ConvTranspose-11: SAME_UPPER takes the larger half off the end, all else off the start.
							total := max(0, len(full)-size)
							lo := total - total/2
							if auto == "SAME_UPPER" {
								lo = total / 2
							}
							want := make([]float32, size)
							for i := range want {
								if want[i] = plus; i+lo < len(full) {
									want[i] += full[i+lo]
								}
							}
							y := fmt.Sprintf("y%d", len(wants))
							wants = append(wants, want)
							b.NodeOut("ConvTranspose", "node"+y, ins, []string{y}, attrs...)
							b.Output(y, onnxpb.Float, 1, 1, size)
						}
					}
				}
			}
		}
	}
	h := newHarness(t)
	mod := h.importModel(b.Model())
	outs, err := h.compileAndRun(mod, settings{level: 0}, [][]*tensor.Tensor{{tensor.MustOf([]int64{1, 1, n}, in)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range wants {
		if got := outs[0][i].Floats(); !slices.EqualFunc(got, want, func(a float64, b float32) bool { return a == float64(b) }) {
			t.Errorf("case %d: got %v, want %v", i, got, want)
		}
	}
}
