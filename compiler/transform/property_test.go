package transform_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax/relaxtest"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// rapidSource draws the choices of a random module, so that failures shrink.
type rapidSource struct{ t *rapid.T }

func (s rapidSource) IntN(n int) int {
	if n <= 1 {
		return 0
	}
	return rapid.IntRange(0, n-1).Draw(s.t, "n")
}

func drawModule(t *rapid.T) *ir.Module { return relaxtest.Module(rapidSource{t}) }

// TestPassesKeepMeaning runs the whole lowering on random functions, one pass after the
// other, and after each compares what main computes.
func TestPassesKeepMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		want := outputs(t, m, 2, false)
		c := passtest.NewContext(pass.OptLevel(rapid.IntRange(0, 3).Draw(t, "opt_level")))
		legalized := false
		for _, p := range lowering {
			if ok, _ := c.PassEnabled(p); !ok || !p.Lowering && rapid.IntRange(0, 9).Draw(t, "disabled") == 0 {
				continue
			}
			before := m
			m, _ = check(t, c, p, before)
			legalized = legalized || p == tunedLegalizeOps
			sameOutputs(t, want, outputs(t, m, 2, legalized))
			if t.Failed() {
				t.Fatalf("%s made\n%s\nof\n%s", p.Name, script.Module(m, script.Options{}).Source, script.Module(before, script.Options{}).Source)
			}
		}
	})
}
