package inproc

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// textOf returns the text of a function of the module behind a step.
func (s *stage) textOf(q run.Request, after, function string) string {
	s.Helper()
	s.Forget() // a run that reuses steps brings the texts of the others only
	d := s.play(s.Context(), q)
	text := ""
	for _, e := range d.events {
		switch b := e.Body.(type) {
		case *event.RunStarted:
			for _, f := range b.Functions {
				if f.Name == function {
					text = d.texts[f.Text]
				}
			}
			if after == "import" {
				return text
			}
		case *event.PassFinished:
			for _, f := range b.Functions {
				if f.Name == function {
					text = d.texts[f.After]
				}
			}
			if b.Name == after {
				return text
			}
		}
	}
	s.Fatalf("there is no step %s", after)
	return ""
}

// TestEditsOfTheModule behind a step: what they change, what they say, and what the run with them does.
func TestEditsOfTheModule(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled())
	text := s.textOf(q, "import", "main")
	check := func(q run.Request, e run.Edit) run.CheckedEdit {
		t.Helper()
		got, err := s.CheckEdit(t.Context(), q, e)
		if err != nil || got.Diagnostics == nil || got.Functions == nil {
			t.Fatalf("the edit after %s gives %+v (%v)", e.After, got, err)
		}
		return got
	}
	same := check(q, run.Edit{After: "import", Functions: []string{"main"}, Text: text})
	if same.Patch != nil || len(same.Diagnostics)+len(same.Functions) > 0 || same.Text != text {
		t.Errorf("the text as it is gives %+v", same)
	}
	wrong := check(q, run.Edit{After: "import", Functions: []string{"main"}, Text: strings.Replace(text, "(x, x)", "(x, z)", 1)})
	if wrong.Patch != nil || wrong.Text != "" || len(wrong.Functions) > 0 || len(wrong.Diagnostics) == 0 || wrong.Diagnostics[0].Severity != event.SeverityError || wrong.Diagnostics[0].Span.Source != "edit.import" {
		t.Errorf("a text with an error gives %+v", wrong)
	}
	product := strings.Replace(text, "R.add", "R.multiply", 1)
	made := check(q, run.Edit{After: "import", Functions: []string{"main"}, Text: product})
	want := &run.Patch{After: "import", Text: product, Before: map[string]string{"main": event.HashText(text)}}
	if !reflect.DeepEqual(made.Patch, want) || !reflect.DeepEqual(made.Functions, []string{"main"}) || made.Text != product || len(made.Diagnostics) > 0 {
		t.Errorf("the edit gives %+v, want %+v", made.Patch, want)
	}
	if got := s.PatchFile(*want); got != product {
		t.Errorf("as a file it is\n%s\nwant\n%s", got, product)
	}
	if got := s.PatchFile(run.Patch{Text: "t", Removed: []string{"a", "b"}}); got != "# removed: a\n# removed: b\nt" {
		t.Errorf("with functions that go it is\n%s", got)
	}

	// The run with it computes the square.
	edited := q
	edited.Settings.Patches = []run.Patch{*made.Patch}
	ran := body[*event.Executed](t, s.play(t.Context(), edited))
	for i, x := range ran.Inputs[0].First {
		if got, want := float64(ran.Outputs[0].First[i]), float64(float32(x)*float32(x)); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	// Edited again, the text is compared with the module as it is without edits, and the edit that was there is replaced.
	again := check(edited, run.Edit{After: "import", Functions: []string{"main"}, Text: strings.Replace(text, "R.add", "R.subtract", 1)})
	if again.Patch == nil || again.Patch.Before["main"] != event.HashText(text) || !strings.Contains(again.Patch.Text, "R.subtract") || strings.Contains(again.Patch.Text, "R.multiply") {
		t.Errorf("edited again it gives %+v", again.Patch)
	}
	if len(edited.Settings.Patches) != 1 || edited.Settings.Patches[0].Text != product {
		t.Error("the settings of the request were changed")
	}
	if undone := check(edited, run.Edit{After: "import", Functions: []string{"main"}, Text: text}); undone.Patch != nil || len(undone.Functions) > 0 {
		t.Errorf("the text as it was before the edit gives %+v", undone)
	}
	// A step further down sees the edit above it.
	below := s.textOf(edited, "CanonicalizeRelaxBindings", "main")
	if !strings.Contains(below, "R.multiply") {
		t.Errorf("further down there is\n%s", below)
	}
	if got := check(edited, run.Edit{After: "CanonicalizeBindings", Functions: []string{"main"}, Text: below}); got.Patch != nil || len(got.Diagnostics) > 0 {
		t.Errorf("further down the text as it is gives %+v", got)
	}
	// An edit that is off still has its place, and the step that is asked about is not off by it.
	off := edited
	off.Settings.Disabled = []string{"edit.import"}
	for _, line := range s.play(t.Context(), off).says() {
		if strings.Contains(line, "unknown pass") {
			t.Errorf("with the edit off the run says %q", line)
		}
	}
	if got := check(off, run.Edit{After: "import", Functions: []string{"main"}, Text: text}); got.Patch != nil {
		t.Errorf("with the edit off the text as it is gives %+v", got)
	}

	for _, c := range []struct {
		q    run.Request
		e    run.Edit
		want string
	}{
		{q, run.Edit{After: "import", Functions: []string{"other"}, Text: text}, `the module after import has no function "other"`},
		{q, run.Edit{After: "import", Functions: []string{"main", "third"}, Text: text}, `the module after import has no function "third"`},
		{q, run.Edit{After: "Nothing", Text: text}, "the pipeline has no step Nothing"},
		{func() run.Request { w := q; w.Settings.Target = "avr"; return w }(), run.Edit{After: "import", Text: text}, `target: unknown target kind "avr"`},
		{func() run.Request { w := q; w.Settings.Config = map[string]any{"none": true}; return w }(), run.Edit{After: "FuseOps", Text: text}, "Invalid config option 'none'"},
		{func() run.Request { w := q; w.Settings.Disabled = []string{"FuseTIR"}; return w }(), run.Edit{After: "FuseTIRInner", Text: text}, "no step FuseTIRInner runs with these settings"},
	} {
		_, err := s.CheckEdit(t.Context(), c.q, c.e)
		var e *event.Error
		if !errors.As(err, &e) || e.Kind != event.KindInput || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("after %s it gives %v, want %q", c.e.After, err, c.want)
		}
	}
}

// TestFunctionsOfAnEdit that only the edit has are known to the one that follows it.
func TestFunctionsOfAnEdit(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled())
	text := s.textOf(q, "import", "main")
	helper := strings.Replace(text, "def main", "def helper", 1)
	added, err := s.CheckEdit(t.Context(), q, run.Edit{After: "import", Functions: []string{"main"}, Text: text + "\n" + helper})
	if err != nil || added.Patch == nil || !reflect.DeepEqual(added.Functions, []string{"helper"}) || added.Patch.Before["helper"] != "" {
		t.Fatalf("another function gives %+v (%v)", added, err)
	}
	e := run.Edit{After: "import", Functions: []string{"helper"}, Text: strings.Replace(helper, "R.add", "R.multiply", 1)}
	if _, err := s.CheckEdit(t.Context(), q, e); err == nil {
		t.Error("without the edit there is a function helper")
	}
	q.Settings.Patches = []run.Patch{*added.Patch}
	got, err := s.CheckEdit(t.Context(), q, e)
	if err != nil || got.Patch == nil || !strings.Contains(got.Patch.Text, "def helper") || !strings.Contains(got.Patch.Text, "R.multiply") {
		t.Errorf("with the edit it gives %+v (%v)", got, err)
	}
}

// TestConstantsOfTheImportedModule can be named in an edit further down, where passes have folded them away.
func TestConstantsOfTheImportedModule(t *testing.T) {
	s := newStage(t)
	q := run.Request{Source: store.Source{Kind: store.SourceGallery, Name: "mlp"}, Limits: run.DefaultLimits(), Settings: run.Settings{OptLevel: 2}}
	text := s.textOf(q, "import", "main")
	if !strings.Contains(text, "metadata[") {
		t.Fatalf("there is no constant in\n%s", text)
	}
	got, err := s.CheckEdit(t.Context(), q, run.Edit{After: "FoldConstant", Functions: []string{"main"}, Text: text})
	if err != nil || run.Failed(got.Diagnostics) || got.Patch == nil || got.Patch.After != "FoldConstant" {
		t.Errorf("the text as it was imported gives %+v (%v)", got, err)
	}
}

// TestFunctionsBesideAnEdit of the same step can be edited too, and the edit that was there stays.
func TestFunctionsBesideAnEdit(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled() + strings.Replace(doubled()[strings.Index(doubled(), "    @R.function"):], "def main", "def beside", 1))
	main, beside := s.textOf(q, "import", "main"), s.textOf(q, "import", "beside")
	first, err := s.CheckEdit(t.Context(), q, run.Edit{After: "import", Functions: []string{"main"}, Text: strings.Replace(main, "R.add", "R.multiply", 1)})
	if err != nil || first.Patch == nil {
		t.Fatalf("the first edit gives %+v (%v)", first, err)
	}
	q.Settings.Patches = []run.Patch{*first.Patch}
	second, err := s.CheckEdit(t.Context(), q, run.Edit{After: "import", Functions: []string{"beside"}, Text: strings.Replace(beside, "R.add", "R.subtract", 1)})
	if err != nil || second.Patch == nil || !strings.Contains(second.Patch.Text, "R.multiply") || !strings.Contains(second.Patch.Text, "R.subtract") || len(second.Patch.Before) != 2 {
		t.Errorf("the second edit gives %+v (%v)", second, err)
	}
}

// TestTheModuleBehindAStep is remembered by the step, the model and all settings.
func TestTheModuleBehindAStep(t *testing.T) {
	s := newStage(t)
	q := s.text(doubled())
	behind := func(q run.Request, after string) any {
		t.Helper()
		m, imported, err := s.behind(t.Context(), q, after)
		if err != nil || imported == nil {
			t.Fatal(err)
		}
		return m
	}
	first := behind(q, "LegalizeOps")
	if behind(q, "LegalizeOps") != first {
		t.Error("the module behind a step is made again")
	}
	if m, imported, err := s.behind(t.Context(), q, "import"); err != nil || m != imported || any(m) == first {
		t.Errorf("the module at the start is another than what was imported: %v", err)
	}
	level := q
	level.Settings.OptLevel = 0
	other := q
	other.Source.Name = "other.py"
	if behind(level, "LegalizeOps") == nil || behind(other, "LegalizeOps") == first {
		t.Error("the module of another name is the same")
	}
	// What passes say on the way is said to nobody.
	noisy := q
	noisy.Settings.Disabled = []string{"Nothing"}
	if behind(noisy, "LegalizeOps") == nil {
		t.Error("there is nothing behind a step of a run with a warning")
	}
	script := "def f(mod):\n    return mod.with_attr(\"mark\", 1)\np = module_pass(f, opt_level=0, name=\"P\")\n"
	q.Settings.Scripts = []run.Script{{Name: "a.star", Source: script}}
	q.Settings.Steps = []run.Step{{Name: "user.P"}, {Name: "FuseOps"}}
	if behind(q, "user.P") == nil {
		t.Error("there is nothing behind a step of a script")
	}
	// Instruments of scripts are asked, as in a run: what they veto does not run.
	q.Settings.Scripts[0].Source = script + "w = pass_instrument(should_run=lambda mod, info: info.name != \"user.P\" and info.name != \"P\")\n"
	vetoed := behind(q, "user.P")
	if m, imported, err := s.behind(t.Context(), q, "user.P"); err != nil || any(m) != vetoed || m != imported {
		t.Errorf("a step that an instrument vetoes changed the module (%v)", err)
	}
	q.Settings.Scripts[0].Source = "def f(mod):\n    fail(\"no\")\np = module_pass(f, opt_level=0, name=\"P\")\n"
	_, _, err := s.behind(t.Context(), q, "FuseOps")
	var e *event.Error
	if !errors.As(err, &e) || e.Kind != event.KindPass || e.Pass != "user.P" {
		t.Errorf("a step above that fails gives %+v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	q.Settings.Scripts = nil
	q.Settings.Steps = nil
	cancel(cause)
	if _, _, err := s.behind(ctx, q, "FuseOps"); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it gives %v", err)
	}
	var quiet silent
	if hash, err := quiet.Text("any", "text"); err != nil || hash != event.HashText("text") || quiet.Emit(event.Event{}) != nil || quiet.Account(1) != nil {
		t.Errorf("a sink that keeps nothing gives %s (%v)", hash, err)
	}
	if there, err := quiet.Keep(nil); !there || err != nil {
		t.Error("a sink that keeps nothing says that texts are gone")
	}
}
