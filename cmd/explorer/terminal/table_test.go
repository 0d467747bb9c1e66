package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// rows writes a table of three columns in some width.
func rows(t *testing.T, width int, when When) []string {
	t.Helper()
	var b strings.Builder
	tab := NewTable(&b, when, width, []Column{
		{Head: "PASS", Width: 42}, {Head: "LINES", Width: 14, Right: true, Style: Dim}, {Head: "TIME", Width: 7, Right: true},
	}, 1)
	for _, err := range []error{
		tab.Head(),
		tab.Row(Cell{Text: "    tir.PlanAndUpdateBufferAllocationLocation"}, Cell{Text: "+9 -0 ↕96"}, Cell{Text: "1.5ms"}),
		tab.Row(Cell{Text: "Wide"}, Cell{Text: "+123456 -123456 ↕1000"}, Cell{Text: "12.34ms"}),
		tab.Row(Cell{Text: "EliminateCommonSubexpr"}, Cell{Text: "– " + strings.Repeat("a long reason ", 12)}),
		tab.Row(Cell{Text: "a\x1b[2Jb", Style: Red}, Cell{Text: "+1"}, Cell{Text: "1s"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestTableFits(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		list := rows(t, width, Never)
		for _, l := range list {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("at %d columns, %q has %d", width, l, n)
			}
		}
		if end := strings.Index(list[0], "TIME") + len("TIME"); !strings.HasSuffix(list[1], "1.5ms") || utf8.RuneCountInString(list[1]) != end {
			t.Errorf("at %d columns, the time does not end below TIME:\n%s\n%s", width, list[0], list[1])
		}
		if hidden := !strings.Contains(list[0], "LINES"); hidden != (width == 40) {
			t.Errorf("at %d columns, the head is %q", width, list[0])
		}
		if !strings.HasPrefix(list[1], "    tir.Plan") || !strings.Contains(list[1], "cation") {
			t.Errorf("at %d columns, the name loses an end: %q", width, list[1])
		}
		if !strings.HasPrefix(list[3], "EliminateCommonSubexpr") && width > 40 || !strings.Contains(list[3], "– a") {
			t.Errorf("at %d columns, the reason is missing: %q", width, list[3])
		}
		if !strings.HasPrefix(list[4], `a\u001b[2Jb`) {
			t.Errorf("a name steers the terminal: %q", list[4])
		}
	}
	if wide := rows(t, 120, Never)[2]; !strings.Contains(wide, "+123456 -123456 ↕1000") {
		t.Errorf("numbers are cut: %q", wide)
	}
	if red := rows(t, 80, Always)[4]; !strings.HasPrefix(red, "\x1b[31ma\\u001b[2Jb\x1b[0m ") || !strings.Contains(red, "\x1b[2m+1\x1b[0m") {
		t.Errorf("in color: %q", red)
	}
}

// TestWideCell checks that a number which is wider than its column takes the room of empty cells before that of the name.
func TestWideCell(t *testing.T) {
	var b strings.Builder
	tab := NewTable(&b, Never, 40, []Column{{Head: "NAME", Width: 30}, {Head: "A", Width: 6, Right: true}, {Head: "B", Width: 4, Right: true}})
	for _, c := range [][3]string{{"FuseOps", "1", "123456789"}, {"EliminateCommonSubexpr", "", "123456789"}, {"EliminateCommonSubexpr", "123456", "123456789"}} {
		if err := tab.Row(Cell{Text: c[0]}, Cell{Text: c[1]}, Cell{Text: c[2]}); err != nil {
			t.Fatal(err)
		}
	}
	want := "FuseOps                     1  123456789\nEliminateCommonSubexpr         123456789\nEliminateC…monSubexpr  123456  123456789\n"
	if b.String() != want {
		t.Errorf("the rows are\n%swant\n%s", b.String(), want)
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"FuseOps", 7, "FuseOps"},
		{"EliminateCommonSubexpr", 11, "Elimi…bexpr"},
		{"  EliminateCommonSubexpr", 11, "  Elim…expr"},
		{"日本語の名前", 5, "日本…名前"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"      ab", 3, "  …"},
	} {
		if got := Middle(c.in, c.n); got != c.want {
			t.Errorf("%q in %d is %q, want %q", c.in, c.n, got, c.want)
		}
	}
	for n, want := range map[int]string{7: "FuseOps", 6: "FuseO…", 1: "…"} {
		if got := End("FuseOps", n); got != want {
			t.Errorf("the end in %d is %q, want %q", n, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"one", "one"},
		{"one two three four", "one two\n  three\n  four"},
		{"  one two", "  one two"},
		{"one verylongwords", "one\n  verylongwords"},
		{"", ""},
	} {
		if got := Wrap(c.in, "  ", 9); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
	}
}

func TestColors(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		env  string
		when When
		want bool
	}{
		{"", Auto, false},
		{"", Always, true},
		{"", Never, false},
		{"CLICOLOR_FORCE=1", Auto, true},
		{"CLICOLOR_FORCE=0", Auto, false},
		{"CLICOLOR_FORCE=1", Never, false},
		{"NO_COLOR=1 CLICOLOR_FORCE=1", Auto, false},
		{"NO_COLOR=1", Always, true},
	} {
		for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"} {
			t.Setenv(name, "")
		}
		for kv := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(kv, "=")
			t.Setenv(name, value)
		}
		if got := Colors(&b, c.when); got != c.want {
			t.Errorf("%q, --color=%s: %v", c.env, c.when, got)
		}
	}
}

func TestWidth(t *testing.T) {
	var b strings.Builder
	for value, want := range map[string]int{"": defaultWidth, "0": defaultWidth, "wide": defaultWidth, "132": 132} {
		t.Setenv("COLUMNS", value)
		if n, known := Width(&b); n != want || known != (value == "132") {
			t.Errorf("COLUMNS=%q: %d, %v", value, n, known)
		}
	}
}
