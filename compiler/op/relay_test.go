package op_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestRelayOperators checks the rows of operators without kernels as those of the table:
// each has docs, is found by name, and its rule yields struct info or an error for any call.
func TestRelayOperators(t *testing.T) {
	inTable := map[string]bool{}
	for _, o := range op.All() {
		inTable[o.Name] = true
	}
	seed.Each(t, 1, func(t *testing.T, rng *rand.Rand) {
		for _, o := range op.Relay() {
			if inTable[o.Name] || op.Lookup(o.Name) != o {
				t.Errorf("%s is in the table: take it out of the foreign ones", o.Name)
			}
			if !strings.HasSuffix(o.Doc, ".") || o.Infer == nil || o.Ref().Name != o.Name {
				t.Errorf("%s: incomplete entry", o.Name)
			}
			for range 2000 {
				callAtRandom(t, rng, o)
			}
		}
	})
}
