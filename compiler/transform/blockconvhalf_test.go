package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestBlockConvLayoutHalves: convolutions of halves that add in float32 take blocks too, between conversions of what they read. Others stay.
func TestBlockConvLayoutHalves(t *testing.T) {
	const add = `        b = R.add(a, R.const([[[1.0]], [[2.0]]], "float32"))
        c = R.astype(b, "float16")
        e = R.nn.relu(c)
        d = R.nn.conv2d(e, W, out_dtype="float32")`
	for _, c := range []struct {
		name, text string
		blocks     int
	}{
		{"two of halves", "        a = R.nn.conv2d(x, W, out_dtype=\"float32\")\n" + add, 2},
		{"depthwise", "        a = R.nn.conv2d(x, R.astype(R.const([[[[0.1]]], [[[3.0]]]], \"float32\"), \"float16\"), groups=2, out_dtype=\"float32\")\n" + add, 2},
		{"rounded sums", `        d = R.nn.conv2d(x, W)`, 0},
		{"weights of the user", `        d = R.nn.conv2d(x, w, out_dtype="float32")`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, strings.ReplaceAll(`
@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float16"), w: R.Tensor((2, 2, 1, 1), "float16")):
    with R.dataflow():
`+c.text+`
        R.output(d)
    return d
`, "W", `R.astype(R.const([[[[0.1]], [[2.0]]], [[[3.0]], [[0.7]]]], "float32"), "float16")`))
			want := outputs(t, m, 2, false)
			out, _ := check(t, passtest.NewContext(), must(transform.BlockConvLayout.With(ir.NewAttrs("block", int64(2)))), m)
			if got := strings.Count(passtest.Text(out), `data_layout="NCHW2c"`); got != c.blocks {
				t.Errorf("%d convolutions have blocks, want %d:\n%s", got, c.blocks, passtest.Text(out))
			}
			sameOutputs(t, want, outputs(t, out, 2, false))
		})
	}
}
