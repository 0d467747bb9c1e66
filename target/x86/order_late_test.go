package x86

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestDelayed has the instructions of random chains wait until they are needed, one chain after the other, and compares what they compute.
func TestDelayed(t *testing.T) {
	moved := 0
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		l, from, to, indices := chains(r)
		before := &linear{g: l.g, code: slices.Clone(l.code)}
		f := l.flow()
		ivs, _ := l.intervals(f)
		w := &weaver{l: l, ivs: ivs, room: 8 + r.IntN(24)}
		w.run(from, to) // finds the chains
		if len(w.first) == 0 {
			return
		}
		copy(l.code[from:to], w.code)
		w.delay()
		w.turns(nil, 1)
		for k, was := range w.order {
			l.code[from+int32(k)] = w.code[was]
		}
		if !slices.IsSorted(w.order) {
			moved++
		}
		for k, h := range w.heights {
			if h < 1 {
				t.Errorf("instruction %d has height %d", k, h)
			}
		}
		for apart := range int32(4) {
			bases := map[vreg]int32{indices[0]: 0, indices[1]: 3 * apart}
			if got, want := follow(l, from, to, bases), follow(before, from, to, bases); !maps.Equal(got.regs, want.regs) || !maps.Equal(got.memory, want.memory) {
				t.Fatalf("with index registers %d apart, the code computes something else:\n%v\n%v", 3*apart, got, want)
			}
		}
	})
	if moved == 0 {
		t.Error("nothing was moved")
	}
}
