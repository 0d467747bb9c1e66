package parse_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
)

// broken is a node with a fault of ours: it panics where it is walked.
type broken struct{ ir.Base }

func (broken) EachChild(func(ir.Node)) { panic("boom") }

// TestInternalErrors checks that a panic of ours is reported as such at the statement where it
// happens, and that what follows is read: the error of the user behind it is found, too.
func TestInternalErrors(t *testing.T) {
	o := parse.Options{Define: map[string]any{"bad": broken{}}}
	for name, c := range map[string]struct{ text, want string }{
		"in a PrimFunc":        {"@T.prim_func\ndef f(n: T.int32):\n    x = T.meta_var(bad)\n    T.evaluate(zzz)\n", "3:5 5:16"},
		"in a Relax function":  {"@R.function\ndef f(x: R.Object):\n    y = T.meta_var(bad)\n    return zzz\n", "3:5 4:12"},
		"in a module":          {"@I.ir_module\nclass M:\n    x = T.meta_var(bad)\n    y = zzz\n", "3:5 4:9"},
		"in front of a module": {"x = T.meta_var(bad)\n@T.prim_func\ndef f():\n    T.evaluate(zzz)\n", "1:1 4:16"},
	} {
		mods, diags := parse.File("t.py", c.text, o)
		if len(mods) > 0 || len(diags) != 2 {
			t.Errorf("%s: %d modules, errors %v", name, len(mods), diags)
			continue
		}
		if d := diags[0]; d.Message != "internal error: boom" || !strings.Contains(d.Help, "report") || !strings.HasSuffix(d.Span.String(), strings.Fields(c.want)[0]) {
			t.Errorf("%s: %s", name, d.Format())
		}
		if d := diags[1]; !strings.HasPrefix(d.Message, "undefined name") || strings.Contains(d.Message, "internal") {
			t.Errorf("%s: %s", name, d.Format())
		}
	}
}
