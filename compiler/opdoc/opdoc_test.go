package opdoc

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/op"
)

// TestEveryOperatorHasAnExample computes all examples, and compares what comes out of symbolic shapes with what comes out of static ones.
func TestEveryOperatorHasAnExample(t *testing.T) {
	kernels, forms := 0, map[string]int{}
	used := map[string]bool{}
	for _, o := range op.All() {
		used[o.Name] = true
		e, err := ExampleOf(t.Context(), o)
		if err != nil {
			t.Error(err)
			continue
		}
		if e.Lowered != "" {
			kernels++
		}
		byForm := map[string]Inference{}
		for _, row := range e.Shapes {
			forms[row.Form]++
			byForm[row.Form] = row
		}
		static, symbolic := byForm["static"], byForm["symbolic"]
		if symbolic.Form == "" {
			continue
		}
		for _, x := range append([]string{symbolic.Result}, symbolic.Args...) {
			if strings.Contains(x, "ndim=?") {
				t.Errorf("%s: of symbolic shapes not even the rank is known: %s", o.Name, x)
			}
		}
		if got := replaced(symbolic.Result); got != static.Result && !strings.ContainsAny(symbolic.Result, "*/+-") && !strings.Contains(symbolic.Result, "ndim=") {
			t.Errorf("%s: symbolic shapes give %s, which for n = 2 and m = 3 is %s; static ones give %s", o.Name, symbolic.Result, got, static.Result)
		}
	}
	for name := range examples() {
		if !used[name] {
			t.Errorf("examples.txt has %s, which is no operator", name)
		}
	}
	for name := range modules() {
		if !used[name] {
			t.Errorf("modules.txtar has %s, which is no operator", name)
		}
	}
	if kernels < 150 || forms["symbolic"] < 120 || forms["unknown"] < 150 {
		t.Errorf("%d examples are lowered, and there are %v", kernels, forms)
	}
}

func replaced(text string) string {
	return symbol.ReplaceAllStringFunc(text, func(s string) string { return values[s] })
}
