package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
)

// TestDispatchSortScanKeepsMeaning compares each operator with what LegalizeOps makes of it, whose values topi's tests compare with plain loops.
func TestDispatchSortScanKeepsMeaning(t *testing.T) {
	for _, call := range []string{
		"R.sort(x, axis=%d)", "R.sort(x, axis=%d, descending=True)", "R.argsort(x, axis=%d, dtype=\"int64\")", "R.topk(x, k=1, axis=%d)[0]",
		"R.cumsum(x, axis=%d)", "R.cumsum(x, axis=%d, exclusive=True)", "R.cumprod(x, axis=%d)",
	} {
		for _, dims := range []string{"3, 4", "1, 5", `"n", 3`, "2, 1"} {
			for axis := range 2 {
				for _, dtype := range []string{"float32", "int32"} {
					text := fmt.Sprintf("@R.function\ndef main(x: R.Tensor((%s), %q)):\n    a = R.negative(x)\n    b = "+call+"\n    return b\n", dims, dtype, axis)
					text = strings.Replace(text, "(x, ", "(a, ", 1)
					m := read(t, strings.Replace(text, "R.negative(a", "R.negative(x", 1))
					want := outputs(t, m, 3, false)
					out, _ := check(t, passtest.NewContext(), transform.DispatchSortScan, m)
					if source := script.Module(out, script.Options{}).Source; !strings.Contains(source, "R.call_tir(") || !strings.Contains(source, "R.negative") {
						t.Fatalf("the pass made\n%s", source)
					}
					if sameOutputs(t, want, outputs(t, out, 3, false)); t.Failed() {
						t.Fatal(text)
					}
				}
			}
		}
	}
}

func TestDispatchSortScanLeavesGPUs(t *testing.T) {
	runPairs(t, transform.DispatchSortScan, pair{name: "on cuda", before: `
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("cuda")]})

    @R.function
    def main(x: R.Tensor((4,), "float32", "cuda")) -> R.Tensor((4,), "float32", "cuda"):
        y: R.Tensor((4,), "float32", "cuda") = R.cumsum(x, axis=0)
        return y
`})
}
