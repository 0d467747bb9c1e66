package starpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/starpass"
)

// TestStmtFunctor substitutes, visits and transforms statements.
func TestStmtFunctor(t *testing.T) {
	prints(t, `
from tvm import tir
def split(self, op):
    op = self.visit_default(op)
    if isinstance(op.extent, tir.IntImm) and op.extent.value % 8 == 0 and op.kind == "serial":
        lo, li = tir.Var("o", "int32"), tir.Var("i", "int32")
        body = tir.stmt_functor.substitute(op.body, {op.loop_var: lo * 8 + li})
        return tir.For(lo, 0, op.extent.value // 8, "serial", tir.For(li, 0, 8, "vectorized", body))
    return op
p = prim_func_pass(mutator({"For": split}), opt_level=0, name="vectorize")
def main(mod):
    text = p(mod)["double"].script()
    print("for o in range(1)" in text or "range(1)" in text, "T.vectorized(8)" in text, "o * 8 + i" in text)
    names = []
    tir.stmt_functor.post_order_visit(mod["double"].body, lambda n: names.append(type(n)) if isinstance(n, tir.Stmt) else None)
    print(names)
    seen = []
    def pre(n):
        seen.append(type(n))
        return not isinstance(n, tir.For)
    tir.stmt_functor.pre_order_visit(mod["double"].body, pre)
    print(seen[-1])
    out = tir.stmt_functor.ir_transform(mod["double"].body, None, lambda n: replace(n, kind="unroll"), ["tir.For"])
    print("T.unroll(8)" in replace(mod["double"], body=out).script())
    f = mod["main"]
    print(relax.analysis.free_vars(f), [v.name for v in relax.analysis.free_vars(f.body)], relax.analysis.well_formed(mod), relax.analysis.defined_symbolic_vars(f))
    count = []
    relax.analysis.post_order_visit(f, lambda e: count.append(1) if isinstance(e, relax.Call) else None)
    print(len(count))
`, `True True True
["BufferStore", "Block", "BlockRealize", "For", "Block", "BlockRealize"]
For
True
[] ["x", "c"] True []
4`)
	refuses(t, "def main(mod): tir.stmt_functor.substitute(mod['double'].body, {tir.Var('i', 'int32'): 1.5})", "cannot become a float32")
	refuses(t, "x = tir.Var('x', 'int32')\ny = x\nfor i in range(40): y = tir.Add(y, y)\ntir.stmt_functor.substitute(y, {x: 1})", "substitute: more than")
	refuses(t, "x = tir.Var('x', 'int32')\ny = x\nfor i in range(40): y = tir.Add(y, y)\nte.compute([4], lambda i: y)", "compute: more than")
}

// TestTE makes kernels of computations.
func TestTE(t *testing.T) {
	prints(t, `
from tvm import te, topi
A = te.placeholder((8, 16), "float32", name="A")
B = te.placeholder((16, 4), name="B")
k = te.reduce_axis((0, 16), "k")
C = te.compute((8, 4), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
D = topi.nn.relu(topi.add(C, 1.0))
f = te.create_prim_func([A, B, D])
text = f.script()
print([int(d) for d in C.shape], C.dtype, D.ndim, isinstance(f, tir.PrimFunc), "C[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]" in text or "A[" in text, len(f.params))
print([[int(d) for d in x.shape] for x in [topi.matmul(A, B), topi.transpose(A), topi.reshape(A, (4, 32)), topi.sum(A, 1), topi.softmax(A), topi.expand_dims(A, 0), topi.mean(A, keepdims=True)]], topi.cast(A, "int8").dtype)
def main(mod):
    return None
`, `[8, 4] float32 2 True True 3
[[8, 4], [16, 8], [4, 32], [8], [8, 16], [1, 8, 16], [1, 1]] int8`)
	a := "A = te.placeholder((4, 4))\n"
	refuses(t, a+"A[1]", "tensor placeholder has 2 dimensions, got 1 indices")
	refuses(t, a+"te.extern()", "te.extern is not available")
	refuses(t, a+"te.scan(A, A, A)", "entry 0: the update placeholder is no computation")
	prints(t, `
m = te.var("m")
X = te.placeholder((m, 4), name="X")
state = te.placeholder((m, 4), name="state")
init = te.compute((1, 4), lambda _, i: X[0, i])
update = te.compute((m, 4), lambda t, i: state[t - 1, i] + X[t, i])
total = te.scan(init, update, state, inputs=[X], name="total")
print(total, len(te.scan([init], [update], [state])), "total[t, i0] = total[t - T.int64(1), i0] + X[t, i0]" in te.create_prim_func([X, total]).script())
`, "Tensor(total, float32) 1 True")
	refuses(t, a+"te.compute((4,), lambda i, j: 1)", "1 dimensions, but the function has 2 parameters")
	refuses(t, a+"te.compute((4,), lambda i: 'x')", "an element cannot be a handle")
	refuses(t, a+"k = te.reduce_axis((0, 4))\nte.compute((4,), lambda i: 1.0 + te.sum(A[i, k], axis=k))", "a reduction stands inside of an expression")
	refuses(t, a+"te.create_prim_func([A])", "none of the tensors is computed")
	refuses(t, a+"topi.matmul(A, te.placeholder((3, 4)))", "topi.matmul: ")
	refuses(t, a+"topi.add(A, te.placeholder((3, 4)))", "topi.add: ")
	refuses(t, a+"topi.no_such(A)", "has no .no_such field")
}

// TestEmitTE builds a function of kernels and operators, and calls a kernel from a mutator.
func TestEmitTE(t *testing.T) {
	m, _, err := run(t, `
from tvm import relax, te, topi
def double(a): return te.compute(a.shape, lambda i, j: a[i, j] * 2.0, name="double")
class Lower(PyExprMutator):
    def visit_call_(self, call):
        if call.op.name == "relax.nn.relu":
            return self.builder_.call_te(topi.nn.relu, call.args[0], primfunc_name_hint="relu_kernel")
        return super().visit_call_(call)
@module_pass(opt_level=0, name="Lower")
class LowerRelu:
    def transform_module(self, mod, ctx):
        low = Lower(mod)
        low.builder_.update_func("main", low.visit_expr(mod["main"]))
        return low.builder_.get()
def main(mod):
    bb = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorStructInfo([2, 3], "float32"))
    with bb.function("main", [x]):
        with bb.dataflow():
            y = bb.emit_te(double, x)
            z = bb.emit(relax.op.nn.relu(y))
            w = bb.emit_te(topi.add, z, x)
            out = bb.emit_output(w)
        bb.emit_func_output(out)
    return LowerRelu()(bb.get())
`, nil, starpass.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, starpass.Trace(err))
	}
	for _, want := range []string{"R.call_tir(cls.double, (x,)", "R.call_tir(cls.relu_kernel, (", "R.call_tir(cls.", "T.float32(2.0)"} {
		if !strings.Contains(printed(m), want) {
			t.Errorf("%s is missing in\n%s", want, printed(m))
		}
	}
	if m.Len() != 4 {
		t.Errorf("%d functions, expected 4", m.Len())
	}
	b := "bb = relax.BlockBuilder()\nx = relax.Var('x', relax.TensorStructInfo([tir.Var('n', 'int64')], 'float32'))\ny = relax.Var('y', relax.TensorStructInfo([2], 'float32'))\nwith bb.function('f', [x, y]):\n    "
	refuses(t, b+"bb.emit_te(topi.nn.relu, x)", "kernels of te are made of static shapes only")
	refuses(t, b+"bb.emit_te(lambda a: a, y)", "the function must return a computed tensor")
	refuses(t, "relax.BlockBuilder().emit_te(topi.nn.relu, 1)", "emit_te: there is no block to emit into")
}
