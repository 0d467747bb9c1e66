// The rules of pass infrastructures as TVM's source and tests state them, by their numbers in
// the project's reference. Go's types enforce these parts without a test:
//
//	 7: opt_level is mandatory (an argument of every constructor), and passes cannot be made
//	    of classes or of other things than functions;
//	 8: a module pass cannot return something other than a module, a function pass not a
//	    function of the other level;
//	10: nodes are never written after they were built, so the check of
//	    testing.immutable_module is a second line of defence;
//	24: names are a list of strings, and a context has no parent to inherit from.
package pass_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func TestRule01OnlySequentialFilters(t *testing.T) {
	var tr trace
	p := tr.pass("P", 4)
	c := newContext(t, pass.OptLevel(0), pass.DisablePass("P"))
	run(t, c, p, testModule())
	tr.want(t, "P")
	run(t, c, pass.NewSequential("", p), testModule())
	tr.want(t, "P")
	veto := newContext(t, pass.Instruments(tr.instrument("1", "veto")))
	run(t, veto, p, testModule())
	tr.want(t, "P should1")
}

func TestRule02PassEnabled(t *testing.T) {
	var tr trace
	p := tr.pass("P", 3)
	for _, tt := range []struct {
		level              int
		required, disabled []string
		want               bool
		why                string
	}{
		{2, nil, nil, false, "level 3 > 2"},
		{3, nil, nil, true, ""},
		{0, []string{"P"}, nil, true, ""},
		{4, nil, []string{"P"}, false, "disabled"},
		{4, []string{"P"}, []string{"P"}, false, "disabled"},
		{4, nil, []string{"p", "P1", "module.P"}, true, ""},
	} {
		c := newContext(t, pass.OptLevel(tt.level), pass.RequirePass(tt.required...), pass.DisablePass(tt.disabled...))
		got, reason := c.PassEnabled(p)
		if got != tt.want || reason.Text != tt.why {
			t.Errorf("%+v: got %v, %q", tt, got, reason.Text)
		}
	}
}

func TestRule03RequiredPassesOfSequentialChildren(t *testing.T) {
	var tr trace
	deep := tr.pass("Deep", 0)
	req := tr.pass("Req", 4, "Deep")
	p := tr.pass("P", 0, "Req", "transform.Req")
	c := newContext(t, pass.WithRegistry(registry{deep, req, p}), pass.DisablePass("Req"))
	run(t, c, pass.NewSequential("", p, p), testModule())
	tr.want(t, "Req Req P Req Req P") // whatever their level, one level deep, every time
	tr = nil
	run(t, c, p, testModule())
	tr.want(t, "P")
	_, err := newContext(t, pass.WithRegistry(registry{p})).Run(pass.NewSequential("", p), testModule())
	wantAs[*pass.UnknownPassError](t, err, `"Req"`, "required by P")
}

func TestRule04SequentialIsAPass(t *testing.T) {
	var tr trace
	in := &pass.Instrument{Name: "log", RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
		tr.add("+" + s.Path())
		return nil
	}, RunAfterPass: func(_ *ir.Module, s *pass.Step) error {
		tr.add("-" + s.Path())
		return nil
	}}
	s := pass.NewSequential("", tr.pass("A", 0), pass.NewSequential("inner", tr.pass("B", 0)))
	if s.Name != "sequential" || s.Level != 0 {
		t.Errorf("default name and level are %s and %d", s.Name, s.Level)
	}
	m := testModule()
	if run(t, newContext(t, pass.Instruments(in)), s, m) != m {
		t.Error("the module changed")
	}
	tr.want(t, "+1/sequential +1.1/A A -1.1/A +1.2/inner +1.2.1/B B -1.2.1/B -1.2/inner -1/sequential")
	if run(t, newContext(t), pass.NewSequential("empty"), m) != m {
		t.Error("an empty sequence changed the module")
	}
}

func TestRule05ShouldRunOfAllInstruments(t *testing.T) {
	var tr trace
	p := tr.pass("P", 0)
	c := newContext(t, pass.Instruments(tr.instrument("1", "veto"), tr.instrument("2", "")))
	m := testModule()
	if run(t, c, p, m) != m {
		t.Error("a skipped pass changed the module")
	}
	tr.want(t, "should1 should2")
	tr = nil
	c = newContext(t, pass.RequirePass("P"), pass.Instruments(tr.instrument("1", "veto"), tr.instrument("2", "")))
	run(t, c, p, m)
	tr.want(t, "before1 before2 P after1 after2")
}

func TestRule06DefaultContext(t *testing.T) {
	var s pass.Stack
	c := s.Current()
	if c.OptLevel != 2 || len(c.Instruments()) != 0 || c.Config.Values().Len() != 0 {
		t.Errorf("default context: %+v", c)
	}
	if c != s.Current() {
		t.Error("the default context is made anew each time")
	}
	var tr trace
	if err := c.OverrideInstruments(tr.instrument("1", "")); err != nil {
		t.Fatal(err)
	}
	if len(s.Current().Instruments()) != 1 {
		t.Error("the default context did not keep its instruments")
	}
	inner := newContext(t)
	if err := s.Enter(inner); err != nil {
		t.Fatal(err)
	}
	if s.Current() != inner {
		t.Error("an entered context is not current")
	}
	if err := s.Exit(); err != nil || s.Current() != c {
		t.Error("the default context is not current again")
	}
	if s.Exit() == nil {
		t.Error("leaving an empty stack is not an error")
	}
}

func TestRule07Constructors(t *testing.T) {
	keepR := func(_ *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) { return f, nil }
	p, err := pass.NewFunctionPass("mine", 3, keepR, "A", "B")
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "mine" || p.Level != 3 || !names(p.Required, "A", "B") || p.Kind != pass.Function {
		t.Errorf("info is %s", p)
	}
	if !strings.Contains(p.String(), "mine") {
		t.Errorf("%s lacks the name", p)
	}
	_, err = pass.NewModulePass("m", 0, nil)
	wantAs[*pass.TypeError](t, err, "a function", "nil")
	_, err = pass.NewFunctionPass("f", 0, nil)
	wantAs[*pass.TypeError](t, err)
	_, err = pass.NewPrimFuncPass("f", 0, nil)
	wantAs[*pass.TypeError](t, err)
	_, err = pass.NewDataflowBlockPass("f", 0, nil)
	wantAs[*pass.TypeError](t, err)
	_, err = pass.NewFunctionPass("", 0, keepR)
	wantAs[*pass.ValueError](t, err, "a name")
	_, err = pass.NewFunctionPass("f", -1, keepR)
	wantAs[*pass.ValueError](t, err, "opt_level")
	_, err = pass.NewContext(t.Context(), pass.OptLevel(-1))
	wantAs[*pass.ValueError](t, err, "opt_level")
}

func TestRule08KindsOfPass(t *testing.T) {
	m := testModule()
	c := newContext(t)
	nothing, err := pass.NewModulePass("nothing", 0, func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(nothing, m)
	wantAs[*pass.Error](t, err, "nothing", "no module")

	var seen []string
	fp, _ := pass.NewFunctionPass("fp", 0, func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		seen = append(seen, gv.Name)
		if c.Step().Input != m {
			t.Error("functions are not computed from the input module")
		}
		return f, nil
	})
	run(t, c, fp, m)
	if !slices.Equal(seen, []string{"main"}) {
		t.Errorf("a function pass saw %v", seen)
	}
	null, _ := pass.NewFunctionPass("null", 0, func(*pass.Context, *ir.GlobalVar, *relax.Function) (*relax.Function, error) { return nil, nil })
	_, err = c.Run(null, m)
	wantAs[*pass.Error](t, err, "in function main", "must return a function")

	drop, _ := pass.NewPrimFuncPass("drop", 0, func(*pass.Context, *ir.GlobalVar, *tir.PrimFunc) (*tir.PrimFunc, error) { return nil, nil })
	if out := run(t, c, drop, m); out.Lookup("kernel") != nil || out.Len() != 2 {
		t.Error("a nil result does not delete a PrimFunc")
	}
}

func TestRule09SameModule(t *testing.T) {
	m := testModule()
	keep, _ := pass.NewPrimFuncPass("keep", 0, func(_ *pass.Context, _ *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) { return f, nil })
	if run(t, newContext(t), keep, m) != m {
		t.Error("a pass that returns what it was given made a new module")
	}
}

func TestRule10ImmutableModule(t *testing.T) {
	m := testModule()
	bad, _ := pass.NewModulePass("Bad", 0, func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		m.Lookup("main").(*relax.Function).Pure = false // what no pass may do
		return m, nil
	})
	c := newContext(t, pass.Configure(map[string]any{"testing.immutable_module": true}))
	_, err := c.Run(bad, m)
	wantAs[*pass.Error](t, err, "Immutable module has been modified in pass: Bad")
	var tr trace
	run(t, c, tr.pass("Good", 0), testModule())
}

func TestRule11EnterThenPush(t *testing.T) {
	var tr trace
	var s pass.Stack
	watch := func(in *pass.Instrument, c func() *pass.Context) *pass.Instrument {
		enter, exit := in.EnterPassCtx, in.ExitPassCtx
		in.EnterPassCtx = func() error {
			if s.Current() == c() {
				t.Error("the context is current before its instruments were entered")
			}
			return enter()
		}
		in.ExitPassCtx = func() error {
			if s.Current() == c() {
				t.Error("the context is still current while its instruments are left")
			}
			return exit()
		}
		return in
	}
	var c *pass.Context
	get := func() *pass.Context { return c }
	c = newContext(t, pass.Instruments(watch(tr.instrument("1", ""), get), watch(tr.instrument("2", ""), get)))
	if err := s.With(c, func(*pass.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	tr.want(t, "enter1 enter2 exit1 exit2")
}

func TestRule12EnterFails(t *testing.T) {
	var tr trace
	var s pass.Stack
	c := newContext(t, pass.Instruments(tr.instrument("1", ""), tr.instrument("2", ""), tr.instrument("3", "enter"), tr.instrument("4", "")))
	err := s.Enter(c)
	wantAs[*pass.InstrumentError](t, err, "instrument 3", "enter_pass_ctx")
	if !errors.Is(err, errBoom) {
		t.Error("the cause is lost")
	}
	tr.want(t, "enter1 enter2 enter3 exit2 exit1")
	if len(c.Instruments()) != 0 || s.Current() == c {
		t.Error("the context kept its instruments or became current")
	}
}

func TestRule13ExitFails(t *testing.T) {
	var tr trace
	var s pass.Stack
	c := newContext(t, pass.Instruments(tr.instrument("1", "exit"), tr.instrument("2", "")))
	err := s.With(c, func(*pass.Context) error { return nil })
	wantAs[*pass.InstrumentError](t, err, "exit_pass_ctx")
	tr.want(t, "enter1 enter2 exit1")
	if len(c.Instruments()) != 0 || s.Current() == c {
		t.Error("the context kept its instruments or is still current")
	}
}

func runIn(t *testing.T, p *pass.Pass, list ...*pass.Instrument) error {
	t.Helper()
	var s pass.Stack
	return s.With(newContext(t, pass.Instruments(list...)), func(c *pass.Context) error {
		_, err := c.Run(p, testModule())
		return err
	})
}

func TestRule14PassFails(t *testing.T) {
	var tr trace
	p, _ := pass.NewModulePass("P", 0, func(*pass.Context, *ir.Module) (*ir.Module, error) { tr.add("P"); return nil, errBoom })
	err := runIn(t, p, tr.instrument("1", ""))
	wantAs[*pass.Error](t, err, "pass P (step 1/P)", "boom")
	tr.want(t, "enter1 should1 before1 P exit1")
}

func TestRule15ShouldRunFails(t *testing.T) {
	var tr trace
	err := runIn(t, tr.pass("P", 0), tr.instrument("1", "should"), tr.instrument("2", ""))
	wantAs[*pass.InstrumentError](t, err, "should_run around pass P")
	tr.want(t, "enter1 enter2 should1 exit1 exit2")
}

func TestRule16BeforeFails(t *testing.T) {
	var tr trace
	err := runIn(t, tr.pass("P", 0), tr.instrument("1", "before"), tr.instrument("2", ""))
	wantAs[*pass.InstrumentError](t, err, "run_before_pass")
	tr.want(t, "enter1 enter2 should1 should2 before1 exit1 exit2")
}

func TestRule17AfterFails(t *testing.T) {
	var tr trace
	err := runIn(t, tr.pass("P", 0), tr.instrument("1", "after"), tr.instrument("2", ""))
	wantAs[*pass.InstrumentError](t, err, "run_after_pass")
	tr.want(t, "enter1 enter2 should1 should2 before1 before2 P after1 exit1 exit2")
}

func TestRule18TwoInstrumentsTwoPasses(t *testing.T) {
	var tr trace
	var s pass.Stack
	c := newContext(t, pass.Instruments(tr.instrument("1", ""), tr.instrument("2", "")))
	err := s.With(c, func(c *pass.Context) error {
		for _, p := range []string{"A", "B"} {
			run(t, c, tr.pass(p, 0), testModule())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	each := func(p string) string { return "should1 should2 before1 before2 " + p + " after1 after2 " }
	tr.want(t, "enter1 enter2 "+each("A")+each("B")+"exit1 exit2")
}

func TestRule19OverrideInstruments(t *testing.T) {
	var tr trace
	c := newContext(t, pass.Instruments(tr.instrument("1", "")))
	if err := c.OverrideInstruments(tr.instrument("2", "")); err != nil {
		t.Fatal(err)
	}
	run(t, c, tr.pass("P", 0), testModule())
	if err := c.OverrideInstruments(); err != nil || len(c.Instruments()) != 0 {
		t.Errorf("cannot take the instruments away: %v", err)
	}
	tr.want(t, "exit1 enter2 should2 before2 P after2 exit2")
	for _, fail := range []string{"enter", "exit"} {
		var tr trace
		old, next := tr.instrument("1", fail), tr.instrument("2", fail)
		c := newContext(t, pass.Instruments(old))
		err := c.OverrideInstruments(next)
		wantAs[*pass.InstrumentError](t, err, fail+"_pass_ctx")
		if len(c.Instruments()) != 0 {
			t.Errorf("%s failed and instruments were left", fail)
		}
	}
}

// TestRule20 is in package instruments, where the timing instrument is.

func TestRule21EqualCounts(t *testing.T) {
	var tr trace
	before, after := 0, 0
	in := &pass.Instrument{
		Name:          "count",
		RunBeforePass: func(*ir.Module, *pass.Step) error { before++; return nil },
		RunAfterPass:  func(*ir.Module, *pass.Step) error { after++; return nil },
	}
	s := pass.NewSequential("", tr.pass("A", 0), pass.NewSequential("", tr.pass("B", 0), tr.pass("C", 4)))
	run(t, newContext(t, pass.Instruments(in)), s, testModule())
	if before != after || before != 4 {
		t.Errorf("%d before and %d after", before, after)
	}
}

func TestRule22ConfigErrors(t *testing.T) {
	bad := func(key string, v any) error {
		_, err := pass.NewContext(t.Context(), pass.Configure(map[string]any{key: v}))
		return err
	}
	err := bad("no.such.option", 1)
	wantAs[*pass.ConfigError](t, err, "Invalid config option 'no.such.option' candidates are: ")
	for key := range pass.ListConfigs() {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("the candidates lack %s", key)
		}
	}
	wantAs[*pass.ConfigError](t, bad("tir.UnrollLoop", nil), "tir.UnrollLoop is None")
	wantAs[*pass.ConfigError](t, bad("tir.UnrollLoop", 1), "dict")
	wantAs[*pass.ConfigError](t, bad("relax.transform.apply_legalize_ops", "yes"), "bool")
	wantAs[*pass.ConfigError](t, bad("relax.FuseOps.max_depth", 1.5), "int")
	wantAs[*pass.FieldError](t, bad("tir.UnrollLoop", map[string]any{"nope": 1}), `"nope"`, "auto_max_step")
	wantAs[*pass.ConfigError](t, bad("tir.UnrollLoop", map[string]any{"auto_max_step": "x"}), "auto_max_step")
	_, err = pass.NewConfig(map[string]any{"tir.disable_assert": true, "tirx.disable_assert": false})
	wantAs[*pass.ConfigError](t, err, "tirx.disable_assert is also given as tir.disable_assert")
	newer, err := pass.NewConfig(map[string]any{"tirx.StmtSimplify": map[string]any{"transitively_prove_inequalities": true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"tir.Simplify", "tirx.StmtSimplify"} {
		if !newer.Get(key).(*ir.Attrs).Bool("transitively_prove_inequalities", false) {
			t.Errorf("%s was not set by its newer name", key)
		}
	}
	cfg, err := pass.NewConfig(map[string]any{"tir.UnrollLoop": map[string]any{"auto_max_step": 16}})
	if err != nil {
		t.Fatal(err)
	}
	full := cfg.Get("tir.UnrollLoop").(*ir.Attrs)
	if full.Int("auto_max_step", 0) != 16 || !full.Bool("explicit_unroll", false) || full.Int("auto_max_depth", 0) != 8 {
		t.Errorf("defaults were not filled in: %v", full)
	}
}

func TestRule23ListConfigs(t *testing.T) {
	list := pass.ListConfigs()
	if len(list) < 10 {
		t.Errorf("only %d options", len(list))
	}
	for key, want := range map[string]string{"relax.transform.apply_legalize_ops": "bool", "relax.FuseOps.max_depth": "int", "tir.UnrollLoop": "dict"} {
		if got := list[key]["type"]; got != want {
			t.Errorf("%s is a %s, want %s", key, got, want)
		}
	}
}

func TestRule24NestedContextsInheritNothing(t *testing.T) {
	var s pass.Stack
	outer := newContext(t, pass.OptLevel(4), pass.RequirePass("A"), pass.DisablePass("B"), pass.Configure(map[string]any{"relax.transform.apply_legalize_ops": false}))
	err := s.With(outer, func(*pass.Context) error {
		return s.With(newContext(t), func(c *pass.Context) error {
			if c.OptLevel != 2 || c.Required != nil || c.Disabled != nil || c.Config.Get("relax.transform.apply_legalize_ops") != true {
				t.Errorf("the inner context took something over: %+v", c)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
