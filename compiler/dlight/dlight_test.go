package dlight_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/dlight"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

const (
	header = "# from tvm.script import tir as T\n\n@T.prim_func\n"

	vector = header + `def main(W: T.Buffer((64, 128), "float32"), X: T.Buffer((128,), "float32"), Y: T.Buffer((64,), "float32")):
    for i, k in T.grid(64, 128):
        with T.block("product"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                Y[vi] = T.float32(0)
            Y[vi] = Y[vi] + X[vk] * W[vi, vk]
`
	double = header + `def main(A: T.Buffer((7, 33), "float32"), B: T.Buffer((7, 33), "float32")):
    for i, j in T.grid(7, 33):
        with T.block("double"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + A[vi, vj]
`
	matrices = header + `def main(A: T.Buffer((40, 24), "float32"), B: T.Buffer((24, 56), "float32"), C: T.Buffer((40, 56), "float32")):
    for i, j, k in T.grid(40, 56, 24):
        with T.block("product"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
`
	turned = header + `def main(A: T.Buffer((48, 80), "float32"), B: T.Buffer((80, 48), "float32")):
    for i, j in T.grid(80, 48):
        with T.block("turn"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]
`
	sums = header + `def main(A: T.Buffer((6, 128), "float32"), B: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 128):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
`
)

func function(t *testing.T, text string) (*tir.PrimFunc, *ir.Module) {
	t.Helper()
	m, diags := parse.Module("test.py", text, parse.Options{})
	if m == nil || len(diags) > 0 {
		t.Fatal(diags)
	}
	return m.Lookup("main").(*tir.PrimFunc), m
}

func apply(t *testing.T, rule, text, on string) (before, after *tir.PrimFunc, err error) {
	t.Helper()
	r, err := dlight.Parse(rule)
	if err != nil {
		t.Fatal(err)
	}
	x, err := target.Parse(on)
	if err != nil {
		t.Fatal(err)
	}
	f, m := function(t, text)
	after, err = r.Apply(f, x, m.Origins(), func(string, error) {})
	return f, after, err
}

// TestRulesDecline has rules say why they do not apply, and change nothing.
func TestRulesDecline(t *testing.T) {
	const gpu = "nvidia/geforce-rtx-3090-ti"
	for _, c := range []struct{ rule, text, target, want string }{
		{"gpu.Matmul", double, gpu, "no block is a reduction"},
		{"gpu.Matmul", vector, gpu, "has no rows, no columns"},
		{"gpu.Matmul", matrices, "llvm", "target llvm is no GPU"},
		{"cpu.GEMV", vector, "cuda", "for targets of kind llvm"},
		{"gpu.GEMV", matrices, gpu, "there is no matrix"},
		{"gpu.GEMV", double, gpu, "double is no reduction"},
		{"gpu.LowBatchGEMV(4)", vector, gpu, "has 0 variables whose extents are no numbers"},
		{"gpu.Reduction", double, gpu, "is no reduction"},
		{"gpu.GeneralReduction", double, gpu, "does not end in a reduction"},
		{"gpu.RMSNorm", double, gpu, "no block computes rsqrt"},
		{"gpu.Transpose", double, gpu, "no block transposes"},
	} {
		_, out, err := apply(t, c.rule, c.text, c.target)
		if err == nil || out != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.rule, err, c.want)
		}
	}
}

// TestNamesOfRules reads names with and without numbers, and refuses others.
func TestNamesOfRules(t *testing.T) {
	for _, name := range append(dlight.Names(), "gpu.LowBatchGEMV(8)", "gpu.LowBatchGEMV()") {
		if r, err := dlight.Parse(name); err != nil || r.Doc == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"gpu.Matmull": "unknown rule", "gpu.Matmul(3)": "takes no number", "gpu.LowBatchGEMV(0)": "1 or more", "": "is no rule", "gpu Matmul": "is no rule",
	} {
		if _, err := dlight.Parse(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
	}
}

// TestRulesKeepMeaning runs functions before and after their rules, where no memory is shared across a barrier.
func TestRulesKeepMeaning(t *testing.T) {
	for _, c := range []struct {
		rule, text, target string
	}{
		{"gpu.Fallback", double, "cuda"},
		{"gpu.Fallback", matrices, "metal"},
		{"gpu.Fallback", sums, "nvidia/geforce-rtx-3090-ti"},
		{"cpu.GEMV", vector, "llvm"},
	} {
		before, after, err := apply(t, c.rule, c.text, c.target)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if before == after {
			t.Errorf("%s changed nothing", c.rule)
		}
		want, got := results(t, before), results(t, after)
		for i := range want {
			if d := want[i] - got[i]; d > 1e-4 || d < -1e-4 {
				t.Errorf("%s: element %d is %v, want %v", c.rule, i, got[i], want[i])
				break
			}
		}
	}
}

// TestRulesApply has each rule schedule a function that it is for.
func TestRulesApply(t *testing.T) {
	const gpu = "nvidia/geforce-rtx-3090-ti"
	for _, c := range []struct{ rule, text, target, has string }{
		{"gpu.Matmul", matrices, gpu, "vthread.x"},
		{"gpu.GEMV", vector, gpu, "shared"},
		{"gpu.Reduction", sums, gpu, "threadIdx.x"},
		{"gpu.Transpose", turned, gpu, "shared"},
	} {
		_, out, err := apply(t, c.rule, c.text, c.target)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if text := script.Function("main", out, script.Options{}).Source; !strings.Contains(text, c.has) {
			t.Errorf("%s: no %s in\n%s", c.rule, c.has, text)
		}
	}
}

// results runs a function on random inputs, and returns the elements of its last buffer.
func results(t *testing.T, f *tir.PrimFunc) []float64 {
	t.Helper()
	var vals []any
	for i, p := range f.Params {
		b := f.Buffers[i]
		var shape []int64
		for _, d := range b.Shape {
			n, _ := tir.AsInt(d)
			shape = append(shape, n)
		}
		v := tensor.MustNew(b.DType, shape...)
		if p != f.Params[len(f.Params)-1] {
			v.FillUniform(uint64(i+1), -2, 2)
		}
		vals = append(vals, v)
	}
	if err := interp.Run(context.Background(), f, vals, nil); err != nil {
		t.Fatal(err)
	}
	last := vals[len(vals)-1].(*tensor.Tensor)
	out := make([]float64, last.Len())
	for i := range out {
		out[i] = last.Float(i)
	}
	return out
}
