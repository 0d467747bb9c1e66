package compare_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/compare"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/event/eventtest"
)

// pass is a pass of a test: a leaf that gives functions texts, "" for none any more, or a sequence of others.
type pass struct {
	name    string
	gives   map[string]string
	inside  []pass
	skipped bool
}

// log is the log of a run of passes on a module, as the recorder writes it: a sequence reports what its passes changed once more.
type log struct {
	events []event.Event
	module map[string]string
}

func (l *log) add(path, parent string, b event.Body) {
	e := event.New(path, parent, b, &event.Measured{At: int64(len(l.events)), Total: 3, Latency: []int64{9, 5, 7}})
	e.Seq = len(l.events)
	l.events = append(l.events, e)
}

func run(passes []pass, module map[string]string, code map[string]string) *event.Run {
	l := &log{module: maps.Clone(module)}
	start := &event.RunStarted{Model: "m"}
	for _, name := range slices.Sorted(maps.Keys(module)) {
		start.Functions = append(start.Functions, event.Function{Name: name, Kind: "relax", Text: module[name]})
	}
	l.add("", "", start)
	l.passes("1", "", passes)
	gen := &event.CodeGenerated{Bytes: 100}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		gen.Kernels = append(gen.Kernels, event.Kernel{Name: name, Text: code[name]})
	}
	l.add("", "", gen)
	l.add("", "", &event.Executed{Function: "main", Outputs: []event.Tensor{{Name: "y", DType: "float32", Shape: []int64{2}, First: []event.Float{1, 2}}}})
	l.add("", "", &event.RunFinished{Status: event.StatusOK})
	return event.Fold(l.events)
}

func (l *log) passes(number, parent string, passes []pass) {
	for i, p := range passes {
		n := fmt.Sprintf("%s.%d", number, i)
		path := n + "/" + p.name
		if p.skipped {
			l.add(path, parent, &event.PassSkipped{Name: p.name, Reason: event.ReasonDisabled, Text: "disabled"})
			continue
		}
		kind := event.PassModule
		if p.inside != nil {
			kind = event.PassSequential
		}
		l.add(path, parent, &event.PassStarted{Name: p.name, Kind: kind})
		before := maps.Clone(l.module)
		l.passes(n, path, p.inside)
		for name, text := range p.gives {
			if text == "" {
				delete(l.module, name)
			} else {
				l.module[name] = text
			}
		}
		done := &event.PassFinished{Name: p.name}
		for _, name := range slices.Sorted(maps.Keys(l.module)) {
			if text := l.module[name]; text != before[name] {
				done.Functions = append(done.Functions, event.FunctionChange{Name: name, Kind: "relax", Change: event.FunctionChanged, Before: before[name], After: text})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if l.module[name] == "" {
				done.Functions = append(done.Functions, event.FunctionChange{Name: name, Kind: "relax", Change: event.FunctionRemoved, Before: before[name]})
			}
		}
		if done.Changed = len(done.Functions) > 0; done.Changed && p.inside == nil {
			done.Metrics = &event.Metrics{Functions: len(l.module)}
		}
		l.add(path, parent, done)
	}
}

var base = map[string]string{"main": "m0", "f": "f0"}

// TestToggle compares a run with one in which a pass in the middle was off.
func TestToggle(t *testing.T) {
	passes := func(off bool) []pass {
		return []pass{
			{name: "A", gives: map[string]string{"main": "m1"}},
			{name: "S", inside: []pass{
				{name: "B", gives: map[string]string{"main": "m2", "k": "k2"}, skipped: off},
				{name: "C", gives: map[string]string{"f": "f3"}},
			}},
			{name: "D", gives: map[string]string{"main": "m4", "k": ""}},
		}
	}
	a, b := run(passes(false), base, map[string]string{"k1": "c1", "k2": "c2"}), run(passes(true), base, map[string]string{"k1": "c1"})
	c := compare.Runs(a, b)
	var got []string
	for _, r := range c.Rows {
		got = append(got, fmt.Sprintf("%s %s %s %d", r.A.Name, r.A.Status, r.B.Status, r.Differ))
	}
	want := []string{"import same same 0", "A changed changed 0", "S changed changed 0", "B changed skipped 2", "C changed changed 2", "D changed changed 0", "code same same 1"}
	if !slices.Equal(got, want) {
		t.Errorf("the rows are\n%q, want\n%q", got, want)
	}
	if c.First != 3 {
		t.Errorf("they part at row %d, want 3", c.First)
	}
	functions := compare.Functions(a, b, 3, false)
	if want := []compare.Function{{"k", "relax", "k2", ""}, {"main", "relax", "m2", "m1"}}; !slices.Equal(functions, want) {
		t.Errorf("after B these differ: %v, want %v", functions, want)
	}
	if n := len(compare.Functions(a, b, 3, true)); n != 3 {
		t.Errorf("after B there are %d functions, want 3", n)
	}
	if kernels := compare.Functions(a, b, 6, false); len(kernels) != 1 || kernels[0].Name != "k2" {
		t.Errorf("these kernels differ: %v", kernels)
	}
	if compare.Functions(a, b, 7, true) != nil {
		t.Error("there is a row too many")
	}
	for _, f := range c.Figures {
		switch f.Name {
		case "latency":
			if *f.A != 7 || *f.B != 7 {
				t.Errorf("the latency is %d and %d, want 7", *f.A, *f.B)
			}
		case "kernels":
			if *f.A != 2 || *f.B != 1 {
				t.Errorf("there are %d and %d kernels, want 2 and 1", *f.A, *f.B)
			}
		}
	}
	if len(c.Outputs) != 1 || !c.Outputs[0].Same {
		t.Errorf("the outputs are %+v, want one that is the same", c.Outputs)
	}
	b.Executions[0].Body.Outputs[0].First[1] = 3
	if o := compare.Runs(a, b).Outputs[0]; o.Same || o.Close || o.MaxAbs != 1 {
		t.Errorf("another element makes %+v", o)
	}
	b.Executions[0].Body.Outputs[0].First[1] = 2 + 1e-6
	if o := compare.Runs(a, b).Outputs[0]; o.Same || !o.Close || o.MaxAbs <= 0 || o.MaxAbs > 2e-6 {
		t.Errorf("what is rounded otherwise makes %+v", o)
	}
}

// TestOutputsClose says how far summaries of outputs agree.
func TestOutputsClose(t *testing.T) {
	nan, inf := event.Float(math.NaN()), event.Float(math.Inf(1))
	of := func(dtype string, max event.Float, first ...event.Float) event.Tensor {
		return event.Tensor{Name: "y", DType: dtype, Shape: []int64{int64(len(first))}, First: first, Max: max}
	}
	for name, tt := range map[string]struct {
		a, b        event.Tensor
		same, close bool
	}{
		"equal":                  {of("float32", 1, 1, nan, inf), of("float32", 1, 1, nan, inf), true, true},
		"rounded":                {of("float32", 1, 0.5), of("float32", 1, 0.50001), false, true},
		"beyond":                 {of("float32", 1, 0.5), of("float32", 1, 0.5001), false, false},
		"of a large range":       {of("float32", 1000, 0.5), of("float32", 1000, 0.505), false, true},
		"of doubles":             {of("float64", 1, 0.5), of("float64", 1, 0.50001), false, false},
		"integers":               {of("int32", 1e6, 7), of("int32", 1e6, 8), false, false},
		"a number and none":      {of("float32", 1, nan), of("float32", 1, 1), false, false},
		"a number and no end":    {of("float32", 1, 1), of("float32", 1, inf), false, false},
		"another type":           {of("float32", 1, 1), of("float64", 1, 1), false, false},
		"another shape":          {of("float32", 1, 1), of("float32", 1, 1, 1), false, false},
		"of a range without end": {of("float32", inf, 0.5), of("float32", inf, 0.6), false, false},
	} {
		a, b := run(nil, nil, nil), run(nil, nil, nil)
		for r, o := range map[*event.Run]event.Tensor{a: tt.a, b: tt.b} {
			r.Executions[0].Body.Outputs = []event.Tensor{o}
		}
		if o := compare.Runs(a, b).Outputs[0]; o.Same != tt.same || o.Close != tt.close {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestMovedPass compares runs of the same passes in another order.
func TestMovedPass(t *testing.T) {
	p := func(name, text string) pass { return pass{name: name, gives: map[string]string{"main": text}} }
	c := compare.Runs(run([]pass{p("A", "1"), p("B", "2"), p("C", "3")}, base, nil), run([]pass{p("B", "2"), p("A", "1"), p("C", "3")}, base, nil))
	alone, last := 0, compare.Row{}
	for _, r := range c.Rows {
		if r.A == nil || r.B == nil {
			alone++
		}
		if r.A != nil && r.A.Name == "C" {
			last = r
		}
	}
	if alone != 2 || last.B == nil || last.Differ != 0 {
		t.Errorf("%d steps stand alone, want 2; the last is %+v", alone, last)
	}
}

func drawPasses(t *rapid.T, depth int, name string) []pass {
	out := []pass{}
	for i := range rapid.IntRange(0, 4).Draw(t, "passes") {
		p := pass{name: fmt.Sprintf("%s%d", name, i), skipped: rapid.IntRange(0, 4).Draw(t, "skipped") == 0, gives: map[string]string{}}
		if depth < 3 && rapid.IntRange(0, 3).Draw(t, "sequence") == 0 {
			p.inside = drawPasses(t, depth+1, p.name+"_")
		}
		if p.inside == nil || rapid.IntRange(0, 3).Draw(t, "own") == 0 {
			for _, f := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"main", "f", "g", "h"}), rapid.ID[string]).Draw(t, "functions") {
				p.gives[f] = rapid.SampledFrom([]string{"", "t1", "t2", "t3"}).Draw(t, "text")
			}
		}
		out = append(out, p)
	}
	return out
}

// TestRowsAgreeWithRuns checks each row of two passes that ended against the modules that the runs themselves give for them.
func TestRowsAgreeWithRuns(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		a, b := run(drawPasses(t, 0, "P"), base, nil), run(drawPasses(t, 0, "P"), base, nil)
		c := compare.Runs(a, b)
		for i, r := range c.Rows {
			if r.A == nil || r.B == nil || r.A.Sequence || r.B.Sequence || r.A.Path == event.CodeStep {
				continue
			}
			want := []compare.Function{}
			x, y := after(a, r.A.Path), after(b, r.B.Path)
			names := maps.Clone(x)
			maps.Copy(names, y)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if x[name] != y[name] {
					want = append(want, compare.Function{Name: name, Kind: "relax", A: x[name], B: y[name]})
				}
			}
			if got := compare.Functions(a, b, i, false); !slices.Equal(got, want) || r.Differ != len(want) {
				t.Fatalf("after row %d, %s and %s, %d differ: %v, want %v", i, r.A.Path, r.B.Path, r.Differ, got, want)
			}
		}
	})
}

// after returns the texts of the module after a step.
func after(r *event.Run, path string) map[string]string {
	s := r.Step(path)
	if path == event.ImportStep {
		s = nil
	}
	out := map[string]string{}
	for _, f := range r.FunctionsAfter(s) {
		out[f.Name] = f.Text
	}
	return out
}

// TestAnyLogs compares logs that no compiler wrote: a run is the same as itself, and each step stands in one row.
func TestAnyLogs(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		a, b := event.Fold(eventtest.Log(t)), event.Fold(eventtest.Log(t))
		if c := compare.Runs(a, a); c.First != -1 {
			t.Fatalf("a run differs from itself at row %d", c.First)
		}
		var x, y int
		for _, r := range compare.Runs(a, b).Rows {
			if r.A != nil && r.A.Path != event.ImportStep && r.A.Path != event.CodeStep {
				x++
			}
			if r.B != nil && r.B.Path != event.ImportStep && r.B.Path != event.CodeStep {
				y++
			}
		}
		if x != len(a.All()) || y != len(b.All()) {
			t.Fatalf("the rows hold %d and %d steps, want %d and %d", x, y, len(a.All()), len(b.All()))
		}
	})
}

// TestMetrics checks that a pass that changed the module has its metrics, and other steps have none.
func TestMetrics(t *testing.T) {
	both := []pass{{name: "Add", gives: map[string]string{"k": "1"}}, {name: "Same"}, {name: "Group", inside: []pass{{name: "Drop", gives: map[string]string{"k": ""}}}}}
	c := compare.Runs(run(both, map[string]string{"main": "1"}, nil), run(both[:2], map[string]string{"main": "1"}, nil))
	var got []string
	for _, r := range c.Rows {
		for _, s := range []*compare.Step{r.A, r.B} {
			if s != nil && s.Metrics != nil {
				got = append(got, fmt.Sprint(s.Name, s.Metrics.Functions))
			}
		}
	}
	if want := []string{"Add2", "Add2", "Drop1"}; !slices.Equal(got, want) {
		t.Errorf("the metrics are %v, want %v", got, want)
	}
}
