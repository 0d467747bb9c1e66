package tirpass_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// depths returns the number of loops around the allocation of each buffer.
func depths(f *tir.PrimFunc) map[string]int {
	out := map[string]int{}
	var visit func(n ir.Node, depth int)
	visit = func(n ir.Node, depth int) {
		switch n := n.(type) {
		case *tir.For:
			depth++
		case *tir.Block:
			for _, b := range n.AllocBuffers {
				out[b.Name] = depth
			}
		}
		n.EachChild(func(c ir.Node) { visit(c, depth) })
	}
	visit(f.Body, 0)
	return out
}

// TestCarriedStateKeepsItsMemory runs functions whose loops hand values from one iteration
// to the next before and after each pass that moves, shrinks or merges allocations.
func TestCarriedStateKeepsItsMemory(t *testing.T) {
	moved, stayed := 0, 0
	seed.Each(t, 8, func(t *testing.T, r *rand.Rand) {
		for range 100 {
			f, args := tirtest.CarriedFunction(r)
			before, after := depths(f), depths(carriedKeepsMeaning(t, f, args))
			for name, d := range after {
				if d > before[name] {
					moved++
				} else {
					stayed++
				}
			}
		}
	})
	t.Logf("%d buffers moved inward, %d stayed", moved, stayed)
	if moved < 20 || stayed < 20 {
		t.Errorf("%d buffers moved inward and %d stayed: the programs test one side only", moved, stayed)
	}
}

// TestCarriedStateShrinks is the same over choices that rapid makes small where they fail.
func TestCarriedStateShrinks(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		f, args := tirtest.CarriedFunction(rapidSource{t})
		carriedKeepsMeaning(t, f, args)
	})
}

// carriedKeepsMeaning runs f through the passes that move and shrink allocations, up to flat
// buffers, and returns it as it is after the first of them.
func carriedKeepsMeaning(t passtest.Failer, f *tir.PrimFunc, args []any) *tir.PrimFunc {
	t.Helper()
	want := mustRun(t, f, args)
	c := passtest.NewContext()
	var planned *tir.PrimFunc
	for _, p := range []*pass.Pass{
		tirpass.PlanAndUpdateBufferAllocationLocation, tirpass.ConvertBlocksToOpaque, tirpass.CompactBufferAllocation,
		tirpass.LowerOpaqueBlock, tirpass.FlattenBuffer,
	} {
		g := apply(t, c, p, f)
		sameMeaning(t, p, f, g, args, want)
		if f = g; planned == nil {
			planned = g
		}
	}
	return planned
}
