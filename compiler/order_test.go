package compiler_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/script/parse"
)

// TestOrderOfWhatRuns checks that a pass that is disabled counts as missing in warnings about the order.
func TestOrderOfWhatRuns(t *testing.T) {
	mods, diags := parse.File("f.py", "@R.function\ndef main(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n    with R.dataflow():\n        y = R.add(x, x)\n        R.output(y)\n    return y\n", parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	for _, c := range []struct {
		disabled []string
		want     string
	}{
		{nil, ""},
		{[]string{"FuseTIR"}, ""},
		{[]string{"FuseOps"}, "FuseTIR runs without FuseOps: it makes kernels of the groups that FuseOps formed; add FuseOps before it"},
	} {
		res, err := compiler.Passes(t.Context(), compiler.Request{Module: mods[0].Module, Disabled: c.disabled})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range res.Diagnostics {
			if d.Code == compiler.CodeOrder || d.Code == compiler.CodeMissing {
				got = append(got, d.Message)
			}
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("without %v the warnings are %q, want %q", c.disabled, got, c.want)
		}
	}
}
