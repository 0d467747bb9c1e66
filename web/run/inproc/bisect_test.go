package inproc_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/instruments/whatif"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/web/run"
)

// wrongMax is a pass of a user that computes the minimum in place of the maximum.
var wrongMax = request.Script{Name: "w.star", Source: "def low(self, x):\n    x = self.visit_default(x)\n    return tir.Min(x.a, x.b)\n\nwrong = prim_func_pass(mutator({\"Max\": low}), opt_level=0, name=\"Wrong\")\n"}

// TestBisect finds a wrong pass of a user in a run, by outputs and by a script.
func TestBisect(t *testing.T) {
	b := open(t, 0)
	req := run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2, Scripts: []request.Script{wrongMax}}, Limits: run.DefaultLimits()}
	for _, name := range []string{"LegalizeOps", "AnnotateTIROpPattern", "user.Wrong", "FuseOps"} {
		req.Settings.Steps = append(req.Settings.Steps, request.Step{Name: name})
	}
	heard := 0
	f, err := b.runner.Bisect(t.Context(), req, run.Predicate{Predicate: "wrong"}, func(string) { heard++ })
	if err != nil {
		t.Fatal(err)
	}
	names := func(list []request.Step) (out []string) {
		for _, s := range list {
			out = append(out, s.Name)
		}
		return out
	}
	if f.Pass != "user.Wrong" || f.Step != "1.3/user.Wrong" || !slices.Equal(f.Functions, []string{"relu"}) || heard < 5 ||
		!slices.Equal(names(f.Steps), []string{"LegalizeOps", "user.Wrong"}) || strings.Count(f.Source, "\n") > 15 {
		t.Errorf("got %+v", f)
	}
	f, err = b.runner.Bisect(t.Context(), req, run.Predicate{Script: "def predicate(mod):\n    return \"relu\" in mod.functions\n"}, func(string) {})
	if err != nil || f.Pass != "LegalizeOps" {
		t.Errorf("got %+v, %v", f, err)
	}
	var none *run.NoFaultError
	if _, err := b.runner.Bisect(t.Context(), req, run.Predicate{Predicate: "crash"}, func(string) {}); !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
	var known *event.Error
	if _, err := b.runner.Bisect(t.Context(), req, run.Predicate{Predicate: "odd"}, func(string) {}); !errors.As(err, &known) {
		t.Errorf("got %v", err)
	}
	failed := &event.Error{Kind: event.KindPass, Message: "oh no"}
	if data, err := b.runner.Reproduce(t.Context(), req, "1", failed); data != nil || err != nil {
		t.Errorf("a reproducer of a run in which no pass fails: %s, %v", data, err)
	}
	req.Settings.Steps = append(req.Settings.Steps, request.Step{Name: "DeadCodeElimination", Options: map[string]any{"entry_functions": []any{"nope"}}})
	if data, err := b.runner.Reproduce(t.Context(), req, "1", failed); err != nil || !strings.Contains(string(data), "has no function called nope") {
		t.Errorf("got %.300s, %v", data, err)
	}
}

// TestBisectEdits finds an edit of the IR that spoils the output. It stands behind a pass that the fault does not need: run again on its own, the
// smallest module has the edit behind another step, or in front of all, and the fault is found there again.
func TestBisectEdits(t *testing.T) {
	b := open(t, 0)
	for _, c := range []struct{ after, spoil, by, at string }{
		{"FoldConstant", "(fc1_Gemm,)", "(fc1_Gemm_matmul,)", "1.1e/edit.LegalizeOps"},
		{"import", "R.nn.relu(", "R.tanh(", "1.0e/edit.import"},
	} {
		s := run.Settings{OptLevel: 2}
		first := b.ok(b.run(gallery("mlp"), s))
		step := c.after
		if step == "import" {
			step = ""
		}
		text, _ := b.textAfter(first, step, "main")
		spoiled := strings.Replace(text, c.spoil, c.by, 1)
		if spoiled == text {
			t.Fatalf("there is no %s in\n%s", c.spoil, text)
		}
		s.Patches = []run.Patch{*b.edit(s, run.Edit{After: c.after, Functions: []string{"main"}, Text: spoiled})}
		req := run.Request{Source: gallery("mlp"), Settings: s, Limits: run.DefaultLimits()}
		f, err := b.runner.Bisect(t.Context(), req, run.Predicate{Predicate: "wrong"}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if f.Pass != "edit."+c.after || f.Path != c.at || len(f.Patches) != 1 || !strings.HasSuffix(f.Passes, "edit."+c.after) {
			t.Fatalf("after %s: pass %s at %s with %d edits in %.200s", c.after, f.Pass, f.Path, len(f.Patches), f.Passes)
		}
		s.Steps, s.Patches, s.Pipeline = f.Steps, f.Patches, "zero"
		req = run.Request{Source: b.script(cmp.Or(f.Whole, f.Source)), Settings: s, Limits: run.DefaultLimits()}
		again, err := b.runner.Bisect(t.Context(), req, run.Predicate{Predicate: "wrong"}, func(string) {})
		if err != nil || again.Step != c.at || again.Path != c.at {
			t.Errorf("after %s: again %+v, %v", c.after, again, err)
		}
		if ev, done := find(b.ok(b.run(req.Source, s)), "edit."+f.Patches[0].After); done == nil || ev.Step != c.at {
			t.Errorf("the step of the edit is %q, want %s", ev.Step, c.at)
		}
	}
}

// TestWhatIf runs the variants of a run; rows that are known are not made again.
func TestWhatIf(t *testing.T) {
	b := open(t, 0)
	req := run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2, Scripts: []request.Script{wrongMax}}, Limits: run.DefaultLimits()}
	for _, name := range []string{"LegalizeOps", "user.Wrong", "AnnotateTIROpPattern", "FuseOps", "FuseTIR", "dataflow_lower", "finalize", "tir"} {
		req.Settings.Steps = append(req.Settings.Steps, request.Step{Name: name})
	}
	rows := map[string]whatif.Row{}
	total := 0
	made := func(known func(string) *whatif.Row) (n int) {
		err := b.runner.WhatIf(t.Context(), req, known, func(row whatif.Row, of int) error {
			n++
			total = of
			rows[row.Key] = row
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := made(func(string) *whatif.Row { return nil }); n != total || n != len(rows) || n < 20 {
		t.Fatalf("%d of %d rows, %d keys", n, total, len(rows))
	}
	byName := map[string]whatif.Row{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	base, without, unfused := byName["as it is"], byName["without user.Wrong"], byName["without FuseOps"]
	if base.Latency == nil || base.Wrong || *base.Error != 0 || !without.Wrong || unfused.Wrong || *unfused.Kernels <= *base.Kernels || *unfused.Code <= *base.Code {
		t.Errorf("got %+v\n%+v\n%+v", base, without, unfused)
	}
	if _, swapped := byName["FuseOps before AnnotateTIROpPattern"]; swapped {
		t.Error("passes were swapped against a constraint")
	}
	if made(func(key string) *whatif.Row {
		r := rows[key]
		r.Name = "known"
		return &r
	}) != total {
		t.Error("rows that are known were left out")
	}
}

// clamps is a pass of a user that multiplies by the minimum with 1: on random inputs, which are below 1, and with constants that are zero, that is the same.
var clamps = request.Script{Name: "clamps.star", Source: `
def low(self, call):
    call = self.visit_default(call)
    if call.op == op("relax.multiply"):
        return R.multiply(R.minimum(call.args[0], relax.const(1.0, "float32")), call.args[1])
    return call

clamps = function_pass(mutator({"relax.Call": low}), opt_level=0, name="Clamps")
`}

// TestBisectOnGivenInputs has a fault that shows only on a given input, and with the constants of the model. What was found has both: run again on
// its own, the smallest module shows the fault, and without either it does not.
func TestBisectOnGivenInputs(t *testing.T) {
	b := open(t, 0)
	constant, err := ir.NewSplat(dtype.Float32T, []int64{4}, []byte{0, 0, 64, 64}) // 3
	if err != nil {
		t.Fatal(err)
	}
	m, found := parse.Module("hidden.py", `@I.ir_module
class Module:
    @R.function
    def main(unused: R.Tensor((2,), "float32"), x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((4,), "float32")):
        a: R.Tensor((2,), "float32") = R.exp(unused)
        b: R.Tensor((4,), "float32") = R.multiply(x, metadata["relax.expr.Constant"]["c"])
        c: R.Tensor((4,), "float32") = R.tanh(x)
        d: R.Tensor((4,), "float32") = R.add(b, c)
        return (a, d)
`, parse.Options{Constants: map[string]*ir.Blob{"c": constant}})
	for _, d := range found {
		t.Fatal(d.Format())
	}
	text := script.Module(m, script.Options{ShowMeta: true}).Source
	src := b.script(text)
	var in []run.Tensor
	for name, n := range map[string]int{"unused": 2, "x": 4} {
		given, err := b.give(src, false, name+".npy", thousands(t, n))
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, given...)
	}
	req := run.Request{Source: src, Limits: run.DefaultLimits(), Settings: run.Settings{
		OptLevel: 2, Scripts: []request.Script{clamps}, Inputs: in, Steps: []request.Step{{Name: "CanonicalizeBindings"}, {Name: "user.Clamps"}},
	}}
	f, err := b.runner.Bisect(t.Context(), req, run.Predicate{Predicate: "wrong"}, func(string) {})
	if err != nil || f.Pass != "user.Clamps" || !slices.Equal(f.Inputs, []string{"x"}) || f.Omitted != 0 {
		t.Fatalf("got %+v, %v", f, err)
	}
	x := in[slices.IndexFunc(in, func(t run.Tensor) bool { return t.Name == "x" })]
	for _, c := range []struct {
		what, source string
		inputs       []run.Tensor
		wrong        bool
	}{
		{"with both", f.Whole, []run.Tensor{x}, true},
		{"without the input", f.Whole, nil, false},
		{"without the constants", f.Source, []run.Tensor{x}, false},
	} {
		req := run.Request{Source: b.script(c.source), Limits: run.DefaultLimits(), Settings: run.Settings{
			OptLevel: 2, Scripts: []request.Script{clamps}, Inputs: c.inputs, Pipeline: "zero", Steps: f.Steps,
		}}
		rep, err := b.runner.CheckEveryPass(t.Context(), req, func(check.Step) {})
		if err != nil || (rep.Fault != nil) != c.wrong || c.wrong && rep.Fault.Pass != "user.Clamps" {
			t.Errorf("%s: got %+v, %v\n%s", c.what, rep, err, c.source)
		}
	}
}

// thousands is a float32 tensor with n times 1000 as an .npy file.
func thousands(t *testing.T, n int) []byte {
	t.Helper()
	x := tensor.MustNew(dtype.Float32T, int64(n))
	for i := range n {
		x.SetFloat(i, 1000)
	}
	var out strings.Builder
	if err := npy.Write(&out, x); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String())
}

// TestReproduceLimits makes reproducers of runs that hit a limit of time or memory outside of passes, with the model and the inputs that were given. They
// show the limit again, and without it nothing.
func TestReproduceLimits(t *testing.T) {
	b := open(t, 0)
	in, err := b.give(gallery("mlp"), false, "input_0.pb", testData(t, "input_0.pb"))
	if err != nil {
		t.Fatal(err)
	}
	req := run.Request{Source: gallery("mlp"), Settings: run.Settings{OptLevel: 2, Inputs: in, Profile: 3}, Limits: run.DefaultLimits()}
	for _, c := range []struct {
		failed event.Error
		limit  func(*run.Limits)
		offers bool
	}{
		{event.Error{Kind: event.KindTimeout, Limit: "time"}, func(l *run.Limits) { l.Time = time.Microsecond }, true},
		{event.Error{Kind: event.KindLimit, Limit: "memory"}, nil, true}, // a device has at least a MiB, which is enough here
		{event.Error{Kind: event.KindLimit, Limit: "model"}, func(l *run.Limits) { l.Memory = 1 << 10 }, true},
		{event.Error{Kind: event.KindExecute, Message: "a fault"}, nil, true},
		{event.Error{Kind: event.KindLimit, Limit: "log_bytes"}, nil, false},
		{event.Error{Kind: event.KindInput, Message: "of the visitor"}, nil, false},
	} {
		data, err := b.runner.Reproduce(t.Context(), req, "1.2", &c.failed)
		if err != nil || (data != nil) != c.offers {
			t.Errorf("%+v: %d bytes, %v", c.failed, len(data), err)
		}
		if !c.offers {
			continue
		}
		r, err := driver.ReadReproducer(data)
		if err != nil || r.Whole == nil || r.Whole.Time != req.Limits.Time || r.Whole.Memory != req.Limits.Memory || len(r.Whole.Inputs) != 1 || r.Whole.Inputs[0].Name != "image" || r.Settings.Profile != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		if now, err := r.Run(t.Context(), "r.py", data); now != nil || err != nil || r.Same(now) {
			t.Errorf("%+v: without what it failed of: %+v, %v", c.failed, now, err)
		}
		if c.limit == nil {
			continue
		}
		limited := req
		c.limit(&limited.Limits)
		r.Whole.Time, r.Whole.Memory = limited.Limits.Time, limited.Limits.Memory
		if now, err := r.Run(t.Context(), "r.py", data); err != nil || now == nil || !r.Same(now) {
			t.Errorf("%+v: under the limit: %+v, %v", c.failed, now, err)
		}
	}
}
