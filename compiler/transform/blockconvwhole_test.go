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

// TestBlockConvLayoutWholeBytes: between convolutions of bytes, channels are added through what makes bytes of their results, if what it makes of zeros is finite.
func TestBlockConvLayoutWholeBytes(t *testing.T) {
	tg, err := target.Parse("x86 -mattr=+avx2,+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512vnni,+fma -max-simd-width=512 -num-vector-registers=32")
	if err != nil {
		t.Fatal(err)
	}
	weights := func(out, in int) string {
		var rows []string
		for o := range out {
			var row []string
			for i := range in {
				row = append(row, fmt.Sprintf("[[%d]]", (7*o+5*i)%23-11))
			}
			rows = append(rows, "["+strings.Join(row, ", ")+"]")
		}
		return "R.const([" + strings.Join(rows, ", ") + `], "int8")`
	}
	var list []string
	for c := range 24 {
		list = append(list, fmt.Sprintf("[[%g]]", float64(c-9)/4))
	}
	perChannel := "R.const([" + strings.Join(list, ", ") + `], "float32")`
	for _, c := range []struct {
		name, lines string
		blocks      int
	}{
		{"quantized", `
        b = R.multiply(f, R.const(0.0625, "float32"))
        g = R.add(b, PER_CHANNEL)
        h = R.round(g)
        z = R.astype(R.const(12, "uint8"), dtype="float32")
        i = R.add(h, z)
        j = R.clip(i, R.prim_value(T.float32(0.0)), R.prim_value(T.float32(255.0)))
        c = R.astype(j, dtype="uint8")`, 2},
		{"a divisor for each channel", `
        b = R.divide(f, PER_CHANNEL)
        h = R.round(b)
        j = R.clip(h, R.prim_value(T.float32(0.0)), R.prim_value(T.float32(255.0)))
        c = R.astype(j, dtype="uint8")`, 1},
		{"a division of integers", `
        z = R.astype(PER_CHANNEL, dtype="int32")
        y = R.maximum(z, R.const(1, "int32"))
        b = R.divide(e, y)
        c = R.astype(b, dtype="uint8")`, 1},
		{"a divisor that was an integer", `
        z = R.astype(R.const(3, "int32"), dtype="float32")
        b = R.divide(f, z)
        h = R.round(b)
        j = R.clip(h, R.prim_value(T.float32(0.0)), R.prim_value(T.float32(255.0)))
        c = R.astype(j, dtype="uint8")`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, strings.ReplaceAll(`
@R.function
def main(x: R.Tensor((1, 16, 5, 7), "uint8")):
    with R.dataflow():
        a = R.nn.conv2d(x, `+weights(24, 16)+`, out_dtype="int32")
        e = R.subtract(a, R.const(40, "int32"))
        f = R.astype(e, dtype="float32")`+c.lines+`
        d = R.nn.conv2d(c, `+weights(16, 24)+`, out_dtype="int32")
        R.output(d)
    return d
`, "PER_CHANNEL", strings.Replace(perChannel, "[[0]]", "[[0.5]]", 1)))
			want := outputs(t, m, 2, false)
			out, _ := check(t, passtest.NewContext(pass.WithTarget(tg)), transform.BlockConvLayout, m)
			sameOutputs(t, want, outputs(t, out, 2, false))
			if got := strings.Count(passtest.Text(out), `data_layout="NCHW16c"`); got != c.blocks {
				t.Errorf("%d convolutions have blocks, want %d:\n%s", got, c.blocks, passtest.Text(out))
			}
		})
	}
}
