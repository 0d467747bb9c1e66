package syntax_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/syntax"
)

// TestErrors lists the errors of texts, with their places: all of them, and none that only follows
// from another. Those of the lexer, which reads the whole text first, come first.
func TestErrors(t *testing.T) {
	const head = "@T.prim_func\ndef f():\n"
	for _, c := range []struct{ name, text, want string }{
		{"two lines", head + "    x = = 1\n    y = 2\n    z = )\n", "5:9: this bracket closes nothing\n" + `3:9: expected an expression, got "="` + "\n"},
		{"the rest of a block", head + "    for i range(3):\n        x = 1 +\n    y = +\n", `3:11: expected "in" after the loop variables, got "range"` + "\n5:10: expected an expression, got the end of the line\n"},
		{"open bracket", head + "    x = f(1\n    return 1\n", "3:10: this bracket is never closed\n"},
		{"wrong bracket", head + "    x = f(1]\n    y = 2\n", `3:12: expected ) here, the bracket that closes (` + "\n"},
		{"open string", head + "    x = f(\"a)\n    y = *\n", "3:11: this string is not closed on its line\n4:10: expected an expression, got the end of the line\n"},
		{"open long string", head + "    x = '''a\n", "3:9: this string is never closed\n"},
		{"odd character", head + "    x = a ? b\n", "3:11: this character does not belong in a script\n"},
		{"indentation", head + "    x = 1\n      y = 2\n   z = 3\n", "5:4: this line is indented differently from the lines around it\n4:7: this line is indented deeper than the block that it is in\n"},
		{"no block", head + "    if x:\n    y = 1\n", "4:5: expected an indented block, got \"y\"\n"},
		{"stray else", head + "    else:\n        x\n", `3:5: this "else" belongs to no "if"` + "\n"},
		{"keyword", head + "    x = for\n", `3:9: expected an expression, got the word "for"` + "\n"},
		{"name", head + "    x.1\n", "3:6: expected the end of the line, got \".1\"\n"},
		{"equals", head + "    f(x, (y = 1))\n", "3:13: expected \")\" to close the parenthesis, got \"=\"\n"},
		{"argument", head + "    f(a=1, b)\n", "3:12: an argument without a name follows one with a name\n"},
		{"comprehension", head + "    x = [i for i in y]\n", "3:12: comprehensions are not supported: write the elements out\n"},
		{"f string", head + "    x = f\"a\"\n", "3:9: f-strings are not supported: write the text out\n"},
		{"in", head + "    x = a in b\n", `3:11: "in" is not an operator of the script language` + "\n"},
		{"empty index", head + "    x[]\n", "3:7: expected an index, got \"]\"\n"},
		{"variadic", "@T.prim_func\ndef f(*a):\n    pass\n", "2:7: functions of a script cannot have variadic parameters\n"},
		{"try", head + "    try:\n        x\n    except E:\n        y\n    raise z\n    del y\n", "3:5: statements with \"try\" are not part of the script language\n7:5: statements with \"raise\" are not part of the script language\n8:5: statements with \"del\" are not part of the script language\n"},
		{"condition", head + "    x = a if b\n", `3:15: expected "else" after the condition, got the end of the line` + "\n"},
		{"decorator", "@T.prim_func x\ndef f(): pass\n@T.prim_func\nx = 1\n", "1:14: expected the end of the line after the decorator, got \"x\"\n4:1: expected a function or class after the decorator, got \"x\"\n"},
		{"long word", head + "    x = 1 " + strings.Repeat("a", 40) + "\n", "3:11: expected the end of the line, got \"" + strings.Repeat("a", 20) + "...\"\n"},
		{"import", "@I.ir_module\nclass M:\n    from a b\n", "3:12: expected \"import\", got \"b\"\n"},
		{"end of the text", "@T.prim_func\ndef f(", "2:6: this bracket is never closed\n"},
		{"indented text", head + "    x\n\ny\n  z\n", "6:3: this line is indented, but belongs to no block\n"},
	} {
		got := strings.ReplaceAll(syntax.Parse("e.py", c.text).Errors.String(), "e.py:", "")
		if got != c.want {
			t.Errorf("%s: the errors are\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestHost keeps errors outside of scripts apart: the program around them may be any Python.
func TestHost(t *testing.T) {
	f := syntax.Parse("h.py", "x = [i for i in y]\n@T.prim_func\ndef f():\n    return\nwith open(x) as y: z = f'a'\n")
	if f.Failed() || len(f.Host) != 2 {
		t.Errorf("errors %v, of the program %v", f.List, f.Host)
	}
	inside := syntax.Parse("h.py", "@I.pyfunc\ndef g():\n    x = [i for i in y]\n")
	if len(inside.List)+len(inside.Host) != 1 {
		t.Errorf("errors %v, of the program %v", inside.List, inside.Host)
	}
}

// TestBounds reads texts that nest deeply, chain long and are wrong often: there is an error, and
// no more errors than are read.
func TestBounds(t *testing.T) {
	const head = "@T.prim_func\ndef f():\n"
	for name, c := range map[string]struct{ text, want string }{
		"parentheses": {head + "    x = " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000), "nested more than 400"},
		"signs":       {head + "    x = " + strings.Repeat("-", 10_000) + "1\n", "nested more than 400"},
		"not":         {head + "    x = " + strings.Repeat("not ", 10_000) + "1\n", "nested more than 400"},
		"sum":         {head + "    x = 1" + strings.Repeat(" + 1", 30_000) + "\n", "more than 20000 operands"},
		"or":          {head + "    x = 1" + strings.Repeat(" or 1", 30_000) + "\n", "more than 20000 operands"},
		"attributes":  {head + "    x = a" + strings.Repeat(".b", 30_000) + "\n", "more than 20000 operands"},
		"comparisons": {head + "    x = a" + strings.Repeat(" < b", 30_000) + "\n", "more than 20000 operands"},
		"errors":      {head + strings.Repeat("    x = = 1\n", 1000), "expected an expression"},
	} {
		f := syntax.Parse("b.py", c.text)
		if len(f.List) == 0 || len(f.List) > 100 || !strings.Contains(f.List[0].Message, c.want) {
			t.Errorf("%s: %d errors, want one with %q", name, len(f.List), c.want)
		}
	}
	var e syntax.Errors
	e.Add(0, 1, strings.Repeat("a", 5000), "")
	if len(e.List[0].Message) > 1100 {
		t.Errorf("a message has %d bytes", len(e.List[0].Message))
	}
}

// TestLineEnds reads the line ends of Windows and of old machines, and a byte order mark, in front
// of an error: its place is the same in all.
func TestLineEnds(t *testing.T) {
	text := "@T.prim_func\ndef f():\n    x = g(\n        1)\n    y = *\n"
	for _, s := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), strings.TrimSuffix(text, "\n")} {
		if got := syntax.Parse("l.py", s).Errors.String(); got != "l.py:5:10: expected an expression, got the end of the line\n" &&
			!strings.Contains(got, "got the end of the text") {
			t.Errorf("%q: %s", s, got)
		}
	}
}

// TestExpressionErrors reads texts that are no expression.
func TestExpressionErrors(t *testing.T) {
	for _, text := range []string{"", "1 +", "f(", "a b c ?", ")", "'a"} {
		if tree, errs := syntax.ParseExpr("x", text); tree != nil || !errs.Failed() {
			t.Errorf("%q is read as %s", text, show(tree))
		}
	}
}
