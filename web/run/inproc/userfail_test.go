package inproc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
)

// TestUserPassFails checks what a visitor is told about scripts that do not work: the step fails, what was before it stays.
func TestUserPassFails(t *testing.T) {
	for name, tt := range map[string]struct {
		script, want string
		line         int
		end          event.Status
	}{
		"error":       {"def f(func):\n    return g(func)\ndef g(func):\n    return func.nothing\np = function_pass(f, opt_level=0, name=\"P\")", "nothing", 4, event.StatusFailed},
		"wrong type":  {"p = module_pass(lambda mod: 3, opt_level=0, name=\"P\")", "must return an IRModule, got a value of type int", 0, event.StatusFailed},
		"none":        {"def f(func):\n    pass\np = function_pass(f, opt_level=0, name=\"P\")", "is a return missing?", 0, event.StatusFailed},
		"steps":       {"def f(mod):\n    while True:\n        pass\np = module_pass(f, opt_level=0, name=\"P\")", "the limit of 10000000 steps", 1, event.StatusFailed},
		"recursion":   {"def g(n):\n    return g(n + 1)\ndef f(mod):\n    return g(0)\np = module_pass(f, opt_level=0, name=\"P\")", "active calls", 2, event.StatusFailed},
		"prints":      {"def f(mod):\n    for i in range(10000):\n        print(\"x\" * 100)\n    return mod\np = module_pass(f, opt_level=0, name=\"P\")", "at most 256 KiB", 3, event.StatusLimit},
		"deep result": {"def f(mod):\n    a = []\n    for i in range(100000):\n        a = [a]\n    return a\np = module_pass(f, opt_level=0, name=\"P\")", "must return an IRModule", 0, event.StatusFailed},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, 0)
			evs, _ := b.run(b.script(addMain), withSteps([]string{"CanonicalizeBindings", "user.P"}, tt.script))
			if done := end(evs); done.Status != tt.end || !strings.Contains(done.Error.Message, tt.want) {
				t.Fatalf("it ends %s: %+v", done.Status, done.Error)
			}
			failed := bodies[*event.PassFailed](evs)
			if len(failed) == 0 || failed[0].Name != "user.P" {
				t.Errorf("failed are %+v", failed)
			}
			if finishedStep(evs, "CanonicalizeBindings") == nil {
				t.Error("the step before it is gone")
			}
			said := ofStep(evs, "user.P")
			last := said[len(said)-1]
			if last.Severity != event.SeverityError || last.Code != "script" || last.Span.Source != "s1.star" || last.Span.Line != tt.line {
				t.Errorf("it says %+v at %+v, want line %d", last, last.Span, tt.line)
			}
			if name == "error" && (last.Span.Column != 12 || last.Span.EndColumn != 16 || !strings.Contains(last.Help, "s1.star:2:13: in f\n") || strings.Contains(last.Message, "s1.star")) {
				t.Errorf("it says %q at %+v with stack %q", last.Message, last.Span, last.Help)
			}
		})
	}
}

// TestScriptsThatCannotBeRead ends runs before their first step.
func TestScriptsThatCannotBeRead(t *testing.T) {
	for name, tt := range map[string]struct {
		settings   run.Settings
		want       string
		line, cols int
	}{
		"syntax":    {withSteps(nil, "x = 1\ndef f(:\n"), "never closed", 2, 1},
		"name":      {withSteps(nil, "x = unknown_name\n"), "undefined: unknown_name", 1, 12},
		"top level": {withSteps(nil, "\nx = 1 // 0\n"), "division by zero", 2, 1},
		"endless":   {withSteps(nil, "while True:\n    pass\n"), "the limit of 10000000 steps", 1, 0},
		"twice":     {withSteps(nil, twice, twice), "user.Twice is defined in s1.star and in s2.star", 0, 0},
		"no pass":   {withSteps([]string{"user.Twise"}, twice), "did you mean user.Twice?", 0, 0},
		"path":      {withSteps(nil, `p = module_pass(lambda m: m, opt_level=0, name="a/b")`), `"a/b" is not a name`, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, 0)
			evs, _ := b.run(b.script(addMain), tt.settings)
			done := end(evs)
			if done.Status != event.StatusFailed || done.Error.Kind != event.KindInput || !strings.Contains(done.Error.Message, tt.want) {
				t.Fatalf("it ends %s: %+v", done.Status, done.Error)
			}
			if tt.line == 0 {
				return
			}
			ds, _, _ := found(evs)
			if len(ds) != 1 || ds[0].Span.Line != tt.line || tt.cols > 0 && ds[0].Span.EndColumn-ds[0].Span.Column != tt.cols {
				t.Errorf("the diagnostics are %+v at %+v", ds[0], ds[0].Span)
			}
		})
	}
}

// hooked is a sink that calls hook at every event.
type hooked struct {
	stopper
	hook func(event.Event)
}

func (s *hooked) Emit(e event.Event) error {
	s.hook(e)
	return nil
}

// TestCancelWithinAScript stops a pass, an instrument and a top level that would go on for minutes.
func TestCancelWithinAScript(t *testing.T) {
	const endless = "def f(mod):\n    for i in range(1000000):\n        mod.script()\n    return mod\n"
	for name, tt := range map[string]struct {
		settings run.Settings
		at       event.Type
	}{
		"pass":       {withSteps([]string{"user.P"}, endless+`p = module_pass(f, opt_level=0, name="P")`), event.TypePassStarted},
		"instrument": {withSteps(nil, endless+`p = pass_instrument(run_before_pass=f)`), event.TypePassStarted},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := fmt.Errorf("as asked")
			sink := &hooked{hook: func(e event.Event) {
				if e.Type == tt.at {
					cancel(cause)
				}
			}}
			b := open(t, 0)
			err := inproc.New(inproc.Config{Store: b.store}).Run(ctx, run.Request{Source: b.script(addMain), Settings: tt.settings, Limits: run.DefaultLimits()}, sink)
			if err == nil || !strings.Contains(err.Error(), "as asked") {
				t.Fatalf("the run ends with %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := open(t, 0)
	err := inproc.New(inproc.Config{Store: b.store}).Run(ctx, run.Request{Source: b.script(addMain), Settings: withSteps(nil, "while True:\n    pass\n"), Limits: run.DefaultLimits()}, &hooked{hook: func(event.Event) {}})
	if err == nil {
		t.Error("a canceled top level ends well")
	}
}
