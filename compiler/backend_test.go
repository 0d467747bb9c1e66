package compiler_test

import (
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

const twoLayers = `
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.add(a, R.const([1.0, -2.0, 3.0, -4.0], "float32"))
            c = R.nn.relu(b)
            d = R.matmul(c, w)
            e = R.add(d, x)
            R.output(e)
        return e
`

// TestBackendCompiles compiles a module with its layers moved to the generator that is built in, each alone and together, and compares what it computes with
// what the default pipeline makes.
func TestBackendCompiles(t *testing.T) {
	eng := compiler.NewEngine()
	defer eng.Close()
	run := func(passes string) []float64 {
		m := sized(t, twoLayers)
		list, err := pipeline.Parse(passes, pipeline.NewRegistry(), target.Default())
		if err != nil {
			t.Fatal(err)
		}
		res, err := compiler.Compile(t.Context(), compiler.Request{Module: m, Pipeline: pass.NewSequential("", list...)})
		if err != nil {
			t.Fatal(err)
		}
		prog, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{MaxBytes: 16 << 20}, vm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(passes, "RunCodegen") {
			found := false
			for _, k := range res.Kernels {
				found = found || strings.HasSuffix(k.Name, "_irscope")
			}
			if !found {
				t.Errorf("%s: there is no kernel of the generator", passes)
			}
		}
		out, err := prog.Machine.Run(t.Context(), "main", tensor.MustOf([]int64{2, 4}, []float32{1, -2, 3, 4, -1, 0.5, 2, -3}), tensor.MustOf([]int64{4, 4}, []float32{1, 2, 0, -1, 0.5, 3, 1, 1, -2, 1, 1, 0, 2, -1, 0.25, 1}))
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Floats()
	}
	want := run("default")
	for _, passes := range []string{
		`FuseOpsByPattern{"patterns": ["irscope"], "annotate_codegen": true},RunCodegen,default`,
		`FuseOpsByPattern{"patterns": ["irscope"], "bind_constants": false},MergeCompositeFunctions,RunCodegen,default`,
		`FuseOpsByPattern{"patterns": ["irscope.matmul_bias_relu"], "bind_constants": false},default`,
	} {
		got := run(passes)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-5 {
				t.Errorf("%s: got %v, want %v", passes, got, want)
				break
			}
		}
	}
}
