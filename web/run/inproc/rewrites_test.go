package inproc_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// TestRewritesAreRecordedWhenAskedFor compares a run that records rewrites with one that does
// not: all else is the same, and neither takes steps from the other.
func TestRewritesAreRecordedWhenAskedFor(t *testing.T) {
	b := open(t, 0)
	plain := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2}))
	asked := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2, Rewrites: true}))
	if n, _ := reused(asked); n != 0 {
		t.Errorf("%d steps were taken from a run that recorded nothing", n)
	}
	listed := rewritesOf(t, b, asked)
	if len(listed) < 15 {
		t.Errorf("%d steps say what they rewrote", len(listed))
	}
	at := slices.IndexFunc(asked, func(e event.Event) bool { f, ok := e.Body.(*event.PassFinished); return ok && f.Name == "FuseOps" })
	fuse := listed[asked[at].Step]
	if len(fuse.Rewrites) == 0 || fuse.Rewrites[0].Name != "fuse a group of kernels" || len(fuse.Decisions) == 0 || fuse.Decisions[0].Reason == "" {
		t.Errorf("FuseOps says %+v", fuse)
	}
	if len(rewritesOf(t, b, plain)) != 0 {
		t.Error("a run says what passes rewrote without being asked")
	}
	if len(plain) != len(asked) {
		t.Fatalf("%d events without, %d with the record", len(plain), len(asked))
	}
	for i := range plain {
		if f, ok := asked[i].Body.(*event.PassFinished); ok {
			without := *f
			without.Rewrites = nil
			if !reflect.DeepEqual(plain[i].Body, event.Body(&without)) {
				t.Errorf("event %d differs by more than the record", i)
			}
		}
	}
	again := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2, Rewrites: true, Seed: 3}))
	if n, all := reused(again); n != all {
		t.Errorf("%d of %d steps were reused", n, all)
	}
	if !reflect.DeepEqual(rewritesOf(t, b, again), listed) {
		t.Error("reused steps report otherwise")
	}
}

// TestStepsAreExplainedOnRequest asks a run that recorded nothing for what its steps report: the same as a run that recorded it,
// whether the steps on the way are remembered or not.
func TestStepsAreExplainedOnRequest(t *testing.T) {
	for _, cache := range []int64{0, -1} {
		b := open(t, cache)
		settings := run.Settings{OptLevel: 2}
		b.ok(b.run(gallery("mlp"), settings))
		asked := settings
		asked.Rewrites = true
		evs := b.ok(b.run(gallery("mlp"), asked))
		listed := rewritesOf(t, b, evs)
		req := run.Request{Source: gallery("mlp"), Settings: settings, Limits: run.DefaultLimits()}
		n := 0
		for _, e := range evs {
			f, ok := e.Body.(*event.PassFinished)
			if !ok || cache < 0 && !strings.Contains(e.Step, "Fuse") {
				continue // without a memory each question runs all steps before
			}
			got, err := b.runner.Explain(t.Context(), req, e.Step)
			if err != nil {
				t.Fatalf("%s: %v", e.Step, err)
			}
			want, recorded := listed[e.Step]
			switch {
			case recorded && !reflect.DeepEqual(*got, want):
				t.Errorf("%s (%s) reports %+v, and recorded %+v", e.Step, f.Name, got, want)
			case recorded:
				n++
			case len(got.Rewrites)+len(got.Decisions) > 0:
				t.Errorf("%s reports %+v, and recorded nothing", e.Step, got)
			}
		}
		if n < 2 {
			t.Errorf("%d steps were compared", n)
		}
		var wrong *event.Error
		if _, err := b.runner.Explain(t.Context(), req, "9.9/Nothing"); !errors.As(err, &wrong) || !strings.Contains(wrong.Message, "9.9/Nothing") {
			t.Errorf("a step that does not exist gives %v", err)
		}
		// Nothing is left behind: a run records nothing of what was asked, and reuses what it had.
		if again := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2, Seed: 7})); len(rewritesOf(t, b, again)) != 0 {
			t.Error("a run says what was asked of another")
		}
	}
}

// rewritesOf returns what the steps of a run report, by step.
func rewritesOf(t *testing.T, b *bench, evs []event.Event) map[string]event.Rewrites {
	t.Helper()
	out := map[string]event.Rewrites{}
	for _, e := range evs {
		f, ok := e.Body.(*event.PassFinished)
		if !ok || f.Rewrites == nil {
			continue
		}
		blob, err := b.store.Blob(t.Context(), f.Rewrites.Text)
		if err != nil {
			t.Fatal(err)
		}
		var r event.Rewrites
		if err := json.Unmarshal(blob.Data, &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Rewrites)+r.Omitted != f.Rewrites.Rewrites || len(r.Decisions)+r.OmittedDecisions != f.Rewrites.Decisions || blob.Language != event.LangRewrites {
			t.Errorf("%s counts %+v and lists %d and %d", e.Step, f.Rewrites, len(r.Rewrites), len(r.Decisions))
		}
		out[e.Step] = r
	}
	return out
}
