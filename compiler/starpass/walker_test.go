package starpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/starpass"
)

// prints runs a script on the sample module and compares what it prints.
func prints(t *testing.T, source, want string) {
	t.Helper()
	_, got, err := run(t, source, module(t, relaxText), starpass.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, starpass.Trace(err))
	}
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("printed\n%s\nexpected\n%s", got, want)
	}
}

// refuses runs a script on the sample module and looks for a text in its error.
func refuses(t *testing.T, source, want string) {
	t.Helper()
	_, _, err := run(t, source, module(t, relaxText), starpass.Limits{})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error of\n%s\nis %v, expected %q", source, err, want)
	}
}

func TestVisitorOrder(t *testing.T) {
	prints(t, `
seen = []
def see(name):
    def f(self, n):
        seen.append((name + " " + str(getattr(n, "name", ""))).strip())
        self.visit_default(n)
    return f
names = ["Function", "SeqExpr", "BindingBlock", "DataflowBlock", "VarBinding", "VarDef", "DataflowVarDef", "Call", "Op", "Var", "If"]
visitor({n: see(n) for n in names})(mod["main"].body.blocks[0])
print("\n".join(seen))
`, `DataflowBlock
VarBinding
Call
Op relax.add
Var x
Var x
DataflowVarDef a
VarBinding
Call
Op relax.multiply
Var a
Var x
VarDef b`)
}

func TestVisitorStopsAtHandlers(t *testing.T) {
	prints(t, `
def count(self, n):
    self.state[type(n)] = self.state.get(type(n), 0) + 1
def deep(self, n):
    count(self, n)
    self.visit_default(n)
print(visitor({"If": count, "Call": count})(mod))
print(visitor({"If": deep, "Call": deep})(mod))
print(visitor({"relax.Call": count, "For": deep, "Add": deep, "Mul": deep, "BufferLoad": count, "FloatImm": count})(mod))
`, `{"Call": 2, "If": 1}
{"Call": 4, "If": 1}
{"Call": 4, "For": 1, "Add": 1, "Mul": 1, "BufferLoad": 1, "FloatImm": 2}`)
}

func TestHandlerNames(t *testing.T) {
	refuses(t, `visitor({"Cal": lambda self, n: None})`, `no node is called "Cal"; did you mean "Call"?`)
	refuses(t, `mutator({"BufferStor": lambda self, n: n})`, `did you mean "BufferStore"?`)
	refuses(t, `visitor({"relax.Fro": lambda self, n: None})`, `no node is called "relax.Fro"; did you mean "For"?`)
	refuses(t, `visitor({"qqqqqqq": lambda self, n: None})`, "handlers are named after nodes: Add, ")
	refuses(t, `visitor({"Call": lambda n: None})`, `the handler of "Call" takes (self, node), but lambda has 1 parameters`)
	refuses(t, `visitor({"Call": 1})`, `the handler of "Call" is a function`)
	refuses(t, `visitor({1: len})`, "handlers are named by strings")
	refuses(t, `visitor({"Call": lambda self, n: self.foo})(mod)`, "visitor has no .foo field or method")
	refuses(t, `visitor({})(1)`, "expected a node or an IRModule")
}

func TestMutatorKeepsWhatItDoesNotChange(t *testing.T) {
	prints(t, `
same = mutator({"Call": lambda self, n: self.visit_default(n), "If": lambda self, n: self.visit_default(n),
                "VarBinding": lambda self, b: self.visit_default(b), "SeqExpr": lambda self, s: self.visit_default(s),
                "DataflowBlock": lambda self, b: self.visit_default(b), "For": lambda self, n: self.visit_default(n)})
print(same(mod).same_as(mod), mutator({})(mod) == mod)
def touch(self, n):
    return replace(n, value=n.value + 1.0) if n.value == 0 else n
out = mutator({"FloatImm": touch})(mod)
print(out == mod, out["main"] == mod["main"], out["double"] == mod["double"])
old, new = mod["double"].body, out["double"].body
print(old.block.body.loop_var == new.block.body.loop_var, old.block.body.extent == new.block.body.extent)
`, `True True
False True False
True True`)
}

// TestMutatorNormalizes puts calls into calls, which must come out bound one by one, and
// changes types, which must reach the uses.
func TestMutatorNormalizes(t *testing.T) {
	m, _, err := run(t, `
def double(self, call):
    call = self.visit_default(call)
    if call.op.name == "relax.add":
        return R.add(R.multiply(call.args[0], relax.const(2.0)), R.negative(call.args[1]))
    return call
def main(mod):
    return function_pass(mutator({"Call": double}), opt_level=0, name="Double")(mod)
`, module(t, relaxText), starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkText(t, printed(m), `
with R.dataflow():
    lv = R.multiply(x, R.const(2.0, "float32"))
    lv1 = R.negative(x)
    a = R.add(lv, lv1)
`)
	m, _, err = run(t, `
def grow(self, call):
    call = self.visit_default(call)
    return R.concat([call.args[0], call.args[0]], axis=0) if call.op.name == "relax.multiply" else call
folded = mutator({"Call": grow, "If": lambda self, n: self.visit(n.true_branch)})
def main(mod):
    f = mod["main"]
    return mod.update("main", mutator({"Call": grow, "If": lambda self, n: relax.const(1.0)})(f))
`, module(t, relaxText), starpass.Limits{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	checkText(t, printed(m), `b = R.concat((a, a), axis=0)`)
	checkText(t, printed(m), `-> R.Tensor((), dtype="float32")`)
}

func checkText(t *testing.T, got, want string) {
	t.Helper()
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if !strings.Contains(squeeze(got), squeeze(want)) {
		t.Errorf("got\n%s\nwhich lacks\n%s", got, want)
	}
}

func TestMutatorBindings(t *testing.T) {
	m, out, err := run(t, `
def drop(self, b):
    if b.var.name == "b":
        v = self.emit(R.tanh(self.visit(b.value.args[0])), "fresh")
        print(self.lookup_binding(v).op.name)
        return replace(b, value=R.exp(v))
    return self.visit_default(b)
def rename(self, v):
    return replace(v, name=v.name + "_new")
def main(mod):
    return function_pass(mutator({"VarBinding": drop, "DataflowVarDef": rename}), opt_level=0, name="Drop")(mod)
`, module(t, relaxText), starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(out) != "relax.tanh" {
		t.Errorf("printed %q", out)
	}
	checkText(t, printed(m), `
a_new = R.add(x, x)
fresh = R.tanh(a_new)
b = R.exp(fresh)
R.output(b)`)
}

func TestMutatorErrors(t *testing.T) {
	refuses(t, `mutator({"Call": lambda self, n: None})(mod)`, "mutator: the handler of Call returned None: return the node, or self.visit_default(node)")
	refuses(t, `mutator({"Call": lambda self, n: "x"})(mod["main"])`, `the handler of Call returned the string "x", expected a node`)
	refuses(t, `mutator({"For": lambda self, n: n.extent})(mod)`, "the handler of For must return a statement, got tir.IntImm")
	refuses(t, `mutator({"Block": lambda self, n: n.body})(mod)`, "the handler of Block must return a Block, got tir.")
	refuses(t, `mutator({"Add": lambda self, n: mod["main"]})(mod)`, "the handler of Add must return a loop-level expression, got relax.Function")
	refuses(t, `mutator({"VarDef": lambda self, n: self.visit(n)})(mod["main"].body.blocks[0].bindings[0])`, "is walked as a part of its function")
	refuses(t, `mutator({"Function": lambda self, n: n.body})(mod)`, "the handler of Function must return a function")
	refuses(t, `
def main(mod):
    return function_pass(mutator({"VarBinding": lambda self, b: None}), opt_level=0, name="Lose")(mod)
`, "pass Lose (step 1/Lose): the module that the script made is not well formed")
}

// TestForgedHandles makes a handle of a number by a script.
func TestForgedHandles(t *testing.T) {
	refuses(t, `
def store(self, n):
    p = tir.Var("p", "handle")
    return tir.LetStmt(p, tir.Call("handle", "tir.reinterpret", [tir.IntImm("int64", 64)]), n)

def main(mod):
    return prim_func_pass(mutator({"BufferStore": store}), opt_level=0, name="Forge")(mod)
`, "T.reinterpret from int64 to handle: an address is not a number")
}

// TestMutatorMemo checks that an expression that stands in several places of a statement is
// mapped once, and one that stands in two statements for each of them.
func TestMutatorMemo(t *testing.T) {
	prints(t, `
def count(self, n):
    self.state["n"] = self.state.get("n", 0) + 1
    return tir.Var("y", "int32")
x = tir.Var("x", "int32")
e = x * x + x
for i in range(20):
    e = tir.Add(e, e)
state = {}
m = mutator({"Var": count})
two = tir.SeqStmt([tir.Evaluate(e), tir.Evaluate(e)])
out = m(two, state=state)
print(state)
a = out.seq[0].value
print(a.a == a.b, out.seq[0].value == out.seq[1].value)
state = {}
direct = mutator({"Var": count, "Evaluate": lambda self, s: tir.Evaluate(self.visit(s.value) + self.visit(s.value))})
out = direct(two, state=state)
print(state, out.seq[0].value.a == out.seq[0].value.b, out.seq[0].value.a == out.seq[1].value.a)
y, z = tir.Var("y", "int32"), tir.Var("z", "int32")
state = {}
m(tir.Evaluate(tir.Add(tir.Let(y, 1, x * 2), tir.Let(z, 2, x * 2))), state=state)
print(state)
`, `{"n": 2}
True False
{"n": 2} True False
{"n": 2}`)
}

func TestMutatorTIR(t *testing.T) {
	m, _, err := run(t, `
def unroll(self, loop):
    loop = self.visit_default(loop)
    return replace(loop, kind="unroll")
def neutral(self, n):
    n = self.visit_default(n)
    return n.a if type(n.b) == "FloatImm" and n.b.value == 0 else n
def rename(self, b):
    return replace(b, name="out") if b.name == "B" else b
p = prim_func_pass(mutator({"For": unroll, "Add": neutral}), opt_level=0, name="Tidy")
def main(mod):
    return p(mod)
`, module(t, relaxText), starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkText(t, printed(m), "for i in T.unroll(8):")
	checkText(t, printed(m), "B[vi] = A[vi] * T.float32(2.0) ")
	before := module(t, relaxText)
	if m.Lookup("main") == nil || !ir.StructuralEqual(m.Lookup("main"), before.Lookup("main"), ir.EqualOpts{}) {
		t.Error("a pass over PrimFuncs changed a Relax function")
	}
}

func TestPrimExprHandler(t *testing.T) {
	_, out, err := run(t, `
def main(mod):
    sizes = []
    visitor({"PrimExpr": lambda self, e: sizes.append(str(e))})(mod)
    print(sizes)
`, module(t, `
@R.function
def main(x: R.Tensor(("n", 4), dtype="float32")):
    n = T.int64()
    y = R.reshape(x, R.shape([n * 2, 2]))
    return y
`), starpass.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if want := `["n * 2", "2"]`; strings.TrimSpace(out) != want && strings.TrimSpace(out) != `["n * T.int64(2)", "T.int64(2)"]` {
		t.Errorf("printed %s, expected %s", out, want)
	}
}
