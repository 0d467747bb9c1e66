package inproc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
)

// twice is a pass that prints, and replaces sums by products with 2.
const twice = `
def double(self, call):
    call = self.visit_default(call)
    if type(call.op) == "Op" and call.op.name == "relax.add":
        print("found", call.op.name)
        return relax.Call(op("relax.multiply"), [call.args[0], relax.const(2.0, "float32")])
    return call

run = function_pass(mutator({"Call": double}), opt_level=0, name="Twice")
`

// withSteps returns settings with scripts and explicit steps before those of the pipeline zero.
func withSteps(steps []string, scripts ...string) run.Settings {
	s := run.Settings{OptLevel: 2, Pipeline: "zero", Steps: []run.Step{}}
	for i, text := range scripts {
		s.Scripts = append(s.Scripts, run.Script{Name: fmt.Sprintf("s%d.star", i+1), Source: text})
	}
	for _, name := range steps {
		s.Steps = append(s.Steps, run.Step{Name: name})
	}
	s.Steps = append(s.Steps, run.Step{Name: "later", Steps: []run.Step{{Name: "LegalizeOps"}, {Name: "FuseOps"}}})
	return s
}

// ofStep returns the diagnostics of the first step of a name.
func ofStep(evs []event.Event, name string) []*event.Diagnostic {
	var out []*event.Diagnostic
	for _, e := range evs {
		if d, ok := e.Body.(*event.Diagnostic); ok && strings.HasSuffix(e.Step, "/"+name) {
			out = append(out, d)
		}
	}
	return out
}

// finishedStep returns how a step changed the module, or nil.
func finishedStep(evs []event.Event, name string) *event.PassFinished {
	for _, p := range bodies[*event.PassFinished](evs) {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func TestUserPass(t *testing.T) {
	b := open(t, 0)
	src := b.script(addMain)
	first, hash := b.run(src, withSteps([]string{"user.Twice"}, twice))
	b.ok(first, hash)
	p := finishedStep(first, "user.Twice")
	if p == nil || !p.Changed || len(p.Functions) != 1 || !strings.Contains(fmt.Sprint(p.Functions[0].Hunks), "R.multiply") {
		t.Fatalf("the step is %+v", p)
	}
	said := ofStep(first, "user.Twice")
	if len(said) != 1 || said[0].Code != "print" || said[0].Message != "found relax.add" || said[0].Span.Source != "s1.star" {
		t.Errorf("it says %+v", said)
	}
	if plan := first[0].Body.(*event.RunStarted).Plan; len(plan) != 5 || plan[1].Name != "user.Twice" || plan[2].Kind != "sequential" || plan[3].Step != "1.2.1/LegalizeOps" {
		t.Errorf("the plan is %+v", plan)
	}
	// The same again is taken from the first run, with what it printed; another text is not.
	again, same := b.run(src, withSteps([]string{"user.Twice"}, twice))
	if again[len(again)-1].Measured.ReusedSteps != 3 || same != hash {
		t.Errorf("%d steps are reused, the hashes are %s and %s", again[len(again)-1].Measured.ReusedSteps, hash, same)
	}
	other := b.ok(b.run(src, withSteps([]string{"user.Twice"}, strings.Replace(twice, "2.0", "4.0", 1))))
	if other[len(other)-1].Measured.ReusedSteps != 0 || !strings.Contains(fmt.Sprint(finishedStep(other, "user.Twice").Functions[0].Hunks), "4.0") {
		t.Error("a step of another text is taken from the first run")
	}
	// A user pass can be turned off like any other.
	off := withSteps([]string{"user.Twice"}, twice)
	off.Disabled = []string{"user.Twice"}
	evs := b.ok(b.run(src, off))
	if len(ofStep(evs, "user.Twice")) != 0 || len(bodies[*event.PassSkipped](evs)) != 1 {
		t.Errorf("the events of a run without it are %+v", bodies[*event.Diagnostic](evs))
	}
}

func TestUserInstrument(t *testing.T) {
	const watch = `
print("top")
seen = {}
def before(mod, info):
    seen[info.name] = len(mod.functions)
def after(mod, info):
    print(info.name, seen[info.name], "->", len(mod.functions))
watch = pass_instrument(run_before_pass=before, run_after_pass=after, should_run=lambda mod, info: info.name != "FuseOps")
`
	b := open(t, 0)
	src := b.script(addMain)
	for range 2 { // instruments are called in every run, so nothing is reused
		evs := b.ok(b.run(src, withSteps([]string{"user.Twice"}, twice, watch)))
		said := ofStep(evs, "LegalizeOps")
		if len(said) != 1 || said[0].Message != "LegalizeOps 1 -> 2" || said[0].Span.Source != "s2.star" {
			t.Errorf("LegalizeOps says %+v", said)
		}
		if said := ofStep(evs, "user.Twice"); len(said) != 2 || said[1].Message != "user.Twice 1 -> 1" {
			t.Errorf("the user pass says %+v", said)
		}
		if n := evs[len(evs)-1].Measured.ReusedSteps; n != 0 {
			t.Errorf("%d steps are reused", n)
		}
		top := 0
		for _, e := range evs {
			if d, ok := e.Body.(*event.Diagnostic); ok && e.Step == "" && d.Message == "top" {
				top++
			}
		}
		skipped := bodies[*event.PassSkipped](evs)
		if top != 1 || len(skipped) != 1 || skipped[0].Name != "FuseOps" || skipped[0].Reason != event.ReasonInstrument {
			t.Errorf("the top level is said %d times, and skipped is %+v", top, skipped)
		}
	}
}

func TestCheckScript(t *testing.T) {
	r := inproc.New(inproc.Config{})
	got, err := r.CheckScript(t.Context(), run.Script{Name: "a.star", Source: "print('hello')\n" + twice + "watch = pass_instrument(name=\"w\")\n"})
	if err != nil || len(got.Passes) != 1 || got.Passes[0].Name != "user.Twice" || got.Passes[0].Kind != "function" || len(got.Instruments) != 1 || got.Instruments[0] != "w" {
		t.Errorf("%+v %v", got, err)
	}
	if len(got.Diagnostics) != 1 || got.Diagnostics[0].Code != "print" || got.Diagnostics[0].Message != "hello" {
		t.Errorf("it prints %+v", got.Diagnostics)
	}
	got, err = r.CheckScript(t.Context(), run.Script{Name: "a.star", Source: "a = ä\nb = nope2 + nope3\n"})
	if err != nil || len(got.Diagnostics) != 3 || got.Diagnostics[0].Span.EndColumn != 7 || got.Diagnostics[2].Span.Column != 13 || len(got.Passes) != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestExamples runs every example as the gallery starts it: its pass changes the module, or its instrument has something to say.
func TestExamples(t *testing.T) {
	catalog, err := inproc.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(catalog.Scripts) != 3 {
		t.Fatalf("there are %d examples", len(catalog.Scripts))
	}
	want := map[string]func(evs []event.Event) bool{
		"counter": func(evs []event.Event) bool {
			said := ofStep(evs, "LegalizeOps")
			return len(said) == 1 && strings.Contains(said[0].Message, "relax.matmul 2 -> 0")
		},
		"collapse_if": func(evs []event.Event) bool {
			p := finishedStep(evs, "user.CollapseIf")
			return p != nil && p.Functions[0].Removed > 6
		},
		"fold_constant": func(evs []event.Event) bool {
			p := finishedStep(evs, "user.FoldElementwise")
			return p != nil && p.Functions[0].Added == 3 && strings.Contains(fmt.Sprint(p.Functions[0].Hunks), "R.const(3.5")
		},
	}
	b := open(t, 0)
	for _, e := range catalog.Scripts {
		evs := b.ok(b.run(b.script(e.Module), catalog.WithExample(run.Settings{Target: "wasm", OptLevel: 2}, e.Name)))
		if !want[e.Name](evs) {
			t.Errorf("%s shows nothing: %+v", e.Name, bodies[*event.Diagnostic](evs))
		}
		if len(bodies[*event.Executed](evs)) != 1 {
			t.Errorf("the module of %s is not executed", e.Name)
		}
	}
}
