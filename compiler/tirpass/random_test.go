package tirpass_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// rapidSource draws the choices of a random program, so that failures shrink.
type rapidSource struct{ t *rapid.T }

func (s rapidSource) IntN(n int) int {
	if n <= 1 {
		return 0
	}
	return rapid.IntRange(0, n-1).Draw(s.t, "n")
}

// TestRandomFunctionsAreWellFormed checks the generator itself.
func TestRandomFunctionsAreWellFormed(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		f, args := tirtest.Function(rapidSource{t})
		wellFormed(t, "generator", f)
		mustRun(t, f, args)
	})
}

// TestSeededPipeline is TestPipelineKeepsMeaning over evenly distributed choices.
func TestSeededPipeline(t *testing.T) {
	seed.Each(t, 100, func(t *testing.T, r *rand.Rand) { pipelineKeepsMeaning(t, r) })
}

// TestPipelineKeepsMeaning runs random functions through the lowering pipeline and compares
// the results after each pass with those of the input.
func TestPipelineKeepsMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) { pipelineKeepsMeaning(t, rapidSource{t}) })
}

func pipelineKeepsMeaning(t passtest.Failer, src tirtest.Source) {
	t.Helper()
	f, args := tirtest.Function(src)
	want := mustRun(t, f, args)
	c := passtest.NewContext()
	for _, p := range lowering(t) {
		g := apply(t, c, p, f)
		if g != f {
			sameMeaning(t, p, f, g, args, want)
		}
		f = g
	}
}

// eager turns on what passes do only when asked.
var eager = pass.Configure(map[string]any{
	"tir.UnrollLoop":                    map[string]any{"auto_max_step": 16, "auto_max_extent": 3, "unroll_local_access": true},
	"tir.LoopPartition":                 map[string]any{"partition_const_loop": true},
	"tir.Simplify":                      map[string]any{"transitively_prove_inequalities": true, "convert_boolean_to_and_of_ors": true, "apply_constraints_to_boolean_branches": true, "propagate_knowns_to_prove_conditional": true, "propagate_knowns_to_simplify_expressions": true},
	"tir.RemoveNoOp":                    map[string]any{"use_dataflow_analysis": true},
	"tir.enable_equiv_terms_in_cse_tir": true,
})

// TestOptionalPassesKeepMeaningAnywhere runs the optional passes of the pipeline in any
// number and order between the others.
func TestOptionalPassesKeepMeaningAnywhere(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		f, args := tirtest.Function(rapidSource{t})
		want := mustRun(t, f, args)
		c := passtest.NewContext()
		if rapid.Bool().Draw(t, "configured") {
			c = passtest.NewContext(eager)
		}
		all := lowering(t)
		var optional []*pass.Pass
		for _, p := range all {
			if !p.Lowering {
				optional = append(optional, p)
			}
		}
		run := func(p *pass.Pass, f *tir.PrimFunc) *tir.PrimFunc {
			out, err := c.Run(p, moduleOf(f))
			if err != nil {
				t.Fatalf("%v\n%s", err, print(f))
			}
			g := funcOf(out)
			if g != f {
				wellFormed(t, p.Name, g)
				sameMeaning(t, p, f, g, args, want)
			}
			return g
		}
		for _, p := range all {
			for rapid.IntRange(0, 4).Draw(t, "extra") == 4 {
				f = run(optional[rapid.IntRange(0, len(optional)-1).Draw(t, "pass")], f)
			}
			if p.Lowering || rapid.Bool().Draw(t, "on") {
				f = run(p, f)
			}
		}
	})
}
