package lower

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestWindows: windows cover all places, and none lies before the first or behind the last of them, where these are a window apart.
func TestWindows(t *testing.T) {
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		lanes := int64(8 << r.IntN(2))
		places := make([]int64, 1+r.IntN(64))
		for i := range places {
			places[i] = r.Int64N(1+r.Int64N(300)) - 20
		}
		first, last := slices.Min(places)-r.Int64N(9), slices.Max(places)+r.Int64N(9)
		starts := windows(places, lanes, first, last)
		if !slices.IsSorted(starts) || int64(len(starts)) > (last-first)/lanes+1 {
			t.Errorf("%v: %d windows start at %v", places, len(starts), starts)
		}
		for _, p := range places {
			if !slices.ContainsFunc(starts, func(s int64) bool { return s <= p && p < s+lanes }) {
				t.Errorf("%v: windows of %d at %v do not have %d", places, lanes, starts, p)
			}
		}
		for _, s := range starts {
			if s < first || s+lanes > max(last+1, first+lanes) {
				t.Errorf("%v: a window of %d starts at %d", places, lanes, s)
			}
		}
	})
}

// TestRows: what a row has are elements that some vectors read, all of those of the vector asked for among them, and it lies between elements that are read; vectors of other buffers and of places that are not
// at constant distances belong to others, and one that was not noted has its own elements.
func TestRows(t *testing.T) {
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		lanes := int64(8 << r.IntN(2))
		buffers := []*tir.Var{tir.NewVar("x", dtype.HandleT), tir.NewVar("y", dtype.HandleT)}
		terms := []Lin{{}, {Terms: []Term{{&Node{}, 4}}}}
		type read struct {
			of       *tir.Var
			at       Lin
			elements []int64
		}
		draw := func() read {
			at := terms[r.IntN(2)]
			at.C = r.Int64N(200) - 20
			elements, step := make([]int64, lanes), r.Int64N(3)+1
			for i := range elements {
				elements[i] = min(int64(i)*step, 20)
			}
			return read{buffers[r.IntN(2)], at, elements}
		}
		w := &Walker{}
		reads := make([]read, 1+r.IntN(12))
		for i := range reads {
			reads[i] = draw()
			w.note(reads[i].of, reads[i].at, reads[i].elements)
		}
		w.sortRows()
		known := func(of *tir.Var, at Lin) map[int64]bool { // from at.C on
			out := map[int64]bool{}
			for _, x := range reads {
				if x.of == of && len(x.at.Terms) == len(at.Terms) {
					for _, n := range x.elements {
						out[n+x.at.C-at.C] = true
					}
				}
			}
			return out
		}
		for _, x := range append(reads, draw()) {
			row, first, last := w.rowOf(x.of, x.at, x.elements, lanes)
			all := known(x.of, x.at)
			for _, n := range x.elements {
				all[n] = true
			}
			if !all[first] || !all[last] {
				t.Errorf("memory from %d to %d may be read, %v are read", first, last, all)
			}
			for _, n := range x.elements {
				if !slices.Contains(row, n) {
					t.Errorf("the row %v is without %d", row, n)
				}
			}
			for _, n := range row {
				if !all[n] || n < first || n > last {
					t.Errorf("the row has %d, from %d to %d are read", n, first, last)
				}
			}
		}
	})
}
