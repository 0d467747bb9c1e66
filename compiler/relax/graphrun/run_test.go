package graphrun_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/script/parse"
)

// TestEndlessPrograms runs a kernel and a function that do not end.
func TestEndlessPrograms(t *testing.T) {
	mods, diags := parse.File("f.py", `
@I.ir_module
class Module:
    @T.prim_func
    def forever():
        while True:
            T.evaluate(0)

    @R.function(pure=False)
    def kernel():
        cls = Module
        x = cls.forever()
        return x

    @R.function(pure=False)
    def itself() -> R.Object:
        cls = Module
        x: R.Object = cls.itself()
        return x
`, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	for name, want := range map[string]string{"kernel": "more than 16777216 steps", "itself": "calls are nested more than 1000 deep"} {
		if _, err := graphrun.Run(t.Context(), mods[0].Module, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
