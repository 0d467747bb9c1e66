package scale

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
)

// TestEveryPass: each registered pass is in a row.
func TestEveryPass(t *testing.T) {
	has := map[string]bool{}
	for _, r := range rows {
		list, from := r.list(t)
		for _, p := range list[from:] {
			has[p.Name] = true
		}
	}
	for _, p := range pipeline.All() {
		if !has[p.Name] && p.Kind != pass.Sequential {
			t.Errorf("%s is in no row", p.Name)
		}
	}
}

// cost is what a pass allocates: objects and bytes.
type cost struct{ objects, bytes float64 }

// costs runs the passes of a row on a program of n bindings and returns what each that is measured allocates; with nothing in pools, if they are to be
// emptied.
func costs(t *testing.T, r row, p program, n int, empty bool) (names []string, out []cost) {
	list, from := r.list(t)
	m := p.module(t, n)
	for i, q := range list {
		if empty { // what was not taken out of a pool between two collections is gone
			runtime.GC()
			runtime.GC()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m = run(t, q, m)
		runtime.ReadMemStats(&after)
		if i >= from {
			names = append(names, fmt.Sprintf("%s, pass %d", q.Name, i))
			out = append(out, cost{float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)})
		}
	}
	return names, out
}

// TestGrowth: on ten times the bindings no pass allocates more than a little over ten times as much; what takes a step for each pair of bindings
// allocates a hundred times as much. What is made once for a whole module is left out of it, and so are the steps at which maps and slices grow.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("a few thousand bindings through all passes")
	}
	const few, times, factor = 300, 10, 2
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, r := range rows {
		for _, p := range r.on {
			t.Run(r.passes+" on "+p.name, func(t *testing.T) {
				_, small := costs(t, r, p, few, false)
				names, big := costs(t, r, p, few*times, false)
				tooMuch := func(i int) bool {
					return big[i].objects > factor*times*small[i].objects+10_000 || big[i].bytes > factor*times*small[i].bytes+(1<<20)
				}
				for i := range names {
					if tooMuch(i) { // tables out of a pool cost the small program nothing
						_, small = costs(t, r, p, few, true)
						break
					}
				}
				for i, name := range names {
					if tooMuch(i) {
						t.Errorf("%s: %.0f objects and %.0f bytes, and %.0f and %.0f for a tenth of the bindings", name, big[i].objects, big[i].bytes, small[i].objects, small[i].bytes)
					}
				}
			})
		}
	}
}
