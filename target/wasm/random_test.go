package wasm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// TestRandomPrograms compares generated code with the interpreter, bit for bit.
func TestRandomPrograms(t *testing.T) {
	seed.Each(t, 200, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Lowered(r)
		if wrong(t, f, args) {
			small := tirtest.Shrink(f, func(g *tir.PrimFunc) bool { return wrong(t, g, args) })
			t.Logf("reduced to\n%s", script.Node(small, script.Options{}))
			check(t, small, 0, args...)
		}
	})
}
