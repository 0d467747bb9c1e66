package pass_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestPanicNamesStepAndFunction(t *testing.T) {
	p, _ := pass.NewFunctionPass("Bad", 0, func(*pass.Context, *ir.GlobalVar, *relax.Function) (*relax.Function, error) {
		var m map[string]int
		m["x"] = 1 //lint:ignore SA5000 the panic is what is tested
		return nil, nil
	})
	_, err := newContext(t).Run(pass.NewSequential("outer", p), testModule())
	wantAs[*pass.Error](t, err, "pass Bad (step 1.1/Bad) in function main panicked", "nil map")
	var pe *pass.Error
	errors.As(err, &pe)
	if pe.Func != "main" || !strings.Contains(pe.Stack, "goroutine") {
		t.Errorf("function %q, stack %q", pe.Func, pe.Stack)
	}
}

func TestPanicOfInstrumentIsNotBlamedOnPass(t *testing.T) {
	var tr trace
	for _, callback := range []string{"should_run", "run_before_pass", "run_after_pass", "pass_skipped", "pass_failed"} {
		in := &pass.Instrument{Name: "bad"}
		p := tr.pass("P", 0)
		switch callback {
		case "should_run":
			in.ShouldRun = func(*ir.Module, *pass.Step) (bool, error) { panic("ouch") }
		case "run_before_pass":
			in.RunBeforePass = func(*ir.Module, *pass.Step) error { panic("ouch") }
		case "run_after_pass":
			in.RunAfterPass = func(*ir.Module, *pass.Step) error { panic("ouch") }
		case "pass_skipped":
			in.PassSkipped = func(*ir.Module, *pass.Step, pass.SkipReason) { panic("ouch") }
			p = tr.pass("P", 4)
		case "pass_failed":
			in.PassFailed = func(*ir.Module, *pass.Step, error) { panic("ouch") }
			p = &pass.Pass{Name: "P", Run: func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, errBoom }}
		}
		_, err := newContext(t, pass.Instruments(in)).Run(pass.NewSequential("", p), testModule())
		wantAs[*pass.InstrumentError](t, err, "instrument bad: "+callback, "panicked: ouch")
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var tr trace
	stop := &pass.Pass{Name: "Stop", Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		cancel(errBoom)
		if c.Err() != errBoom {
			t.Error("the cause does not reach the pass")
		}
		return m, nil
	}}
	c, err := pass.NewContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(pass.NewSequential("s", stop, tr.pass("P", 0)), testModule())
	wantAs[*pass.Error](t, err, "pass P", "stopped before it began")
	if !errors.Is(err, errBoom) {
		t.Errorf("%v does not wrap the cause", err)
	}
	tr.want(t, "")
}

func TestTimeExcludesInstruments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock of the bubble moves by naps only
		const nap = 20 * time.Millisecond
		var steps []*pass.Step
		in := &pass.Instrument{
			Name:          "slow",
			RunBeforePass: func(*ir.Module, *pass.Step) error { time.Sleep(nap); return nil },
			RunAfterPass:  func(_ *ir.Module, s *pass.Step) error { steps = append(steps, s); time.Sleep(nap); return nil },
			PassSkipped:   func(*ir.Module, *pass.Step, pass.SkipReason) { time.Sleep(nap) },
		}
		work := &pass.Pass{Name: "Work", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { time.Sleep(nap); return m, nil }}
		s := pass.NewSequential("s", work, work, &pass.Pass{Name: "Never", Level: 9, Run: work.Run})
		run(t, newContext(t, pass.Instruments(in)), s, testModule())
		outer, inner := steps[2], steps[0]
		if inner.Duration != nap || outer.Duration != 2*nap || outer.Self != 0 {
			t.Errorf("inner took %v, outer %v, %v itself, of two passes of %v", inner.Duration, outer.Duration, outer.Self, nap)
		}
	})
}

func TestUnknownNamesAreReportedOnce(t *testing.T) {
	var tr trace
	p := tr.pass("FuseOps", 0)
	c := newContext(t, pass.WithRegistry(registry{p}), pass.DisablePass("Fuseops"), pass.RequirePass("Nope"))
	run(t, c, p, testModule())
	run(t, c, p, testModule())
	ds := c.Diagnostics()
	if len(ds) != 2 {
		t.Fatalf("diagnostics: %v", ds)
	}
	if s := ds[1].Message; !strings.Contains(s, `"Fuseops" (disabled_pass)`) || !strings.Contains(s, `did you mean "FuseOps"`) {
		t.Errorf("message %q", s)
	}
	if ds[0].Severity != ir.Warning || !strings.Contains(ds[0].Message, `"Nope" (required_pass)`) {
		t.Errorf("diagnostic %v", ds[0])
	}
}

func TestAliasesDisable(t *testing.T) {
	var tr trace
	p := tr.pass("P", 0)
	c := newContext(t, pass.WithRegistry(registry{p}), pass.DisablePass("alias of P"))
	run(t, c, pass.NewSequential("", p), testModule())
	tr.want(t, "")
	if len(c.Diagnostics()) != 0 {
		t.Error(c.Diagnostics())
	}
}

func TestOptions(t *testing.T) {
	p := &pass.Pass{Name: "P", Options: []pass.Option{{Name: "n", Newer: "count", Default: 3}, {Name: "on", Default: true}}}
	if p.Arg("n") != int64(3) || p.Arg("on") != true {
		t.Errorf("defaults are %v and %v", p.Arg("n"), p.Arg("on"))
	}
	q, err := p.With(ir.NewAttrs("n", 4))
	if err != nil || q.Arg("n") != int64(4) || p.Arg("n") != int64(3) {
		t.Errorf("%v: %v and %v", err, q.Arg("n"), p.Arg("n"))
	}
	q, err = p.With(ir.NewAttrs("count", 5))
	if err != nil || q.Arg("n") != int64(5) {
		t.Errorf("%v: %v by the newer name", err, q.Arg("n"))
	}
	_, err = p.With(ir.NewAttrs("", 4))
	wantAs[*pass.OptionError](t, err, `""`)
	_, err = p.With(ir.NewAttrs("m", 4))
	wantAs[*pass.OptionError](t, err, `"m"`, "n, on")
	_, err = p.With(ir.NewAttrs("n", "x"))
	wantAs[*pass.OptionError](t, err, "type int")
	_, err = (&pass.Pass{Name: "Q"}).With(ir.NewAttrs("n", 1))
	wantAs[*pass.OptionError](t, err, "no options")
}

func TestParseConfig(t *testing.T) {
	for _, tt := range []struct {
		key, text string
		want      any
	}{
		{"relax.transform.apply_legalize_ops", "false", false},
		{"relax.FuseOps.max_depth", "0x10", int64(16)},
	} {
		key, v, err := pass.ParseConfig(tt.key, tt.text)
		if err != nil || key != tt.key || v != tt.want {
			t.Errorf("%s=%s: %v %v %v", tt.key, tt.text, key, v, err)
		}
	}
	for _, given := range []string{"tir.UnrollLoop.auto_max_step", "tirx.UnrollLoop.auto_max_step"} {
		key, v, err := pass.ParseConfig(given, "4")
		if m, ok := v.(map[string]any); err != nil || key != "tir.UnrollLoop" || !ok || m["auto_max_step"] != int64(4) {
			t.Errorf("%s: %v %v %v", given, key, v, err)
		}
	}
	if key, v, err := pass.ParseConfig("tirx.disable_vectorize", "true"); err != nil || key != "tir.disable_vectorize" || v != true {
		t.Errorf("%v %v %v", key, v, err)
	}
	if key, v, err := pass.ParseConfig("tirx.StmtSimplify.transitively_prove_inequalities", "true"); err != nil || key != "tir.Simplify" {
		t.Errorf("%v %v %v", key, v, err)
	}
	_, _, err := pass.ParseConfig("relax.transform.apply_legalize_ops", "maybe")
	wantAs[*pass.ConfigError](t, err, "maybe")
	_, _, err = pass.ParseConfig("tir.UnrollLoop.nope", "4")
	wantAs[*pass.FieldError](t, err, "nope")
	_, _, err = pass.ParseConfig("nope", "4")
	wantAs[*pass.ConfigError](t, err, "candidates")
}

func TestUndeclaredReadsPanic(t *testing.T) {
	for name, read := range map[string]func(*pass.Context){
		"config": func(c *pass.Context) { c.ConfigBool("relax.transform.apply_legalize_ops") },
		"level":  func(c *pass.Context) { c.Level() },
		"target": func(c *pass.Context) { c.TargetOf() },
		"option": func(c *pass.Context) { c.Arg("n") },
	} {
		p := &pass.Pass{Name: "P", Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) { read(c); return m, nil }}
		_, err := newContext(t).Run(p, testModule())
		wantAs[*pass.Error](t, err, "panicked", "does not declare")
		_ = name
	}
}

// blockModule holds a dataflow block that declares n, binds a local variable and an output.
func blockModule() *ir.Module {
	x := &relax.Var{Name: "x", SInfo: relax.TensorOfRank(dtype.Float32T, 1)}
	n := tir.NewVar("n", dtype.Int64T)
	info := relax.TensorOf(dtype.Float32T, n)
	y := &relax.Var{Name: "y", SInfo: info, Dataflow: true}
	out := &relax.Var{Name: "out", SInfo: info}
	b := &relax.BindingBlock{Dataflow: true, Bindings: []relax.Binding{
		&relax.MatchCast{Var: y, Value: x, SInfo: info}, &relax.VarBinding{Var: out, Value: y},
	}}
	f := &relax.Function{Params: []*relax.Var{x}, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{b}, Body: out}, Ret: x.SInfo, Pure: true}
	return ir.NewModule().With("main", f)
}

func TestDataflowBlockPassKeepsScope(t *testing.T) {
	edit := func(f func(list []relax.Binding) []relax.Binding) error {
		p, _ := pass.NewDataflowBlockPass("P", 0, func(_ *pass.Context, b *relax.BindingBlock) (*relax.BindingBlock, error) {
			return b.WithBindings(f(append([]relax.Binding{}, b.Bindings...))), nil
		})
		_, err := newContext(t).Run(p, blockModule())
		return err
	}
	if err := edit(func(l []relax.Binding) []relax.Binding { return l }); err != nil {
		t.Error(err)
	}
	wantAs[*pass.Error](t, edit(func(l []relax.Binding) []relax.Binding { return l[:1] }), "global-scope Var", `"out"`)
	wantAs[*pass.Error](t, edit(func(l []relax.Binding) []relax.Binding { return l[1:] }), "symbolic Var declared by a MatchCast", `"n"`)
	wantAs[*pass.Error](t, edit(func([]relax.Binding) []relax.Binding { return nil }), "in function main")
}
