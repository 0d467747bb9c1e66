package driver

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
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
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
	if want := ir.NewAttrs("a", int64(1), "b", ir.NewAttrs("c", true, "d", []ir.Value{"x", 2.5})); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("an object becomes %v (%v), want %v", got, err, want)
	}
	const want = "a value is <nil>, want true, false, a number, a string, a list, or an object"
	for in, at := range map[string]any{"": nil, "[": []any{nil}, "k: ": map[string]any{"k": nil}, "k: l: ": map[string]any{"k": map[string]any{"l": []any{nil}}}} {
		if got, err := value(at); got != nil || err == nil || err.Error() != strings.Trim(in, "[")+want {
			t.Errorf("%v becomes %v, error %v", at, got, err)
		}
	}
	if got, _ := configValues(map[string]any{"a": 1.0, "b": "x"}); !reflect.DeepEqual(got, map[string]any{"a": int64(1), "b": "x"}) {
		t.Errorf("the config is %v", got)
	}
	_, wrong := configValues(map[string]any{"a": nil, "tir.disable_assert": true})
	if len(wrong) != 1 {
		t.Fatalf("the problems of the config are %+v", wrong)
	}
	wantError(t, wrong.Fatal().Refuse(t.Context(), nil), event.Error{Kind: event.KindInput, Message: "config a: " + want})
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
		{typ(v(mib/4 + 1)), nil, "", "it takes 1 MiB, and a run is limited to 1 MiB"},
		{artifact.Type{Kind: artifact.KindShape, DType: "float32"}, nil, "", "its type is "},
		{artifact.Type{Kind: artifact.KindTensor}, nil, "", "its type is "},
		{artifact.Type{Kind: artifact.KindTensor, DType: "float31"}, nil, "", "float31"},
		{artifact.Type{Kind: artifact.KindTensor, DType: "float32", NDim: n(1)}, nil, "", "its shape is not known; set it in shapes"},
		{artifact.Type{Kind: artifact.KindTensor, DType: "float32", NDim: n(0)}, nil, "[]", ""},
	} {
		got, _, err := randomInput(artifact.Param{Name: "x", Type: c.typ}, c.binding, mib, 7, false)
		if c.want == "" {
			if err != nil || fmt.Sprint(got.Shape) != c.shape || got.DType.String() != "float32" {
				t.Errorf("%s becomes %v (%v), want %s", c.typ, got, err, c.shape)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.typ, err, c.want)
		}
	}
	made := func(seed uint64) string {
		x, _, err := randomInput(artifact.Param{Type: typ(v(4))}, nil, mib, seed, false)
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
	wantError(t, (&Task{}).executeFault(plain), event.Error{Kind: event.KindExecute, Message: "plain", Function: "main"})
	wantError(t, (&Task{}).executeFault(fmt.Errorf("x: %w", call)), event.Error{Kind: event.KindLimit, Limit: "memory", Message: "x: " + call.Error(), Function: "f", Op: "k"})
	call.Err = plain
	wantError(t, (&Task{}).executeFault(call), event.Error{Kind: event.KindExecute, Message: call.Error(), Function: "f", Op: "k"})

	node := &onnx.Error{Op: "Conv", Reason: "bad"}
	missing := &onnx.UnsupportedError{Ops: []onnx.UnsupportedOp{{First: node, Nodes: 1}}}
	wantError(t, importFault(plain), event.Error{Kind: event.KindInput, Message: "plain"})
	wantError(t, importFault(node), event.Error{Kind: event.KindInput, Message: node.Error(), Op: "Conv"})
	wantError(t, importFault(missing), event.Error{Kind: event.KindUnsupported, Message: missing.Error(), Op: "Conv"})
	wantError(t, importFault(&onnx.UnsupportedError{}), event.Error{Kind: event.KindUnsupported, Message: (&onnx.UnsupportedError{}).Error()})

	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	if passFault(wrapped, logger) != wrapped {
		t.Error("what a sink said is described anew")
	}
	for _, err := range []error{&pass.ConfigError{Key: "k"}, &pass.FieldError{Key: "k", Field: "f"}, &pass.ValueError{What: "x", Want: "y"}} {
		wantError(t, passFault(err, logger), event.Error{Kind: event.KindInput, Message: err.Error()})
	}
	step := &pass.Step{Pass: &pass.Pass{Name: "P"}}
	_ = passFault(&pass.Error{Step: step, Err: plain}, logger)
	if log.Len() > 0 {
		t.Errorf("an error is logged as a panic: %s", log.String())
	}
	_ = passFault(&pass.Error{Step: step, Func: "f", Stack: "goroutine 1", Err: plain}, logger)
	for _, want := range []string{"level=ERROR", `msg="pass panicked"`, "pass=P", "function=f", "err=plain", `stack="goroutine 1"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log is %s, without %s", log.String(), want)
		}
	}
	wantError(t, Input("%d", 3), event.Error{Kind: event.KindInput, Message: "3"})
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
		got := Diagnostic(ir.Diagnostic{Severity: severity, Message: "m", Help: "h", Code: "c", Func: "f", Span: &ir.Span{Source: src, Line: 1, Col: 2, EndLine: 3, EndCol: 4}})
		whole := event.Diagnostic{Severity: want, Message: "m", Help: "h", Code: "c", Function: "f", Span: &event.Span{Source: "a.py", Line: 1, Column: 2, EndLine: 3, EndColumn: 4}}
		if !reflect.DeepEqual(*got, whole) {
			t.Errorf("it becomes %+v, want %+v", got, whole)
		}
	}
	if got := Diagnostic(ir.Diagnostic{Span: &ir.Span{Line: 1}}); got.Span.Source != "" || got.Span.Line != 1 {
		t.Errorf("a place without a text is %+v", got.Span)
	}
	at := func(line, col int) ir.Diagnostic {
		return ir.Diagnostic{Message: fmt.Sprint(line, ":", col), Span: ir.NewSpan(nil, line, col, 0, 0)}
	}
	var order []string
	for _, d := range Diagnostics([]ir.Diagnostic{at(2, 1), at(1, 9), {Message: "a"}, at(1, 2), {Message: "b"}, at(10, 1)}) {
		order = append(order, d.Message)
	}
	if got := strings.Join(order, " "); got != "a b 1:2 1:9 2:1 10:1" {
		t.Errorf("the order is %s", got)
	}
	many := func(n int) []event.Diagnostic { return Diagnostics(make([]ir.Diagnostic, n)) }
	if got := many(100); len(got) != 100 || got[99].Message != "" {
		t.Errorf("of 100 findings %d are listed", len(got))
	}
	if got := many(103); len(got) != 101 || got[100].Message != "3 more diagnostics are not listed" || got[100].Severity != event.SeverityNote {
		t.Errorf("of 103 findings %d are listed, the last is %+v", len(got), got[len(got)-1])
	}
	if got := Diagnostics(nil); got == nil || len(got) != 0 {
		t.Errorf("no findings are %v, want an empty list", got)
	}
}

// TestStepsThatCannotBe says which step is wrong, by its number.
func TestStepsThatCannotBe(t *testing.T) {
	reg := registry{pipeline.NewRegistry(), target.Default(), map[string]*pass.Pass{"user.Twice": {Name: "user.Twice"}}, false}
	long := strings.Repeat("a", 100)
	in := func(s request.Step) request.Step {
		return request.Step{Name: "seq", Steps: []request.Step{{Name: "FuseOps"}, s}}
	}
	chosen := func(s request.Settings) (*pass.Pass, error) {
		j := &Job{Request: Request{Settings: s}, registry: reg}
		if wrong := j.resolvePipeline(); len(wrong) > 0 {
			return nil, wrong.Fatal().Refuse(t.Context(), nil)
		}
		return j.Pipeline, nil
	}
	const seq = "a sequence needs a name of up to 100 letters, digits, and _ . -, and takes no options"
	for _, c := range []struct {
		step request.Step
		want string
	}{
		{request.Step{Name: "FuseOps"}, ""},
		{request.Step{Name: "zero"}, ""},
		{request.Step{Name: "user.Twice"}, ""},
		{request.Step{Name: long, Steps: []request.Step{{Name: "FuseOps"}}}, ""},
		{request.Step{Name: long + "a", Steps: []request.Step{{Name: "FuseOps"}}}, "step 2: " + seq},
		{request.Step{Name: "a/b", Steps: []request.Step{{Name: "FuseOps"}}}, "step 2: " + seq},
		{request.Step{Name: "s", Options: map[string]any{"a": true}, Steps: []request.Step{{Name: "FuseOps"}}}, "step 2: " + seq},
		{request.Step{Name: "FuseOp"}, `step 2: there is no pass "FuseOp"; did you mean FuseOps?`},
		{request.Step{Name: "Twice"}, `step 2: there is no pass "Twice"; did you mean user.Twice?`},
		{request.Step{Name: "user.Twise"}, `step 2: there is no pass "user.Twise"; did you mean user.Twice?`},
		{request.Step{Name: "zzzzzzzzzzzz"}, `step 2: there is no pass "zzzzzzzzzzzz"`},
		{in(request.Step{Name: "zzzzzzzzzzzz"}), `step 2.2: there is no pass "zzzzzzzzzzzz"`},
		{request.Step{Name: "FuseOps", Options: map[string]any{"a": nil}}, "options of step 2 (FuseOps): a: a value is <nil>, want true, false, a number, a string, a list, or an object"},
		{request.Step{Name: "FuseOps", Options: map[string]any{"speed": 1.0}}, `step 2: pass FuseOps has no option "speed"; it has fuse_opt_level`},
	} {
		got, err := chosen(request.Settings{Steps: []request.Step{{Name: "LegalizeOps"}, c.step}})
		if c.want == "" {
			if err != nil || got.Name != "custom" || len(got.Children) != 2 || got.Children[1].Name != c.step.Name {
				t.Errorf("%s gives %+v, %v", c.step.Name, got, err)
			}
			continue
		}
		wantError(t, err, event.Error{Kind: event.KindInput, Message: c.want})
	}
	pl, err := chosen(request.Settings{Steps: []request.Step{{Name: "FuseOps", Options: map[string]any{"fuse_opt_level": 1.0}}}})
	if err != nil || pl.Children[0].Args.Len() != 1 {
		t.Errorf("with an option it is %+v (%v)", pl, err)
	}
	if _, err := chosen(request.Settings{Pipeline: "none"}); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("an unknown pipeline gives %v", err)
	}
	for want, s := range map[string]request.Settings{"custom": {Pipeline: "x", Steps: []request.Step{}}, "x": {Pipeline: " x "}, "default": {}} {
		j := &Job{Request: Request{Settings: s}, registry: reg}
		j.resolvePipeline()
		if j.Name != want {
			t.Errorf("the pipeline is named %s, want %s", j.Name, want)
		}
	}
	partial := func(pl string) bool {
		return (&Job{Request: Request{Settings: request.Settings{Pipeline: pl}}}).Partial()
	}
	if partial("") || partial("default") || !partial("zero") {
		t.Error("pipelines without code are not told from the default one")
	}
}

// TestNamesOfSequences are those of steps that hold others, and of pipelines.
func TestNamesOfSequences(t *testing.T) {
	steps := []request.Step{{Name: "leaf"}, {Name: "a", Steps: []request.Step{{Name: "b", Steps: []request.Step{{Name: "c"}}}}}}
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "leaf": false, "default": true, "x": false} {
		if got := isSequence(steps, name); got != want {
			t.Errorf("%s is a sequence: %t", name, got)
		}
	}
}

// TestTapMarksKnownModels at the start of a run, and counts what goes through.
func TestTapMarksKnownModels(t *testing.T) {
	for saved, want := range map[time.Duration]int64{0: 3, 7: 7} {
		tp := &tap{Sink: &diary{}, saved: saved}
		first := event.New("", "", &event.RunStarted{}, &event.Measured{Saved: 3})
		second := event.New("1/A", "", &event.PassFinished{Name: "A"}, &event.Measured{Saved: 3})
		bare := event.New("", "", &event.RunStarted{}, nil)
		for _, e := range []event.Event{first, second, bare} {
			if err := tp.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
		if first.Measured.Saved != want || second.Measured.Saved != 3 || tp.events != 3 {
			t.Errorf("with %d saved the events say %d and %d; %d went through", saved, first.Measured.Saved, second.Measured.Saved, tp.events)
		}
	}
}

// TestErrorsOfATextHaveAPlace: an error without findings is one about the first line, without the name that stands there already.
func TestErrorsOfATextHaveAPlace(t *testing.T) {
	found := Source{Name: "a.py", Data: []byte("text")}.Findings(errors.New("a.py: too long"))
	if len(found) != 1 || found[0].Severity != ir.Error || found[0].Message != "too long" {
		t.Fatalf("the findings are %+v", found)
	}
	s := found[0].Span
	if s.Source.Name != "a.py" || s.Source.Text != "text" || s.Line != 1 || s.Col != 1 || s.EndLine != 1 || s.EndCol != 1 {
		t.Errorf("it is at %+v of %+v", s, s.Source)
	}
	const one = "@I.ir_module\nclass A:\n    @R.function\n    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n        return x\n"
	src := Source{Name: "a.py", Data: []byte(one + "\n" + strings.Replace(one, "class A", "class B", 1))}
	_, _, err := src.One(t.Context())
	found = src.Findings(err)
	var several *SeveralError
	if !errors.As(err, &several) || len(several.Modules) != 2 {
		t.Errorf("two modules give %v", err)
	}
	if err == nil || len(found) != 1 || found[0].Message != "expected one module, got 2" || found[0].Help != "start a session for each of them" || found[0].Span.Line < 7 {
		t.Errorf("two modules give %+v, %v", found, err)
	}
}

// TestStepsWithoutOptions are the passes of the registry themselves.
func TestStepsWithoutOptions(t *testing.T) {
	reg := registry{pipeline.NewRegistry(), target.Default(), nil, false}
	got, wrong := chosenSteps([]request.Step{{Name: "FuseOps"}, {Name: "FuseOps", Options: map[string]any{"fuse_opt_level": 0.0}}}, reg, "", "1")
	if len(wrong) > 0 || got[0] != reg.Lookup("FuseOps") || got[1] == reg.Lookup("FuseOps") {
		t.Errorf("the steps are %+v (%v)", got, wrong)
	}
}

// TestTheFirstFindingThatIsNotListed is counted.
func TestTheFirstFindingThatIsNotListed(t *testing.T) {
	list := make([]ir.Diagnostic, 101)
	for i := range list {
		list[i] = ir.Diagnostic{Severity: ir.Error, Message: fmt.Sprint(i)}
	}
	got := Diagnostics(list)
	if len(got) != 101 || got[99].Message != "99" || got[100].Message != "1 more diagnostics are not listed" || got[100].Severity != event.SeverityNote {
		t.Errorf("of 101 findings %d are listed, the last is %+v", len(got), got[len(got)-1])
	}
}

// TestTextsWithoutTheirConstants are read with zeros and a warning at the first of them; other errors stay errors.
func TestTextsWithoutTheirConstants(t *testing.T) {
	constant := func(line string) string {
		return graphModule("def main(x: "+vector+") -> "+vector+":", `    c: R.Tensor((4,), "float32") = metadata["relax.expr.Constant"][0]`, line, "    return y")
	}
	mods, found, err := textOf("a.py", constant("    y = R.add(x, c)")).Load(t.Context())
	if err != nil || len(mods) != 1 || len(found) != 1 {
		t.Fatalf("it is read as %v with %v (%v)", mods, found, err)
	}
	if n := mods[0].Module.Origins().Len(); n == 0 {
		t.Error("its values come from nowhere")
	}
	if d := found[0]; d.Severity != ir.Warning || d.Code != "constants" || d.Span.Line != 5 || d.Message != "the text does not contain the values of constants; zeros are used instead" {
		t.Errorf("the warning is %+v at %+v", d, d.Span)
	}
	if mods, _, err := textOf("a.py", constant("    y = R.addd(x, c)")).Load(t.Context()); err == nil || mods != nil || !strings.Contains(err.Error(), "addd") {
		t.Errorf("with another error it is read as %v (%v)", mods, err)
	}
	if mods, found, err := textOf("a.py", doubled()).Load(t.Context()); err != nil || len(mods) != 1 || len(found) != 0 {
		t.Errorf("a whole text is read as %v with %v (%v)", mods, found, err)
	}
	if _, _, err := textOf("a.py", "x =").Load(t.Context()); err == nil || strings.Contains(err.Error(), "metadata") {
		t.Errorf("a text with an error gives %v", err)
	}
	if moduleSpan(ir.NewModule()) != nil {
		t.Error("an empty module has a place")
	}
	bare := &relax.Function{}
	placed := &relax.Function{}
	placed.Span = &ir.Span{Line: 3}
	if s := moduleSpan(ir.NewModule().With("a", bare).With("b", placed)); s != placed.Span {
		t.Errorf("the place of a module is %+v", s)
	}
}

// TestANameThatIsNoLoweringPass is not what an error lacks.
func TestANameThatIsNoLoweringPass(t *testing.T) {
	if e := fmt.Sprint(nameMissing(&event.Error{Kind: event.KindCodegen, Message: "m"}, []string{"legalizeops"})); !strings.HasPrefix(e, "m") {
		t.Errorf("a name that is none gives %s", e)
	}
}
