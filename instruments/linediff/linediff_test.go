package linediff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/irscope/irscope/e2e/fixture/fixedseed"
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
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d", "", "    e"})
		text := rapid.Custom(func(t *rapid.T) string {
			s := strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "lines"), "\n")
			if s != "" && rapid.Bool().Draw(t, "newline") {
				s += "\n"
			}
			return s
		})
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		hunks, added, removed, truncated := linediff.Hunks(before, after, 1<<20)
		if truncated {
			t.Fatalf("truncated below the limit")
		}
		got := apply(t, before, hunks)
		want := linediff.Lines(after)
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Fatalf("hunks give %q, want %q", got, want)
		}
		if len(linediff.Lines(before))+added-removed != len(want) {
			t.Fatalf("+%d -%d do not explain %d -> %d lines", added, removed, len(linediff.Lines(before)), len(want))
		}
		if linediff.CountLines(before) != len(linediff.Lines(before)) {
			t.Fatalf("CountLines(%q) = %d", before, linediff.CountLines(before))
		}
	})
}

func TestHunksTruncate(t *testing.T) {
	before := strings.Repeat("x\n", 10)
	after := strings.Repeat("a long line of text\n", 1000)
	hunks, added, removed, truncated := linediff.Hunks(before, after, 100)
	if hunks != nil || !truncated || added != 1000 || removed != 10 {
		t.Errorf("got %d hunks, +%d -%d, truncated %t; want none, +1000 -10, true", len(hunks), added, removed, truncated)
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
