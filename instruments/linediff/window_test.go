package linediff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestWindow: comparing the part of two texts around what differs finds the blocks that comparing all of them does, also where lines repeat, so that
// a change could be shown far from where it is.
func TestWindow(t *testing.T) {
	cut, moved, plain := 0, 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 5))
		kinds := 1 + r.IntN(6) // few kinds of lines repeat a lot
		if r.IntN(3) == 0 {
			kinds = 200
		}
		period := 1 + r.IntN(40)
		line := func(i int) string {
			if kinds < 200 && r.IntN(60) > 0 {
				i %= period
			}
			n := i % kinds
			if n == 3 {
				return "\n"
			}
			return strings.Repeat("    ", n%4) + "line " + string(rune('a'+n%26)) + string(rune('a'+n/26)) + "\n"
		}
		var xs []string
		for i := range 20 + r.IntN(900) {
			xs = append(xs, line(i))
		}
		ys := slices.Clone(xs)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(ys))
			to := min(len(ys), at+r.IntN(1+period*r.IntN(3)+2))
			switch part := slices.Clone(ys[at:to]); r.IntN(4) {
			case 0:
				ys = slices.Delete(ys, at, to)
			case 1:
				ys = slices.Insert(ys, at, part...)
			case 2:
				ys = slices.Insert(ys, at, line(r.IntN(1000)))
			default:
				ys[at] = "other\n"
			}
			if len(ys) == 0 {
				ys = append(ys, "other\n")
			}
		}
		before, after := strings.Join(xs, ""), strings.Join(ys, "")
		switch r.IntN(4) {
		case 0:
			before = strings.TrimSuffix(before, "\n")
		case 1:
			after = strings.TrimSuffix(after, "\n")
		case 2:
			if r.IntN(10) == 0 {
				before = ""
			}
		}
		if before == after {
			continue
		}
		e := endsOf(before, after)
		if _, ok := e.plain(before, after); ok {
			plain++
		}
		w := e.window(before, after, leadLines, trailLines)
		blocks := compare(w.before, w.after)
		if w.cut || w.line > 0 {
			cut++
		}
		if !w.settled(blocks) {
			moved++
		}
		want := compare(before, after)
		if got := Blocks(before, after); !slices.Equal(got, want) {
			t.Fatalf("seed %d: blocks %v, want %v; %d lines in front of the window, cut %t", seed, got, want, w.line, w.cut)
		}
	}
	if cut < 1000 || moved < 20 || plain < 500 {
		t.Errorf("only %d texts had a window, %d a change that can be moved to its end, and %d one that can be shown in one way", cut, moved, plain)
	}
}
