package inproc_test

import (
	"encoding/json"
	"reflect"
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
	fuse := listed["1.8/FuseOps"]
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
