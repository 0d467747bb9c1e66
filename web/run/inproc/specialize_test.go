package inproc_test

import (
	"maps"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// fixedOf lists what the executions of a run say about code for fixed sizes.
func fixedOf(evs []event.Event) []*event.Fixed {
	var out []*event.Fixed
	for _, e := range evs {
		if e.Type == event.TypeExecuted {
			out = append(out, e.Measured.Fixed)
		}
	}
	return out
}

// TestFixedSizes checks that a program of symbolic shape is timed for each binding with code for its sizes alone too, and when that code is
// kept from an earlier run: while all that it was compiled from is the same.
func TestFixedSizes(t *testing.T) {
	b := open(t, 0)
	b.runner.FixedFor(time.Hour)
	sizes := []map[string]int64{{"batch": 1}, {"batch": 3}}
	look := func(s run.Settings, reused ...bool) {
		t.Helper()
		got := fixedOf(b.ok(b.run(gallery("batch"), s)))
		if len(got) != len(reused) {
			t.Fatalf("%d executions, want %d", len(got), len(reused))
		}
		for i, f := range got {
			if f == nil {
				t.Fatalf("execution %d has no code for its sizes", i)
			}
			want := map[string]int64{"batch": 1}
			if i < len(s.Bindings) {
				want = s.Bindings[i]
			}
			if !maps.Equal(f.Sizes, want) || f.Reused != reused[i] || len(f.Latency) == 0 || f.Compile <= 0 {
				t.Errorf("execution %d says %+v, want the sizes %v, reused %v", i, f, want, reused[i])
			}
		}
	}
	look(run.Settings{OptLevel: 2, Bindings: sizes}, false, false)
	look(run.Settings{OptLevel: 2, Bindings: sizes[1:], Seed: 7}, true)
	look(run.Settings{OptLevel: 2}, true) // a dimension without a binding is 1
	look(run.Settings{OptLevel: 3}, false)
	look(run.Settings{OptLevel: 2, Disabled: []string{"FuseOps"}}, false)
	look(run.Settings{OptLevel: 2, Config: map[string]any{"tir.disable_vectorize": true}}, false)
	look(run.Settings{OptLevel: 2, Bindings: []map[string]int64{{"batch": 1}, {"batch": 2}}}, true, false)
}

// TestNoFixedSizes lists runs that are not compiled again: nothing is symbolic, or the visitor wrote for the module with its symbols.
func TestNoFixedSizes(t *testing.T) {
	b := open(t, 0)
	b.runner.FixedFor(time.Hour)
	script := run.Script{Name: "mine.star", Source: "watch = pass_instrument(name = \"w\")\n"}
	for name, c := range map[string]struct {
		model string
		with  run.Settings
	}{
		"nothing symbolic": {"mlp", run.Settings{OptLevel: 2}},
		"shapes bound":     {"batch", run.Settings{OptLevel: 2, Shapes: map[string][]int64{"batch": {4}}}},
		"script":           {"batch", run.Settings{OptLevel: 2, Scripts: []run.Script{script}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := fixedOf(b.ok(b.run(gallery(c.model), c.with)))
			if len(got) != 1 || got[0] != nil {
				t.Errorf("the executions say %v about fixed sizes, want nothing", got)
			}
		})
	}
}

// TestFixedSizesHaveNoTime checks that a run is well without code for its sizes where there is no time to make it.
func TestFixedSizesHaveNoTime(t *testing.T) {
	b := open(t, 0)
	b.runner.FixedFor(time.Nanosecond)
	if got := fixedOf(b.ok(b.run(gallery("batch"), run.Settings{OptLevel: 2}))); len(got) != 1 || got[0] != nil {
		t.Errorf("the executions say %v about fixed sizes, want nothing", got)
	}
}

// TestKeptProgramsCount checks that programs for fixed sizes count against the limit of what is kept.
func TestKeptProgramsCount(t *testing.T) {
	b := open(t, 0)
	b.runner.FixedFor(time.Hour)
	b.ok(b.run(gallery("batch"), run.Settings{OptLevel: 2, Bindings: []map[string]int64{{"batch": 1}}}))
	one := b.runner.Remembered()
	b.ok(b.run(gallery("batch"), run.Settings{OptLevel: 2, Bindings: []map[string]int64{{"batch": 5}}}))
	if two := b.runner.Remembered(); two < one+1<<10 {
		t.Errorf("a second program adds %d bytes to what is kept", two-one)
	}
}
