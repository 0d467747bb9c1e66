package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/target"
)

// TestEarlyBlocks: bytes that a convolution wants in blocks are in blocks for what works on each of them, too, unless something else reads them.
func TestEarlyBlocks(t *testing.T) {
	tg, err := target.Parse("x86 -mattr=+avx512vnni")
	if err == nil {
		tg, err = tg.Explicit(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for o := range 16 {
		var row []string
		for i := range 16 {
			row = append(row, fmt.Sprintf("[[%d]]", (7*o+5*i)%23-11))
		}
		rows = append(rows, "["+strings.Join(row, ", ")+"]")
	}
	weights := `R.const([` + strings.Join(rows, ", ") + `], "int8")`
	for _, c := range []struct {
		name, lines string
		numbers     int // that are made of the bytes change their layout, beside these
	}{
		{"a residual", "c = R.astype(x, \"float32\")\nd = R.add(b, c)", 0},
		{"a scaled residual", "c = R.astype(x, \"int32\")\ne = R.subtract(c, R.const(3, \"int32\"))\nf = R.astype(e, \"float32\")\nd = R.add(b, f)", 0},
		{"a reader of all elements", "c = R.reshape(x, R.shape([1, 16, 8, 2]))\ne = R.reshape(c, R.shape([1, 16, 4, 4]))\nf = R.astype(e, \"float32\")\nd = R.add(b, f)", 1},
		{"a reader of both kinds", "c = R.astype(x, \"float32\")\nh = R.add(b, c)\ng = R.sort(x, axis=1)\nf = R.astype(g, \"float32\")\nd = R.add(h, f)", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, `
@R.function
def main(x: R.Tensor((1, 16, 4, 4), "uint8")):
    with R.dataflow():
        a = R.nn.conv2d(x, `+weights+`, out_dtype="int32")
        b = R.astype(a, "float32")
        `+strings.ReplaceAll(c.lines, "\n", "\n        ")+`
        R.output(d)
    return d
`)
			want := outputs(t, m, 2, false)
			out, _ := check(t, passtest.NewContext(pass.WithTarget(tg)), transform.BlockConvLayout, m)
			sameOutputs(t, want, outputs(t, out, 2, false))
			text := passtest.Text(out)
			bytes := 0
			numbers := 0
			for line := range strings.Lines(text) {
				if strings.Contains(line, "R.layout_transform(") {
					bytes += strings.Count(line, `(1, 1, 4, 4, 16), dtype="uint8"`)
					numbers += strings.Count(line, `(1, 1, 4, 4, 16), dtype="float32"`)
				}
			}
			if bytes != 1 || numbers != c.numbers {
				t.Errorf("%d changes of layout of bytes, %d of numbers:\n%s", bytes, numbers, text)
			}
		})
	}
}
