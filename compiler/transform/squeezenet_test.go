package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// TestSqueezenetFusesAsInTVM compares the structure after FuseTIR with what TVM v0.23 makes of
// light_squeezenet: 26 convolutions in 18 kernels with their bias and relu, and beside them
// four concatenations, three poolings, a mean and a softmax.
func TestSqueezenetFusesAsInTVM(t *testing.T) {
	for _, c := range onnxtest.Light(t) {
		if !strings.Contains(c.Name, "squeezenet") {
			continue
		}
		m := prefix(t, importCase(t, c), transform.DecomposeOps, transform.FuseTIR, nil)
		m = runPass(t, passtest.NewContext(), transform.FuseTIR, m)
		groups := map[string]int{}
		for _, k := range kernels(m) {
			switch {
			case strings.HasPrefix(k, "fused_conv2d_add_relu"):
				groups["conv2d_add_relu"]++
			default:
				groups[strings.TrimRight(k, "0123456789")]++
			}
		}
		calls := 0
		relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
			if k, ok := b.BoundValue().(*relax.Call); ok && strings.HasPrefix(k.Args[0].(*ir.GlobalVar).Name, "fused_conv2d_add_relu") {
				calls++
			}
		})
		if groups["conv2d_add_relu"] != 18 || calls != 26 || groups["concatenate"] != 4 || groups["max_pool2d"] != 3 || len(kernels(m)) != 27 {
			t.Errorf("%d calls; kernels %v: %v", calls, groups, kernels(m))
		}
		return
	}
	t.Fatal("light_squeezenet is not among the published models")
}
