package linediff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/linediff"
)

// blocksOf returns the blocks and texts of a diff that is given by its lines; what begins with
// another byte than '-' and '+' is on both sides.
func blocksOf(lines []string) (blocks []linediff.Block, before, after []string) {
	for i, l := range lines {
		sign := byte(' ')
		if l != "" {
			sign, l = l[0], l[1:]
		}
		if sign != '-' && sign != '+' {
			before, after = append(before, l), append(after, l)
			continue
		}
		if i == 0 || lines[i-1] == "" || lines[i-1][0] != '-' && lines[i-1][0] != '+' {
			x, y := len(before), len(after)
			blocks = append(blocks, linediff.Block{X0: x, X1: x, Y0: y, Y1: y})
		}
		b := &blocks[len(blocks)-1]
		if sign == '-' {
			before = append(before, l)
			b.X1++
		} else {
			after = append(after, l)
			b.Y1++
		}
	}
	return blocks, before, after
}

func at(lines []string) func(int) string { return func(i int) string { return lines[i] } }

// marks returns the marks of the lines of a diff.
func marks(t interface{ Fatalf(string, ...any) }, lines []string) string {
	blocks, before, after := blocksOf(lines)
	m := linediff.Mark(blocks, at(before), at(after))
	if (m.Before == nil) != (m.Renamed+m.Moved == 0) {
		t.Fatalf("%d renamed, %d moved, and the marks are %v", m.Renamed, m.Moved, m.Before)
	}
	take := func(list *[]linediff.Line) byte {
		if m.Before == nil {
			return linediff.MarkChanged
		}
		l := (*list)[0]
		*list = (*list)[1:]
		return l.Mark
	}
	var b strings.Builder
	for _, l := range lines {
		switch {
		case l != "" && l[0] == '-':
			b.WriteByte(take(&m.Before))
		case l != "" && l[0] == '+':
			b.WriteByte(take(&m.After))
		default:
			b.WriteByte(linediff.MarkSame)
		}
	}
	return b.String()
}

func TestMark(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"renamed in a chain":   {"-lv2 = R.add(lv1, x)\n-lv3 = R.exp(lv2)\n+lv = R.add(lv1, x)\n+lv1_1 = R.exp(lv)", "~~~~"},
		"a name becomes two":   {"-b = f()\n-a = g(b)\n-c = h(b)\n+d = f()\n+a = g(d)\n+c = h(e)", "~~!~~!"},
		"two names become one": {"-b = f()\n-d = g()\n-a = h(b)\n-c = k(d)\n+x = f()\n+y = g()\n+a = h(x)\n+c = k(x)", "~~~!~~~!"},
		"a swap":               {"-a, b = g()\n-f[a] = b\n+b, a = g()\n+f[b] = a", "~~~~"},
		"another value":        {"-y = f(a)\n+y = f(b)", "!!"},
		"another of two":       {" a = g()\n-b = g(a)\n-y = f(a)\n+c = g(a)\n+y = f(c)", " ~!~!"},
		"a parameter":          {"-def f(x: R.Tensor, y: R.Tensor):\n-z = g(x)\n+def f(a: R.Tensor, y: R.Tensor):\n+z = g(a)", "~~~~"},
		"a name after as":      {"-with f() as x:\n-z = g(x)\n+with f() as a:\n+z = g(a)", "~~~~"},
		"an annotated value":   {"-x: R.Tensor = f()\n+y: R.Tensor = f()", "~~"},
		"an index of a store":  {"-A[x] = f()\n+A[y] = f()", "!!"},
		"operators differ":     {"-a = R.add(b, c)\n+a = R.multiply(b, c)", "!!"},
		"callees differ":       {"-a = exp(b)\n+a = log(b)", "!!"},
		"keywords differ":      {"-a = b and c\n+a = b or c", "!!"},
		"literals differ":      {"-a = b + 1\n+c = b + 2", "!!"},
		"strings differ":       {"-with T.block(\"a\"):\n+with T.block(\"b\"):", "!!"},
		"string with quotes":   {`-a = f("x\"y")` + "\n" + `+b = f("x\"y")`, "~~"},
		"string never ends":    {`-a = "x\` + "\n" + `+b = "x\`, "~~"},
		"arguments by name":    {"-f(axis=a)\n+f(keepdims=a)", "!!"},
		"comparisons":          {"-for a in r(4):\n-if a==b:\n+for c in r(4):\n+if c==b:", "~~~~"},
		"numbers are whole":    {"-a = 1e5\n+a = 1e6", "!!"},
		"moved":                {"-x = f()\n y = g()\n+x = f()", "> >"},
		"moved in a loop":      {"-x = f()\n+for i in range(4):\n+    x = f()", ">!>"},
		"each line once":       {"-x = f()\n y = g()\n+x = f()\n+x = f()", "> >!"},
		"added":                {" a\n+b", " !"},
		"places apart":         {"-a = f(b)\n y = g()\n+c = f(b)", "! !"},
		"comments are text":    {"-a = b # one\n+c = b # two", "!!"},
		"empty line":           {"-\n+x", "!!"},
		"brackets do not move": {"-)\n y = g()\n+)", "! !"},
		"moved, then renamed":  {"-a = f()\n-b = g(a)\n+b = g(a)\n+a = f()", ">>>>"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := marks(t, strings.Split(c.lines, "\n")); got != c.want {
				t.Errorf("%q, want %q for\n%s", got, c.want, c.lines)
			}
		})
	}
}

// TestMarkAcrossBlocks checks that names and moves hold in the whole diff, and where the
// counterparts are.
func TestMarkAcrossBlocks(t *testing.T) {
	lines := []string{"-a = f(x)", "+b = f(x)", "-q = g()", " same", "-y = f(a)", "+y = f(c)", "+q = g()"}
	if got, want := marks(t, lines), "~~> !!>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	blocks, before, after := blocksOf(lines)
	m := linediff.Mark(blocks, at(before), at(after))
	if m.Renamed != 1 || m.Moved != 1 {
		t.Errorf("%d renamed, %d moved, want 1 of each", m.Renamed, m.Moved)
	}
	if got, want := fmt.Sprint(m.Before, m.After), "[{126 0} {62 3} {33 -1}] [{126 0} {33 -1} {62 1}]"; got != want {
		t.Errorf("marks %s, want %s", got, want)
	}
	if got := linediff.Mark(nil, nil, nil); got.Before != nil || got.After != nil {
		t.Errorf("no blocks give %v", got)
	}
	blocks, before, after = blocksOf([]string{"-a", "+b()"})
	if got := linediff.Mark(blocks, at(before), at(after)); got.Before != nil || got.After != nil {
		t.Errorf("a diff without renamed and moved lines gives %v", got)
	}
}

func TestMarkLimit(t *testing.T) {
	long := strings.Repeat("x", linediff.MaxMarked/2)
	if got := marks(t, []string{"-" + long, "+" + long}); got != ">>" {
		t.Errorf("at the limit: %q", got)
	}
	if got := marks(t, []string{"-" + long, "+" + long, " z", "+y"}); got != "!! !" {
		t.Errorf("beyond the limit: %q", got)
	}
}

// TestMarkRenames renames the values of random texts without changing anything else.
func TestMarkRenames(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "lines")
		to := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "names")
		lines, added := []string{"-v0, v1, v2, v3, v4, v5, v6, v7 = start()"}, []string{"+"}
		for i, k := range to {
			added[0] += fmt.Sprintf("%sw%d", []string{"", ", "}[min(i, 1)], k)
		}
		added[0] += " = start()"
		for i := range n {
			a, b := rapid.IntRange(0, 7).Draw(t, "a"), rapid.IntRange(0, 7).Draw(t, "b")
			lines = append(lines, fmt.Sprintf("-v%d = R.op%d(v%d, k=%d)", a, i, b, i))
			added = append(added, fmt.Sprintf("+w%d = R.op%d(w%d, k=%d)", to[a], i, to[b], i))
		}
		lines = append(lines, added...)
		if got := marks(t, lines); got != strings.Repeat("~", 2*n+2) {
			t.Errorf("%q for\n%s", got, strings.Join(lines, "\n"))
		}
	})
}

// FuzzMark checks that any lines get as many marks, and that counterparts name each other.
func FuzzMark(f *testing.F) {
	f.Add("-a = b\n+c = b\n \"")
	f.Add("-x\n y\n+    x\n-a.b\n+a.b\n-\xff\n+\xff")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		blocks, before, after := blocksOf(lines)
		m := linediff.Mark(blocks, at(before), at(after))
		check := func(side, other []linediff.Line, number, back func(int) int) {
			pairs := 0
			for i, l := range side {
				if l.Mark == linediff.MarkChanged {
					continue
				}
				pairs++
				if o := other[back(int(l.Other))]; int(o.Other) != number(i) || o.Mark != l.Mark {
					t.Errorf("line %d is %q with %d, which says %q with %d", number(i), l.Mark, l.Other, o.Mark, o.Other)
				}
			}
			if pairs != m.Renamed+m.Moved {
				t.Errorf("%d lines have a mark, want %d", pairs, m.Renamed+m.Moved)
			}
		}
		var xs, ys []int
		for _, b := range blocks {
			for i := b.X0; i < b.X1; i++ {
				xs = append(xs, i)
			}
			for i := b.Y0; i < b.Y1; i++ {
				ys = append(ys, i)
			}
		}
		if m.Before != nil && (len(m.Before) != len(xs) || len(m.After) != len(ys)) {
			t.Fatalf("%d and %d marks for %d and %d lines", len(m.Before), len(m.After), len(xs), len(ys))
		}
		check(m.Before, m.After, func(i int) int { return xs[i] }, func(line int) int { return slices.Index(ys, line) })
		check(m.After, m.Before, func(i int) int { return ys[i] }, func(line int) int { return slices.Index(xs, line) })
	})
}

// BenchmarkMark marks 4 MiB of changed lines: of which all are renamed, moved, or neither.
func BenchmarkMark(b *testing.B) {
	for _, kind := range []string{"renamed", "moved", "changed"} {
		b.Run(kind, func(b *testing.B) {
			var lines []string
			size := 0
			for i := 0; size < linediff.MaxMarked-200; i++ {
				x := fmt.Sprintf("        T_add_%d[v_ax0, v_ax1] = lv%d[v_ax0, v_ax1 - T.int64(64)] + p_%d[v_ax1]", i, i, i%977)
				y := map[string]string{
					"renamed": strings.ReplaceAll(x, "v_ax", "w_ax"), "moved": "  " + x, "changed": strings.Replace(x, "+", "*", 1),
				}[kind]
				size += len(x) + len(y)
				lines = append(lines, "-"+x, "+"+y, " same")
			}
			blocks, before, after := blocksOf(lines)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				linediff.Mark(blocks, at(before), at(after))
			}
		})
	}
}
