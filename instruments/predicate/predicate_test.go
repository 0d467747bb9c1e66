package predicate_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/predicate"
	"github.com/irscope/irscope/instruments/request"
)

// finished is a run of two passes with an output.
func finished(first float64) *predicate.Run {
	m := func(kernels int, ops map[string]int) *event.Metrics {
		return &event.Metrics{Kernels: kernels, Ops: ops}
	}
	out := event.Tensor{Name: "y", DType: "float32", Shape: []int64{2}, First: []event.Float{event.Float(first), event.Float(math.NaN())}, NaNs: 1}
	return &predicate.Run{
		Settings: request.Settings{OptLevel: 2, Disabled: []string{"FuseOps"}},
		Events: event.Fold([]event.Event{
			event.New("", "", &event.RunStarted{Metrics: m(0, map[string]int{"relax.add": 2}), Plan: []event.PlanStep{{Step: "1/a", Name: "a", Kind: event.PassSequential}, {Step: "1.1/A", Parent: "1/a", Name: "A"}, {Step: "1.2/FuseOps", Parent: "1/a", Name: "FuseOps"}}}, nil),
			event.New("1.1/A", "1/a", &event.PassStarted{Name: "A"}, nil),
			event.New("1.1/A", "1/a", &event.Diagnostic{Severity: event.SeverityNote, Code: "print", Message: "hello"}, nil),
			event.New("1.1/A", "1/a", &event.PassFinished{Name: "A", Changed: true, Metrics: m(3, nil)}, nil),
			event.New("1.2/FuseOps", "1/a", &event.PassSkipped{Name: "FuseOps", Reason: event.ReasonDisabled}, nil),
			event.New("", "", &event.CodeGenerated{Kernels: []event.Kernel{{Name: "k"}}, Bytes: 9}, nil),
			event.New("", "", &event.Executed{Outputs: []event.Tensor{out}}, nil),
			event.New("", "", &event.RunFinished{Status: event.StatusOK}, nil),
		}),
		Module: func(_ context.Context, after string) (*ir.Module, error) {
			if after != "A" {
				return nil, errors.New("asked for " + after)
			}
			return ir.NewModule(), nil
		},
	}
}

func judge(t *testing.T, body string) (predicate.Verdict, error) {
	t.Helper()
	answer := "7"
	return predicate.Judge(t.Context(), predicate.Question{
		Script: request.Script{Name: "l.md", Source: "\n\n" + body}, Run: finished(1), Start: finished(1 + 1e-7), Answer: &answer,
	})
}

// TestWhatChecksSee asks a run for everything that a check may ask for.
func TestWhatChecksSee(t *testing.T) {
	for _, x := range []string{
		`run.status == "ok" and run.error == ""`, `run.opt_level == 2`, `run.disabled == ["FuseOps"]`, `run.required == []`,
		`run.passes == ["A"]`, `run.outcome("A") == "changed"`, `run.outcome("FuseOps") == "skipped"`, `run.outcome("B") == ""`,
		`run.kernels == 1 and run.code_bytes == 9`, `run.peak_bytes == 0`, `run.metrics("import").ops["relax.add"] == 2`, `run.metrics("A").kernels == 3`,
		`run.metrics().kernels == 3`, `run.metrics("B") == None`, `run.printed("A") == "hello"`, `run.printed() == "hello"`, `run.printed("FuseOps") == ""`,
		`len(run.module("A").functions) == 0`, `len(run.module().functions) == 0`, `run.outputs[0].name == "y" and run.outputs[0].shape == (2,)`,
		`run.same_outputs(start)`, `not run.same_outputs(start, rtol=0.0, atol=0.0)`, `answer == "7"`,
	} {
		if v, err := judge(t, "def check(start, run, answer):\n    return "+x+"\n"); err != nil || !v.OK {
			t.Errorf("%s: %+v %v", x, v, err)
		}
	}
	other := finished(2)
	v, err := predicate.Judge(t.Context(), predicate.Question{Script: request.Script{Name: "l", Source: "check = lambda run, start: run.same_outputs(start)"}, Run: finished(1), Start: other})
	if err != nil || v.OK {
		t.Errorf("other outputs are the same: %+v %v", v, err)
	}
}

// TestVerdicts: what a check may return.
func TestVerdicts(t *testing.T) {
	for body, want := range map[string]predicate.Verdict{
		"return True": {OK: true}, "pass": {OK: true}, "return False": {}, `return "no"`: {Says: "no"}, `return "é" * 4000`: {Says: strings.Repeat("é", 1000) + "…"},
	} {
		if v, err := judge(t, "def check():\n    "+body+"\n"); err != nil || v != want {
			t.Errorf("%s: %+v %v", body, v, err)
		}
	}
}

// TestFaults: an error of a check names its place in the file, and one that would never end is stopped.
func TestFaults(t *testing.T) {
	for body, want := range map[string]string{
		"def check(:\n":                                                "l.md:3:10: ",
		"def check():\n    return runn\n":                              "l.md:4:12: undefined: runn",
		"def chekc():\n    pass\n":                                     "there is no function check",
		"check = 1\n":                                                  "there is no function check",
		"def check(result):\n    pass\n":                               "l.md:3:11: check asks for result; it can have answer, run, start",
		"def check(run):\n    return run.kernel\n":                     "l.md:4:12: run has no .kernel field or method; did you mean .kernels?",
		"def check(run):\n    return run.module(\"B\")\n":              "l.md:4:22: asked for B",
		"def check():\n    return 1\n":                                 "check returned int",
		"def check():\n    while True:\n        pass\n":                "the limit of 2000000 steps",
		"def check():\n    return check()\n":                           "active calls",
		"def check():\n    x = [1]\n    while True:\n        x += x\n": "",
		"def check():\n    return \"a\" * (1 << 40)\n":                 "beyond the limit",
	} {
		begin := time.Now()
		_, err := judge(t, body)
		var fault *predicate.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %s", body, err, want)
		}
		if took := time.Since(begin); took > 2*predicate.MaxTime {
			t.Errorf("%q takes %v", body, took)
		}
	}
	err := predicate.Valid(t.Context(), request.Script{Name: "l.md", Source: "\n\ndef check(run):\n    return a + b\n"})
	var fault *predicate.Fault
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	found := fault.Diagnostics()
	if len(found) != 2 || found[1].Span.Line != 4 || found[1].Span.Column != 16 || found[1].Message != "undefined: b" {
		t.Errorf("%+v", found)
	}
	for _, source := range []string{"def check(run, start, answer):\n    fail(\"not called\")", "def check():\n    pass", "def check(run, more=1):\n    pass"} {
		if err := predicate.Valid(t.Context(), request.Script{Name: "l.md", Source: source}); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}

// TestCancel: a check ends with its context, and says so.
func TestCancel(t *testing.T) {
	cause := errors.New("the visitor has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, err := predicate.Judge(ctx, predicate.Question{Script: request.Script{Name: "l", Source: "def check():\n    while True:\n        pass\n"}})
	if !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}
