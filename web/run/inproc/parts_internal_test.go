package inproc

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/web/run"
)

// TestValuesFromJSON turns each form of JSON into a value of the compiler: whole numbers are integers.
func TestValuesFromJSON(t *testing.T) {
	for _, c := range []struct {
		in   any
		want ir.Value
	}{
		{true, true},
		{false, false},
		{"x", "x"},
		{"", ""},
		{3.0, int64(3)},
		{math.Copysign(0, -1), int64(0)},
		{-2.0, int64(-2)},
		{1.5, 1.5},
		{1e300, 1e300},
		{[]any{}, []ir.Value{}},
		{[]any{1.0, "a", []any{2.5}}, []ir.Value{int64(1), "a", []ir.Value{2.5}}},
	} {
		if got, err := value(c.in); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v becomes %#v (%v), want %#v", c.in, got, err, c.want)
		}
	}
	object := map[string]any{"a": 1.0, "b": map[string]any{"c": true, "d": []any{"x", 2.5}}}
	got, err := value(object)
	if want := (map[string]any{"a": int64(1), "b": map[string]any{"c": true, "d": []any{"x", 2.5}}}); err != nil || !reflect.DeepEqual(plain(got), want) {
		t.Errorf("an object becomes %v (%v), want %v", plain(got), err, want)
	}
	const want = "a value is <nil>, want true, false, a number, a text, a list or an object"
	for in, at := range map[string]any{"": nil, "[": []any{nil}, "k: ": map[string]any{"k": nil}, "k: l: ": map[string]any{"k": map[string]any{"l": []any{nil}}}} {
		if got, err := value(at); got != nil || err == nil || err.Error() != strings.Trim(in, "[")+want {
			t.Errorf("%v becomes %v, error %v", at, got, err)
		}
	}
	if got, err := configValues(map[string]any{"a": 1.0, "b": "x"}); err != nil || !reflect.DeepEqual(got, map[string]any{"a": int64(1), "b": "x"}) {
		t.Errorf("the config is %v (%v)", got, err)
	}
	_, err = configValues(map[string]any{"a": nil})
	wantError(t, err, event.Error{Kind: event.KindInput, Message: "config a: " + want})
	for in, want := range map[string]string{"": "d", " \t": "d", " x ": "x"} {
		if got := orDefault(in, "d"); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// wantError checks an error for an event, whole.
func wantError(t *testing.T, err error, want event.Error) {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) || !reflect.DeepEqual(*e, want) {
		t.Errorf("the error is %+v, want %+v", err, want)
	}
}

// TestInputsAreMadeUp checks shapes, what they are bound to, and why some cannot be made up. A run may have exactly its memory.
func TestInputsAreMadeUp(t *testing.T) {
	n := func(i int) *int { return &i }
	typ := func(dims ...artifact.Dim) artifact.Type {
		return artifact.Type{Kind: artifact.KindTensor, DType: "float32", NDim: n(len(dims)), Shape: dims}
	}
	v, sym := func(n int64) artifact.Dim { return artifact.Dim{Value: n} }, func(s string) artifact.Dim { return artifact.Dim{Expr: s} }
	const mib = 1 << 20
	for _, c := range []struct {
		typ     artifact.Type
		binding map[string]int64
		shape   string
		want    string
	}{
		{typ(), nil, "[]", ""},
		{typ(v(2), v(3)), nil, "[2 3]", ""},
		{typ(v(0)), nil, "[0]", ""},
		{typ(sym("n"), v(4)), map[string]int64{"n": 5}, "[5 4]", ""},
		{typ(sym("n"), sym("m")), map[string]int64{"m": 5}, "[1 5]", ""},
		{typ(sym("n * 2")), map[string]int64{"n * 2": 6}, "[6]", ""},
		{typ(sym("n * 2")), map[string]int64{"n": 6}, "", "its dimension n * 2 is computed from others; set the shape in shapes"},
		{typ(sym("n+1")), nil, "", "its dimension n+1 is computed from others; set the shape in shapes"},
		{typ(v(-1)), nil, "", "dimension -1 is -1"},
		{typ(sym("n")), map[string]int64{"n": -3}, "", "dimension n is -3"},
		{typ(v(mib / 4)), nil, "[262144]", ""},
		{typ(v(mib/4 + 1)), nil, "", "it takes 1 MiB, a run may have 1 MiB"},
		{artifact.Type{Kind: artifact.KindShape, DType: "float32"}, nil, "", "its type is "},
		{artifact.Type{Kind: artifact.KindTensor}, nil, "", "its type is "},
		{artifact.Type{Kind: artifact.KindTensor, DType: "float31"}, nil, "", "float31"},
		{artifact.Type{Kind: artifact.KindTensor, DType: "float32", NDim: n(1)}, nil, "", "its shape is not known; set it in shapes"},
		{artifact.Type{Kind: artifact.KindTensor, DType: "float32", NDim: n(0)}, nil, "[]", ""},
	} {
		got, err := randomInput(artifact.Param{Name: "x", Type: c.typ}, c.binding, mib, 7)
		if c.want == "" {
			if err != nil || fmt.Sprint(got.Shape) != c.shape || got.DType.String() != "float32" {
				t.Errorf("%s becomes %v (%v), want %s", c.typ, got, err, c.shape)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.typ, err, c.want)
		}
	}
	made := func(seed uint64) string {
		x, err := randomInput(artifact.Param{Type: typ(v(4))}, nil, mib, seed)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(describe("x", x, "").First)
	}
	if first := made(1); first != made(1) || first == made(2) {
		t.Error("inputs do not depend on the seed alone")
	}
}

// TestTensorsAreDescribed by their first elements and what they are like.
func TestTensorsAreDescribed(t *testing.T) {
	for _, n := range []int64{0, 1, 15, 16, 17} {
		dt, err := dtype.Parse("float32")
		if err != nil {
			t.Fatal(err)
		}
		x, err := tensor.New(dt, []int64{n})
		if err != nil {
			t.Fatal(err)
		}
		x.Random(3)
		lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
		for i := range x.Len() {
			f := x.Float(i)
			lo, hi, sum = min(lo, f), max(hi, f), sum+f
		}
		got := describe("x", x, "seed 3")
		if got.Name != "x" || got.Source != "seed 3" || got.DType != "float32" || fmt.Sprint(got.Shape) != fmt.Sprint([]int64{n}) || len(got.First) != int(min(n, 16)) || got.NaNs != 0 {
			t.Errorf("%d elements are described as %+v", n, got)
		}
		for i, f := range got.First {
			if float64(f) != x.Float(i) {
				t.Errorf("element %d is %v, want %v", i, f, x.Float(i))
			}
		}
		if n > 0 && (float64(got.Min) != lo || float64(got.Max) != hi || math.Abs(float64(got.Mean)-sum/float64(n)) > 1e-6) {
			t.Errorf("%d elements have %v, %v, %v; want %v, %v, %v", n, got.Min, got.Max, got.Mean, lo, hi, sum/float64(n))
		}
	}
}

// TestFaults describes errors of each layer for events.
func TestFaults(t *testing.T) {
	known := &event.Error{Kind: event.KindUnsupported, Message: "m", Op: "Foo"}
	wrapped := fmt.Errorf("x: %w", known)
	plain := errors.New("plain")
	if fault(event.KindCodegen, wrapped) != wrapped {
		t.Error("an error that is described already is described anew")
	}
	wantError(t, fault(event.KindCodegen, plain), event.Error{Kind: event.KindCodegen, Message: "plain"})

	call := &vm.CallError{Func: "f", Callee: "k", Err: runtime.ErrDeviceMemory}
	wantError(t, executeFault(plain), event.Error{Kind: event.KindExecute, Message: "plain", Function: "main"})
	wantError(t, executeFault(fmt.Errorf("x: %w", call)), event.Error{Kind: event.KindLimit, Limit: "memory", Message: "x: " + call.Error(), Function: "f", Op: "k"})
	call.Err = plain
	wantError(t, executeFault(call), event.Error{Kind: event.KindExecute, Message: call.Error(), Function: "f", Op: "k"})

	node := &onnx.Error{Op: "Conv", Reason: "bad"}
	missing := &onnx.UnsupportedError{Ops: []onnx.UnsupportedOp{{First: node, Nodes: 1}}}
	wantError(t, importFault(plain), event.Error{Kind: event.KindInput, Message: "plain"})
	wantError(t, importFault(node), event.Error{Kind: event.KindInput, Message: node.Error(), Op: "Conv"})
	wantError(t, importFault(missing), event.Error{Kind: event.KindUnsupported, Message: missing.Error(), Op: "Conv"})
	wantError(t, importFault(&onnx.UnsupportedError{}), event.Error{Kind: event.KindUnsupported, Message: (&onnx.UnsupportedError{}).Error()})

	var log bytes.Buffer
	r := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if r.passFault(wrapped) != wrapped {
		t.Error("what a sink said is described anew")
	}
	for _, err := range []error{&pass.ConfigError{Key: "k"}, &pass.FieldError{Key: "k", Field: "f"}, &pass.ValueError{What: "x", Want: "y"}} {
		wantError(t, r.passFault(err), event.Error{Kind: event.KindInput, Message: err.Error()})
	}
	step := &pass.Step{Pass: &pass.Pass{Name: "P"}}
	_ = r.passFault(&pass.Error{Step: step, Err: plain})
	if log.Len() > 0 {
		t.Errorf("an error is logged as a panic: %s", log.String())
	}
	_ = r.passFault(&pass.Error{Step: step, Func: "f", Stack: "goroutine 1", Err: plain})
	for _, want := range []string{"level=ERROR", `msg="pass panicked"`, "pass=P", "function=f", "err=plain", `stack="goroutine 1"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log is %s, without %s", log.String(), want)
		}
	}
	wantError(t, input("%d", 3), event.Error{Kind: event.KindInput, Message: "3"})
}

// TestPassesThatAreMissing are named where their absence may be why: those that lower, that are off, and that are not named yet.
func TestPassesThatAreMissing(t *testing.T) {
	off := []string{"LegalizeOps", "FuseOps", "CallTIRRewrite", "nothing"}
	for _, kind := range []event.ErrorKind{event.KindPass, event.KindVerify, event.KindCodegen} {
		e := &event.Error{Kind: kind, Message: "m"}
		wantError(t, nameMissing(e, off), event.Error{Kind: kind, Message: "m (lowering passes that are off: LegalizeOps, CallTIRRewrite)"})
		if e.Message != "m" {
			t.Errorf("the error itself was changed to %q", e.Message)
		}
		named := &event.Error{Kind: kind, Message: "run LegalizeOps"}
		wantError(t, nameMissing(named, off), event.Error{Kind: kind, Message: "run LegalizeOps (lowering passes that are off: CallTIRRewrite)"})
		wantError(t, nameMissing(e, []string{"FuseOps"}), *e)
	}
	wantError(t, nameMissing(&event.Error{Kind: event.KindInput, Message: "m"}, off), event.Error{Kind: event.KindInput, Message: "m"})
	if err := errors.New("x"); nameMissing(err, off) != err {
		t.Error("an error of another kind is changed")
	}
}

// TestDiagnosticsAsEvents keeps all of a finding, orders findings by place, and lists a hundred of them.
func TestDiagnosticsAsEvents(t *testing.T) {
	src := &ir.Source{Name: "a.py"}
	for severity, want := range map[ir.Severity]event.Severity{ir.Error: event.SeverityError, ir.Warning: event.SeverityWarning, ir.Note: event.SeverityNote} {
		got := diagnostic(ir.Diagnostic{Severity: severity, Message: "m", Help: "h", Code: "c", Func: "f", Span: &ir.Span{Source: src, Line: 1, Col: 2, EndLine: 3, EndCol: 4}})
		whole := event.Diagnostic{Severity: want, Message: "m", Help: "h", Code: "c", Function: "f", Span: &event.Span{Source: "a.py", Line: 1, Column: 2, EndLine: 3, EndColumn: 4}}
		if !reflect.DeepEqual(*got, whole) {
			t.Errorf("it becomes %+v, want %+v", got, whole)
		}
	}
	if got := diagnostic(ir.Diagnostic{Span: &ir.Span{Line: 1}}); got.Span.Source != "" || got.Span.Line != 1 {
		t.Errorf("a place without a text is %+v", got.Span)
	}
	at := func(line, col int) ir.Diagnostic {
		return ir.Diagnostic{Message: fmt.Sprint(line, ":", col), Span: &ir.Span{Line: line, Col: col}}
	}
	var order []string
	for _, d := range diagnostics([]ir.Diagnostic{at(2, 1), at(1, 9), {Message: "a"}, at(1, 2), {Message: "b"}, at(10, 1)}) {
		order = append(order, d.Message)
	}
	if got := strings.Join(order, " "); got != "a b 1:2 1:9 2:1 10:1" {
		t.Errorf("the order is %s", got)
	}
	many := func(n int) []event.Diagnostic { return diagnostics(make([]ir.Diagnostic, n)) }
	if got := many(100); len(got) != 100 || got[99].Message != "" {
		t.Errorf("of 100 findings %d are listed", len(got))
	}
	if got := many(103); len(got) != 101 || got[100].Message != "3 more findings are not listed" || got[100].Severity != event.SeverityNote {
		t.Errorf("of 103 findings %d are listed, the last is %+v", len(got), got[len(got)-1])
	}
	if got := diagnostics(nil); got == nil || len(got) != 0 {
		t.Errorf("no findings are %v, want an empty list", got)
	}
}

// TestStepsThatCannotBe says which step is wrong, by its number.
func TestStepsThatCannotBe(t *testing.T) {
	reg := registry{pipeline.NewRegistry(), map[string]*pass.Pass{"user.Twice": {Name: "user.Twice"}}}
	long := strings.Repeat("a", 100)
	in := func(s run.Step) run.Step { return run.Step{Name: "seq", Steps: []run.Step{{Name: "FuseOps"}, s}} }
	const seq = "a sequence has a name of up to 100 letters, digits and _ . -, and no options"
	for _, c := range []struct {
		step run.Step
		want string
	}{
		{run.Step{Name: "FuseOps"}, ""},
		{run.Step{Name: "zero"}, ""},
		{run.Step{Name: "user.Twice"}, ""},
		{run.Step{Name: long, Steps: []run.Step{{Name: "FuseOps"}}}, ""},
		{run.Step{Name: long + "a", Steps: []run.Step{{Name: "FuseOps"}}}, "step 2: " + seq},
		{run.Step{Name: "a/b", Steps: []run.Step{{Name: "FuseOps"}}}, "step 2: " + seq},
		{run.Step{Name: "s", Options: map[string]any{"a": true}, Steps: []run.Step{{Name: "FuseOps"}}}, "step 2: " + seq},
		{run.Step{Name: "FuseOp"}, `step 2: there is no pass "FuseOp"; did you mean FuseOps?`},
		{run.Step{Name: "Twice"}, `step 2: there is no pass "Twice"; did you mean user.Twice?`},
		{run.Step{Name: "user.Twise"}, `step 2: there is no pass "user.Twise"; did you mean user.Twice?`},
		{run.Step{Name: "zzzzzzzzzzzz"}, `step 2: there is no pass "zzzzzzzzzzzz"`},
		{in(run.Step{Name: "zzzzzzzzzzzz"}), `step 2.2: there is no pass "zzzzzzzzzzzz"`},
		{run.Step{Name: "FuseOps", Options: map[string]any{"a": nil}}, "options of step 2 (FuseOps): a: a value is <nil>, want true, false, a number, a text, a list or an object"},
		{run.Step{Name: "FuseOps", Options: map[string]any{"speed": 1.0}}, `step 2: pass FuseOps has no option "speed"; it has fuse_opt_level`},
	} {
		got, err := chosenPipeline(run.Settings{Steps: []run.Step{{Name: "LegalizeOps"}, c.step}}, reg)
		if c.want == "" {
			if err != nil || got.Name != "custom" || len(got.Children) != 2 || got.Children[1].Name != c.step.Name {
				t.Errorf("%s gives %+v, %v", c.step.Name, got, err)
			}
			continue
		}
		wantError(t, err, event.Error{Kind: event.KindInput, Message: c.want})
	}
	pl, err := chosenPipeline(run.Settings{Steps: []run.Step{{Name: "FuseOps", Options: map[string]any{"fuse_opt_level": 1.0}}}}, reg)
	if err != nil || pl.Children[0].Args.Len() != 1 {
		t.Errorf("with an option it is %+v (%v)", pl, err)
	}
	if _, err := chosenPipeline(run.Settings{Pipeline: "none"}, reg); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("an unknown pipeline gives %v", err)
	}
	for want, s := range map[string]run.Settings{"custom": {Pipeline: "x", Steps: []run.Step{}}, "x": {Pipeline: " x "}, "default": {}} {
		if got := pipelineName(s); got != want {
			t.Errorf("the pipeline is named %s, want %s", got, want)
		}
	}
	if partial(run.Settings{}) || partial(run.Settings{Pipeline: "default"}) || !partial(run.Settings{Pipeline: "zero"}) {
		t.Error("pipelines without code are not told from the default one")
	}
}

// TestPathsOfPlans counts children from 1, and knows which passes settings turn off.
func TestPathsOfPlans(t *testing.T) {
	leaf := &pass.Pass{Name: "L", Level: 2}
	pl := pass.NewSequential("top", &pass.Pass{Name: "A"}, pass.NewSequential("mid", &pass.Pass{Name: "B"}, leaf))
	for want, path := range map[string][]int{"": nil, "1/top": {}, "1.2/mid": {1}, "1.2.2/L": {1, 1}} {
		if got := stepPath(pl, path); got != want {
			t.Errorf("%v is %q, want %q", path, got, want)
		}
	}
	for _, c := range []struct {
		s    run.Settings
		want bool
	}{
		{run.Settings{OptLevel: 1}, false},
		{run.Settings{OptLevel: 2}, true},
		{run.Settings{OptLevel: 3}, true},
		{run.Settings{OptLevel: 0, Required: []string{"L"}}, true},
		{run.Settings{OptLevel: 0, Required: []string{"X"}}, false},
		{run.Settings{OptLevel: 4, Disabled: []string{"X", "L"}}, false},
		{run.Settings{OptLevel: 4, Required: []string{"L"}, Disabled: []string{"L"}}, false},
	} {
		if got := enabled(leaf, c.s); got != c.want {
			t.Errorf("with %+v the pass runs: %t", c.s, got)
		}
	}
	steps := []run.Step{{Name: "leaf"}, {Name: "a", Steps: []run.Step{{Name: "b", Steps: []run.Step{{Name: "c"}}}}}}
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "leaf": false, "default": true, "x": false} {
		if got := isSequence(steps, name); got != want {
			t.Errorf("%s is a sequence: %t", name, got)
		}
	}
}

// TestEventsHaveASize: that of their lines, with something for each entry.
func TestEventsHaveASize(t *testing.T) {
	changes := func(lines ...string) event.Event {
		return event.New("", "", &event.PassFinished{Functions: []event.FunctionChange{{Hunks: []event.Hunk{{Lines: lines}}}}}, nil)
	}
	for _, c := range []struct {
		events []event.Event
		want   int64
	}{
		{nil, 0},
		{[]event.Event{note("x")}, 512},
		{[]event.Event{note("x"), changes()}, 2*512 + 256},
		{[]event.Event{changes("abc", "de"), note("x")}, 2*512 + 256 + 5 + 2*16},
	} {
		if got := eventBytes(c.events); got != c.want {
			t.Errorf("%d events have %d bytes, want %d", len(c.events), got, c.want)
		}
	}
	vals := make([]float32, 250)
	for i := range vals {
		vals[i] = float32(i)
	}
	blob := ir.Float32Blob([]int64{250}, vals...)
	if n, holds := measure(blob); n < 1000 || n > 1000+2*perPart || holds != nil {
		t.Errorf("a constant of 1000 bytes has %d and holds %v", n, holds)
	}
}

// TestRunnerDefaults: what is kept, and where panics go.
func TestRunnerDefaults(t *testing.T) {
	for given, want := range map[int64]int64{0: 128 << 20, -1: 0, 5: 5} {
		if got := New(Config{CacheBytes: given}).cfg.CacheBytes; got != want {
			t.Errorf("asked for %d bytes it keeps %d, want %d", given, got, want)
		}
	}
	if New(Config{}).cfg.Log == nil {
		t.Error("panics go nowhere")
	}
}

// TestCatalogHasEverything that the compiler knows, and of each model what its text says.
func TestCatalogHasEverything(t *testing.T) {
	c, err := Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var passes []string
	for i, p := range pipeline.All() {
		got := c.Passes[i]
		passes = append(passes, got.Name)
		if got.Name != p.Name || got.Level != p.Level || got.Doc != p.Doc || len(got.Config) != len(p.Config) || len(got.Options) != len(p.Options) || !reflect.DeepEqual(got.Required, p.Required) {
			t.Errorf("%s is described as %+v", p.Name, got)
		}
		for i, o := range got.Config {
			if o.Key != p.Config[i] || o.Type == "" {
				t.Errorf("%s reads %+v, want %s", p.Name, o, p.Config[i])
			}
		}
		if tir := strings.HasPrefix(p.Name, "tir.") || p.Kind == pass.PrimFunc; tir && got.IR != "tir" || got.IR != "tir" && got.IR != "relax" {
			t.Errorf("%s is a pass on %s", p.Name, got.IR)
		}
	}
	if len(c.Passes) != len(passes) || len(c.Scripts) != len(lessons) || len(c.Pipelines) != len(pipeline.Names())*len(c.Targets) || len(c.Config) != len(pass.ListConfigs()) {
		t.Errorf("there are %d passes, %d scripts, %d pipelines, %d targets, %d options", len(c.Passes), len(c.Scripts), len(c.Pipelines), len(c.Targets), len(c.Config))
	}
	for i, o := range c.Config {
		if i > 0 && o.Key <= c.Config[i-1].Key {
			t.Errorf("%s stands behind %s", o.Key, c.Config[i-1].Key)
		}
		if o.Type == "bool" {
			if _, ok := o.Default.(bool); !ok {
				t.Errorf("the default of %s is %v, want a bool", o.Key, o.Default)
			}
		}
	}
	for _, p := range c.Pipelines {
		if p.Target == "" || len(p.Steps) == 0 || p.Steps[0].Step != "1/"+p.Name {
			t.Errorf("the pipeline %s for %q has %d steps", p.Name, p.Target, len(p.Steps))
		}
	}
	for _, m := range c.Models {
		if m.Name == "" || m.Title == "" || m.Doc == "" || len(m.Ops) == 0 || m.Functions != 1 || m.Parameters <= 0 || len(m.Inputs) == 0 {
			t.Errorf("the model %s is described as %+v", m.Name, m)
		}
		symbolic := ""
		for _, in := range m.Inputs {
			if in.Name == "" || in.DType == "" || len(in.Shape) == 0 {
				t.Errorf("an input of %s is %+v", m.Name, in)
			}
			for _, d := range in.Shape {
				switch d := d.(type) {
				case int64:
				case string:
					symbolic = d
				default:
					t.Errorf("a dimension of %s is a %T", m.Name, d)
				}
			}
		}
		if (symbolic != "") != (len(m.Bindings) > 0) {
			t.Errorf("%s has the dimension %q and the bindings %v", m.Name, symbolic, m.Bindings)
		}
		for i, b := range m.Bindings {
			if len(b) != 1 || b[symbolic] != batches[i] {
				t.Errorf("%s is bound to %v, want %s to be %d", m.Name, b, symbolic, batches[i])
			}
		}
	}
	for in, want := range map[ir.Value]any{nil: nil, true: true, int64(3): int64(3), 1.5: 1.5, "x": "x"} {
		if got := plain(in); got != want {
			t.Errorf("%v becomes %v in JSON", in, got)
		}
	}
}

// TestTapMarksKnownModels at the start of a run, and counts what goes through.
func TestTapMarksKnownModels(t *testing.T) {
	for saved, want := range map[time.Duration]int64{0: 3, 7: 7} {
		tp := &tap{Sink: silent{}, saved: saved}
		first := event.New("", "", &event.RunStarted{}, &event.Measured{Saved: 3})
		second := event.New("1/A", "", &event.PassStarted{Name: "A"}, &event.Measured{Saved: 3})
		bare := event.New("", "", &event.RunStarted{}, nil)
		for _, e := range []event.Event{bare, first, second} {
			if err := tp.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		if first.Measured.Saved != want || second.Measured.Saved != 3 || tp.events != 3 || tp.last.Step != "1/A" {
			t.Errorf("with %d saved the events say %d and %d; %d went through, the last of %s", saved, first.Measured.Saved, second.Measured.Saved, tp.events, tp.last.Step)
		}
	}
}

// TestScriptsThatComeWithTheProgram have a module, passes and words.
func TestScriptsThatComeWithTheProgram(t *testing.T) {
	list, err := describeScripts(t.Context())
	if err != nil || len(list) != len(lessons) {
		t.Fatalf("%d scripts (%v)", len(list), err)
	}
	r := New(Config{})
	for i, e := range list {
		l := lessons[i]
		if e.Name != l.script || e.Title != l.title || e.Doc != l.doc || e.Script.Name != l.script+".star" || e.ModuleName != l.script+".py" || e.Passes == nil {
			t.Errorf("%s is described as %+v", l.script, e)
		}
		if err := e.Script.Valid(); err != nil || e.Script.Source == "" {
			t.Errorf("%s is no script: %v", l.script, err)
		}
		if c, err := r.Check(t.Context(), e.ModuleName, e.Module); err != nil || c.Failed() || len(c.Functions) == 0 {
			t.Errorf("the module of %s is wrong: %+v (%v)", l.script, c, err)
		}
		if l.script != "counter" && (len(e.Passes) == 0 || !strings.HasPrefix(e.Passes[0], request.UserPrefix)) {
			t.Errorf("%s has the passes %v", l.script, e.Passes)
		}
	}
}

// TestMistakesOfATextHaveAPlace: an error without findings is one about the first line, without the name that stands there already.
func TestMistakesOfATextHaveAPlace(t *testing.T) {
	found := mistakesOf("a.py", "text", errors.New("a.py: too long"))
	if len(found) != 1 || found[0].Severity != ir.Error || found[0].Message != "too long" {
		t.Fatalf("the findings are %+v", found)
	}
	s := found[0].Span
	if s.Source.Name != "a.py" || s.Source.Text != "text" || s.Line != 1 || s.Col != 1 || s.EndLine != 1 || s.EndCol != 1 {
		t.Errorf("it is at %+v of %+v", s, s.Source)
	}
	const one = "@I.ir_module\nclass A:\n    @R.function\n    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n        return x\n"
	_, found, err := oneModule(t.Context(), "a.py", one+"\n"+strings.Replace(one, "class A", "class B", 1), "")
	if err == nil || len(found) != 1 || found[0].Message != "expected one module, got 2" || found[0].Help != "start a session for each of them" || found[0].Span.Line < 7 {
		t.Errorf("two modules give %+v, %v", found, err)
	}
}
