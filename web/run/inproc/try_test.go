package inproc_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// TestWhatAPassWouldDo tries each step of a run behind the step before it: it would change the functions that it did change, and
// trying it leaves nothing behind.
func TestWhatAPassWouldDo(t *testing.T) {
	b := open(t, 0)
	settings := run.Settings{OptLevel: 2}
	evs := b.ok(b.run(gallery("mlp"), settings))
	req := run.Request{Source: gallery("mlp"), Settings: settings, Limits: run.DefaultLimits()}
	count := map[string]int{}
	after, n := "import", 0
	for _, e := range evs {
		f, ok := e.Body.(*event.PassFinished)
		if !ok || kindOf(evs, e.Step) == "sequential" {
			continue
		}
		if !strings.Contains(e.Step, "tir.") { // without options, the step does what its pass does by itself
			step := run.Step{Name: f.Name}
			if f.Name == "LegalizeOps" { // the one with an option
				step.Options = map[string]any{"kernels": "tuned"}
			}
			got, err := b.runner.Try(t.Context(), req, run.Trial{After: after, Steps: []run.Step{step}, Function: "main"})
			if err != nil || len(got) != 1 || got[0].Error != "" || got[0].Skipped != "" {
				t.Fatalf("%s behind %s: %+v (%v)", f.Name, after, got, err)
			}
			var want []string
			for _, c := range f.Functions {
				want = append(want, c.Name)
			}
			slices.Sort(want)
			slices.Sort(got[0].Changed)
			if !slices.Equal(got[0].Changed, want) {
				t.Errorf("%s would change %q, and changed %q", e.Step, got[0].Changed, want)
			}
			if main := slices.Contains(want, "main"); main != (got[0].Before != got[0].After) || got[0].Before == "" {
				t.Errorf("%s: main is changed %t, and its texts differ %t", e.Step, main, got[0].Before != got[0].After)
			}
			n++
		}
		after = f.Name
		if k := count[f.Name]; k > 0 {
			after += "#" + string(rune('0'+k))
		}
		count[f.Name]++
	}
	if n < 15 {
		t.Errorf("%d passes were tried", n)
	}
	again := b.ok(b.run(gallery("mlp"), settings))
	if !reflect.DeepEqual(bodies[event.Body](again), bodies[event.Body](evs)) {
		t.Error("a run after the trials is another")
	}
}

// TestWhatCannotBeTried: a level that is too low, a pass that fails, one that there is none of, a step that does not run, and a request
// that has ended.
func TestWhatCannotBeTried(t *testing.T) {
	b := open(t, 0)
	req := run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2}, Limits: run.DefaultLimits()}
	got, err := b.runner.Try(t.Context(), req, run.Trial{After: "import", Steps: []run.Step{{Name: "EliminateCommonSubexpr"}, {Name: "NoSuchPass"}, {Name: "LegalizeOps"}}})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v (%v)", got, err)
	}
	if !strings.Contains(got[0].Skipped, "3") || len(got[0].Changed) != 0 {
		t.Errorf("a pass of level 3 at level 2: %+v", got[0])
	}
	if !strings.Contains(got[1].Error, "NoSuchPass") {
		t.Errorf("a pass that there is none of: %+v", got[1])
	}
	if got[2].Error != "" || len(got[2].Changed) < 2 || got[2].Functions != 1 || got[2].Before != "" {
		t.Errorf("LegalizeOps: %+v", got[2])
	}
	if _, err := b.runner.Try(t.Context(), req, run.Trial{After: "NoSuchPass", Steps: []run.Step{{Name: "LegalizeOps"}}}); err == nil {
		t.Error("a step that does not run is tried behind")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := b.runner.Try(ctx, req, run.Trial{After: "import", Steps: []run.Step{{Name: "LegalizeOps"}}}); err == nil && len(got) > 0 {
		t.Errorf("after its end a request gets %+v", got)
	}
}
