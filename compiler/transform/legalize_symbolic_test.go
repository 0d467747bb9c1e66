package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
)

// TestRepeatedSymbolicCalls: calls with the same extents take one kernel, which is remembered by operator, extents and their variables; what
// else they are given is their own.
func TestRepeatedSymbolicCalls(t *testing.T) {
	m := read(t, `
@R.function
def main(x: R.Tensor(("m", "n"), "float32"), y: R.Tensor(("n", "m"), "float32"), z: R.Tensor(("n", "m"), "float32")):
    m = T.int64()
    n = T.int64()
    with R.dataflow():
        a = R.exp(R.reshape(x, R.shape([m * n])))
        b = R.exp(R.reshape(y, R.shape([n * m])))
        c = R.exp(R.reshape(x, R.shape([m * n])))
        d = R.exp(R.reshape(z, R.shape([n * m])))
        e = R.concat((x, x), axis=0)
        f = R.concat((y, z), axis=0)
        g = R.concat((z, y), axis=0)
        h = R.concat((z, z), axis=1)
        i = R.strided_slice(x, (R.prim_value(0),), (R.prim_value(0),), (R.prim_value(m),))
        j = R.strided_slice(x, (R.prim_value(0),), (R.prim_value(0),), (R.prim_value(n),))
        out = (a, b, c, d, e, f, g, h, i, j)
        R.output(out)
    return out
`)
	out, err := passtest.NewContext().Run(transform.LegalizeOps, m)
	if err != nil {
		t.Fatal(err)
	}
	text := script.Module(out, script.Options{}).Source
	var calls []string
	for line := range strings.SplitSeq(text, "\n") {
		if _, call, ok := strings.Cut(line, " = R.call_tir("); ok {
			calls = append(calls, strings.ReplaceAll(strings.TrimSuffix(call, ")"), `, dtype="float32"`, ""))
		}
	}
	want := []string{
		"cls.reshape, (x,), out_sinfo=R.Tensor((m * n,))",
		"cls.exp, (lv,), tir_vars=R.shape([m, n]), out_sinfo=R.Tensor((m * n,))",
		"cls.reshape, (y,), out_sinfo=R.Tensor((n * m,))",
		"cls.exp, (lv1,), tir_vars=R.shape([n, m]), out_sinfo=R.Tensor((n * m,))",
		"cls.reshape, (x,), out_sinfo=R.Tensor((m * n,))",
		"cls.exp, (lv2,), tir_vars=R.shape([m, n]), out_sinfo=R.Tensor((m * n,))",
		"cls.reshape, (z,), out_sinfo=R.Tensor((n * m,))",
		"cls.exp, (lv3,), tir_vars=R.shape([n, m]), out_sinfo=R.Tensor((n * m,))",
		"cls.concatenate, (x, x), out_sinfo=R.Tensor((m + m, n))",
		"cls.concatenate, (y, z), out_sinfo=R.Tensor((n + n, m))",
		"cls.concatenate, (z, y), out_sinfo=R.Tensor((n + n, m))",
		"cls.concatenate1, (z, z), out_sinfo=R.Tensor((n, m + m))",
		"cls.strided_slice, (x,), out_sinfo=R.Tensor((m, n))",
		"cls.strided_slice1, (x,), out_sinfo=R.Tensor((T.min(n, m), n))",
	}
	if !slices.Equal(calls, want) {
		t.Errorf("the calls are\n%s\nwant\n%s\nof\n%s", strings.Join(calls, "\n"), strings.Join(want, "\n"), text)
	}
}
