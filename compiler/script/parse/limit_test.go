package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/parse"
)

// TestLimits reads texts that would need a deep stack or much memory: each is refused with an
// error that names the limit.
func TestLimits(t *testing.T) {
	prim := func(body string) string { return "@T.prim_func\ndef f(a: T.int32):\n" + body }
	var blocks strings.Builder
	for i := range 2000 {
		blocks.WriteString(strings.Repeat(" ", i+1) + "if a > 0:\n")
	}
	graph := func(body string) string {
		return "@R.function\ndef f(x: R.Tensor((2,), \"float32\"), n: R.Shape([\"n\"])):\n    n = T.int64()\n" + body + "    return x\n"
	}
	var macros strings.Builder
	macros.WriteString("@T.macro\ndef m0(x):\n    T.evaluate(x)\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&macros, "@T.macro\ndef m%d(x):\n    m%d(x)\n    m%d(x)\n", i, i-1, i-1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"parentheses", prim("    T.evaluate(" + strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000) + ")\n"), "nested more than 400 levels"},
		{"open parentheses", prim("    T.evaluate(" + strings.Repeat("(", 100_000)), "never closed"},
		{"brackets in a string", "@R.function\ndef f(x: R.Tensor((\"" + strings.Repeat("(", 100_000) + "n\",), \"int8\")):\n    return x\n", "is not an extent"},
		{"ifs", prim(blocks.String() + strings.Repeat(" ", 2001) + "T.evaluate(a)\n"), "nested more than 400 levels"},
		{"elifs", prim("    if a > 0:\n        T.evaluate(a)\n" + strings.Repeat("    elif a > 1:\n        T.evaluate(a)\n", 100_000)), "nested more than 400 levels"},
		{"negations", prim("    T.evaluate(" + strings.Repeat("-", 100_000) + "a)\n"), "nested more than 400 levels"},
		{"lambdas", prim("    T.evaluate(" + strings.Repeat("lambda x: ", 100_000) + "a)\n"), "nested more than 400 levels"},
		{"chain", prim("    T.evaluate(a" + strings.Repeat(" + a", 100_000) + ")\n"), "more than 20000 operands"},
		{"attributes", prim("    T.evaluate(a" + strings.Repeat(".b", 100_000) + ")\n"), "more than 20000 operands"},
		{"doubled list", "x = [1]\n" + strings.Repeat("x = x + x\n", 60) + prim("    T.evaluate(len(x))\n"), ""},
		{"nested lists", "x = [1]\n" + strings.Repeat("x = [x, x]\n", 60) + prim("    T.evaluate(len(x))\n"), ""},
		{"doubled values", graph("    a = n + 1\n" + strings.Repeat("    a = a * a\n", 60)), "expands to more than"},
		{"doubled tuples", graph("    a = (x, x)\n" + strings.Repeat("    a = (a, a)\n", 60)), "expands to more than"},
		{"doubled struct info", graph("    a = R.Tuple(R.Object, R.Object)\n" + strings.Repeat("    a = R.Tuple(a, a)\n", 60)), "expands to more than"},
		{"doubled macros", macros.String() + prim("    m39(a)\n"), "macros"},
		{"a macro that calls itself", "@T.macro\ndef m(x):\n    m(x)\n" + prim("    m(a)\n"), "macros"},
		{"many errors", prim(strings.Repeat("    T.evaluate(zzz)\n", 1000)), "undefined name"},
	} {
		_, diags := parse.File(c.name, c.text, parse.Options{})
		if len(diags) > 100 {
			t.Errorf("%s: %d errors", c.name, len(diags))
		}
		if c.want == "" {
			continue
		}
		found := false
		for _, d := range diags {
			found = found || strings.Contains(d.Message, c.want)
		}
		if !found {
			text := "no errors"
			if len(diags) > 0 {
				text = diags[0].Message
			}
			t.Errorf("%s: expected an error with %q, got %.200s", c.name, c.want, text)
		}
	}
}

// TestLineEnds reads a text with the line ends of Windows and of old machines, and with a byte
// order mark.
func TestLineEnds(t *testing.T) {
	text := "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in range(4):\n        A[i] = T.exp(\n            A[i])\n"
	for _, s := range []string{strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + text, strings.TrimSuffix(text, "\n"), text + "\n   \n\t\n# end"} {
		m, diags := parse.Module("a.py", s, parse.Options{})
		if len(diags) > 0 {
			t.Errorf("%q: %s", s, diags[0].Format())
			continue
		}
		if m.Lookup("f") == nil {
			t.Errorf("%q: there is no function f", s)
		}
	}
	_, diags := parse.Module("a.py", strings.ReplaceAll(strings.Replace(text, "exp", "exq", 1), "\n", "\r\n"), parse.Options{})
	if len(diags) != 1 || diags[0].Span.Line != 4 || diags[0].Span.Col != 16 {
		t.Errorf("the error is at %v", diags)
	}
}
