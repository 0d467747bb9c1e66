package execute

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestArgumentsThatShareMemory calls a kernel with two tensors, and then with one tensor for both, of the same data: the result of the first call is not that
// of the second.
func TestArgumentsThatShareMemory(t *testing.T) {
	mods, diags := parse.File("k.py", `
@I.ir_module
class Module:
    @T.prim_func
    def sums(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(3):
            b[i + 1] = a[i] + b[i + 1]
`, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	m := mods[0].Module
	f := ir.MustLookup[*tir.PrimFunc](m, "sums")
	ones := func() *tensor.Tensor {
		x := tensor.MustNew(dtype.Float32T, 4)
		for i := range 4 {
			x.SetFloat(i, 1)
		}
		return x
	}
	k := newKernels(DefaultMaxSteps, DefaultMaxBytes)
	run := func(args ...graphrun.Value) {
		t.Helper()
		if _, err := k.run(t.Context(), m, "sums", f, args); err != nil {
			t.Fatal(err)
		}
	}
	b := ones()
	run(ones(), b)
	both := ones()
	run(both, both)
	if b.Float(3) != 2 || both.Float(3) != 4 {
		t.Errorf("apart the last sum is %v, want 2; in one tensor it is %v, want 4", b.Float(3), both.Float(3))
	}
}
