package event_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/event/eventtest"
)

// decoded sends events through the wire.
func decoded(t interface{ Fatal(...any) }, log []event.Event, decode func([]byte) (event.Event, error)) []event.Event {
	var out []event.Event
	for _, e := range log {
		enc, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(enc.Line)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, back)
	}
	return out
}

// TestRunAtEveryPrefix folds random logs event by event: at each event the state is that of a fold from the start, whatever was
// asked of it before, and it is the same behind the wire, with hunks and without.
func TestRunAtEveryPrefix(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		log := eventtest.Log(t)
		full, brief := decoded(t, log, event.Decode), decoded(t, log, event.DecodeBrief)
		follow, lean := event.NewRun(), event.NewRun()
		first := rapid.IntRange(0, 6).Draw(t, "first cut")
		for i := range log {
			follow.Apply(full[i])
			lean.Apply(brief[i])
			if i%7 != first && i < len(log)-1 {
				continue
			}
			ask(follow)
			if fresh := event.Fold(decoded(t, log[:i+1], event.Decode)); !reflect.DeepEqual(follow, fresh) {
				t.Fatalf("after event %d the state that followed is not the one from the start", i)
			}
			if want := event.Fold(decoded(t, log[:i+1], func(b []byte) (event.Event, error) {
				e, err := event.Decode(b)
				return e.Brief(), err
			})); !reflect.DeepEqual(lean, want) {
				t.Fatalf("after event %d DecodeBrief does not leave what Brief leaves", i)
			}
		}
	})
}

// ask asks all there is to ask: nothing of it may write.
func ask(r *event.Run) {
	r.Open()
	for _, s := range r.All() {
		r.FunctionsBefore(s)
		r.FunctionsAfter(s)
	}
}

// TestRunAgainstPlainRules holds the state of random logs against rules written down once more, without any economy.
func TestRunAgainstPlainRules(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		log := eventtest.Log(t)
		r := event.Fold(log)
		steps := map[string]bool{}
		for _, s := range r.All() {
			if steps[s.Path] || r.Step(s.Path) != s {
				t.Fatalf("step %s is twice in the tree, or is not found by its path", s.Path)
			}
			steps[s.Path] = true
			for _, c := range append(slices.Clone(s.Children), s.Required...) {
				if c.Parent != s.Path && c.Parent != s.Parent {
					t.Fatalf("%s lies in %s and names %s", c.Path, s.Path, c.Parent)
				}
			}
		}
		module, after := map[string]string{}, map[string]map[string]string{}
		named, counts := map[string]bool{}, event.Counts{}
		var imported map[string]string
		over := false
		for _, e := range log {
			path := e.Step
			if e.Measured != nil && e.Type != event.TypeRunFinished {
				counts.Saved += e.Measured.Saved
			}
			switch b := e.Body.(type) {
			case *event.RunStarted:
				for _, p := range b.Plan {
					named[p.Step] = true
				}
				for _, f := range b.Functions {
					module[f.Name] = f.Text
				}
				imported = maps.Clone(module)
				continue
			case *event.FunctionsSeen:
				for _, f := range b.Functions {
					if delete(module, f.Name); f.Text != "" {
						module[f.Name] = f.Text
					}
				}
				continue
			case *event.PassStarted:
				if b.Kind != event.PassSequential {
					counts.Ran++
				}
				path = orName(path, b.Name)
			case *event.PassFinished:
				path = orName(path, b.Name)
				for _, f := range b.Functions {
					if delete(module, f.Name); f.Change != event.FunctionRemoved {
						module[f.Name] = f.After
					}
				}
				after[path] = maps.Clone(module)
				switch {
				case b.Unknown != "":
					counts.Unknown++
				case b.Changed:
					counts.Changed++
				default:
					counts.Same++
				}
				if e.Reused {
					counts.Reused++
				}
			case *event.PassSkipped:
				path, counts.Skipped = orName(path, b.Name), counts.Skipped+1
				after[path] = maps.Clone(module)
			case *event.PassFailed:
				path, counts.Failed = orName(path, b.Name), counts.Failed+1
				after[path] = maps.Clone(module)
			case *event.RunFinished:
				over = true
				continue
			default:
				continue
			}
			named[path] = true
		}
		if !maps.Equal(steps, named) {
			t.Fatalf("the tree has %v, the log names %v", steps, named)
		}
		if r.Counts != counts {
			t.Fatalf("the counts are %+v, want %+v", r.Counts, counts)
		}
		if got := textsOf(r.FunctionsAfter(nil)); imported != nil && countStarts(log) == 1 && !maps.Equal(got, imported) {
			t.Fatalf("the imported functions are %v, want %v", got, imported)
		}
		for path, want := range after {
			if got := textsOf(r.FunctionsAfter(r.Step(path))); !maps.Equal(got, want) {
				t.Fatalf("after %s the functions are %v, want %v", path, got, want)
			}
		}
		for _, s := range r.All() {
			if over && (s.Status == event.StepWaiting || s.Status == event.StepRunning) {
				t.Fatalf("the run is over and %s is %s", s.Path, s.Status)
			}
		}
		if over != (r.Finished != nil) || over && len(r.Open()) > 0 {
			t.Fatalf("the run is over: %t; steps %v are open", over, r.Open())
		}
	})
}

func orName(path, name string) string {
	if path == "" {
		return name
	}
	return path
}

func countStarts(log []event.Event) int {
	n := 0
	for _, e := range log {
		if e.Type == event.TypeRunStarted {
			n++
		}
	}
	return n
}

func textsOf(functions []event.Function) map[string]string {
	out := map[string]string{}
	for _, f := range functions {
		out[f.Name] = f.Text
	}
	return out
}

// TestRunSteps folds a small log and looks at each part of the state.
func TestRunSteps(t *testing.T) {
	at := func(at, total int64) *event.Measured { return &event.Measured{At: at, Total: total} }
	fn := func(name, text string) event.Function { return event.Function{Name: name, Text: text} }
	change := func(name, before, after string) event.FunctionChange {
		c := event.FunctionChange{Name: name, Before: before, After: after, Change: event.FunctionChanged}
		if after == "" {
			c.Change = event.FunctionRemoved
		}
		return c
	}
	plan := []event.PlanStep{{Step: "1/All", Name: "All", Kind: event.PassSequential}, {Step: "1.1/A", Parent: "1/All", Name: "A"}, {Step: "1.2/B", Parent: "1/All", Name: "B"}, {Step: "2/Rest", Name: "Rest", Kind: event.PassSequential}, {Step: "2.1/C", Parent: "2/Rest", Name: "C"}}
	log := []event.Event{
		event.New("", "", &event.RunStarted{Plan: plan, Functions: []event.Function{fn("f", "f0"), fn("g", "g0")}, Metrics: &event.Metrics{Functions: 2}}, at(5, 0)),
		event.New("1/All", "", &event.PassStarted{Name: "All", Kind: event.PassSequential}, at(6, 0)),
		event.New("1.1/A", "1/All", &event.PassStarted{Name: "A"}, nil),
		event.New("1.1/A", "1/All", &event.Diagnostic{Message: "of A"}, nil),
		event.New("1.1/A", "1/All", &event.PassFinished{Name: "A", Changed: true, Functions: []event.FunctionChange{change("f", "f0", "f1"), change("g", "g0", ""), change("h", "", "h1")}, Metrics: &event.Metrics{Functions: 3}}, at(9, 2)),
		event.New("1.2r1/R", "1/All", &event.PassStarted{Name: "R", Why: "required by B"}, at(10, 0)),
		event.New("1.2r1/R", "1/All", &event.PassFinished{Name: "R"}, at(11, 1)),
		event.New("1.2/B", "1/All", &event.PassFailed{Name: "B", Error: event.Error{Message: "no"}}, at(12, 1)),
		event.New("1/All", "", &event.PassFinished{Name: "All", Changed: true, Functions: []event.FunctionChange{change("f", "f0", "f1"), change("g", "g0", ""), change("h", "", "h1")}}, at(13, 7)),
		event.New("2/Rest", "", &event.PassSkipped{Name: "Rest", Reason: event.ReasonStopped, Text: "an earlier step failed"}, nil),
		event.New("", "", &event.Diagnostic{Message: "of the run"}, nil),
		event.New("", "", &event.CodeGenerated{Kernels: []event.Kernel{{Name: "k", Text: "kt"}}, VM: "vt"}, at(14, 3)),
		event.New("", "", &event.Executed{}, &event.Measured{Latency: []int64{3, 1, 2}, Compile: 8}),
		event.New("", "", &event.RunFinished{Status: event.StatusOK}, &event.Measured{At: 20, Steps: 2}),
	}
	for i := range log {
		log[i].Seq = i
	}
	r := event.Fold(log)
	var rows []string
	for _, s := range r.All() {
		rows = append(rows, fmt.Sprintf("%s %d %s %q %d-%d", s.Path, s.Depth, s.Status, s.Why+s.Text, s.Began, s.Seq))
	}
	want := `1/All 0 changed "" 1-8|1.1/A 1 changed "" 2-4|1.2r1/R 1 same "required by B" 5-6|1.2/B 1 failed "" -1-7|2/Rest 0 skipped "an earlier step failed" -1-9|2.1/C 1 skipped "an earlier step failed" -1--1`
	if got := strings.Join(rows, "|"); got != want {
		t.Errorf("the steps are\n%s\nwant\n%s", got, want)
	}
	rows = nil
	for _, c := range r.Changes {
		rows = append(rows, c.Step.Path+" "+c.Name+" "+c.Before+">"+c.Text)
	}
	// The sequence says again what its passes did, and adds nothing.
	if got, want := strings.Join(rows, "|"), "import f >f0|import g >g0|1.1/A f f0>f1|1.1/A g g0>|1.1/A h >h1|code k >kt|code (vm) >vt"; got != want {
		t.Errorf("the changes are\n%s\nwant\n%s", got, want)
	}
	a := r.Step("1.1/A")
	if a.At != 6 || a.Measured.Total != 2 || len(a.Diagnostics) != 1 || a.Before != r.Lanes[0].Metrics || len(r.Diagnostics) != 2 || r.Diagnostics[0].Step != a || r.Diagnostics[1].Step != nil {
		t.Errorf("step A is %+v, the messages %+v", a, r.Diagnostics)
	}
	if len(r.Lanes) != 2 || r.Lanes[1].At != 9 || r.Lanes[1].Step != a || r.ImportTime != 5 || r.CodegenTime != 3 || r.CompileTime != 8 || r.End.At != 20 {
		t.Errorf("times are %d %d %d %d, lanes %+v", r.ImportTime, r.CodegenTime, r.CompileTime, r.End.At, r.Lanes)
	}
	if !slices.Equal(r.Executions[0].Measured.Latency, []int64{3, 1, 2}) {
		t.Errorf("the latency is %v", r.Executions[0].Measured.Latency)
	}
	if got, before := textsOf(r.FunctionsAfter(a)), textsOf(r.FunctionsBefore(a)); !maps.Equal(got, map[string]string{"f": "f1", "h": "h1"}) || !maps.Equal(before, map[string]string{"f": "f0", "g": "g0"}) {
		t.Errorf("A makes %v of %v", got, before)
	}
	if before := textsOf(r.FunctionsBefore(r.Step("1/All"))); !maps.Equal(before, map[string]string{"f": "f0", "g": "g0"}) {
		t.Errorf("the sequence is given %v, want the imported module", before)
	}
	if open := event.Fold(log[:4]).Open(); len(open) != 2 || open[0].Path != "1/All" || open[1].Path != "1.1/A" {
		t.Errorf("open are %v", open)
	}
}

// TestRunOddities folds what compilers write rarely.
func TestRunOddities(t *testing.T) {
	flops := &event.FunctionMetrics{FLOPs: 7}
	r := event.Fold([]event.Event{
		event.New("1/S", "", &event.PassStarted{Name: "S"}, nil),
		event.New("1.1/A", "1/S", &event.PassStarted{Name: "A"}, nil),
		event.New("1.1/A", "1/S", &event.PassStarted{Name: "A"}, nil),
		event.New("1.2/B", "1/S", &event.PassFinished{Name: "B", Functions: []event.FunctionChange{{Name: "f", After: "f1", Metrics: flops}}}, nil),
		event.New("1.3/C", "1/S", &event.PassFinished{Name: "C", Functions: []event.FunctionChange{{Name: "f", After: "f2"}}}, nil),
	})
	for i, s := range r.All() {
		s.Seq = i
	}
	if got := r.FunctionsAfter(r.Step("1.3/C")); len(got) != 1 || got[0].Text != "f2" || got[0].Metrics != flops {
		t.Errorf("the function is %+v, want the metrics that it had", got)
	}
	again := event.NewRun()
	for i := range 2 {
		e := event.New("1/A", "", &event.PassStarted{Name: "A"}, nil)
		e.Seq = i
		again.Apply(e)
	}
	if open := again.Open(); len(open) != 1 {
		t.Errorf("a step that began twice is open %d times", len(open))
	}
	r.Apply(event.New("1/S", "", &event.PassSkipped{Name: "S"}, nil))
	if a, b := r.Step("1.1/A"), r.Step("1.2/B"); a.Status != event.StepRunning || b.Status != event.StepSame {
		t.Errorf("after its sequence was skipped, what had begun is %s and what had ended %s", a.Status, b.Status)
	}
}

// TestRunIsLinear folds logs that are as bad as 64 MiB may be: four times as many events may take about four times as long, and
// not sixteen times.
func TestRunIsLinear(t *testing.T) {
	fold := func(n int) time.Duration {
		start := time.Now()
		r := event.NewRun()
		r.Apply(event.New("1/P", "", &event.PassStarted{Name: "P"}, nil))
		for i := range n {
			r.Apply(event.New(fmt.Sprintf("1.%d/X", i), "1/P", &event.PassSkipped{Name: "X"}, nil))
		}
		for i := range n {
			r.Apply(event.New(fmt.Sprintf("1r%d/R", i), "", &event.PassStarted{Name: "R"}, nil))
			r.Apply(event.New("1/P", "", &event.PassStarted{Name: "P"}, nil))
			r.Apply(event.New("1/P", "", &event.PassSkipped{Name: "P"}, nil))
		}
		r.Open()
		if got := len(r.All()); got != 2*n+1 {
			t.Errorf("there are %d steps, want %d", got, 2*n+1)
		}
		return time.Since(start)
	}
	// Other work on the machine may delay one of the two; what is not linear is slow every time.
	var few, many time.Duration
	for range 5 {
		few, many = max(fold(10_000), 100*time.Millisecond), fold(40_000)
		if many <= 10*few {
			return
		}
	}
	t.Errorf("30,000 events take %v, 120,000 take %v", few, many)
}

// TestFailedStep: the step that a run failed in is the innermost, and none whose failure the step around it went on after.
func TestFailedStep(t *testing.T) {
	plan := []event.PlanStep{{Step: "1/default", Name: "default", Kind: event.PassSequential}, {Step: "1.1/A", Parent: "1/default", Name: "A"}, {Step: "1.2/B", Parent: "1/default", Name: "B"}}
	begin := func(path, parent, name string) event.Event {
		return event.Event{Step: path, Parent: parent, Body: &event.PassStarted{Name: name}}
	}
	fail := func(path, parent, name string) event.Event {
		return event.Event{Step: path, Parent: parent, Body: &event.PassFailed{Name: name, Error: event.Error{Kind: event.KindPass, Message: "no"}}}
	}
	end := func(path, parent, name string) event.Event {
		return event.Event{Step: path, Parent: parent, Body: &event.PassFinished{Name: name, Changed: true}}
	}
	first := []event.Event{{Body: &event.RunStarted{Plan: plan}}, begin("1/default", "", "default"), begin("1.1/A", "1/default", "A"), begin("1.1.1/X", "1.1/A", "X")}
	for _, c := range []struct {
		name, want string
		rest       []event.Event
	}{
		{"a step inside", "1.1.1/X", []event.Event{fail("1.1.1/X", "1.1/A", "X"), fail("1.1/A", "1/default", "A"), fail("1/default", "", "default")}},
		{"the step around it", "1.1/A", []event.Event{end("1.1.1/X", "1.1/A", "X"), fail("1.1/A", "1/default", "A"), fail("1/default", "", "default")}},
		{"one that was caught", "", []event.Event{fail("1.1.1/X", "1.1/A", "X"), end("1.1/A", "1/default", "A")}},
		{"one that was caught, and the next", "1.2/B", []event.Event{
			fail("1.1.1/X", "1.1/A", "X"), end("1.1/A", "1/default", "A"), begin("1.2/B", "1/default", "B"), fail("1.2/B", "1/default", "B"), fail("1/default", "", "default"),
		}},
		{"none", "", []event.Event{end("1.1.1/X", "1.1/A", "X"), end("1.1/A", "1/default", "A")}},
	} {
		log := append(slices.Clone(first), c.rest...)
		for i := range log {
			log[i].Seq, log[i].Type = i, log[i].Body.EventType()
		}
		got := ""
		if s := event.Fold(log).FailedStep(); s != nil {
			got = s.Path
		}
		if got != c.want {
			t.Errorf("%s: the run failed in %q, want %q", c.name, got, c.want)
		}
	}
}
