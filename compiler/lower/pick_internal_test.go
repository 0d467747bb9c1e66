package lower

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestWindows: windows cover all places, and none lies before the first or behind the last of them, where these are a window apart.
func TestWindows(t *testing.T) {
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		lanes := int64(8 << r.IntN(2))
		places := make([]int64, 1+r.IntN(64))
		for i := range places {
			places[i] = r.Int64N(1+r.Int64N(300)) - 20
		}
		starts, first, last := windows(places, lanes), slices.Min(places), slices.Max(places)
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
