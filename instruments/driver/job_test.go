package driver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

const userPass = "def f(mod):\n    return mod\nmine = module_pass(f, opt_level=0, name=\"Mine\")\n"

// TestResolve: what settings stand for, or all that is wrong with them, by the field that it is wrong with.
func TestResolve(t *testing.T) {
	script := []request.Script{{Name: "mine.star", Source: userPass}}
	for name, c := range map[string]struct {
		req driver.Request
		// want is the name, target and passes of the job; wrong lists the fields of problems, a field in capitals is fatal.
		want, wrong string
	}{
		"nothing":          {driver.Request{}, "default wasm default", ""},
		"a pipeline":       {of(request.Settings{Pipeline: " tir ", Target: "interp"}), "tir interp tir", ""},
		"steps":            {of(request.Settings{Pipeline: "zero", Steps: []request.Step{{Name: "FuseOps"}, {Name: "s", Steps: []request.Step{{Name: "tir.Simplify"}}}}}), "custom wasm FuseOps s", ""},
		"no steps":         {of(request.Settings{Steps: []request.Step{}}), "custom wasm ", ""},
		"a list":           {driver.Request{Passes: `FuseOps{"fuse_opt_level": 1},user.Mine`, Settings: request.Settings{Scripts: script}}, "custom wasm FuseOps user.Mine", ""},
		"a target":         {of(request.Settings{Target: "wasm -mattr=-simd128"}), "default wasm -mattr=-simd128 default", ""},
		"names":            {of(request.Settings{Disabled: []string{"Simplify", "tir", "user.Mine"}, Required: []string{"FuseOps"}, Scripts: script}), "default wasm default", ""},
		"a pass of a list": {driver.Request{Passes: "s[FuseOps]", Settings: request.Settings{Disabled: []string{"s"}}}, "custom wasm s", ""},

		"wrong target":   {of(request.Settings{Target: "avr"}), "", "TARGET"},
		"wrong pipeline": {of(request.Settings{Pipeline: "fast"}), "", "PIPELINE"},
		"wrong list":     {driver.Request{Passes: "FuseOp"}, "", "PASSES"},
		"wrong steps":    {of(request.Settings{Steps: []request.Step{{Name: "FuseOp"}, {Name: "FuseOps", Options: map[string]any{"a": 1.0}}}}), "", "STEPS STEPS"},
		"wrong script":   {of(request.Settings{Scripts: []request.Script{{Name: "s.star", Source: "x = nothing"}}}), "", "SCRIPTS"},
		"wrong names":    {of(request.Settings{Disabled: []string{"FuseOp"}, Required: []string{"FusOps"}}), "default wasm default", "required disabled"},
		"wrong value":    {of(request.Settings{Config: map[string]any{"tir.disable_assert": "x", "none": 1.0}}), "default wasm default", "config config"},
		"no value":       {of(request.Settings{Config: map[string]any{"tir.disable_assert": nil}}), "", "CONFIG"},
		"all":            {of(request.Settings{Target: "avr", Pipeline: "fast", Disabled: []string{"FuseOp"}, Config: map[string]any{"none": 1.0}}), "", "TARGET disabled config PIPELINE"},
	} {
		j, problems, err := driver.Resolve(t.Context(), c.req)
		if err != nil {
			t.Fatal(err)
		}
		var fields []string
		for i := range problems {
			p := problems[i]
			field := p.Field
			if problems[i:i+1].Fatal() != nil {
				field = strings.ToUpper(field)
			}
			if fields = append(fields, field); p.Message == "" || p.Err == nil {
				t.Errorf("%s: the problem %+v has no message", name, p)
			}
		}
		if got := strings.Join(fields, " "); got != c.wrong {
			t.Errorf("%s: the problems are %q, want %q", name, got, c.wrong)
		}
		if (problems.Fatal() == nil) != (c.want != "") {
			t.Errorf("%s: the fatal problem is %+v", name, problems.Fatal())
		}
		if c.want == "" || problems.Fatal() != nil {
			continue
		}
		names := []string{j.Name, j.Target.String()}
		if j.Name != driver.CustomPipeline {
			names = append(names, j.Pipeline.Name)
		} else if len(j.Pipeline.Children) == 0 {
			names = append(names, "")
		}
		for _, p := range j.Pipeline.Children {
			if j.Name == driver.CustomPipeline {
				names = append(names, p.Name)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: the job is %q, want %q", name, got, c.want)
		}
	}
}

// TestLevelsOfAList: what a list names runs from its level on, or whatever it is; passes of the registry stay as they are.
func TestLevelsOfAList(t *testing.T) {
	for any, want := range map[bool]string{false: "3 1 0", true: "0 0 0"} {
		j, problems, err := driver.Resolve(t.Context(), driver.Request{Passes: "EliminateCommonSubexpr,ApplyDefaultSchedule,FuseOps", AnyLevel: any})
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		var levels []int
		for _, p := range j.Pipeline.Children {
			levels = append(levels, p.Level)
		}
		if got := strings.Trim(fmt.Sprint(levels), "[]"); got != want || j.Registry.Lookup("EliminateCommonSubexpr").Level != 3 {
			t.Errorf("with any level %v the levels are %s, want %s", any, got, want)
		}
	}
}

// TestPipelinesAreThoseOfTheTarget: however a request names a pipeline, the list is the one for its target.
func TestPipelinesAreThoseOfTheTarget(t *testing.T) {
	for target, want := range map[string]bool{"": true, "wasm -mattr=-simd128": true, "interp": false} {
		for name, req := range map[string]driver.Request{
			"the default": {}, "a pipeline": of(request.Settings{Pipeline: "tir"}), "a list": {Passes: "LegalizeOps,mine[tir]"},
			"a step": of(request.Settings{Steps: []request.Step{{Name: "s", Steps: []request.Step{{Name: "tir"}}}}}),
		} {
			req.Settings.Target = target
			j, problems, err := driver.Resolve(t.Context(), req)
			if err != nil || len(problems) > 0 {
				t.Fatalf("%s for %q: %v, %v", name, target, problems, err)
			}
			if got := j.Pipeline.Holds("tir.UnrollLoop"); got != want || !j.Pipeline.Holds("tir.VectorizeLoop") {
				t.Errorf("%s for %q holds tir.UnrollLoop: %v, want %v", name, target, got, want)
			}
		}
	}
}

func of(s request.Settings) driver.Request { return driver.Request{Settings: s} }

// TestKeyOfAJob: it depends on all settings that change code, on the list of passes, and on its use.
func TestKeyOfAJob(t *testing.T) {
	key := func(req driver.Request, use string) string {
		j, _, err := driver.Resolve(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return j.Key(use)
	}
	seen := map[string]string{key(driver.Request{}, "a"): "nothing"}
	for name, req := range map[string]driver.Request{
		"target": of(request.Settings{Target: "interp"}), "opt_level": of(request.Settings{OptLevel: 1}), "pipeline": of(request.Settings{Pipeline: "zero"}),
		"steps": of(request.Settings{Steps: []request.Step{{Name: "FuseOps"}}}), "disabled": of(request.Settings{Disabled: []string{"FuseOps"}}),
		"required": of(request.Settings{Required: []string{"FuseOps"}}), "config": of(request.Settings{Config: map[string]any{"tir.disable_assert": true}}),
		"shapes":  of(request.Settings{Shapes: map[string][]int64{"x": {1}}}),
		"scripts": of(request.Settings{Scripts: []request.Script{{Name: "s.star", Source: "x = 1\n"}}}),
		"patches": of(request.Settings{Patches: []request.Patch{{After: "FuseOps", Text: "# a"}}}), "passes": {Passes: "FuseOps"}, "levels": {AnyLevel: true},
	} {
		k := key(req, "a")
		if other, ok := seen[k]; ok {
			t.Errorf("%s does not change the key (it is that of %s)", name, other)
		}
		seen[k] = name
	}
	same := of(request.Settings{Seed: 3, Rewrites: true, Bindings: []map[string]int64{{"n": 2}}})
	if seen[key(same, "a")] != "nothing" || key(same, "b") == key(same, "a") {
		t.Error("what changes no code changes the key, or the use does not")
	}
}

// TestTheRequestOfTheCompiler holds all that a job says.
func TestTheRequestOfTheCompiler(t *testing.T) {
	j, _, err := driver.Resolve(t.Context(), of(request.Settings{
		Target: "interp", OptLevel: 3, Required: []string{"FuseOps"}, Disabled: []string{"FuseTIR"}, Config: map[string]any{"tir.UnrollLoop": map[string]any{"auto_max_step": 4.0}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	m, watch := ir.NewModule(), &pass.Instrument{Name: "w"}
	got := j.Compiler(m, j.Pipeline, watch)
	step, _ := got.Config["tir.UnrollLoop"].(*ir.Attrs).Get("auto_max_step")
	if got.Module != m || got.Pipeline != j.Pipeline || got.Target.String() != "interp" || *got.OptLevel != 3 || fmt.Sprint(got.Required, got.Disabled) != "[FuseOps] [FuseTIR]" ||
		step != int64(4) || got.Registry.Lookup("FuseOps") == nil || len(got.Instruments) != 1 || got.Instruments[0] != watch {
		t.Errorf("the request is %+v", got)
	}
}

// TestSizesOfGivenInputs are those of inputs that are made up, and without any the error says what is missing, or with Guess it is 1.
func TestSizesOfGivenInputs(t *testing.T) {
	given := tensor.MustNew(dtype.Float32T, 3)
	run := func(params string, in driver.Inputs) (*driver.Execution, error) {
		t.Helper()
		text := "@R.function\ndef main(" + params + ") -> R.Tensor(dtype=\"float32\", ndim=1):\n    z = R.add(y, y)\n    return z\n"
		j, problems, err := driver.Resolve(t.Context(), driver.Request{Source: driver.Source{Name: "m.py", Data: []byte(text)}, Settings: request.Settings{OptLevel: 2}, Inputs: in})
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		eng := compiler.NewEngine()
		defer eng.Close()
		task, err := driver.Run(t.Context(), j, &driver.Log{}, driver.Hooks{Engine: eng})
		return task.Executed(), err
	}
	first := func(i int) *tensor.Tensor { return map[int]*tensor.Tensor{0: given}[i] }
	const two = `x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")`
	if x, err := run(two, driver.Inputs{Given: first}); err != nil || x.Args[0] != given || x.Args[1].Shape[0] != 3 || len(x.MadeUp) != 1 || len(x.MadeUp[0].Ones) != 0 {
		t.Errorf("beside an input of size 3 the other is %+v (%v)", x, err)
	}
	if x, err := run(two, driver.Inputs{}); err != nil || len(x.MadeUp) != 2 || x.Args[1].Shape[0] != 1 || fmt.Sprint(x.MadeUp[1].Ones) != "[n]" {
		t.Errorf("without inputs they are %+v (%v)", x, err)
	}
	const twice = `x: R.Tensor(("n",), "float32"), y: R.Tensor(("n * 2",), "float32")`
	var bad *driver.InputError
	if _, err := run(twice, driver.Inputs{}); !errors.As(err, &bad) || bad.Param.Name != "y" || err.Error() != "input y: its dimension n * 2 is computed from others; set the shape in shapes" {
		t.Errorf("an input of computed shape gives %v", err)
	}
}

// TestGivenInputs run in place of random ones; sizes that they settle are those of the others.
func TestGivenInputs(t *testing.T) {
	m, _ := gallery.Lookup("batch")
	x := tensor.MustNew(dtype.Float32T, 3, 32)
	j, problems, err := driver.Resolve(t.Context(), driver.Request{
		Source: driver.Source{Name: "batch", Data: m.Bytes}, Settings: request.Settings{OptLevel: 2}, Fixed: driver.FixedInstead,
		Inputs: driver.Inputs{Repeat: 2, Given: func(i int) *tensor.Tensor { return map[int]*tensor.Tensor{0: x}[i] }},
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	eng := compiler.NewEngine()
	defer eng.Close()
	log := &driver.Log{}
	task, err := driver.Run(t.Context(), j, log, driver.Hooks{Engine: eng})
	if err != nil {
		t.Fatal(err)
	}
	got := task.Executed()
	if len(task.Executions) != 1 || len(got.MadeUp) != 0 || got.Args[0] != x || got.Outputs[0].Shape[0] != 3 || len(got.Measured.Latency) != 2 {
		t.Errorf("it was executed as %+v", got)
	}
	if s := got.Specialized; s == nil || s.Err != nil || s.Sizes["batch"] != 3 || s.Took <= 0 {
		t.Errorf("code for its sizes is %+v", s)
	}
	if b := log.Events[len(log.Events)-1].Body.(*event.Executed); b.Inputs[0].Source != "given" || b.Outputs[0].Name != "scores" && b.Outputs[0].Name == "output 0" {
		t.Errorf("the event is %+v", b)
	}
}

// A job from Go, without the command line and the web.
func Example() {
	ctx := context.Background()
	job, problems, err := driver.Resolve(ctx, driver.Request{
		Source: driver.Source{Name: "double.py", Data: []byte(`
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    return y
`)},
		Settings: request.Settings{OptLevel: 2, Disabled: []string{"FuseOps"}},
		Inputs: driver.Inputs{Given: func(int) *tensor.Tensor {
			x := tensor.MustNew(dtype.Float32T, 2)
			x.SetFloat(0, 20)
			x.SetFloat(1, 21)
			return x
		}},
	})
	if err != nil || len(problems) > 0 {
		fmt.Println(err, problems)
		return
	}
	eng := compiler.NewEngine()
	defer eng.Close()
	log := &driver.Log{}
	task, err := driver.Run(ctx, job, log, driver.Hooks{Engine: eng})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := task.Executed().Outputs[0]
	fmt.Println(out.Float(0), out.Float(1))
	fmt.Println(log.Events[0].Type, log.Events[len(log.Events)-1].Type)
	// Output:
	// 40 42
	// run_started executed
}

// TestNamesInThePipelineOfRelay: X means relay.X there, and nowhere else.
func TestNamesInThePipelineOfRelay(t *testing.T) {
	for pl, want := range map[string]string{"relay": "relay.SimplifyInference", "default": "SimplifyInference"} {
		j, _, err := driver.Resolve(t.Context(), of(request.Settings{Pipeline: pl, Disabled: []string{"SimplifyInference"}, Required: []string{"FuseTIR"}}))
		if err != nil {
			t.Fatal(err)
		}
		req := j.Compiler(nil, j.Pipeline)
		if req.Disabled[0] != want || req.Required[0] != "FuseTIR" {
			t.Errorf("%s: disabled %v, required %v", pl, req.Disabled, req.Required)
		}
	}
}

// TestStepsAreAsPipelinesHoldThem asks for LegalizeOps without options: a run gets it as the default pipeline has it, what runs passes alone as it is.
func TestStepsAreAsPipelinesHoldThem(t *testing.T) {
	for _, x := range []struct {
		req  driver.Request
		want string
	}{
		{driver.Request{Settings: request.Settings{Steps: []request.Step{{Name: "LegalizeOps"}}}}, "tuned"},
		{driver.Request{Settings: request.Settings{Steps: []request.Step{{Name: "LegalizeOps", Options: map[string]any{"kernels": "topi"}}}}}, "topi"},
		{driver.Request{Passes: "LegalizeOps"}, "tuned"},
		{driver.Request{Passes: "LegalizeOps", AnyLevel: true}, "topi"},
	} {
		j, problems, err := driver.Resolve(t.Context(), x.req)
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		if got := j.Pipeline.Children[0].Arg("kernels"); got != x.want {
			t.Errorf("%+v: the kernels are %v, want %s", x.req, got, x.want)
		}
	}
}
