package inproc_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// reused counts the steps of a log that were taken from an earlier run, and all that ran.
func reused(evs []event.Event) (again, all int) {
	group := map[string]bool{}
	for _, e := range evs {
		switch b := e.Body.(type) {
		case *event.PassStarted:
			group[e.Step] = b.Kind == "sequential"
			if b.Kind != "sequential" {
				all++
			}
		case *event.PassFinished:
			if e.Reused {
				again++
			}
		}
	}
	return again, all
}

// TestTheLogSaysWhatReuseSaved checks the numbers that the page shows: how many steps were reused of how many, and the time that
// it would have taken without.
func TestTheLogSaysWhatReuseSaved(t *testing.T) {
	b := open(t, 0)
	first := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2}))
	_, all := reused(first)
	if m := last(first); m.ReusedSteps != 0 || m.Saved != 0 || m.Steps != all || all < 10 {
		t.Errorf("the first run says %+v, and %d steps ran", m, all)
	}
	again := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2, Disabled: []string{"FuseTIR"}}))
	n, all := reused(again)
	m := last(again)
	if n == 0 || n >= all || m.ReusedSteps != n || m.Steps != all {
		t.Errorf("the second run says that %d of %d steps were reused, they are %d of %d", m.ReusedSteps, m.Steps, n, all)
	}
	sum := int64(0)
	for _, e := range again {
		if e.Measured == nil || e.Type == event.TypeRunFinished {
			continue
		}
		if e.Measured.Saved != 0 && !e.Reused && e.Type != event.TypeRunStarted {
			t.Errorf("%s of %s saved something but was not reused", e.Type, e.Step)
		}
		sum += e.Measured.Saved
	}
	if sum <= 0 || m.Saved != sum {
		t.Errorf("the run says that %d ns were saved, its events %d", m.Saved, sum)
	}
	// What was saved cannot be more than the first run took, and is what its steps took.
	if m.Saved > last(first).Total {
		t.Errorf("%d ns were saved of a run of %d", m.Saved, last(first).Total)
	}
	if saved := again[0].Measured.Saved; saved < 0 {
		t.Errorf("that the model was known saved %d ns", saved)
	}
}

// TestTimesAddUp holds the rule of times in a first run, in re-runs that reuse some steps and all: the total of a step is its own time and
// the totals of the steps in it, and how much of it is of earlier runs is the sum of what that is of those steps.
func TestTimesAddUp(t *testing.T) {
	b := open(t, 0)
	mixed := 0
	for i, off := range [][]string{nil, {"FuseTIR"}, nil, {"tir.Simplify"}} {
		for _, s := range event.Fold(b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 3, Disabled: off}))).All() {
			total, earlier := s.Measured.Self, int64(0)
			for _, in := range s.Children {
				total += in.Measured.Total
				if earlier += in.Measured.Earlier; in.Reused {
					earlier += in.Measured.Total
				}
			}
			if s.Finished == nil || s.Reused {
				continue
			}
			if s.Measured.Total != total || s.Measured.Earlier != earlier {
				t.Errorf("run %d: %s says %d ns, %d of them earlier; its own time and its steps add up to %d, %d of them earlier", i, s.Path, s.Measured.Total, s.Measured.Earlier, total, earlier)
			}
			// A busy machine may stop between two steps for longer than they take.
			if s.Measured.Self < 0 || goal.Strict() && len(s.Children) > 0 && s.Measured.Self > total/2 && total > 1e6 {
				t.Errorf("run %d: %s took %d of %d ns for itself", i, s.Path, s.Measured.Self, total)
			}
			if earlier > 0 {
				mixed++
			}
			if i == 0 && earlier != 0 {
				t.Errorf("%s of the first run has %d ns of earlier ones", s.Path, earlier)
			}
		}
	}
	if mixed < 6 {
		t.Errorf("only %d sequences have times of earlier runs", mixed)
	}
}

func TestOldestStepsGoFirst(t *testing.T) {
	full := open(t, 0)
	off := func(name string) run.Settings { return run.Settings{OptLevel: 2, Disabled: []string{name}} }
	// These differ in an early step, so that the runs share little.
	names := []string{"FoldConstant", "FuseOps", "AnnotateTIROpPattern", "FuseTIR"}
	full.run(gallery("mlp"), off(names[0]))
	limit := full.runner.Remembered() * 3 / 2
	b := open(t, limit)
	for _, name := range names {
		b.run(gallery("mlp"), off(name))
		if used := b.runner.Remembered(); used > limit {
			t.Fatalf("without %s %d KiB are kept, the limit is %d", name, used>>10, limit>>10)
		}
		full.run(gallery("mlp"), off(name))
	}
	if used := full.runner.Remembered(); used <= limit {
		t.Fatalf("the runs keep %d KiB, which says nothing about a limit of %d", used>>10, limit>>10)
	}
	// What the last run used is there still, what only the first used is not.
	count := func(b *bench, name string) int {
		evs, _ := b.run(gallery("mlp"), off(name))
		n, _ := reused(evs)
		return n
	}
	late, early, kept := count(b, names[3]), count(b, names[0]), count(full, names[0])
	if late <= early || early >= kept {
		t.Errorf("of the last run %d steps are reused, of the first %d; with room it is %d", late, early, kept)
	}
}

// TestKeptBytesAreReal compares the bytes that the memory says it holds with what forgetting them frees.
func TestKeptBytesAreReal(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, uploaded := range map[string]bool{"cnn": false, "light_squeezenet": true} {
		t.Run(name, func(t *testing.T) {
			if uploaded && testing.Short() {
				t.Skip("takes seconds")
			}
			b := open(t, 0)
			src := gallery(name)
			if uploaded {
				src = b.upload(name, light(t, name))
			}
			for _, off := range []string{"FuseOps", "LegalizeOps", "FoldConstant"} {
				b.run(src, run.Settings{OptLevel: 2, Disabled: []string{off}})
			}
			said, before := b.runner.Remembered(), heap()
			b.runner.Forget()
			freed := before - heap()
			t.Logf("%d KiB are said to be kept, forgetting them frees %d KiB", said>>10, freed>>10)
			if said < freed/2 || said > freed*4 {
				t.Errorf("%d KiB are said to be kept, forgetting them frees %d KiB", said>>10, freed>>10)
			}
		})
	}
}

// TestStepsAreReusedByTheTextOfScripts changes a user's pass: what stands before it is reused, the pass itself is not.
func TestStepsAreReusedByTheTextOfScripts(t *testing.T) {
	b := open(t, 0)
	settings := func(name string) run.Settings {
		return run.Settings{
			OptLevel: 2,
			Scripts:  []run.Script{{Name: "mine.star", Source: fmt.Sprintf("def f(func):\n    return func.with_attr(\"mark\", %q)\nmine = function_pass(f, opt_level=0, name=\"Mine\")\n", name)}},
			Steps:    []run.Step{{Name: "LegalizeOps"}, {Name: "user.Mine"}, {Name: "FuseOps"}},
		}
	}
	b.run(gallery("mlp"), settings("a"))
	for _, c := range []struct {
		name string
		want []bool // LegalizeOps, user.Mine, FuseOps
	}{{"a", []bool{true, true, true}}, {"b", []bool{true, false, false}}, {"a", []bool{true, true, true}}} {
		evs, _ := b.run(gallery("mlp"), settings(c.name))
		var got []bool
		for _, e := range evs {
			if p, ok := e.Body.(*event.PassFinished); ok && p.Name != "custom" {
				got = append(got, e.Reused)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("with the script %s the steps are reused: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestRunsGoOnWhereNothingIsKept is a restart of the server: the store is there, the memory is not.
func TestRunsGoOnWhereNothingIsKept(t *testing.T) {
	b := open(t, 0)
	first, want := b.run(gallery("mlp"), run.Settings{OptLevel: 2})
	b.ok(first, want)
	b.runner.Forget()
	again, hash := b.run(gallery("mlp"), run.Settings{OptLevel: 2})
	b.ok(again, hash)
	if n, _ := reused(again); n != 0 || hash != want {
		t.Errorf("after a restart %d steps are reused, the log has hash %s, want %s", n, hash, want)
	}
}
