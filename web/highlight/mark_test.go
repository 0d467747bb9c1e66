package highlight_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/web/highlight"
)

// lay returns the rows of a diff in short: kind, lines, mark and counterpart.
func lay(t interface{ Fatalf(string, ...any) }, before, after string, view highlight.View) string {
	l := highlight.NewDiff(document(before), document(after)).Layout(view, highlight.All)
	var out []string
	for _, r := range decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows)) {
		s := fmt.Sprintf("%s %d:%d", r.Kind, r.Before, r.After)
		if r.Mark != "" {
			s += " " + string(r.Mark)
		}
		if r.Other > 0 {
			s += fmt.Sprint(" ", r.Other)
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func TestMarkedRows(t *testing.T) {
	for name, c := range map[string]struct{ before, after, unified, split string }{
		"renamed": {
			"a = f(x)\nb = g(a)\nend", "c = f(x)\nb = g(c)\nend",
			"del 1:0 renamed 1\nadd 0:1 renamed 1\ndel 2:0 renamed 2\nadd 0:2 renamed 2\nsame 3:3",
			"mod 1:1 renamed\nmod 2:2 renamed\nsame 3:3",
		},
		"moved far": {
			"a = f(x)\none\ntwo\nthree\n", "one\ntwo\nthree\na = f(x)\n",
			"del 1:0 moved 4\nsame 2:1\nsame 3:2\nsame 4:3\nadd 0:4 moved 1",
			"del 1:0 moved 4\nsame 2:1\nsame 3:2\nsame 4:3\nadd 0:4 moved 1",
		},
		"moved into a loop": {
			"a = f(x)\none", "for i in range(4):\n    a = f(x)\none",
			"add 0:1\ndel 1:0 indented 2\nadd 0:2 indented 1\nsame 2:3",
			"add 0:1\nmod 1:2 indented\nsame 2:3",
		},
		"renamed and changed": {
			"a = f(x)\nb = g(a)\nend", "c = f(x)\nb = h(c, c)\nend",
			"del 1:0 renamed 1\nadd 0:1 renamed 1\ndel 2:0\nadd 0:2\nsame 3:3",
			"mod 1:1 renamed\nmod 2:2\nsame 3:3",
		},
		"bound name before place": {
			"x = one\ny = f(1)\nz = g(2)\nend", "y = quite(another, one)\nz = and_this()\nend",
			"del 1:0\ndel 2:0\nadd 0:1\ndel 3:0\nadd 0:2\nsame 4:3",
			"del 1:0\nmod 2:1\nmod 3:2\nsame 4:3",
		},
		"runs between pairs": {
			"a = f(1)\npass_one\npass_two\nb = f(2)", "a = g(1)\nUU = 1\nb = g(2)",
			"del 1:0\nadd 0:1\ndel 2:0\ndel 3:0\nadd 0:2\ndel 4:0\nadd 0:3",
			"mod 1:1\ndel 2:0\ndel 3:0\nadd 0:2\nmod 4:3",
		},
		"names that cross": {
			"a = f(1)\nb = f(2)\nc = f(3)", "c = g(3)\na = g(1)\nb = g(2)",
			"add 0:1\ndel 1:0\nadd 0:2\ndel 2:0\nadd 0:3\ndel 3:0",
			"add 0:1\nmod 1:2\nmod 2:3\ndel 3:0",
		},
		"a name bound twice": {
			"a = ffff(1)\na = gggg(2)\nend", "a = ffff(3)\nend",
			"del 1:0\nadd 0:1\ndel 2:0\nsame 3:2",
			"mod 1:1\ndel 2:0\nsame 3:2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lay(t, c.before, c.after, highlight.Unified); got != c.unified {
				t.Errorf("unified rows are\n%s\nwant\n%s", got, c.unified)
			}
			if got := lay(t, c.before, c.after, highlight.Split); got != c.split {
				t.Errorf("split rows are\n%s\nwant\n%s", got, c.split)
			}
		})
	}
}

// TestMarkedRowsNameEachOther checks the marks of random texts: both sides of a pair say the same, and counts agree.
func TestMarkedRowsNameEachOther(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		before, after := texts(t)
		d := highlight.NewDiff(document(before), document(after))
		for _, view := range []highlight.View{highlight.Unified, highlight.Split} {
			l := d.Layout(view, highlight.All)
			other := map[string]string{}
			count := map[highlight.RowMark]int{}
			for _, r := range decode[highlight.WireRow](t, l.AppendRows(nil, 0, l.Rows)) {
				switch {
				case r.Mark == "":
					if r.Other != 0 {
						t.Fatalf("row %+v has a counterpart and no mark", r)
					}
				case r.Kind == "mod":
					count[r.Mark] += 2
				case r.Kind == "del":
					count[r.Mark]++
					other[fmt.Sprint("-", r.Before)] = fmt.Sprint(r.Mark, "+", r.Other)
				case r.Kind == "add":
					count[r.Mark]++
					other[fmt.Sprint("+", r.After)] = fmt.Sprint(r.Mark, "-", r.Other)
				default:
					t.Fatalf("a row of kind %s has the mark %s", r.Kind, r.Mark)
				}
			}
			if count["renamed"] != 2*d.Renamed || count["moved"]+count["indented"] != 2*d.Moved {
				t.Fatalf("%s rows have %v, the diff says %d renamed, %d moved", view, count, d.Renamed, d.Moved)
			}
			for line, to := range other {
				mark := strings.TrimRight(strings.TrimRight(to, "0123456789"), "+-")
				if other[strings.TrimPrefix(to, mark)] != mark+line {
					t.Fatalf("%s names %s, which names %q", line, to, other[strings.TrimPrefix(to, mark)])
				}
			}
		}
	})
}
