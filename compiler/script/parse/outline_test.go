package parse_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/parse"
)

// TestSyntaxErrorsComeFirst has errors of both kinds: those of syntax are reported alone, wherever
// they stand, also in a function that is not built.
func TestSyntaxErrorsComeFirst(t *testing.T) {
	const head = "@I.ir_module\nclass Module:\n"
	prim := func(name, line string) string {
		return "    @T.prim_func\n    def " + name + "(A: T.Buffer((4,), \"float32\")):\n        " + line + "\n        A[1] = 1.0\n"
	}
	graph := func(name, line string) string {
		return "    @R.function\n    def " + name + "(x: R.Tensor((4,), \"float32\")):\n        " + line + "\n        return x\n"
	}
	for _, c := range []struct{ text, want string }{
		{prim("a", "A[0] = Q[0]") + prim("b", "A[0] = = 1"), "9:"},
		{prim("a", "A[0] = = 1") + prim("a", "A[0] = 1.0 1"), "5: 9:"},
		{prim("a", "A[0] = 1.0") + prim("a", "A[0] = 1.0 1"), "9:"},
		{graph("g", "y = R.nothing(x)") + prim("a", "A[0] = (1") + graph("h", "y = R.add(x,"), "9: 13:"},
		{graph("g", "y = R.nothing(x)") + prim("a", "A[0] = 1.0"), "5:"},
	} {
		mods, diags := parse.File("t.py", head+c.text, parse.Options{})
		var got []string
		for _, d := range diags {
			got = append(got, strings.Split(d.Format(), ":")[1]+":")
		}
		if strings.Join(got, " ") != c.want || mods != nil {
			t.Errorf("%s\nhas errors at %v, want %s", c.text, got, c.want)
			for _, d := range diags {
				t.Log(d.Format())
			}
		}
	}
}
