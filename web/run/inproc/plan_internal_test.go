package inproc

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/run"
)

// TestPlansListTheirErrors: each with the place that it is about and its words, in order; then there are no steps.
func TestPlansListTheirErrors(t *testing.T) {
	r := New(Config{})
	const pl = "@I.ir_module\nclass Module:\n"
	for _, c := range []struct {
		name string
		s    run.Settings
		want []run.Problem
	}{
		{"target", run.Settings{Target: "wasm -nothing=1"}, []run.Problem{{Message: `target: `}}},
		{"pipeline", run.Settings{Pipeline: "fast"}, []run.Problem{{Message: `unknown pipeline "fast"`}}},
		{"required", run.Settings{Required: []string{"FuseOp"}}, []run.Problem{{Pass: "FuseOp", Message: `unknown pass "FuseOp"; did you mean "FuseOps"?`}}},
		{"disabled", run.Settings{Disabled: []string{"FuseOps", "zzzzzzzzz", "tir", "default"}}, []run.Problem{{Pass: "zzzzzzzzz", Message: `unknown pass "zzzzzzzzz"`}}},
		{"both lists", run.Settings{Required: []string{"Yonder"}, Disabled: []string{"Zonder"}}, []run.Problem{{Pass: "Yonder", Message: `unknown pass "Yonder"`}, {Pass: "Zonder", Message: `unknown pass "Zonder"`}}},
		{"a name of a sequence", run.Settings{Steps: []run.Step{{Name: "mine", Steps: []run.Step{{Name: "FuseOps"}}}}, Disabled: []string{"mine"}}, nil},
		{"config", run.Settings{Config: map[string]any{"b": 1.0, "a": nil, "tir.disable_assert": true}}, []run.Problem{{Config: "a", Message: "a value is <nil>"}, {Config: "b", Message: "Invalid config option 'b'"}}},
		{"steps", run.Settings{Steps: []run.Step{{Name: "FuseOps"}, {Name: "FuseOp"}}}, []run.Problem{{Step: "1.2", Message: `unknown pass "FuseOp"; did you mean "FuseOps"?`}}},
		{"nested", run.Settings{Steps: []run.Step{{Name: "s", Steps: []run.Step{{Name: "FuseOps"}, {Name: "t", Steps: []run.Step{{Name: "zzzzzzzzz"}}}}}}}, []run.Problem{{Step: "1.1.2.1", Message: `unknown pass "zzzzzzzzz"`}}},
		{
			"options",
			run.Settings{Steps: []run.Step{{Name: "FuseOps", Options: map[string]any{"speed": 1.0, "fuse_opt_level": nil, "a": 2.0}}}},
			[]run.Problem{{Step: "1.1", Option: "a", Message: `pass FuseOps has no option "a"`}, {Step: "1.1", Option: "fuse_opt_level", Message: "a value is <nil>"}, {Step: "1.1", Option: "speed", Message: `pass FuseOps has no option "speed"`}},
		},
		{"a name of a sequence that is none", run.Settings{Steps: []run.Step{{Name: "a/b", Steps: []run.Step{{Name: "FuseOps"}}}}}, []run.Problem{{Message: "step 1: a sequence needs a name of up to 100 letters"}}},
		{"scripts", run.Settings{Scripts: []run.Script{{Name: "s.star", Source: "x = nothing"}}, Target: "avr"}, []run.Problem{{Message: "target: "}, {Message: "undefined: nothing"}}},
	} {
		got, err := r.Plan(t.Context(), c.s)
		if err != nil {
			t.Fatal(err)
		}
		if got.Steps == nil || got.Warnings == nil || got.Problems == nil {
			t.Errorf("%s: lists are null in %+v", c.name, got)
		}
		if len(got.Problems) != len(c.want) {
			t.Errorf("%s: the errors are %+v, want %+v", c.name, got.Problems, c.want)
			continue
		}
		for i, m := range got.Problems {
			where := m
			where.Message = c.want[i].Message
			if where != c.want[i] || !strings.Contains(m.Message, where.Message) {
				t.Errorf("%s: error %d is %+v, want %+v", c.name, i, m, c.want[i])
			}
		}
	}
	// Problems that are not about steps leave the steps.
	got, err := r.Plan(t.Context(), run.Settings{Target: "avr", Config: map[string]any{"a": 1.0}})
	def, _ := pipeline.Lookup("default", target.Default())
	if err != nil || len(got.Problems) != 2 || !reflect.DeepEqual(got.Steps, instruments.Plan(def)) {
		t.Errorf("with another target there are %d steps and %+v (%v)", len(got.Steps), got.Problems, err)
	}
	// An edit is a step of its own, which is known by its name, and one that does not fit is left out.
	got, err = r.Plan(t.Context(), run.Settings{
		Patches: []run.Patch{{After: "FuseOps", Text: pl}, {After: "Nothing", Text: pl}, {After: "import", Text: pl}}, Disabled: []string{"edit.FuseOps", "edit.Nothing"},
	})
	var names []string
	for _, s := range got.Steps {
		if strings.HasPrefix(s.Name, request.EditPrefix) {
			names = append(names, s.Step)
		}
	}
	fuse := ""
	for _, s := range instruments.Plan(def) {
		if s.Name == "FuseOps" {
			fuse = strings.Replace(s.Step, "/", "e/edit.", 1)
		}
	}
	if err != nil || len(got.Problems) > 0 || len(names) != 2 || names[0] != "1.0e/edit.import" || names[1] != fuse {
		t.Errorf("with edits there are the steps %q and %+v (%v)", names, got.Problems, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("as asked")
	cancel(cause)
	if _, err := r.Plan(ctx, run.Settings{Scripts: []run.Script{{Name: "s.star", Source: "while True:\n    pass\n"}}}); !errors.Is(err, cause) {
		t.Errorf("after the context has ended it gives %v", err)
	}
}

// TestWarningsOfAPlan name both steps, and follow what is turned off, by any name of it.
func TestWarningsOfAPlan(t *testing.T) {
	r := New(Config{})
	steps := []run.Step{{Name: "LegalizeOps"}, {Name: "FuseTIR"}, {Name: "AnnotateTIROpPattern"}, {Name: "FuseOps"}}
	late := []run.Step{{Name: "EliminateCommonSubexpr"}, {Name: "CanonicalizeBindings"}}
	lateWarning := [][2]string{{"1.1/EliminateCommonSubexpr", "1.2/CanonicalizeBindings"}}
	for _, c := range []struct {
		s    run.Settings
		want [][2]string
	}{
		{run.Settings{OptLevel: 2, Steps: steps}, [][2]string{{"1.2/FuseTIR", "1.4/FuseOps"}}},
		{run.Settings{OptLevel: 2, Steps: steps, Disabled: []string{"FuseTIR"}}, nil},
		{run.Settings{OptLevel: 3, Steps: late}, lateWarning},
		{run.Settings{OptLevel: 2, Steps: late}, nil},
		{run.Settings{OptLevel: 2, Steps: late, Required: []string{"EliminateCommonSubexpr"}}, lateWarning},
		{run.Settings{OptLevel: 3, Steps: late, Required: []string{"EliminateCommonSubexpr"}, Disabled: []string{"EliminateCommonSubexpr"}}, nil},
	} {
		got, err := r.Plan(t.Context(), c.s)
		if err != nil {
			t.Fatal(err)
		}
		var found [][2]string
		for _, w := range got.Warnings {
			found = append(found, [2]string{w.Step, w.Other})
			if !strings.Contains(w.Message, "FuseOps before FuseTIR") && !strings.Contains(w.Message, "CanonicalizeBindings before EliminateCommonSubexpr") {
				t.Errorf("it says %q", w.Message)
			}
		}
		if !reflect.DeepEqual(found, c.want) {
			t.Errorf("with %+v the warnings are %v, want %v", c.s, found, c.want)
		}
	}
}

// TestWhatPreparingRefuses says each error of a request in its order: target, scripts, pipeline, config, model, edits.
func TestWhatPreparingRefuses(t *testing.T) {
	s := newStage(t)
	good := s.text(doubled())
	wrong := []func(*run.Request){
		func(q *run.Request) { q.Settings.Target = "avr" },
		func(q *run.Request) { q.Settings.Scripts = []run.Script{{Name: "s.star", Source: "x = nothing\n"}} },
		func(q *run.Request) { q.Settings.Steps = []run.Step{{Name: "FuseOp"}} },
		func(q *run.Request) { q.Settings.Config = map[string]any{"k": nil} },
		func(q *run.Request) { q.Source.Blob = event.HashText("gone") },
		func(q *run.Request) { q.Settings.Patches = []run.Patch{{After: "FuseOps#x", Text: "# a"}} },
	}
	want := []string{
		`target: unknown target kind "avr"`,
		"the script s.star cannot be used: s.star:1:5: undefined: nothing",
		`step 1: there is no pass "FuseOp"; did you mean FuseOps?`,
		"config k: a value is <nil>, want true, false, a number, a string, a list, or an object",
		`the model "module.py" has expired; upload it again`,
		"edit of the IR: ",
	}
	for i := range wrong {
		q := good
		for _, f := range wrong[i:] {
			f(&q)
		}
		d := &diary{}
		err := s.Runner.Run(t.Context(), q, d)
		var e *event.Error
		if !errors.As(err, &e) || e.Kind != event.KindInput || !strings.HasPrefix(e.Message, want[i]) {
			t.Errorf("error %d gives %v, want %q", i, err, want[i])
		}
		if scripts := i == 1; (len(d.events) > 0) != scripts {
			t.Errorf("error %d says %q", i, d.says())
		}
	}
}

// TestPathsOfPlans counts children from 1.
func TestPathsOfPlans(t *testing.T) {
	leaf := &pass.Pass{Name: "L", Level: 2}
	pl := pass.NewSequential("top", &pass.Pass{Name: "A"}, pass.NewSequential("mid", &pass.Pass{Name: "B"}, leaf))
	for want, path := range map[string][]int{"": nil, "1/top": {}, "1.2/mid": {1}, "1.2.2/L": {1, 1}} {
		if got := stepPath(pl, path); got != want {
			t.Errorf("%v is %q, want %q", path, got, want)
		}
	}
}
