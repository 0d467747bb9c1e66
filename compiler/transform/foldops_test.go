package transform_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestFoldConstantFoldsOperators folds operators whose arguments are constants, also those
// that become so, and leaves those of variables.
func TestFoldConstantFoldsOperators(t *testing.T) {
	m := read(t, `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = R.add(R.const([[1.0, 2.0], [3.0, 4.0]], "float32"), R.const([10.0, 20.0], "float32"))
            s = R.reshape(a, R.shape([4]))
            r = R.sum(a, axis=[0, 1])
            z = R.zeros(R.shape([4]), "float32")
            k = R.multiply(x, s)
            d = R.add(k, r)
            e = R.add(d, z)
            R.output(e)
        return e
`)
	out := runPass(t, passtest.NewContext(), transform.FoldConstant, m)
	want := map[string][]float64{"a": {11, 22, 13, 24}, "s": {11, 22, 13, 24}, "r": {70}}
	relax.EachBinding(out.Lookup("main").(*relax.Function).Body, func(_ *relax.BindingBlock, b relax.Binding) {
		name := b.Bound().Name
		k, folded := b.BoundValue().(*relax.Constant)
		if folded != (want[name] != nil) {
			t.Errorf("%s: folded is %v\n%s", name, folded, script.Module(out, script.Options{}).Source)
		}
		if folded {
			v := &tensor.Tensor{DType: k.Data.DType(), Shape: k.Data.Shape(), Data: k.Data.Bytes()}
			if got := v.Floats(); !slices.Equal(got, want[name]) {
				t.Errorf("%s is %v, want %v", name, got, want[name])
			}
		}
	})
}
