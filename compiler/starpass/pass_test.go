package starpass_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/target"
)

func TestPassKinds(t *testing.T) {
	prints(t, `
def whole(mod, ctx):
    """Marks the module."""
    print("module", type(mod), type(ctx), ctx.opt_level)
    return mod.with_attr("seen", True)
def each(func, mod, ctx):
    print("function", func.attrs["global_symbol"], len(mod))
    return func.with_attr("seen", 1)
def kernel(func):
    print("prim_func", func.attrs["global_symbol"])
    return None
def flow(block, mod):
    print("dataflowblock", [b.var.name for b in block.bindings])
    return block
p = module_pass(whole, opt_level=1)
q = function_pass(each, opt_level=2, name="Each", required=["FoldConstant"])
s = sequential([p, q, prim_func_pass(kernel, opt_level=0), dataflowblock_pass(flow, opt_level=3)], name="All", opt_level=1)
print(p.info.name, p.info.opt_level, p.info.required, p.doc)
print(q)
print(s)
def main(mod):
    out = s(mod)
    print(out.attrs, list(out.functions), out["main"].attrs["seen"], mod.attrs)
    p(mod).same_as(mod)
`, `whole 1 [] Marks the module.
PassInfo(name="Each", opt_level=2, required=["FoldConstant"], kind=function)
PassInfo(name="All", opt_level=1, required=[], kind=sequential)
module IRModule PassContext 2
function main 2
prim_func double
{"seen": True} ["main"] 1 {}
module IRModule PassContext 2`)
}

func TestPassErrors(t *testing.T) {
	main := "\ndef main(mod): return p(mod)"
	refuses(t, `p = module_pass(lambda mod: None, opt_level=0, name="Nothing")`+main, "pass Nothing (step 1/Nothing): module pass Nothing must return an IRModule, got None: is a return missing?")
	refuses(t, `p = function_pass(lambda f: None, opt_level=0, name="Nothing")`+main, "in function main: function pass Nothing must return a relax.Function, got None")
	refuses(t, `p = function_pass(lambda f, m: m["double"], opt_level=0, name="Wrong")`+main, "must return a relax.Function, got tir.PrimFunc")
	refuses(t, `p = dataflowblock_pass(lambda b: replace(b, bindings=[]), opt_level=0, name="Empty")`+main, `global-scope Var "b"`)
	refuses(t, `p = module_pass(lambda mod: mod.remove("mian"), opt_level=0, name="Miss")`+main, `the module has no function "mian"; did you mean "main"?`)
	refuses(t, `p = module_pass(lambda mod: mod.update("copy", mod["main"]), opt_level=0, name="Copy")`+main, "is also defined in function")
	refuses(t, `module_pass(1, opt_level=0)`, "module_pass: expected a function, got")
	refuses(t, `module_pass(lambda mod: mod, name="x")`, "missing argument for opt_level")
	refuses(t, `module_pass(lambda mod: mod, opt_level=0)`, "a lambda has no name")
	refuses(t, `module_pass(lambda: 0, opt_level=0, name="x")`, "expected (mod, ctx)")
	refuses(t, `module_pass(lambda mod: mod, opt_level=-1, name="x")`, "opt_level is a number of 0 or more")
	refuses(t, `module_pass(lambda mod: mod, opt_level=0, name="x", reads=["opt_levle"])`, `did you mean "opt_level"?`)
	refuses(t, `module_pass(lambda mod: mod, opt_level=0, name="a/b")`, `module_pass: "a/b" is not a name`)
	refuses(t, `sequential([], name="")`, `sequential: "" is not a name`)
	refuses(t, `pass_instrument(name="x\ny")`, `is not a name`)
	refuses(t, `sequential([1])`, "expected passes")
	refuses(t, `transform.FuseOpps()`, "did you mean .FuseOps?")
	refuses(t, `transform.FuseOps(fuse_opt_lvl=1)`, "fuse_opt_l")
	refuses(t, `transform.FoldConstant(mod)`, "FoldConstant has 0 options, got 1 values; run it with FoldConstant()(mod)")
	refuses(t, `transform.FoldConstant()(mod["main"])`, "pass FoldConstant runs on an IRModule, got relax.Function")
	refuses(t, `pipeline("defualt")`, "unknown pipeline")
	refuses(t, "def main(mod): return 1", "main returned a value of type int, expected an IRModule or None")
	refuses(t, "main = 1", "main is a value of type int, expected a function")
	refuses(t, `
p = sequential([module_pass(lambda mod: mod, opt_level=0, name="a", required=["FodlConstant"])])
def main(mod): return p(mod)`, `unknown pass "FodlConstant"`)
}

func TestRegistryAndContext(t *testing.T) {
	prints(t, `
names = []
def before(mod, info): names.append(info.name)
watch = pass_instrument(name="watch", run_before_pass=before)
def work():
    return sequential([transform.FoldConstant(), transform.FuseOps(fuse_opt_level=1), transform.CanonicalizeBindings(), tir.transform.Simplify()])(mod)
def main(mod):
    pass_context(work, opt_level=3, instruments=[watch], disabled_pass=["CanonicalizeBindings"])
    print(names)
    del_names = [names.pop() for i in range(len(names))]
    pass_context(work, opt_level=0, required_pass=["tir.Simplify"], instruments=[watch])
    print(names)
    def show(ctx):
        inner = current_context()
        return (ctx.opt_level, ctx.disabled_pass, ctx.config["relax.transform.apply_legalize_ops"], inner.config["tir.disable_assert"], ctx.instruments, inner.opt_level)
    print(pass_context(show, opt_level=1, disabled_pass=["FuseOps"], config={"tir.disable_assert": True}, instruments=[watch]))
    print(current_context().opt_level, len(pipeline("zero")(mod)) > 1)
`, `["sequential", "FoldConstant", "FuseOps", "tir.Simplify"]
["sequential", "FuseOps", "CanonicalizeBindings", "tir.Simplify"]
(1, ["FuseOps"], True, True, ["watch"], 1)
2 True`)
	prints(t, `
from tvm import tirx
def main(mod):
    names = []
    def before(mod, info): names.append(info.name)
    passes = [tirx.transform.StmtSimplify(), tvm.s_tir.transform.LowerInitBlock(), tir.transform.CommonSubexprElim()]
    tvm.tirx.transform.FP8ComputeLegalize(promote_dtype="float16") # it takes the option
    pass_context(lambda: [p(mod) for p in passes], instruments=[pass_instrument(name="watch", run_before_pass=before)], config={"tirx.disable_cse_tir": True})
    print(names)
`, `["tir.Simplify", "tir.LowerInitBlock", "tir.CommonSubexprElimTIR"]`)
	refuses(t, "def main(mod): pass_context(lambda: 0, config={'tir.UnrollLop': {}})", "Invalid config option 'tir.UnrollLop' candidates are")
	refuses(t, "def main(mod): pass_context(lambda: 0, config={'tir.UnrollLoop': 1})", "tir.UnrollLoop needs a value of type dict")
	refuses(t, "def main(mod): pass_context(1)", "expected a function to call")
	refuses(t, "def main(mod): pass_context(lambda: 0, instruments=[1])", "expected the result of pass_instrument")
}

// TestReads checks that a pass cannot read what it did not declare, in itself or through a
// pass that it runs.
func TestReads(t *testing.T) {
	script := func(reads, body string) string {
		return fmt.Sprintf("def f(mod, ctx):\n    %s\n    return mod\np = module_pass(f, opt_level=0, name=\"P\", reads=%s)\ndef main(mod): return p(mod)\n", body, reads)
	}
	prints(t, script(`["opt_level", "relax.transform.apply_legalize_ops"]`, "print(ctx.opt_level, ctx.config)"), `2 {"relax.transform.apply_legalize_ops": True}`)
	prints(t, script(`["tirx.disable_assert"]`, "print(ctx.config)"), `{"tir.disable_assert": False}`)
	refuses(t, script("[]", "ctx.opt_level"), `pass P reads opt_level, which it does not declare; add it to its list reads`)
	refuses(t, script("[]", "ctx.target"), "reads target, which it does not declare")
	refuses(t, script("[]", `ctx.config["relax.transform.apply_legalize_ops"]`), `key "relax.transform.apply_legalize_ops" not in dict`)
	refuses(t, script("[]", `pipeline("tir")`), "pass tir.BindTarget reads target, which the pass that runs it does not declare")
	refuses(t, script("[]", `tir.transform.Simplify()(mod)`), "pass tir.Simplify reads tir.Simplify, which the pass that runs it does not declare")

	prog, err := starpass.Compile("t.star", "p = module_pass(lambda mod: mod, opt_level=0, name=\"p\")\nq = module_pass(lambda mod: mod, opt_level=1, name=\"q\", reads=[\"target\"])", starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, q := prog.Passes()[0], prog.Passes()[1]
	if !p.ReadsLevel || !p.ReadsTarget || len(p.Config) != len(pass.ListConfigs()) {
		t.Error("a pass that declares nothing must count as reading everything")
	}
	if q.ReadsLevel || !q.ReadsTarget || len(q.Config) != 0 {
		t.Errorf("q reads %v %v %v", q.ReadsLevel, q.ReadsTarget, q.Config)
	}
}

func TestCompileExports(t *testing.T) {
	source := `
def first(mod): return mod
b = module_pass(first, opt_level=1, name="B")
a = function_pass(lambda f: f, opt_level=2, name="A")
again = b
s = sequential([b, a, transform.FoldConstant()], name="S")
fold = transform.FoldConstant()
hidden = [module_pass(first, opt_level=0)]
`
	prog, err := starpass.Compile("t.star", source, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range prog.Passes() {
		names = append(names, p.Name)
		if p.Arg("source") != prog.Hash() && p.Kind != pass.Sequential {
			t.Errorf("%s has source %v, expected %s", p.Name, p.Arg("source"), prog.Hash())
		}
	}
	if got := strings.Join(names, " "); got != "B A S" {
		t.Errorf("exported %s, expected B A S", got)
	}
	if got := prog.Passes()[2].Children; len(got) != 3 || got[0].Arg("source") != prog.Hash() || got[2].Name != "FoldConstant" {
		t.Errorf("children of S are %v", got)
	}
	other, err := starpass.Compile("t.star", source+" ", starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if other.Hash() == prog.Hash() || len(prog.Hash()) != 64 {
		t.Errorf("the hashes of two sources are %s and %s", prog.Hash(), other.Hash())
	}
	for _, bad := range []string{"x = = 1", "x = y", "fail('no')", "p = 1 + 'x'"} {
		_, err := starpass.Compile("bad.star", bad, starpass.Limits{})
		if err == nil || !strings.HasPrefix(err.Error(), "bad.star:1:") {
			t.Errorf("%s: error is %v", bad, err)
		}
	}
}

// TestExportedPassesAreFrozen checks that passes cannot keep anything between runs.
func TestExportedPassesAreFrozen(t *testing.T) {
	prog, err := starpass.Compile("t.star", `
seen = []
def remember(mod):
    seen.append(1)
    return mod
p = module_pass(remember, opt_level=0)
`, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = passContext(t).Run(prog.Passes()[0], module(t, relaxText))
	var pe *pass.Error
	if err == nil || !strings.Contains(err.Error(), "t.star:4:16: append: cannot append to frozen list") || !errors.As(err, &pe) || pe.Step.Pass.Name != "remember" {
		t.Errorf("error is %v", err)
	}
}

// TestConcurrentRuns runs one exported pass from many goroutines.
func TestConcurrentRuns(t *testing.T) {
	prog, err := starpass.Compile("t.star", `
state = {"n": 3}
def mark(self, n):
    self.state["n"] = self.state.get("n", 0) + 1
    return self.visit_default(n)
m = mutator({"Call": mark, "If": lambda self, n: self.visit(n.true_branch)})
p = function_pass(m, opt_level=0, name="P")
`, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	in := module(t, relaxText)
	want, err := passContext(t).Run(prog.Passes()[0], in)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		c := passContext(t)
		wg.Go(func() {
			got, err := c.Run(prog.Passes()[0], in)
			if err != nil || printed(got) != printed(want) {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
}

func TestExportedInstruments(t *testing.T) {
	var out strings.Builder
	prog, err := starpass.Compile("t.star", `
counts = {}
def before(mod, info):
    counts[info.name] = counts.get(info.name, 0) + 1
    print(counts)
watch = pass_instrument(name="watch", run_before_pass=before, should_run=lambda mod, info: info.name != "FuseOps")
`, starpass.Limits{Print: &out})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // each run counts anew
		list, err := prog.Instruments(context.Background())
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		c := passContext(t, pass.Instruments(list...))
		m, err := c.Run(c.Registry.Lookup("FoldConstant"), module(t, relaxText))
		if err == nil {
			_, err = c.Run(c.Registry.Lookup("FoldConstant"), m)
		}
		if err == nil {
			_, err = c.Run(c.Registry.Lookup("FuseOps"), m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	one := "{\"FoldConstant\": 1}\n{\"FoldConstant\": 2}\n"
	if out.String() != one+one {
		t.Errorf("printed\n%s", out.String())
	}
}

// TestPanicNamesThePass runs a pass of the compiler that panics from a script.
func TestPanicNamesThePass(t *testing.T) {
	s, err := starpass.Parse("t.star", "def main(mod): return transform.FoldConstant()(mod)", starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	broken := &pass.Instrument{Name: "broken", RunBeforePass: func(*ir.Module, *pass.Step) error { panic("oops") }}
	_, err = s.Run(starpass.RunOptions{Context: passContext(t, pass.Instruments(broken)), Module: module(t, relaxText)})
	if err == nil || !strings.Contains(err.Error(), "instrument broken: run_before_pass around pass FoldConstant: panicked: oops") {
		t.Errorf("error is %v", err)
	}
}

// TestDeterministic runs a script that uses nodes as keys, sets and hashes several times.
func TestDeterministic(t *testing.T) {
	source := `
seen = {}
def see(self, n):
    seen[n] = len(seen)
    self.visit_default(n)
visitor({n: see for n in ["Call", "Var", "If", "Add", "BufferLoad", "VarBinding"]})(mod)
print([(type(k), v) for k, v in seen.items()], set(seen.keys()) == set(list(seen)), hash("x"), structural_hash(mod))
print([type(n) for n in set(list(seen))])
`
	_, want, err := run(t, source, module(t, relaxText), starpass.Limits{})
	if err != nil || !strings.Contains(want, `("BufferLoad", `) {
		t.Fatalf("%v\n%s", err, want)
	}
	for range 5 {
		if _, got, err := run(t, source, module(t, relaxText), starpass.Limits{}); err != nil || got != want {
			t.Errorf("%v, printed\n%s\nfirst\n%s", err, got, want)
		}
	}
}

func TestRunPasses(t *testing.T) {
	s, err := starpass.Parse("t.star", `
p = module_pass(lambda mod: mod.with_attr("p", 1), opt_level=0, name="First")
q = module_pass(lambda mod: mod.with_attr("q", mod.attrs["p"]), opt_level=0, name="Second")
def main(mod): fail("main must not run")
`, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Run(starpass.RunOptions{Context: passContext(t), Module: module(t, relaxText), Passes: []string{"p", "Second"}})
	if err != nil || m.Attrs().Int("q", 0) != 1 {
		t.Errorf("%v, %v", m, err)
	}
	_, err = s.Run(starpass.RunOptions{Context: passContext(t), Module: module(t, relaxText), Passes: []string{"pp"}})
	var unknown *starpass.UnknownPassError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), `did you mean "p"?`) {
		t.Errorf("error is %v", err)
	}
	if _, err = s.Run(starpass.RunOptions{Context: passContext(t), Passes: []string{"p"}}); !errors.Is(err, starpass.ErrNoInput) {
		t.Errorf("error is %v", err)
	}
}

func TestTrace(t *testing.T) {
	_, _, err := run(t, `
def inner(n):
    return n.nothing

def outer(mod):
    return inner(mod["main"])

p = module_pass(outer, opt_level=0)

def main(mod):
    return p(mod)
`, module(t, relaxText), starpass.Limits{})
	want := `Traceback (most recent call last):
  t.star:11:13: in main
  in outer
  t.star:6:17: in outer
  t.star:3:12: in inner
`
	if got := starpass.Trace(err); got != want {
		t.Errorf("trace is\n%s\nexpected\n%s", got, want)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "t.star:3:12: pass outer (step 1/outer): Function has no .nothing field") {
		t.Errorf("error is %v", err)
	}
	if got := starpass.Trace(errors.New("other")); got != "" {
		t.Errorf("trace of another error is %q", got)
	}
}

// TestPipelineOfTheTarget checks that a script gets the pipelines for the target of its context.
func TestPipelineOfTheTarget(t *testing.T) {
	s, err := starpass.Parse("t.star", "def main(mod): return pipeline(\"tir\")(mod)", starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]bool{"wasm": true, "interp": false} {
		unrolls := false
		c := passContext(t, pass.WithTarget(target.Of(kind)), pass.Instruments(&pass.Instrument{
			RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
				unrolls = unrolls || s.Pass.Name == "tir.UnrollLoop"
				return nil
			},
		}))
		var stack pass.Stack
		err := stack.With(c, func(c *pass.Context) error {
			_, err := s.Run(starpass.RunOptions{Context: c, Module: ir.NewModule()})
			return err
		})
		if err != nil || unrolls != want {
			t.Errorf("for %s tir.UnrollLoop runs: %v, want %v (%v)", kind, unrolls, want, err)
		}
	}
}
