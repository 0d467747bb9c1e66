package inproc

import (
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// TestWhatMakesARunComputeAgain: model, name, level, options, config, target, steps and scripts, each of which is part of what
// a pass reads, and what no pass reads does not.
func TestWhatMakesARunComputeAgain(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled())
	first := s.play(t.Context(), q)
	reused := func(q run.Request) (n int) {
		d := s.play(t.Context(), q)
		for _, e := range d.events {
			if _, ok := e.Body.(*event.PassFinished); ok && e.Reused {
				n++
			}
		}
		return n
	}
	all := reused(q)
	for _, e := range first.events {
		if e.Reused {
			t.Fatalf("%s of %s is reused in a first run", e.Type, e.Step)
		}
	}
	if all < 40 {
		t.Fatalf("the same again reuses %d steps", all)
	}
	changed := func(f func(q *run.Request)) run.Request {
		q := q
		q.Settings.Config = map[string]any{}
		f(&q)
		return q
	}
	for _, c := range []struct {
		name string
		q    run.Request
		want func(n int) bool
	}{
		{"seed", changed(func(q *run.Request) { q.Settings.Seed = 5 }), func(n int) bool { return n == all }},
		{"bindings", changed(func(q *run.Request) { q.Settings.Bindings = []map[string]int64{{"n": 2}} }), func(n int) bool { return n == all }},
		{"limits", changed(func(q *run.Request) { q.Limits.Memory++ }), func(n int) bool { return n == all }},
		{"attempt", changed(func(q *run.Request) { q.Attempt = 4 }), func(n int) bool { return n == all }},
		{"a pass that is required", changed(func(q *run.Request) { q.Settings.Required = []string{"FuseOps"} }), func(n int) bool { return n == all }},
		{"a config that a late pass reads", changed(func(q *run.Request) { q.Settings.Config["tir.disable_assert"] = true }), func(n int) bool { return n < all && n > all/2 }},
		{"a config that LegalizeOps reads", changed(func(q *run.Request) {
			q.Settings.Config["relax.transform.apply_legalize_ops"] = false
			q.Settings.Pipeline = "zero"
		}), func(n int) bool { return n < 8 }},
		{"a step that is off", changed(func(q *run.Request) { q.Settings.Disabled = []string{"FuseOps"} }), func(n int) bool { return n > 3 && n < all }},
		{"the target", changed(func(q *run.Request) { q.Settings.Target = "wasm -mattr=-simd128" }), func(n int) bool { return n > 3 && n < all }},
		{"the name", changed(func(q *run.Request) { q.Source.Name = "other.py" }), func(n int) bool { return n == 0 }},
		{"the text", changed(func(q *run.Request) { q.Source = s.source("tvmscript", "module.py", doubled()+"\n") }), func(n int) bool { return n == 0 }},
		{"an instrument", changed(func(q *run.Request) {
			q.Settings.Scripts = []run.Script{{Name: "w.star", Source: "w = pass_instrument(run_before_pass=lambda mod, info: None)\n"}}
		}), func(n int) bool { return n == 0 }},
		{"a script of passes that do not run", changed(func(q *run.Request) { q.Settings.Scripts = []run.Script{{Name: "w.star", Source: "x = 1\n"}} }), func(n int) bool { return n == all }},
	} {
		if n := reused(c.q); !c.want(n) {
			t.Errorf("with another %s %d of %d steps are reused", c.name, n, all)
		}
	}
}
