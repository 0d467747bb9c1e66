package linediff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

func TestMark(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"renamed in a chain":   {"-lv2 = R.add(lv1, x)\n-lv3 = R.exp(lv2)\n+lv = R.add(lv1, x)\n+lv1_1 = R.exp(lv)", "~~~~"},
		"a name becomes two":   {"-a = R.exp(b)\n-c = R.exp(b)\n+a = R.exp(d)\n+c = R.exp(e)", "~!~!"},
		"two names become one": {"-a = R.exp(b)\n-c = R.exp(d)\n+a = R.exp(x)\n+c = R.exp(x)", "~!~!"},
		"a swap":               {"-f[a] = b\n+f[b] = a", "~~"},
		"operators differ":     {"-a = R.add(b, c)\n+a = R.multiply(b, c)", "!!"},
		"callees differ":       {"-a = exp(b)\n+a = log(b)", "!!"},
		"keywords differ":      {"-a = b and c\n+a = b or c", "!!"},
		"literals differ":      {"-a = b + 1\n+c = b + 2", "!!"},
		"strings differ":       {"-with T.block(\"a\"):\n+with T.block(\"b\"):", "!!"},
		"string with quotes":   {`-a = f("x\"y")` + "\n" + `+b = f("x\"y")`, "~~"},
		"string never ends":    {`-a = "x\` + "\n" + `+b = "x\`, "~~"},
		"arguments by name":    {"-f(axis=a)\n+f(keepdims=a)", "!!"},
		"comparisons":          {"-if a==b:\n+if c==b:", "~~"},
		"numbers are whole":    {"-a = 1e5\n+a = 1e6", "!!"},
		"moved":                {"-x = f()\n y = g()\n+x = f()", "> >"},
		"moved in a loop":      {"-x = f()\n+for i in range(4):\n+    x = f()", ">!>"},
		"each line once":       {"-x = f()\n y = g()\n+x = f()\n+x = f()", "> >!"},
		"added":                {" a\n+b", " !"},
		"places apart":         {"-a = f(b)\n y = g()\n+c = f(b)", "! !"},
		"comments are text":    {"-a = b # one\n+c = b # two", "!!"},
		"empty line":           {"-\n+x", "!!"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(c.lines, "\n")
			if got := linediff.Mark([]event.Hunk{{Lines: lines}}); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q, want %q for\n%s", got, c.want, c.lines)
			}
		})
	}
}

// TestMarkAcrossHunks checks that names and moves hold in the whole diff.
func TestMarkAcrossHunks(t *testing.T) {
	got := linediff.Mark([]event.Hunk{
		{Lines: []string{"-a = f(x)", "+b = f(x)", "-q = g()"}},
		{Lines: []string{"-y = f(a)", "+y = f(c)", "+q = g()"}},
	})
	if want := []string{"~~>", "!!>"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := linediff.Mark(nil); len(got) != 0 {
		t.Errorf("no hunks give %q", got)
	}
}

func TestMarkLimit(t *testing.T) {
	long := strings.Repeat("x", linediff.MaxMarked/2)
	at := []event.Hunk{{Lines: []string{"-" + long[1:], "+" + long[1:]}}}
	if got := linediff.Mark(at); got[0] != ">>" {
		t.Errorf("at the limit: %q", got)
	}
	over := []event.Hunk{{Lines: []string{"-" + long, "+" + long, " z"}}}
	if got := linediff.Mark(over); got[0] != "!! " {
		t.Errorf("beyond the limit: %q", got)
	}
}

// TestMarkRenames renames the values of random texts without changing anything else.
func TestMarkRenames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "lines")
		to := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "names")
		var h event.Hunk
		var added []string
		for i := range n {
			a, b := rapid.IntRange(0, 7).Draw(t, "a"), rapid.IntRange(0, 7).Draw(t, "b")
			h.Lines = append(h.Lines, fmt.Sprintf("-v%d = R.op%d(v%d, k=%d)", a, i, b, i))
			added = append(added, fmt.Sprintf("+w%d = R.op%d(w%d, k=%d)", to[a], i, to[b], i))
		}
		h.Lines = append(h.Lines, added...)
		if got := linediff.Mark([]event.Hunk{h}); got[0] != strings.Repeat("~", 2*n) {
			t.Errorf("%q for\n%s", got, strings.Join(h.Lines, "\n"))
		}
	})
}

// FuzzMark checks that any lines get as many marks, and as many moved ones on both sides.
func FuzzMark(f *testing.F) {
	f.Add("-a = b\n+c = b\n \"")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		marks := linediff.Mark([]event.Hunk{{Lines: lines}})[0]
		if len(marks) != len(lines) {
			t.Fatalf("%d marks for %d lines", len(marks), len(lines))
		}
		balance := map[rune]int{}
		for i, m := range marks {
			switch l := lines[i]; {
			case l != "" && l[0] == '-':
				balance[m]++
			case l != "" && l[0] == '+':
				balance[m]--
			case m != linediff.MarkSame:
				t.Errorf("line %q is marked %q", l, m)
			}
		}
		if balance[linediff.MarkMoved] != 0 || balance[linediff.MarkRenamed] != 0 {
			t.Errorf("counterparts are missing: %v in %q", balance, marks)
		}
	})
}
