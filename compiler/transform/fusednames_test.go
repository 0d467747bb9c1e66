package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestFusedNames: the names of the kernels, and that of the layer, where it is one.
func TestFusedNames(t *testing.T) {
	for _, c := range []struct{ kernels, layer, want string }{
		{"relu add", "fire2", "fused_relu_add_fire2"},
		{"relu1 add12", "fire2", "fused_relu_add_fire2"},
		{"_relu_ add", "fire2", "fused_relu_add_fire2"},
		{"fused_relu1 add", "fire2", "fused_fused_relu1_add_fire2"},
		{"relu add", "_fire2_", "fused_relu_add_fire2"},
		// Names that only number values.
		{"relu add", "lv", "fused_relu_add"},
		{"relu add", "lv12", "fused_relu_add"},
		{"relu add", "gv_1", "fused_relu_add"},
		{"relu add", "x1", "fused_relu_add"},
		{"relu add", "xy1", "fused_relu_add_xy1"},
		// Long ones.
		{"relu add", strings.Repeat("n", 48), "fused_relu_add_" + strings.Repeat("n", 48)},
		{"relu add", strings.Repeat("n", 49), "fused_relu_add_" + strings.Repeat("n", 48)},
		{strings.Repeat("k", 60) + " " + strings.Repeat("m", 60), "fire", ("fused_" + strings.Repeat("k", 60) + "_" + strings.Repeat("m", 60))[:91] + "_fire"},
		{strings.Repeat("k", 60) + " " + strings.Repeat("m", 60), "lv", ("fused_" + strings.Repeat("k", 60) + "_" + strings.Repeat("m", 60))[:95]},
		{strings.Repeat("k", 84) + " m", "fire", "fused_" + strings.Repeat("k", 84) + "_fire"},
	} {
		first, second, _ := strings.Cut(c.kernels, " ")
		named := func(name string) string { return strings.Replace(reluKernel, "def relu", "def "+name, 1) }
		m := read(t, named(first)+named(second)+`
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        b = R.call_tir(cls.`+first+`, (x,), out_sinfo=R.Tensor((4,), "float32"))
        `+c.layer+` = R.call_tir(cls.`+second+`, (b,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(`+c.layer+`)
    return `+c.layer+`
`)
		out := runPass(t, passtest.NewContext(), transform.FuseOps, m)
		var names []string
		for gv := range out.Funcs() {
			names = append(names, gv.Name)
		}
		if !slices.Contains(names, c.want) {
			t.Errorf("%s to %s: want %s, got %v", c.kernels, c.layer, c.want, names)
		}
	}
	// The layer is that of the reduction, wherever it stands.
	for graph, want := range map[string]string{
		"conv1 = conv x; act! = elem conv1":                   "fused_conv_4_to_elem_4_to_conv1",
		"norm = elem x; total! = reduce norm":                 "fused_elem_4_to_reduce_4_to_total",
		"first = elem x; act! = elem first":                   "fused_elem_4_to_elem_4_to_act",
		"pre = elem y; conv1 = conv x; act! = elem conv1 pre": "fused_elem_4_to_conv_4_to_elem_4_4_to_conv1",
	} {
		out := runPass(t, passtest.NewContext(), transform.FuseOps, kernelGraph(t, graph))
		found := ""
		for gv := range out.Funcs() {
			if strings.HasPrefix(gv.Name, "fused_") {
				found = gv.Name
			}
		}
		if found != want {
			t.Errorf("%s makes %s, want %s", graph, found, want)
		}
	}
}
