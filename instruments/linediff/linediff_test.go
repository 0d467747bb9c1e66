package linediff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

// apply rebuilds the text after from the text before and the hunks.
func apply(t interface{ Fatalf(string, ...any) }, before string, hunks []event.Hunk) []string {
	xs := linediff.Lines(before)
	var out []string
	x := 0
	for _, h := range hunks {
		for ; x < h.Before-1; x++ {
			out = append(out, xs[x])
		}
		if len(out) != h.After-1 {
			t.Fatalf("hunk says line %d after, but %d lines are written", h.After, len(out))
		}
		for _, l := range h.Lines {
			switch l[0] {
			case ' ':
				if xs[x] != l[1:] {
					t.Fatalf("context line %q, text has %q", l[1:], xs[x])
				}
				out = append(out, xs[x])
				x++
			case '-':
				if xs[x] != l[1:] {
					t.Fatalf("removed line %q, text has %q", l[1:], xs[x])
				}
				x++
			case '+':
				out = append(out, l[1:])
			}
		}
	}
	return append(out, xs[x:]...)
}

func TestHunksRebuildTheText(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c = f(a)", "c = f(d)", "", "    e", "e"})
		text := rapid.Custom(func(t *rapid.T) string {
			s := strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "lines"), "\n")
			if s != "" && rapid.Bool().Draw(t, "newline") {
				s += "\n"
			}
			return s
		})
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		d := linediff.Hunks(before, after, 1<<20)
		if d.Truncated {
			t.Fatalf("truncated below the limit")
		}
		checkMarks(t, d)
		got := apply(t, before, d.Hunks)
		want := linediff.Lines(after)
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Fatalf("hunks give %q, want %q", got, want)
		}
		if len(linediff.Lines(before))+d.Added-d.Removed != len(want) {
			t.Fatalf("+%d -%d do not explain %d -> %d lines", d.Added, d.Removed, len(linediff.Lines(before)), len(want))
		}
		if linediff.CountLines(before) != len(linediff.Lines(before)) {
			t.Fatalf("CountLines(%q) = %d", before, linediff.CountLines(before))
		}
	})
}

// checkMarks compares the marks of the hunks with the counts and the signs of the lines.
func checkMarks(t interface{ Fatalf(string, ...any) }, d linediff.Diff) {
	seen := map[string]int{}
	for _, h := range d.Hunks {
		if h.Marks != "" && len(h.Marks) != len(h.Lines) {
			t.Fatalf("%d marks for %d lines", len(h.Marks), len(h.Lines))
		}
		for i := range h.Marks {
			if (h.Marks[i] == linediff.MarkSame) != (h.Lines[i][0] == ' ') {
				t.Fatalf("line %q has the mark %q", h.Lines[i], h.Marks[i])
			}
			seen[h.Lines[i][:1]+h.Marks[i:i+1]]++
		}
	}
	if seen["-~"] != d.Renamed || seen["+~"] != d.Renamed || seen["->"] != d.Moved || seen["+>"] != d.Moved {
		t.Fatalf("%d renamed, %d moved, marks are %v", d.Renamed, d.Moved, seen)
	}
}

func TestHunksTruncate(t *testing.T) {
	before := strings.Repeat("x\n", 10)
	after := strings.Repeat("a long line of text\n", 1000)
	d := linediff.Hunks(before, after, 100)
	if d.Hunks != nil || !d.Truncated || d.Added != 1000 || d.Removed != 10 {
		t.Errorf("got %d hunks, +%d -%d, truncated %t; want none, +1000 -10, true", len(d.Hunks), d.Added, d.Removed, d.Truncated)
	}
}

// edited returns a text of n lines and a copy in which edits lines differ.
func edited(n, edits int) (string, string) {
	r := rand.New(rand.NewPCG(1, 2))
	xs := make([]string, n)
	for i := range xs {
		xs[i] = fmt.Sprintf("        T_add[v_ax%d, v_ax1] = lv%d[v_ax0] + p%d", i%7, r.IntN(n), i%11)
	}
	ys := append([]string(nil), xs...)
	for range edits {
		ys[r.IntN(n)] += " * T.float32(2.0)"
	}
	return strings.Join(xs, "\n"), strings.Join(ys, "\n")
}

func BenchmarkBlocks(b *testing.B) {
	for _, edits := range []int{20, 2000, 100000} {
		before, after := edited(100_000, edits)
		b.Run(fmt.Sprintf("lines=100000/edits=%d", edits), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				linediff.Blocks(before, after)
			}
		})
	}
}
