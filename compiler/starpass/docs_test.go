package starpass_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/starpass"
)

// docModule has something for each script of the docs.
const docModule = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        with R.dataflow():
            y = R.add(x, x)
            z = R.nn.relu(y)
            R.output(z)
        return z

    @T.prim_func
    def kernel(A: T.Buffer((8,), "float32")):
        for i in range(8):
            A[i] = T.float32(1)
`

var codeBlock = regexp.MustCompile("(?s)```(python|starlark)\n(.*?)```")

// TestDocs runs every script of docs/scripting.md and looks for what it prints or makes. The
// blocks in Python are TVM's form of what follows.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/scripting.md")
	if err != nil {
		t.Fatal(err)
	}
	effects := []func(m *ir.Module, out string) bool{
		func(m *ir.Module, out string) bool {
			return strings.Contains(printed(m), "R.nn.gelu(y)") && strings.HasSuffix(out, "4 passes were timed\n") && strings.Contains(out, "PrintIR():")
		},
		func(m *ir.Module, out string) bool { return m.Len() == 1 && out == "KeepMain 2\n" },
		func(m *ir.Module, _ string) bool {
			return m.Lookup("main").FuncAttrs().Has("seen") && m.Lookup("kernel").FuncAttrs().Has("seen")
		},
		func(m *ir.Module, out string) bool {
			return m == nil && out == "{\"relax.add\": 1, \"relax.nn.relu\": 1}\n"
		},
		func(m *ir.Module, _ string) bool { return strings.Contains(printed(m), "R.multiply(x, R.const(2.0") },
		func(m *ir.Module, _ string) bool { return strings.Contains(printed(m), "T.unroll(8)") },
		func(_ *ir.Module, out string) bool {
			return strings.HasPrefix(out, "Call relax.add R.Tensor((2, 4), dtype=\"float32\") main\nTrue functions[\"main\"].body.blocks[0].bindings[0].value\nTrue True\n")
		},
		func(_ *ir.Module, out string) bool {
			return strings.Contains(out, "A[i] = A[i] * T.float32(2.0)") && strings.Contains(out, "R.nn.softmax(R.add(x, ") && strings.Contains(out, "[2, 2] int64 [1, 2, 3, 4]")
		},
		func(m *ir.Module, _ string) bool { return strings.Contains(printed(m), "R.call_tir") },
		func(m *ir.Module, out string) bool { return m.Len() > 2 && out == "3 [\"FuseOps\"] True\n" },
		func(m *ir.Module, out string) bool {
			return m.Len() > 1 && strings.HasPrefix(out, "before zero\nbefore LegalizeOps\n") && !strings.Contains(out, "FuseOps")
		},
		func(m *ir.Module, _ string) bool { return m.Attrs().Int("level", 0) == 2 },
		func(m *ir.Module, out string) bool { return m == nil && out == "False\n" },
	}
	n := 0
	for _, b := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		if b[1] != "starlark" {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m, out, err := run(t, b[2], module(t, docModule), starpass.Limits{})
			switch {
			case err != nil:
				t.Errorf("%v\n%s%s", err, starpass.Trace(err), b[2])
			case n >= len(effects):
				t.Errorf("nothing is known of the effect of\n%s", b[2])
			case !effects[n](m, out):
				t.Errorf("printed\n%s\nand not what it should, or made something else:\n%s", out, b[2])
			}
		})
		n++
	}
	if n != len(effects) {
		t.Errorf("the docs have %d scripts, expected %d", n, len(effects))
	}
	if len(codeBlock.FindAllString(string(text), -1)) != strings.Count(string(text), "```")/2 {
		t.Error("a code block is neither python nor starlark")
	}
}

// TestDocsNameExamples checks that the docs name each script that comes with the program.
func TestDocsNameExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/scripting.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(starpass.Examples()); n != 3 {
		t.Errorf("%d examples, expected 3", n)
	}
	for _, e := range starpass.Examples() {
		if !strings.Contains(string(text), "`example:"+e.Name+"`") || e.Title == "" {
			t.Errorf("docs/scripting.md does not name %s (%q)", e.Name, e.Title)
		}
	}
}
