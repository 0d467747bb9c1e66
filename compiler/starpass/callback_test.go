package starpass_test

import "testing"

const callbackModule = `
m = parse('''
@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.nn.relu(a)
        c = R.tanh(b)
        R.output(c)
    return c
''')
def calls(m): return [b.value.op.name if hasattr(b.value.op, "name") else "?" for b in m["main"].body.blocks[0].bindings]
def kernels(m): return sorted([gv.name_hint for gv in m.get_global_vars() if gv.name_hint != "main"])
`

// TestLegalizeOpsWithFunctions maps operators to functions of the script, as customize_legalize_map does.
func TestLegalizeOpsWithFunctions(t *testing.T) {
	prints(t, callbackModule+`
def relu(bb, call):
    y = bb.emit(R.abs(call.args[0]))
    return bb.call_te(lambda x: te.compute(x.shape, lambda i, j: x[i, j] + x[i, j], name="twice"), y, primfunc_name_hint="twice")
def keep(bb, call): return call
out = relax.transform.LegalizeOps({"relax.nn.relu": relu, "relax.tanh": keep})(m)
print(kernels(out))
print(kernels(transform.LegalizeOps(customize_legalize_map={"relax.nn.relu": relu}, skip_ops=["relax.matmul"])(m)))
print(kernels(tvm.relax.transform.LegalizeOps()(m)))
`, `
["abs", "matmul", "twice"]
["abs", "tanh", "twice"]
["matmul", "relu", "tanh"]`)
	refuses(t, `transform.LegalizeOps({"relax.nothing": lambda bb, call: call})`, `LegalizeOps: there is no operator "relax.nothing"`)
	refuses(t, `transform.LegalizeOps({"relax.add": 1})`, "expected names of operators and functions (bb, call)")
	refuses(t, `transform.LegalizeOps({"relax.add": lambda bb, call: call}, ["relax.add"])`, "what comes behind the map is given by name")
	refuses(t, `transform.LegalizeOps({"relax.add": lambda bb, call: call}, skip=["relax.add"])`, "LegalizeOps")
	on := func(f string) string {
		return callbackModule + "def f(bb, call):\n    " + f + "\ntransform.LegalizeOps({\"relax.tanh\": f})(m)\n"
	}
	refuses(t, on("pass"), "the rule of relax.tanh returns None")
	refuses(t, on("return 1 // 0"), "division by zero")
	refuses(t, on("return R.tanh(call.args[0])"), "100 times within each other")
	refuses(t, on("bb.update_func('main', m['main'])"), "the rule of an operator adds functions, but changes none")
	refuses(t, on("with bb.function('g'):\n        pass"), "this builder begins no functions")
	refuses(t, callbackModule+`
kept = []
def f(bb, call):
    kept.append(bb)
    return call
transform.LegalizeOps({"relax.tanh": f})(m)
kept[0].emit(R.abs(m["main"].params[0]))
`, "this builder was for a call that is over")
}

func TestUpdateParamStructInfoWithAFunction(t *testing.T) {
	prints(t, callbackModule+`
def wider(v):
    if v.name_hint == "w":
        return relax.TensorStructInfo([3, 5], "float32")
out = relax.transform.UpdateParamStructInfo(wider)(parse('''
@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 3), "float32")):
    a = R.matmul(x, w)
    return a
'''))
print(out["main"].params[1].struct_info, out["main"].ret_struct_info)
`, `
R.Tensor((3, 5), dtype="float32") R.Tensor((2, 5), dtype="float32")`)
	refuses(t, callbackModule+`relax.transform.UpdateParamStructInfo(lambda v: 7)(m)`, "expected struct info, or None")
}

// TestFuseOpsByPatternOfTheScript: patterns, annotations and checks are those of the script.
func TestFuseOpsByPatternOfTheScript(t *testing.T) {
	prints(t, callbackModule+`
from tvm.relax.dpl import is_op, wildcard
def composites(m, key="Composite"): return sorted([str(f.attrs[key]) for gv, f in m.functions_items() if f.attrs and key in f.attrs])
w = wildcard()
mm = is_op("relax.matmul")(wildcard(), w)
pat = is_op("relax.nn.relu")(mm)
seen = []
def check(c):
    seen.append((c.matched_expr.op.name, sorted(c.annotated_expr.keys()), len(c.matched_bindings)))
    return c.annotated_expr["w"].struct_info.shape.values[0].value == 3
P = relax.transform.FuseOpsByPattern
print(composites(P([("my.matmul_relu", pat, {"w": w, "root": pat}, check)])(m)), seen)
print(composites(P([("my.matmul_relu", pat, {"w": w}, lambda c: False), ("my.tanh", is_op("relax.tanh")(wildcard()))], bind_constants=True)(m)))
print(composites(P([("my.matmul", mm)], annotate_codegen=True)(m), "Codegen"))
`, `
["my.matmul_relu"] [("relax.nn.relu", ["root", "w"], 2)]
["my.tanh"]
["my"]`)
	refuses(t, `transform.FuseOpsByPattern([("a", 1)])`, "FuseOpsByPattern: a: expected a pattern")
	refuses(t, `transform.FuseOpsByPattern([("a",)])`, "expected (name, pattern)")
	refuses(t, `transform.FuseOpsByPattern([("a", relax.dpl.wildcard(), 1)])`, "annotations are a dictionary of patterns")
	refuses(t, `transform.FuseOpsByPattern(["irscope", ("a", relax.dpl.wildcard())])`, "patterns are either names, or tuples")
	refuses(t, callbackModule+`transform.FuseOpsByPattern([("a.b", relax.dpl.is_op("relax.tanh")(relax.dpl.wildcard()), {}, lambda c: 1 // 0)])(m)`, "the check of a.b")
}

// TestRegisterOp: an operator of a script is inferred, verified and printed as the others are, and LegalizeOps lowers it as the script says.
func TestRegisterOp(t *testing.T) {
	const scale = `
def infer(call): return call.args[0].struct_info
def kernel(bb, call):
    by = call.attrs["by"]
    return bb.call_te(lambda x: te.compute(x.shape, lambda i, j: x[i, j] * tir.const(by, "float32")), call.args[0], primfunc_name_hint="scale")
scale = register_op("relax.my.scale", infer, args=["x"], attrs={"by": 2.0}, legalize=kernel, pattern="kElemWise", doc="Multiplies by a number.")
`
	prints(t, callbackModule+scale+`
bb = relax.BlockBuilder()
x = relax.Var("x", relax.TensorStructInfo([2, 3], "float32"))
with bb.function("main", [x]):
    with bb.dataflow():
        a = bb.emit(scale(x, by=3.0))
        b = bb.emit(scale(a))
        u = bb.emit(scale(a, by=9.0))
        o = bb.emit_output(b)
    bb.emit_func_output(o)
mine = bb.get()
print(mine["main"].body.blocks[0].bindings[0].value, b.struct_info)
print(a.struct_info == x.struct_info, op("relax.my.scale") == mine["main"].body.blocks[0].bindings[0].value.op)
mine = transform.DeadCodeElimination()(mine)
print(len(mine["main"].body.blocks[0].bindings))
print(kernels(transform.LegalizeOps()(mine)))
loud = register_op("relax.my.shout", infer, purity=False)
print(loud(x))
`, `
R.my.scale(x, by=3.0) R.Tensor((2, 3), dtype="float32")
True True
3
["scale", "scale1"]
R.my.shout(x)`)
	refuses(t, `register_op("relax.add", lambda c: 1)`, "operator relax.add: there is one of that name already")
	refuses(t, `register_op("scale", lambda c: 1)`, `operator "scale": expected a name like relax.twice`)
	refuses(t, `register_op("relax.a", lambda c: 1, pattern="kWide")`, `there is no pattern "kWide"`)
	refuses(t, `register_op("relax.a", lambda c: 1, attrs={"n": [1.5]})`, "attribute n: a list is one of integers")
	refuses(t, `register_op("relax.a", lambda c: 1, args=["x", "x"])`, `the name "x" of argument 1 is empty or taken`)
	refuses(t, `register_op("relax.a", lambda c: 1, legalize=3)`, "legalize is a function (bb, call)")
	emit := func(infer string) string {
		return `
f = register_op("relax.a", ` + infer + `)
bb = relax.BlockBuilder()
x = relax.Var("x", relax.TensorStructInfo([2], "float32"))
with bb.function("main", [x]):
    bb.emit(f(x))
`
	}
	refuses(t, emit("lambda c: 1 // 0"), "division by zero")
	refuses(t, emit("lambda c: None"), "expected struct info from infer_struct_info of relax.a")
	refuses(t, emit("lambda c: [i for i in range(1000000000)]"), "limit")
	refuses(t, "f = register_op('relax.a', lambda c: None)\nf = register_op('relax.a', lambda c: None)", "relax.a is registered already")
}

// TestPassesOfRelay are found by TVM's names.
func TestPassesOfRelay(t *testing.T) {
	prints(t, `
from tvm import relay
print(relay.transform.FoldConstant().info.name, tvm.relay.transform.ToANormalForm().info.name, transform.ToANormalForm().info.name, transform.FoldConstant().info.name)
`, `
relay.FoldConstant relay.ToANormalForm relay.ToANormalForm FoldConstant`)
}

func TestApplyPassToFunction(t *testing.T) {
	prints(t, `
m = parse("""
@I.ir_module
class Module:
    @R.function
    def first(A: R.Tensor((4,), "float32")):
        B = R.add(A, A)
        C = R.multiply(B, B)
        return B
    @R.function
    def second(A: R.Tensor((4,), "float32")):
        B = R.add(A, A)
        C = R.multiply(B, B)
        return B
""")
def sizes(m): return [len(m[n].body.blocks[0].bindings) for n in ["first", "second"]]
P = tvm.ir.transform.ApplyPassToFunction
print(P(relax.transform.DeadCodeElimination(), "sec.*"), sizes(P(relax.transform.DeadCodeElimination(), "sec.*")(m)))

@module_pass(opt_level=0)
def clean(mod, ctx): return transform.DeadCodeElimination()(mod)
print(sizes(transform.ApplyPassToFunction(clean, func_name_regex="first")(m)))
`, `
PassInfo(name="ApplyPassToFunction", opt_level=1, required=[], kind=module) [2, 1]
[1, 2]`)
	refuses(t, `transform.ApplyPassToFunction(transform.DeadCodeElimination(), "(")`, "func_name_regex: ")
	refuses(t, `transform.ApplyPassToFunction(1, "a")`, "expected a pass")
	refuses(t, `transform.ApplyPassToFunction(transform.DeadCodeElimination(), "no", error_if_no_function_matches_regex=True)(mod)`, "no name of a function matches")
}

// TestSplitCallTIRByPatternOfTheScript: patterns are functions of a module, and fcodegen says what a library has for what they match.
func TestSplitCallTIRByPatternOfTheScript(t *testing.T) {
	const module = `
kernels = parse('''
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale_of(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), s: T.float32):
        for i in range(4):
            with T.block("B"):
                v = T.axis.spatial(4, i)
                B[v] = s * A[v]

    @T.prim_func(private=True)
    def scale_add(a: T.Buffer((4,), "float32"), c: T.Buffer((4,), "float32")):
        b = T.alloc_buffer((4,), "float32")
        for i in range(4):
            with T.block("b"):
                v = T.axis.spatial(4, i)
                b[v] = a[v] * T.float32(3)
        for i in range(4):
            with T.block("c"):
                v = T.axis.spatial(4, i)
                c[v] = b[v] + T.float32(1)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.scale_add, (x,), out_sinfo=R.Tensor((4,), "float32"))
            R.output(y)
        return y
''')
`
	prints(t, module+`
def fcodegen(matches):
    if len(matches) == 0 or matches[0].matched_buffers[0].name != "a":
        return ["", 0]
    print(len(matches), matches[0].symbol_values, [b.name for b in matches[0].matched_buffers])
    return ["{global_symbol}: scale", 1, matches[0].matched_buffers[:1]]
out = relax.transform.SplitCallTIRByPattern([kernels["scale_of"]], fcodegen)(kernels)
print(out["main"].body.blocks[0].bindings[0].value, out["scale_add_library"].attrs["library_kernel"])
ext = parse('''
@T.prim_func
def twice(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
    T.func_attr({"global_symbol": "twice"})
    for i in range(4):
        with T.block("b"):
            v = T.axis.spatial(4, i)
            b[v] = a[v] + a[v]
''')
print("twice" in [gv.name_hint for gv in transform.AttachExternModules([ext])(out).get_global_vars()])
`, `
1 [T.float32(3.0)] ["a", "b"]
R.call_dps_packed("scale_add_library", (x,), out_sinfo=R.Tensor((4,), dtype="float32")) scale_add_library: scale
True`)
	refuses(t, module+`transform.SplitCallTIRByPattern([kernels["scale_of"]], lambda m: 1)(kernels)`, "fcodegen: expected [source, how many matches it computes, buffers that it takes]")
	refuses(t, module+`transform.SplitCallTIRByPattern([kernels["scale_of"]], lambda m: ["", 1])(kernels)`, "the buffers that it takes are missing")
	refuses(t, module+`transform.SplitCallTIRByPattern([1], lambda m: 1)`, "expected a PrimFunc")
	refuses(t, `transform.AttachExternModules([1])`, "AttachExternModules: extern_modules: expected modules")
}
