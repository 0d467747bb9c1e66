package starpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/starpass"
)

func TestNodeFields(t *testing.T) {
	prints(t, `
f = mod["main"]
b = f.body.blocks[0].bindings[0]
print(type(f), type(f.body), type(f.body.blocks[0]), type(b), type(b.var), type(b.value), b.value.op.name)
print([p.name for p in f.params], f.params[0].struct_info, f.params[0].name_hint, f.params[0].struct_info.dtype)
print(f.attrs, f.ret_struct_info, f.is_pure, f.pure, b.value.args == [f.params[0]] * 2)
branch = f.body.blocks[1].bindings[0].value
print(type(branch), branch.cond.name, type(branch.true_branch), getattr(branch, "else") == branch.false_branch)
print(b.span.source_name, b.span.line)
g = mod["double"]
loop = g.body.block.body
print(type(g), type(g.body), type(loop), loop.kind, loop.loop_var.name, loop.extent.value, loop.extent.dtype, loop.thread_binding)
s = loop.body.block.body
print(type(s), s.buffer.name, s.buffer.shape, s.buffer.dtype, type(s.value), s.value.op, s.value.dtype, s)
print([g.buffer_map[p].name for p in g.params])
print(at(mod, "functions[\"main\"].body.blocks[0].bindings[1].value.args[1]").name, path_of(mod, b.value))
print(structural_equal(mod["main"], mod["main"]), structural_equal(branch.then_branch if hasattr(branch, "then_branch") else branch.true_branch, branch.false_branch), structural_hash(f) == structural_hash(mod["main"]))
print(f == mod["main"], f != g, {f: 1}[mod["main"]], bool(f))
`, `Function SeqExpr DataflowBlock VarBinding DataflowVar Call relax.add
["x", "c"] R.Tensor((2, 3), dtype="float32") x float32
{"global_symbol": "main"} R.Tensor((2, 3), dtype="float32") True True True
If c SeqExpr True
in.py 7
PrimFunc BlockRealize For serial i 8 int32 None
BufferStore B [8] float32 Add Add float32 B[vi] = A[vi] * T.float32(2.0) + T.float32(0.0)
["A", "B"]
x functions["main"].body.blocks[0].bindings[0].value
True True True
True True 1 True`)
}

func TestNodeErrors(t *testing.T) {
	refuses(t, `mod["main"].boddy`, "Function has no .boddy field or method; did you mean .body?")
	refuses(t, `mod["main"].body = 1`, "can't assign to .body field")
	refuses(t, `mod["main"].body.blocks.append(1)`, "frozen list")
	refuses(t, `mod["main"].attrs["x"] = 1`, "frozen")
	refuses(t, `mod["man"]`, `the module has no function "man"; did you mean "main"?`)
	refuses(t, `mod["main"] < mod["double"]`, "nodes have no order")
	refuses(t, `replace(mod["main"], bdy=1)`, `Function has no field "bdy"; did you mean "body"?`)
	refuses(t, `replace(mod["main"], body=None)`, "the field body of a Function cannot be None")
	refuses(t, `replace(mod["main"], params=[1])`, "field params of relax.Function: entry 0: expected relax.Var, got a value of type int")
	refuses(t, `replace(1)`, "replace: expected a node")
	refuses(t, `relax.Call()`, "Call: the field op is missing")
	refuses(t, `relax.Call(op("relax.addd"), [])`, `there is no operator "relax.addd"; did you mean "relax.add"?`)
	refuses(t, `relax.Cal`, "did you mean .Call?")
	refuses(t, `tir.For(1, 2)`, "field loop_var of tir.For: expected tir.Var, got a value of type int")
	refuses(t, `tir.For(tir.Var("i", "int32"), 0, 8, "paralel", tir.Evaluate(0))`, "expected one of serial, parallel, vectorized, unroll, thread_binding")
	refuses(t, `tir.Var("i", "int33")`, "int33")
	refuses(t, `tir.Call("int32", "tir.expp", [1])`, `there is no intrinsic "tir.expp"; did you mean "tir.exp"?`)
	refuses(t, `tir.Evaluate("x") + 1`, "unknown binary op")
	refuses(t, `tir.StringImm("x") + 1`, "expected numbers")
	refuses(t, `tir.Add(tir.Ramp(0, 1, 4), tir.Ramp(0, 1, 8))`, "the lanes differ")
	refuses(t, `tir.Ramp(0, 1, 100000)`, "lanes are 1 to 1024")
	refuses(t, `tir.Shuffle([], [])`, "a Shuffle needs vectors")
	refuses(t, `R.addd(1, 2)`, "operators has no .addd field or method; did you mean .add?")
	refuses(t, `R.add(mod["main"].params[0])`, "relax.add: the argument")
	refuses(t, `R.nn.softmax(mod["main"].params[0], axes=1)`, `relax.nn.softmax: it has no "axes"; did you mean "axis"?`)
	refuses(t, `R.nn.softmax(mod["main"].params[0], axis="one")`, "axis")
	refuses(t, `at(mod, "functions[\"mian\"]")`, "did you mean main?")
	refuses(t, `relax.const("x")`, "const: expected numbers")
	refuses(t, `relax.const([[1], [2, 3]])`, "nested unevenly")
	refuses(t, `relax.const([[1, 2], 3])`, "nested unevenly")
	refuses(t, `relax.const(1.5, "int32")`, "convert it with int()")
	refuses(t, `relax.const(300, "uint8")`, "300 does not fit uint8")
	refuses(t, `relax.const([1, 2, 3], shape=[2])`, "3 elements do not fill the shape [2]")
	refuses(t, `relax.const([1, 2]).data.item()`, "the tensor has 2 elements, expected one")
	refuses(t, `relax.const(0.0, shape=[1000, 1000]).data.values()`, "more than the limit of 65536")
	refuses(t, `parse("@T.prim_func\ndef f(: pass")`, "parse: <text>:2:")
	refuses(t, `structural_equal(mod, mod["main"])`, "compares two nodes or two modules")
}

func TestConstants(t *testing.T) {
	prints(t, `
for c in [relax.const(1), relax.const(True), relax.const(0.1), relax.const([[1, 2], [3, 4]], "int64"), relax.const([1.5, -2], "float16"),
          relax.const(7, "uint8", shape=[2, 2]), relax.const([], "float32"), relax.const([1, 2, 3, 4], "float32", shape=[2, 2])]:
    print(c.data.shape, c.dtype, c.data.values(), c.struct_info)
print(relax.const(3).data.item() + 1, relax.const(relax.const([1, 2]).data).data.size)
`, `[] int32 [1] R.Tensor((), dtype="int32")
[] bool [True] R.Tensor((), dtype="bool")
[] float32 [0.10000000149011612] R.Tensor((), dtype="float32")
[2, 2] int64 [1, 2, 3, 4] R.Tensor((2, 2), dtype="int64")
[2] float16 [1.5, -2.0] R.Tensor((2,), dtype="float16")
[2, 2] uint8 [7, 7, 7, 7] R.Tensor((2, 2), dtype="uint8")
[0] float32 [] R.Tensor((0,), dtype="float32")
[2, 2] float32 [1.0, 2.0, 3.0, 4.0] R.Tensor((2, 2), dtype="float32")
4 2`)
}

// TestBuild builds functions of both levels from nothing.
func TestBuild(t *testing.T) {
	m, _, err := run(t, `
def graph():
    n = tir.Var("n", "int64")
    x = relax.Var("x", relax.TensorStructInfo([n, 4], "float32"))
    y = relax.DataflowVar("y", relax.TensorStructInfo([n, 4], "float32"))
    z = relax.Var("z", relax.TensorStructInfo([n, 4], "float32"))
    block = relax.BindingBlock([relax.VarBinding(y, R.add(x, relax.const(1.0))), relax.VarBinding(z, R.nn.softmax(y, axis=-1))], dataflow=True)
    return relax.Function([x], relax.SeqExpr([block], z), ret=z.struct_info).with_attr("global_symbol", "main")
def kernel():
    A, B = [tir.Buffer(tir.Var(name, "handle"), "float32", [16], name=name) for name in ["A", "B"]]
    a, b = tir.Var("a", "handle"), tir.Var("b", "handle")
    i = tir.Var("i", "int32")
    loop = tir.For(i, 0, 16, "parallel", tir.BufferStore(A, tir.BufferLoad(B, [i]) * 2.0 + 1.0, [i]))
    return tir.PrimFunc([a, b], [A, B], body=loop).with_attr("global_symbol", "kernel")
def main(mod):
    return mod.remove("main").remove("double").update("main", graph())
`, module(t, relaxText), starpass.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, starpass.Trace(err))
	}
	checkText(t, printed(m), `
def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
    n = T.int64()
    with R.dataflow():
        y = R.add(x, R.const(1.0, "float32"))
        z = R.nn.softmax(y, axis=-1)
        R.output(z)
    return z`)
	prints(t, `
i = tir.Var("i", "int32")
print(i * 2 + 0, (i + 1) // 2 % 3, 4 * tir.IntImm("int32", 2), -i, tir.Add(1, 2), tir.LT(i, 4), tir.Select(tir.LT(i, 4), i, 0))
s = tir.SeqStmt([tir.Evaluate(i), tir.SeqStmt([tir.Evaluate(1), tir.Evaluate(i)])])
print(type(s), len(s.seq), type(tir.SeqStmt([tir.Evaluate(i)])))
c = R.add(relax.Var("x", relax.TensorStructInfo([2], "float32")), relax.const(1.0))
print(replace(c, args=c.args) == c, replace(c, attrs={}) == c, replace(c, args=c.args[:1] + [c.args[0]]) == c)
print(relax.Var("s", relax.ShapeStructInfo([2, 3])).struct_info.ndim, relax.Tuple([1, "x", c.args[0]]).fields[0].value.dtype)
print(relax.TensorStructInfo(dtype="float32").ndim, relax.TensorStructInfo(ndim=3, dtype="int8"), R.shape([2, 3]), R.call_tir != None)
`, `i * 2 (i + 1) // 2 % 3 8 0 - i T.Add(1, 2) i < 4 T.Select(i < 4, i, 0)
SeqStmt 2 Evaluate
True True False
2 int64
-1 R.Tensor(dtype="int8", ndim=3) R.shape([2, 3]) True`)
}
