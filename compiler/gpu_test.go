package compiler_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// gpuModel has what the rules for GPUs are for, for x of so many rows: a product of matrices, or of a matrix and a vector, a softmax, a sum, and what only
// Fallback fits.
const gpuModel = `
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((%d, 24), "float32"), w: R.Tensor((24, 40), "float32")) -> R.Tensor((%d, 40), "float32"):
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.nn.relu(a)
            c = R.nn.softmax(b, axis=-1)
            d = R.sum(c, axis=[1], keepdims=True)
            e = R.add(d, R.add(c, b))
            R.output(e)
        return e
`

// TestGPUsCompute compares what the interpreter computes of a model that is compiled for GPUs with what a CPU computes, and expects a note that it is the
// interpreter.
func TestGPUsCompute(t *testing.T) {
	eng := compiler.NewEngine()
	defer eng.Close()
	run := func(on string, rows int64) []float64 {
		tg, err := target.Parse(on)
		if err != nil {
			t.Fatal(err)
		}
		res, err := compiler.Compile(t.Context(), compiler.Request{Module: sized(t, fmt.Sprintf(gpuModel, rows, rows)), Target: tg})
		if err != nil {
			t.Fatalf("%s: %v", on, err)
		}
		noted := slices.ContainsFunc(res.Diagnostics, func(d ir.Diagnostic) bool { return d.Code == compiler.CodeStandIn })
		if noted != tg.HasKey("gpu") {
			t.Errorf("%s: noted as run by the interpreter: %v", on, noted)
		}
		prog, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
		if err != nil {
			t.Fatalf("%s: %v", on, err)
		}
		x, w := tensor.MustNew(dtype.Float32T, rows, 24), tensor.MustNew(dtype.Float32T, 24, 40)
		x.FillUniform(1, -1, 1)
		w.FillUniform(2, -1, 1)
		out, err := prog.Machine.Run(t.Context(), "main", x, w)
		if err != nil {
			t.Fatalf("%s: %v", on, err)
		}
		return out[0].Floats()
	}
	for _, rows := range []int64{1, 9, 70} {
		want := run("wasm", rows)
		for _, on := range []string{"cuda", "metal", "nvidia/geforce-rtx-3090-ti"} {
			got := run(on, rows)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-5 {
					t.Errorf("%s, %d rows: element %d is %v, want %v", on, rows, i, got[i], want[i])
					break
				}
			}
		}
	}
}
