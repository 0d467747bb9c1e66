package inproc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// tile schedules the first kernel of the gallery's mlp.
const tile = `b = sch.get_block("NT_matmul")
i, j, k = sch.get_loops(b)
j0, j1 = sch.split(j, [None, 4])
sch.reorder(i, j0, k, j1)
sch.vectorize(j1)
`

// kernelOf returns the first kernel of a run that has a block NT_matmul.
func kernelOf(t *testing.T, evs []event.Event) string {
	t.Helper()
	for _, e := range evs {
		if f, ok := e.Body.(*event.PassFinished); ok && f.Name == "ApplyDefaultSchedule" {
			for _, c := range f.Functions {
				if strings.Contains(c.Name, "NT_matmul") {
					return c.Name
				}
			}
		}
	}
	t.Fatal("no kernel")
	return ""
}

// stepsOf lists the primitives of a run: name, how it ended, and whether it was reused.
func stepsOf(evs []event.Event) (out []string) {
	lines := map[string]int{}
	for _, e := range evs {
		switch b := e.Body.(type) {
		case *event.PassStarted:
			lines[e.Step] = b.Line
		case *event.PassFinished:
			if lines[e.Step] > 0 {
				word := b.Name + " same"
				if b.Changed {
					word = b.Name + " changed"
				}
				if e.Reused {
					word += " reused"
				}
				out = append(out, word)
			}
		case *event.PassFailed:
			if lines[e.Step] > 0 {
				out = append(out, b.Name+" failed")
			}
		}
	}
	return out
}

// outputsOf lists the first elements of what a run computed, rounded.
func outputsOf(t *testing.T, evs []event.Event) string {
	t.Helper()
	for _, e := range evs {
		if x, ok := e.Body.(*event.Executed); ok {
			out := ""
			for _, o := range x.Outputs {
				for _, v := range o.First {
					out += fmt.Sprintf("%.4f ", float64(v))
				}
			}
			return out
		}
	}
	t.Fatal("nothing was executed")
	return ""
}

// TestSchedulesAreSteps: a schedule takes the place of the default one, its primitives are steps, a change takes those before it from the run
// before, one that cannot be applied is a step that failed, and the outputs stay.
func TestSchedulesAreSteps(t *testing.T) {
	b := open(t, 0)
	plain := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2}))
	kernel := kernelOf(t, plain)
	with := func(source string) run.Settings {
		return run.Settings{OptLevel: 2, Schedules: []run.Schedule{{Kernel: kernel, Source: source}}}
	}
	first := b.ok(b.run(gallery("mlp"), with(tile)))
	if got := stepsOf(first); !slices.Equal(got, []string{"split changed", "reorder changed", "vectorize changed"}) {
		t.Fatalf("the steps are %q", got)
	}
	for _, e := range first {
		switch b := e.Body.(type) {
		case *event.PassStarted:
			if b.Name == "split" && (b.Title != "j0, j1 = sch.split(j, [None, 4])" || b.Line != 3 || !strings.Contains(e.Parent, "/schedule."+kernel)) {
				t.Errorf("split begins with %+v in %s", b, e.Parent)
			}
		case *event.PassFinished:
			if b.Name == "ApplyDefaultSchedule" && slices.ContainsFunc(b.Functions, func(c event.FunctionChange) bool { return c.Name == kernel }) {
				t.Error("the default schedule changes the kernel that has one")
			}
		}
	}
	if x, y := outputsOf(t, plain), outputsOf(t, first); x != y {
		t.Errorf("the outputs were %s and are %s", x, y)
	}
	again := b.ok(b.run(gallery("mlp"), with(tile+"sch.unroll(j0)\n")))
	if got := stepsOf(again); !slices.Equal(got, []string{"split changed reused", "reorder changed reused", "vectorize changed reused", "unroll changed"}) {
		t.Errorf("after a change at the end the steps are %q", got)
	}
	// A block that is looked up before them makes them others, although the calls read the same.
	other := strings.Replace(tile, "[None, 4]", "[None, 8]", 1)
	if got := stepsOf(b.ok(b.run(gallery("mlp"), with(other)))); !slices.Equal(got, []string{"split changed", "reorder changed", "vectorize changed"}) {
		t.Errorf("after a change in the first line the steps are %q", got)
	}
	failed, _ := b.run(gallery("mlp"), with(tile+"sch.reorder(k, k)\n"))
	if got := stepsOf(failed); !slices.Equal(got, []string{"split changed reused", "reorder changed reused", "vectorize changed reused", "reorder failed"}) {
		t.Errorf("with a primitive that cannot be applied the steps are %q", got)
	}
	end := failed[len(failed)-1].Body.(*event.RunFinished)
	if end.Status != event.StatusFailed || !strings.Contains(end.Error.Message, "appears in the input array for multiple times") {
		t.Errorf("the run ends with %+v", end)
	}
	if off := b.ok(b.run(gallery("mlp"), run.Settings{OptLevel: 2, Schedules: with(tile).Schedules, Disabled: []string{"schedule." + kernel}})); len(stepsOf(off)) != 0 {
		t.Errorf("turned off it has the steps %q", stepsOf(off))
	}
}

// TestSchedulesAreChecked as they are typed: steps, errors, loops, a script to start from; and measured.
func TestSchedulesAreChecked(t *testing.T) {
	b := open(t, 0)
	settings := run.Settings{OptLevel: 2}
	kernel := kernelOf(t, b.ok(b.run(gallery("mlp"), settings)))
	req := run.Request{Source: gallery("mlp"), Settings: settings, Limits: run.DefaultLimits()}
	check := func(source string) run.CheckedSchedule {
		t.Helper()
		got, err := b.runner.CheckSchedule(t.Context(), req, run.Schedule{Kernel: kernel, Source: source})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	start := check("")
	if !strings.Contains(start.Start, `sch.get_block("NT_matmul")`) || len(start.Steps) != 0 || start.Before != start.After {
		t.Errorf("nothing is %+v", start)
	}
	if again := check(start.Start); run.Failed(again.Diagnostics) || again.Start != "" {
		t.Errorf("the script to start from is %+v", again.Diagnostics)
	}
	good := check(tile)
	if len(good.Steps) != 3 || good.Steps[0] != (run.ScheduleStep{Name: "split", Call: "j0, j1 = sch.split(j, [None, 4])", Line: 3, Changed: true}) || run.Failed(good.Diagnostics) || good.Before == good.After {
		t.Errorf("the steps are %+v, with %+v", good.Steps, good.Diagnostics)
	}
	vectorized := 0
	for _, r := range good.Loops.Rows {
		if r.Loop == "vectorized" {
			vectorized++
		}
	}
	if vectorized != 1 {
		t.Errorf("the loops are %+v", good.Loops.Rows)
	}
	bad := check(tile + "sch.reorder(k, k)\nsch.unroll(i)\n")
	if len(bad.Steps) != 4 || bad.Steps[3].Error != "Loop k appears in the input array for multiple times." || !run.Failed(bad.Diagnostics) || bad.Diagnostics[0].Span.Line != 6 {
		t.Errorf("an error is %+v, with %+v", bad.Steps, bad.Diagnostics)
	}
	if wrong := check("for in"); len(wrong.Steps) != 0 || !run.Failed(wrong.Diagnostics) || wrong.Diagnostics[0].Span.Line != 1 {
		t.Errorf("what is no script is %+v", wrong)
	}
	for source, want := range map[string]string{"sch = 3": "expected a schedule", "while True: pass": "", "x = sch.nothing()": "nothing"} {
		if got := check(source); !run.Failed(got.Diagnostics) || !strings.Contains(got.Diagnostics[0].Message, want) {
			t.Errorf("%q is %+v", source, got.Diagnostics)
		}
	}
	if _, err := b.runner.CheckSchedule(t.Context(), req, run.Schedule{Kernel: "gone", Source: tile}); err == nil || !strings.Contains(err.Error(), "no PrimFunc gone") {
		t.Errorf("a kernel that there is none of: %v", err)
	}
	got, err := b.runner.MeasureSchedule(t.Context(), req, run.Schedule{Kernel: kernel, Source: tile})
	if err != nil || got.Default.Median <= 0 || got.Own.Median <= 0 || got.Own.Runs < 3 || !got.Same || got.Plain || got.Target != "wasm" {
		t.Errorf("measured it is %+v (%v)", got, err)
	}
	req.Settings.Disabled = []string{"ApplyDefaultSchedule"}
	if got, err = b.runner.MeasureSchedule(t.Context(), req, run.Schedule{Kernel: kernel, Source: tile}); err != nil || !got.Plain {
		t.Errorf("without a default schedule it is %+v (%v)", got, err)
	}
	if _, err := b.runner.MeasureSchedule(t.Context(), req, run.Schedule{Kernel: kernel, Source: "sch.split(3, [1])"}); err == nil || !strings.Contains(err.Error(), "cannot be compiled alone") {
		t.Errorf("a schedule with an error: %v", err)
	}
}
