package starpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/starpass"
)

// reluText is what the passes below work on.
const reluText = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32") = R.nn.relu(x)
            b: R.Tensor((2, 3), dtype="float32") = R.multiply(a, R.const(2.0, "float32"))
            R.output(b)
        return b

    @T.prim_func
    def double(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            B[i] = A[i] * T.float32(2)
`

// reluToGelu rewrites as TVM's tutorial on transformations does: a mutator in the form of a class, used by a module pass in that form.
const reluToGelu = `
import tvm
from tvm import IRModule, relax
from tvm.relax.expr_functor import PyExprMutator, mutator

@mutator
class Rewriter(PyExprMutator):
    def __init__(self, mod: IRModule) -> None:
        super().__init__(mod)
        self.seen = 0

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        self.seen += 1
        if call.op.name == "relax.nn.relu":
            return relax.op.nn.gelu(call.args[0])
        return super().visit_call_(call)

@tvm.transform.module_pass(opt_level=0, name="ReluToGelu")
class ReluToGelu:
    """Replaces relu by gelu."""

    def transform_module(self, mod: IRModule, _ctx: tvm.transform.PassContext) -> IRModule:
        rewriter = Rewriter(mod)
        for g_var, func in mod.functions_items():
            if isinstance(func, relax.Function):
                func = rewriter.visit_expr(func)
                rewriter.builder_.update_func(g_var, func)
        print(rewriter.seen)
        return rewriter.builder_.get()
`

func TestClassPass(t *testing.T) {
	m, out, err := run(t, reluToGelu+"\ndef main(mod):\n    p = ReluToGelu()\n    print(p.info, isinstance(p, ReluToGelu))\n    return p(mod)\n", module(t, reluText), starpass.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, starpass.Trace(err))
	}
	if text := printed(m); !strings.Contains(text, "a = R.nn.gelu(x)") || strings.Contains(text, "relu") || !strings.HasPrefix(out, `PassInfo(`) || !strings.HasSuffix(out, "2\n") {
		t.Errorf("printed %s and made\n%s", out, text)
	}
	// The class is what the script exports, under the name of the decorator.
	prog, err := starpass.Compile("t.py", reluToGelu, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	list := prog.Passes()
	if len(list) != 1 || list[0].Name != "ReluToGelu" || list[0].Doc != "Replaces relu by gelu." {
		t.Fatalf("exported %v", list)
	}
	for range 2 {
		if m, err = passContext(t).Run(list[0], module(t, reluText)); err != nil || !strings.Contains(printed(m), "R.nn.gelu") {
			t.Fatalf("%v", err)
		}
	}
}

// TestClassPassKinds runs passes over functions, PrimFuncs and blocks in the form of classes with state.
func TestApply(t *testing.T) {
	prints(t, `
from tvm import tir
def mark(f):
    print(f.attrs["global_symbol"])
    return f.with_attr("seen", 1)

def main(mod):
    p = tvm.tir.transform.Apply(mark)
    print(p.info.name, p.info.opt_level)
    print(tvm.tir.backend.adreno.transform.TextureFlatten().info.name)
    mod = tvm.transform.Sequential([p, tir.transform.Apply(lambda f: f)])(mod)
    print(mod["double"].attrs["seen"])
    return mod
`, "Apply 0\ntir.backend.adreno.TextureFlatten\ndouble\n1\n")
}

func TestClassPassKinds(t *testing.T) {
	prints(t, `
from tvm import relax, tir, instrument
@relax.transform.function_pass(opt_level=1)
class Scale:
    def __init__(self, multiplier):
        self.multiplier = multiplier
    def transform_function(self, func, mod, ctx):
        obj = self
        class ReplaceCalls(PyExprMutator):
            def visit_call_(self, c):
                c = self.visit_expr_post_order(c)
                return relax.op.multiply(c, obj.multiplier)
        return ReplaceCalls().visit_expr(func)

@tvm.tir.transform.prim_func_pass(opt_level=0, name="Unroll")
class Unroll:
    def transform_function(self, func, mod, ctx):
        class Loops(tir.PyStmtExprMutator):
            def visit_for_(self, op):
                return replace(super().visit_for_(op), kind="unroll")
        return replace(func, body=Loops().visit_stmt(func.body))

@relax.transform.dataflowblock_pass(opt_level=0, name="Look")
def look(block, mod, ctx):
    print("block", len(block.bindings))
    return block

@tvm.instrument.pass_instrument
class Watch:
    def __init__(self): self.names = []
    def run_before_pass(self, mod, info): self.names.append(info.name)
    def should_run(self, mod, info): return info.name != "FuseOps"

def main(mod):
    custom = Scale(multiplier=relax.const(3, "float32"))
    assert custom.info.name == "Scale" and custom.multiplier.data.item() == 3
    w = Watch()
    with tvm.transform.PassContext(opt_level=3, instruments=[w], config={"tir.disable_assert": True}) as ctx:
        mod = tvm.transform.Sequential([custom, Unroll(), look, relax.transform.FuseOps()])(mod)
        print(ctx.opt_level, tvm.transform.PassContext.current().config["tir.disable_assert"])
    print(w.names, w.name, PassContext.current().opt_level)
    print("R.const(3.0" in mod.script(show_meta=False) or "multiply" in mod.script(), "T.unroll(8)" in mod.script())
`, `block 4
3 True
["sequential", "Scale", "Unroll", "Look"] Watch 2
True True`)
	refuses(t, "@module_pass(opt_level=0)\nclass P:\n    def transform(self, mod, ctx): return mod\n", "the class P has no method transform_module(self, mod, ctx)")
	refuses(t, "@module_pass(name='x')\ndef f(mod): return mod\n", "missing argument for opt_level")
}

// TestVisitorClass visits by methods for nodes, and by one for every expression.
func TestVisitorClass(t *testing.T) {
	prints(t, `
@visitor
class Count(relax.expr_functor.PyExprVisitor if False else PyExprVisitor):
    def __init__(self):
        self.calls = {}
        self.defs = []
    def visit_call_(self, call):
        self.calls[call.op.name] = self.calls.get(call.op.name, 0) + 1
        super().visit_call_(call)
    def visit_var_def_(self, v): self.defs.append(v.name)
    def visit_dataflow_var_def_(self, v): self.defs.append("df " + v.name)
class All(PyExprVisitor):
    def __init__(self): self.types = []
    def visit_expr(self, e):
        self.types.append(type(e))
        super().visit_expr(e)
    def visit_tuple_(self, t): self.types.append("tuple")
class Loads(tvm.tir.PyStmtExprVisitor):
    def __init__(self): self.n = 0
    def visit_buffer_load_(self, load): self.n += 1
def main(mod):
    c = Count()
    c.visit_expr(mod["main"])
    c.visit_expr(mod["main"])
    print(c.calls, c.defs[:3])
    a = All()
    a.visit_expr(mod["main"])
    print(a.types[:5], a.types.count("Call") if False else len([x for x in a.types if x == "Call"]))
    l = Loads()
    l.visit_stmt(mod["double"].body)
    print(l.n)
    def every(self, n):
        self.state[type(n)] = True
        self.visit_default(n)
    print(visitor({"Expr": every})(mod["main"]).keys())
`, `{"relax.add": 6, "relax.multiply": 2} ["x", "c", "df a"]
["Function", "SeqExpr", "Call", "Op", "Var"] 4
1
["Function", "SeqExpr", "Call", "Op", "Var", "DataflowVar", "If"]`)
}

// TestMutatorBuilder emits, adds and looks up through builder_.
func TestMutatorBuilder(t *testing.T) {
	m, out, err := run(t, `
class Split(PyExprMutator):
    def visit_call_(self, call):
        call = self.visit_expr_post_order(call)
        if isinstance(call.op, tvm.ir.Op) and call.op == tvm.ir.Op.get("relax.multiply"):
            v = self.builder_.emit(relax.op.negative(call.args[0]), "minus")
            print(self.lookup_binding(v), self.builder_.normalize(relax.op.abs(v)).struct_info, self.builder_.current_block_is_dataflow())
            return relax.op.multiply(v, call.args[1])
        return call
def main(mod):
    s = Split(mod)
    f = s.visit_expr(mod["main"])
    gv = s.builder_.add_func(mod["double"].with_attr("global_symbol", "twice"), "twice")
    print(gv.name)
    s.builder_.update_func(mod.get_global_var("main"), f)
    return s.builder_.get()
`, module(t, reluText), starpass.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, starpass.Trace(err))
	}
	if want := "R.negative(a) R.Tensor((2, 3), dtype=\"float32\") True\ntwice\n"; out != want {
		t.Errorf("printed %q, expected %q", out, want)
	}
	if text := printed(m); !strings.Contains(text, "minus = R.negative(a)\n") || !strings.Contains(text, "R.multiply(minus, ") || m.Lookup("twice") == nil {
		t.Errorf("made\n%s", text)
	}
}

func TestBlockBuilder(t *testing.T) {
	m, _, err := run(t, `
def main(mod):
    bb = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorStructInfo([2, 3], "float32"))
    with bb.function("main", [x]):
        with bb.dataflow():
            lv0 = bb.emit(relax.op.add(x, x))
            gv = bb.emit_output(relax.op.nn.relu(lv0))
        bb.emit_func_output(gv)
    return bb.get()
`, nil, starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if text := printed(m); !strings.Contains(text, "lv = R.add(x, x)\n            gv = R.nn.relu(lv)\n            R.output(gv)\n        return gv") {
		t.Errorf("made\n%s", text)
	}
	x := "x = relax.Var('x', relax.TensorStructInfo([2], 'float32'))\nbb = relax.BlockBuilder()\n"
	refuses(t, x+"bb.emit(x)", "there is no block to emit into")
	refuses(t, x+"with bb.function('f', [x]): pass", "the function f has no result: call bb.emit_func_output")
	refuses(t, x+"with bb.function('f', [x]):\n    bb.emit_output(x)", "there is no dataflow block")
	refuses(t, x+"with bb.function('f', [x]):\n    bb.get()", "a function is open")
	refuses(t, x+"with bb.function('f', [x]):\n    with bb.dataflow():\n        bb.emit_func_output(x)", "a dataflow block is open")
	refuses(t, "relax.BlockBuilder().emit_func_output(1)", "no function is open")
}

// TestModulesOfScripts makes modules of functions and of TVMScript that stands in the script, and changes them.
func TestModulesOfScripts(t *testing.T) {
	prints(t, `
from tvm.script import ir as I, relax as R, tir as T
@tvm.script.ir_module
class Before:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.add(x, x)
        return y

@T.prim_func
def kernel(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = T.float32(1)

after = 1
def main(mod):
    print(Before["main"].body.blocks[0].bindings[0].value.op.name, type(kernel), after)
    m = tvm.IRModule({"f": Before["main"]})
    m["g"] = kernel
    old = m.update("h", kernel)
    m.update_func(m.get_global_var("g"), kernel.with_attr("k", 1))
    print(list(m.functions), m["g"].attrs["k"], list(old.functions), [gv.name for gv, f in m.functions_items()])
    print(list(IRModule.from_expr(Before["main"]).functions), len(IRModule()), isinstance(m, tvm.IRModule), m.get_attr("none"))
    tvm.ir.assert_structural_equal(kernel, kernel)
    try: tvm.ir.assert_structural_equal(kernel, m["f"])
    except AssertionError as e: print(e)
    return mod
`, `relax.add PrimFunc 1
["f", "g"] 1 ["f", "g", "h"] ["f", "g"]
["main"] 0 True None
the two differ`)
	refuses(t, "@T.prim_func\ndef f(a: T.handle):\n    T.no_such_thing()\n", "t.star:3:5")
}

// TestInstruments runs the instruments that come with TVM and replaces those of the current context.
func TestInstruments(t *testing.T) {
	m := module(t, reluText)
	_, out, err := run(t, `
from tvm.instrument import PassTimingInstrument, PassPrintingInstrument, PrintBeforeAll, PrintAfterAll
def main(mod):
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing]):
        mod = tvm.transform.Sequential([relax.transform.FoldConstant(), relax.transform.LegalizeOps()])(mod)
        profiles = timing.render()
    lines = profiles.splitlines()
    print([l.split(":")[0] for l in lines], "(100.00%; 100.00%)" in lines[0], len(lines[1].split("us")) == 3)
    with PassContext(instruments=[PassPrintingInstrument(print_before_pass_names=["FoldConstant"], print_after_pass_names=["LegalizeOps"])]):
        tvm.transform.Sequential([relax.transform.FoldConstant(), relax.transform.PrintIR("here"), relax.transform.LegalizeOps()])(mod)
    @pass_instrument
    class Seen:
        def __init__(self, tag): self.tag = tag
        def enter_pass_ctx(self): print("enter", self.tag)
        def exit_pass_ctx(self): print("exit", self.tag)
        def run_before_pass(self, mod, info): print(self.tag, info.name)
    cur = tvm.transform.PassContext.current()
    cur.override_instruments([Seen("a")])
    relax.transform.FoldConstant()(mod)
    cur.override_instruments([Seen("b")])
    relax.transform.FoldConstant()(mod)
    cur.override_instruments()
    relax.transform.FoldConstant()(mod)
    with PassContext(instruments=[Seen("c")]) as ctx:
        ctx.override_instruments([Seen("d")])
        relax.transform.FoldConstant()(mod)
    return mod
`, m, starpass.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, starpass.Trace(err))
	}
	var kept []string
	for _, l := range strings.Split(out, "\n") {
		if !strings.HasPrefix(l, " ") && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "@") && !strings.HasPrefix(l, "class") && l != "" {
			kept = append(kept, l)
		}
	}
	want := `["sequential", "\tFoldConstant", "\tLegalizeOps"] True True
Print IR before: FoldConstant
PrintIR(here):
Print IR after: LegalizeOps
enter a
a FoldConstant
exit a
enter b
b FoldConstant
exit b
enter c
exit c
enter d
d FoldConstant
exit d`
	if got := strings.Join(kept, "\n"); got != want {
		t.Errorf("printed\n%s\nexpected\n%s", got, want)
	}
}

// TestFailingInstruments follows TVM's rules: what was entered is left, and the error goes on.
func TestFailingInstruments(t *testing.T) {
	prints(t, `
@tvm.instrument.pass_instrument
class Fine:
    def __init__(self, name): self.label = name
    def enter_pass_ctx(self): print(self.label, "enter")
    def exit_pass_ctx(self): print(self.label, "exit")
@tvm.instrument.pass_instrument
class Bad:
    def enter_pass_ctx(self): raise RuntimeError("bad enter")
@tvm.instrument.pass_instrument
class BadRun:
    def run_before_pass(self, mod, info): raise ValueError("bad run " + info.name)
def main(mod):
    try:
        with PassContext(instruments=[Fine("f0"), Bad(), Fine("f1")]):
            print("not reached")
    except RuntimeError as e:
        print("caught", e)
    try:
        with PassContext(opt_level=3, instruments=[Fine("f0"), BadRun()]):
            relax.transform.FoldConstant()(mod)
    except ValueError as e:
        print("caught", e, PassContext.current().opt_level)
`, `f0 enter
f0 exit
caught bad enter
f0 enter
f0 exit
caught bad run FoldConstant 2`)
}

// TestRequired runs passes of a script before those that require them by name, unless they are disabled.
func TestRequired(t *testing.T) {
	const source = `
ran = []
@module_pass(opt_level=0, name="A")
def a(mod, ctx):
    ran.append("A")
    return mod
@module_pass(opt_level=0)
class B:
    def transform_module(self, mod, ctx):
        ran.append("B")
        return mod
b = B()
c = module_pass(lambda mod: [ran.append("C"), mod][1], opt_level=0, name="C", required=["A", "B", "FoldConstant"])
def main(mod):
    sequential([c])(mod)
    print(ran)
    ran.clear()
    with PassContext(disabled_pass=["C"]): sequential([c])(mod)
    print(ran)
`
	prints(t, source, `["A", "B", "C"]
[]`)
	refuses(t, "c = module_pass(lambda mod: mod, opt_level=0, name='C', required=['Mine'])\nm = module_pass(lambda mod: mod, opt_level=0, name='Mien')\ndef main(mod): return sequential([c])(mod)",
		`unknown pass "Mine" (required by C)`)
	prog, err := starpass.Compile("t.py", strings.ReplaceAll(strings.ReplaceAll(source, "ran.append", "str"), "[str(\"C\"), mod][1]", "mod"), starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := prog.Registry(nil)
	if err != nil || reg.Lookup("A") == nil || reg.Lookup("B") == nil || reg.Lookup("C") == nil {
		t.Errorf("the registry knows %v, %v, %v: %v", reg.Lookup("A"), reg.Lookup("B"), reg.Lookup("C"), err)
	}
}
