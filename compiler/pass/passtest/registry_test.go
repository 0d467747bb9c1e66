package passtest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/target"
)

func suite(t testing.TB) *passtest.Suite {
	t.Helper()
	p, err := pipeline.Lookup("default", target.Of("x86")) // of all passes for CPUs
	if err != nil {
		t.Fatal(err)
	}
	s := passtest.NewSuite(p, pipeline.All(), func(p *pass.Pass) bool { return pipeline.OnLoops(p.Name) }, prepare)
	inPipeline := func(name string) bool {
		is := func(q *pass.Pass) bool { return q.Name == name }
		return slices.ContainsFunc(s.Graph, is) || slices.ContainsFunc(s.Loops, is)
	}
	// Allowed keeps the written constraints on order: the page warns of what breaks one. What is in no pipeline need not have run.
	s.Allowed = func(ran []string, p *pass.Pass) bool {
		for _, c := range pipeline.Constraints() {
			if c.After == p.Name && inPipeline(c.Before) && !slices.Contains(ran, c.Before) || c.Before == p.Name && slices.Contains(ran, c.After) {
				return false
			}
		}
		return true
	}
	return s
}

// TestEveryPass runs random programs through all registered passes, the optional ones anywhere between the others.
func TestEveryPass(t *testing.T) {
	s := suite(t)
	changed := map[string]int{}
	seed.Each(t, 30, func(t *testing.T, r *rand.Rand) {
		for p := range s.Walk(t, r) {
			changed[p]++
		}
	})
	t.Log(changed)
}

// TestSeededFaults puts faults behind every registered pass: the checks must find one, and name the pass.
func TestSeededFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("a few programs for each of all passes")
	}
	s := suite(t)
	without := map[string]string{
		"ToMixedPrecision":         "what rounds is compared roughly, which most faults survive; its own random tests know how far it may be off",
		"relay.ToMixedPrecision":   "likewise",
		"relay.FirstOrderGradient": "it takes graphs without branches, which few random programs are; its rules are held against finite differences",
	}
	for _, p := range pipeline.All() {
		if without[p.Name] != "" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			r := seed.Rand(t)
			// Two faults in five do no harm, four in five behind some passes: 100 of these in a row are no chance. Most find one at once.
			said := s.Seeded(p, r, 100)
			if said == "" {
				t.Fatal("no fault is found")
			}
			if !strings.Contains(said, p.Name) {
				t.Errorf("the checks object, but not to %s: %s", p.Name, said)
			}
			t.Logf("%.120s", said)
		})
	}
}
