package inproc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// textAfter returns the text of a function after the step of a name, "" for the import, and the hash of it.
func (b *bench) textAfter(evs []event.Event, name, function string) (text, hash string) {
	b.t.Helper()
	for _, e := range evs {
		switch body := e.Body.(type) {
		case *event.RunStarted:
			for _, f := range body.Functions {
				if f.Name == function {
					hash = f.Text
				}
			}
		case *event.PassFinished:
			for _, f := range body.Functions {
				if f.Name == function {
					hash = f.After
				}
			}
		}
		if p, ok := e.Body.(*event.PassFinished); ok && p.Name == name || name == "" {
			break
		}
	}
	blob, err := b.store.Blob(b.t.Context(), hash)
	if err != nil {
		b.t.Fatalf("text of %s after %s: %v", function, name, err)
	}
	return string(blob.Data), hash
}

// edit makes a patch of an edited text, without errors.
func (b *bench) edit(s run.Settings, e run.Edit) *run.Patch {
	b.t.Helper()
	found, err := b.runner.CheckEdit(b.t.Context(), run.Request{Source: gallery("mlp"), Settings: s, Limits: run.DefaultLimits()}, e)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, d := range found.Diagnostics {
		b.t.Errorf("the edit after %s: %s", e.After, d.Message)
	}
	if found.Patch == nil {
		b.t.Fatalf("the edit after %s gives no patch", e.After)
	}
	return found.Patch
}

// said lists the diagnostics of a log about edits, by step.
func said(evs []event.Event) map[string][]string {
	out := map[string][]string{}
	for _, e := range evs {
		if d, ok := e.Body.(*event.Diagnostic); ok && d.Code == "edit" {
			out[e.Step] = append(out[e.Step], string(d.Severity)+": "+d.Message)
		}
	}
	return out
}

func find(evs []event.Event, name string) (event.Event, *event.PassFinished) {
	for _, e := range evs {
		if p, ok := e.Body.(*event.PassFinished); ok && p.Name == name {
			return e, p
		}
	}
	return event.Event{}, nil
}

func TestEditedIRIsAStepOfItsOwn(t *testing.T) {
	b := open(t, 0)
	plain := run.Settings{OptLevel: 2}
	first := b.ok(b.run(gallery("mlp"), plain))
	text, hash := b.textAfter(first, "FoldConstant", "main")
	if !strings.Contains(text, "metadata[") || !strings.Contains(text, "(fc1_Gemm,)") {
		t.Fatalf("there is no constant or no fc1_Gemm in\n%s", text)
	}
	e := run.Edit{After: "FoldConstant", Functions: []string{"main"}, Text: strings.Replace(text, "(fc1_Gemm,)", "(fc1_Gemm_matmul,)", 1)}
	p := b.edit(plain, e)
	if p.Before["main"] != hash || p.After != "FoldConstant" {
		t.Errorf("the patch is %+v, the text edited has hash %s", p, hash)
	}
	s := plain
	s.Patches = []run.Patch{*p}
	evs := b.ok(b.run(gallery("mlp"), s))
	ev, done := find(evs, "edit.FoldConstant")
	fold, _ := find(evs, "FoldConstant")
	if done == nil || done.Added != 1 || done.Removed != 1 || len(done.Functions) != 1 || ev.Step != strings.Replace(fold.Step, "/", "e/edit.", 1) || ev.Parent != fold.Parent {
		t.Fatalf("the step is %+v with %+v, after %s", ev, done, fold.Step)
	}
	if len(said(evs)) > 0 {
		t.Errorf("it says %v", said(evs))
	}
	// Every other step has its place; those before are reused, those behind computed.
	again := true
	for _, e := range evs {
		p, ok := e.Body.(*event.PassFinished)
		if !ok || kindOf(evs, e.Step) == "sequential" {
			continue
		}
		if p.Name == "edit.FoldConstant" {
			again = false
		} else if was, _ := find(first, p.Name); was.Step == "" {
			t.Errorf("step %s is new", e.Step)
		}
		if e.Reused != again {
			t.Errorf("%s is reused: %t", e.Step, e.Reused)
		}
	}
	was, is := bodies[*event.Executed](first)[0].Outputs[0], bodies[*event.Executed](evs)[0].Outputs[0]
	if was.First[0] == is.First[0] && was.Mean == is.Mean {
		t.Error("the edit changed nothing in what the model computes")
	}
	// The same run computed anew says the same.
	_, want := b.run(gallery("mlp"), s)
	if _, hash := open(t, -1).run(gallery("mlp"), s); hash != want {
		t.Errorf("without reuse the log has hash %s, want %s", hash, want)
	}

	// Turned off it is skipped, and everything is as it was.
	s.Disabled = []string{"edit.FoldConstant"}
	evs = b.ok(b.run(gallery("mlp"), s))
	if _, done := find(evs, "edit.FoldConstant"); done != nil || len(bodies[*event.PassSkipped](evs)) == 0 {
		t.Error("an edit that is off is applied")
	}
	if _, all := reused(evs); last(evs).ReusedSteps != all {
		t.Errorf("with the edit off %d of %d steps are reused", last(evs).ReusedSteps, all)
	}
}

func TestTwoEditsAndOneEditedAgain(t *testing.T) {
	b := open(t, 0)
	s := run.Settings{OptLevel: 2}
	first := b.ok(b.run(gallery("mlp"), s))
	text, _ := b.textAfter(first, "", "main")
	early := b.edit(s, run.Edit{After: "import", Functions: []string{"main"}, Text: strings.ReplaceAll(text, "relu1_Relu", "act1")})
	s.Patches = []run.Patch{*early}
	b.ok(b.run(gallery("mlp"), s))

	// A second one further down, on what the first one made.
	evs := b.ok(b.run(gallery("mlp"), s))
	text, _ = b.textAfter(evs, "FoldConstant", "main")
	if !strings.Contains(text, "act1 = ") {
		t.Fatalf("the first edit does not reach\n%s", text)
	}
	late := b.edit(s, run.Edit{After: "FoldConstant", Functions: []string{"main"}, Text: strings.Replace(text, "(fc2_Gemm,)", "(fc2_Gemm_matmul,)", 1)})
	s.Patches = []run.Patch{*late, *early}
	evs = b.ok(b.run(gallery("mlp"), s))
	if len(said(evs)) > 0 {
		t.Errorf("both together say %v", said(evs))
	}
	if e, done := find(evs, "edit.import"); done == nil || e.Step != "1.0e/edit.import" {
		t.Errorf("the first edit is %s", e.Step)
	}
	// Without the first, the second says that what it replaces is another text.
	s.Patches = []run.Patch{*late}
	evs = b.ok(b.run(gallery("mlp"), s))
	e, _ := find(evs, "edit.FoldConstant")
	if notes := said(evs)[e.Step]; len(notes) != 1 || !strings.HasPrefix(notes[0], "warning: main has changed since it was edited") {
		t.Errorf("it says %v", said(evs))
	}
	if text, _ := b.textAfter(evs, "edit.FoldConstant", "main"); !strings.Contains(text, "(fc2_Gemm_matmul,)") {
		t.Errorf("the edited text does not replace it:\n%s", text)
	}
	// Edited again there, the warning goes.
	text, _ = b.textAfter(evs, "edit.FoldConstant", "main")
	s.Patches = []run.Patch{*b.edit(s, run.Edit{After: "FoldConstant", Functions: []string{"main"}, Text: strings.Replace(text, "(fc3_Gemm,)", "(fc3_Gemm_matmul,)", 1)})}
	evs = b.ok(b.run(gallery("mlp"), s))
	if text, _ := b.textAfter(evs, "edit.FoldConstant", "main"); !strings.Contains(text, "(fc3_Gemm_matmul,)") || len(said(evs)) > 0 {
		t.Errorf("edited again it says %v:\n%s", said(evs), text)
	}
}

func TestEditsThatDoNotFit(t *testing.T) {
	b := open(t, 0)
	plain := run.Settings{OptLevel: 2}
	first := b.ok(b.run(gallery("mlp"), plain))
	legal, _ := b.textAfter(first, "LegalizeOps", "main")
	p := b.edit(plain, run.Edit{After: "LegalizeOps", Functions: []string{"main"}, Text: strings.Replace(legal, "R.output(", "lv9: R.Tensor((1,), dtype=\"float32\") = R.const([1.0], \"float32\")\n        R.output(", 1)})

	// The step is not in the pipeline: the run says so and goes on.
	s := plain
	s.Patches = []run.Patch{*p, {After: "FoldConstant#7", Text: p.Text}}
	s.Steps = []run.Step{{Name: "FoldConstant"}, {Name: "FuseOps"}}
	evs, _ := b.run(gallery("mlp"), s)
	notes := said(evs)[""]
	if _, done := find(evs, "FuseOps"); done == nil || len(notes) != 2 || !strings.Contains(notes[0], "after FoldConstant#7 is left out") || !strings.Contains(notes[1], "the pipeline has no step LegalizeOps") {
		t.Errorf("without the step the run ends as %s and says %v", end(evs).Status, notes)
	}

	// What it calls is not there: the step fails, where it is wrong.
	s = plain
	s.Patches, s.Disabled = []run.Patch{*p}, []string{"LegalizeOps"}
	evs, _ = b.run(gallery("mlp"), s)
	done := end(evs)
	if done.Status != event.StatusFailed || done.Error.Pass != "edit.LegalizeOps" || !strings.Contains(done.Error.Message, "no longer fits the module") {
		t.Errorf("where kernels are missing the run ends as %s with %+v", done.Status, done.Error)
	}
	i := slices.IndexFunc(evs, func(e event.Event) bool {
		d, ok := e.Body.(*event.Diagnostic)
		return ok && d.Severity == event.SeverityError
	})
	if i < 0 || !strings.HasSuffix(evs[i].Step, "/edit.LegalizeOps") || evs[i].Body.(*event.Diagnostic).Span == nil || evs[i].Body.(*event.Diagnostic).Span.Source != "edit.LegalizeOps" {
		t.Error("the error has no place in the edited text")
	}
}

func TestEditsAreCheckedWithWhatIsThere(t *testing.T) {
	b := open(t, 0)
	plain := run.Settings{OptLevel: 2}
	first := b.ok(b.run(gallery("mlp"), plain))
	text, _ := b.textAfter(first, "LegalizeOps", "main")
	check := func(s run.Settings, e run.Edit) run.CheckedEdit {
		t.Helper()
		found, err := b.runner.CheckEdit(t.Context(), run.Request{Source: gallery("mlp"), Settings: s, Limits: run.DefaultLimits()}, e)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	e := run.Edit{After: "LegalizeOps", Functions: []string{"main"}, Text: text}
	if found := check(plain, e); found.Patch != nil || len(found.Diagnostics) > 0 || len(found.Functions) > 0 || found.Text != text {
		t.Errorf("the text as it is gives %+v", found)
	}
	b.runner.Forget() // the passes before run again
	if found := check(plain, e); found.Patch != nil || len(found.Diagnostics) > 0 {
		t.Errorf("where nothing is kept, the text as it is gives %+v", found)
	}
	e.Text = strings.Replace(text, "cls.NT_matmul,", "cls.NT_matmul9,", 1)
	found := check(plain, e)
	if found.Patch != nil || len(found.Diagnostics) != 1 || found.Diagnostics[0].Span == nil || !strings.Contains(found.Diagnostics[0].Message, "NT_matmul9") || !strings.Contains(found.Diagnostics[0].Help, "matmul") {
		t.Errorf("a call of what is not there gives %+v", found)
	}
	e.Functions = []string{"nothing"}
	if _, err := b.runner.CheckEdit(t.Context(), run.Request{Source: gallery("mlp"), Settings: plain, Limits: run.DefaultLimits()}, e); err == nil || !strings.Contains(err.Error(), `no function "nothing"`) {
		t.Errorf("a function that is not there gives %v", err)
	}
	for after, want := range map[string]string{"Nothing": "no step Nothing", "LegalizeOps#9": "is in it 1 times"} {
		_, err := b.runner.CheckEdit(t.Context(), run.Request{Source: gallery("mlp"), Settings: plain, Limits: run.DefaultLimits()}, run.Edit{After: after, Text: text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after %s: %v", after, err)
		}
	}
}
