package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

const partUsers = `@I.ir_module
class Module:
    @R.function
    def first(A: R.Tensor((4,), "float32")):
        cls = Module
        B = R.add(A, A)
        C = cls.part(B)
        D = R.multiply(C, C)
        return C

    @R.function
    def second(A: R.Tensor((4,), "float32")):
        cls = Module
        B = R.add(A, A)
        C = cls.part(B)
        D = R.multiply(C, C)
        return C

    @R.function(private=True)
    def part(A: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        B = R.add(A, A)
        C = R.multiply(B, B)
        return B
`

// TestApplyPassToFunction follows TVM's tests of dead code under ApplyPassToFunction.
func TestApplyPassToFunction(t *testing.T) {
	m := read(t, partUsers)
	for regex, want := range map[string][]string{"first": {"first"}, "fir": nil, "first|part": {"first", "part"}, ".*": {"first", "second", "part"}, "part": {"part"}} {
		p := must(transform.ApplyPassToFunction(transform.DeadCodeElimination, regex, false))
		out := runPass(t, passtest.NewContext(), p, m)
		passtest.WellFormed(t, regex, out)
		changed := map[string]bool{}
		for gv, fn := range out.Funcs() {
			if old := m.Lookup(gv.Name); old == nil || !ir.StructuralEqual(old, fn, ir.EqualOpts{}) {
				changed[gv.Name] = true
			}
		}
		if out.Len() != m.Len() || len(changed) != len(want) {
			t.Errorf("%s: %v changed, want %v\n%s", regex, changed, want, passtest.Text(out))
		}
		for _, n := range want {
			if !changed[n] {
				t.Errorf("%s: %s did not change", regex, n)
			}
		}
		if ir.GlobalSymbol(out.Lookup("part")) != "" {
			t.Errorf("%s: part is public now", regex)
		}
	}
	p := must(transform.ApplyPassToFunction(transform.DeadCodeElimination, "third", true))
	if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.Contains(err.Error(), "no name of a function matches ^(?:third)$") {
		t.Error(err)
	}
	if _, err := transform.ApplyPassToFunction(transform.DeadCodeElimination, "(", false); err == nil || !strings.Contains(err.Error(), "func_name_regex: ") {
		t.Error(err)
	}
}
