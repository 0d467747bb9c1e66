package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/transform"
)

// Kernels for vectors of any length.
const (
	reluKernel = `
@T.prim_func(private=True)
def relu(a: T.handle, b: T.handle):
    T.func_attr({"op_pattern": 0})
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("relu"):
            v = T.axis.spatial(n, i)
            B[v] = T.max(A[v], T.float32(0))
`
	addKernel = `
@T.prim_func(private=True)
def add(a: T.handle, b: T.handle, c: T.handle):
    T.func_attr({"op_pattern": 0})
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    C = T.match_buffer(c, (n,))
    for i in range(n):
        with T.block("add"):
            v = T.axis.spatial(n, i)
            C[v] = A[v] + B[v]
`
	// scaleKernel multiplies by a scalar.
	scaleKernel = `
@T.prim_func(private=True)
def scale(a: T.handle, B: T.Buffer((), "float32"), c: T.handle):
    T.func_attr({"op_pattern": 0})
    n = T.int64()
    A = T.match_buffer(a, (n,))
    C = T.match_buffer(c, (n,))
    for i in range(n):
        with T.block("scale"):
            v = T.axis.spatial(n, i)
            C[v] = A[v] * B[()]
`
	// twiceKernel says its input twice.
	twiceKernel = `
@T.prim_func(private=True)
def twice2(a: T.handle, b: T.handle):
    T.func_attr({"op_pattern": 2})
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n * T.int64(2),))
    for i in range(n * T.int64(2)):
        with T.block("twice"):
            v = T.axis.spatial(n * T.int64(2), i)
            B[v] = A[T.floormod(v, n)]
`
	// spreadKernel makes as many elements as its result has.
	spreadKernel = `
@T.prim_func(private=True)
def spread(A: T.Buffer((T.int64(1),), "float32"), b: T.handle):
    T.func_attr({"op_pattern": 1})
    n = T.int64()
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("spread"):
            v = T.axis.spatial(n, i)
            B[v] = A[T.int64(0)]
`
)

const fusedTwice = reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        out = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(out)
    return out
`

const fusedTwiceAfter = reluKernel + `
@R.function(private=True)
def fused_relu_relu_out(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        out = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(out)
    return out

@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        out: R.Tensor((4,), "float32") = cls.fused_relu_relu_out(x)
        R.output(out)
    return out
`

func TestFuseOpsPairs(t *testing.T) {
	level := func(n int) []pass.ContextOption { return []pass.ContextOption{pass.OptLevel(n)} }
	runPairs(t, transform.FuseOps,
		pair{name: "a chain", before: fusedTwice, after: fusedTwiceAfter},
		pair{name: "nothing to fuse", before: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        out = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(out)
    return out
`},
		pair{name: "outside dataflow blocks", before: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
    out = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((4,), "float32"))
    return out
`},
		pair{name: "what was made before", before: fusedTwiceAfter},
		pair{name: "opt_level 0", before: fusedTwice, opts: level(0)},
		pair{name: "opt_level 1", before: fusedTwice, opts: level(1), after: fusedTwiceAfter},
		pair{name: "fuse_opt_level 0", before: fusedTwice, args: ir.NewAttrs("fuse_opt_level", 0)},
		pair{name: "fuse_opt_level 1", before: fusedTwice, args: ir.NewAttrs("fuse_opt_level", 1), opts: level(0), after: fusedTwiceAfter},
		pair{name: "in the branches of a conditional", before: reluKernel + `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    if p:
        with R.dataflow():
            a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
            up = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((4,), "float32"))
            R.output(up)
        r = up
    else:
        r = x
    return r
`, after: reluKernel + `
@R.function(private=True)
def fused_relu_relu_up(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        up = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(up)
    return up

@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    if p:
        with R.dataflow():
            up: R.Tensor((4,), "float32") = cls.fused_relu_relu_up(x)
            R.output(up)
        r = up
    else:
        r = x
    return r
`},
		pair{name: "arguments, constants and scalars, and equal groups", before: addKernel + scaleKernel + `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.add, (x, R.const([1.0, 2.0], "float32")), out_sinfo=R.Tensor((2,), "float32"))
        b = R.call_tir(cls.scale, (a, R.const(3.0, "float32")), out_sinfo=R.Tensor((2,), "float32"))
        first = R.call_tir(cls.add, (x, b), out_sinfo=R.Tensor((2,), "float32"))
        c = R.call_tir(cls.add, (first, y), out_sinfo=R.Tensor((2,), "float32"))
        d = R.call_tir(cls.scale, (c, R.const(3.0, "float32")), out_sinfo=R.Tensor((2,), "float32"))
        second = R.call_tir(cls.add, (first, d), out_sinfo=R.Tensor((2,), "float32"))
        R.output(first, second)
    e = R.add(first, second)
    return e
`, after: addKernel + scaleKernel + `
@R.function(private=True)
def fused_add_scale_add_first(x: R.Tensor((2,), "float32"), param_1: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.add, (x, param_1), out_sinfo=R.Tensor((2,), "float32"))
        b = R.call_tir(cls.scale, (a, R.const(3.0, "float32")), out_sinfo=R.Tensor((2,), "float32"))
        first = R.call_tir(cls.add, (x, b), out_sinfo=R.Tensor((2,), "float32"))
        R.output(first)
    return first

@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    with R.dataflow():
        first: R.Tensor((2,), "float32") = cls.fused_add_scale_add_first(x, R.const([1.0, 2.0], "float32"))
        second: R.Tensor((2,), "float32") = cls.fused_add_scale_add_first(first, y)
        R.output(first, second)
    e = R.add(first, second)
    return e
`, said: []string{
			"pair.py:36:9: main: warning: e = relax.add was not considered: FuseOps sees kernels only; run LegalizeOps before FuseOps",
		}},
		pair{name: "extents that the arguments tell stay", before: reluKernel + addKernel + `
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((n,), "float32"))
        out = R.call_tir(cls.add, (a, y), out_sinfo=R.Tensor((n,), "float32"))
        R.output(out)
    return out
`, after: reluKernel + addKernel + `
@R.function(private=True)
def fused_relu_add_out(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((n,), "float32"))
        out = R.call_tir(cls.add, (a, y), out_sinfo=R.Tensor((n,), "float32"))
        R.output(out)
    return out

@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        out: R.Tensor((n,), "float32") = cls.fused_relu_add_out(x, y)
        R.output(out)
    return out
`},
		pair{name: "extents that are expressions get names", before: reluKernel + twiceKernel + `
@R.function
def main(s: R.Shape(["n"]), x: R.Tensor(("n + 1",), "float32")) -> R.Tensor(("(n + 1) * 2",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((n + 1,), "float32"))
        out = R.call_tir(cls.twice2, (a,), out_sinfo=R.Tensor(((n + 1) * 2,), "float32"))
        R.output(out)
    return out
`, after: reluKernel + twiceKernel + `
@R.function(private=True)
def fused_relu_twice_out(x: R.Tensor(("d0",), "float32")) -> R.Tensor(("d0 * 2",), "float32"):
    d0 = T.int64()
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((d0,), "float32"))
        out = R.call_tir(cls.twice2, (a,), out_sinfo=R.Tensor((d0 * 2,), "float32"))
        R.output(out)
    return out

@R.function
def main(s: R.Shape(["n"]), x: R.Tensor(("n + 1",), "float32")) -> R.Tensor(("(n + 1) * 2",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        out: R.Tensor(((n + 1) * 2,), "float32") = cls.fused_relu_twice_out(x)
        R.output(out)
    return out
`},
		pair{name: "several such arguments, equal ones with one name", before: reluKernel + addKernel + `
@R.function
def main(s: R.Shape(["n"]), x: R.Tensor(("n * 2",), "float32"), y: R.Tensor(("n + n",), "float32"), z: R.Tensor(("n * 2",), "float32")) -> R.Tensor(("n * 2",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((n * 2,), "float32"))
        out = R.call_tir(cls.add, (a, z), out_sinfo=R.Tensor((n * 2,), "float32"))
        R.output(out)
    return out
`, after: reluKernel + addKernel + `
@R.function(private=True)
def fused_add_add_out(x: R.Tensor(("d0",), "float32"), y: R.Tensor(("d0",), "float32"), z: R.Tensor(("d0",), "float32")) -> R.Tensor(("d0",), "float32"):
    d0 = T.int64()
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.add, (x, y), out_sinfo=R.Tensor((d0,), "float32"))
        out = R.call_tir(cls.add, (a, z), out_sinfo=R.Tensor((d0,), "float32"))
        R.output(out)
    return out

@R.function
def main(s: R.Shape(["n"]), x: R.Tensor(("n * 2",), "float32"), y: R.Tensor(("n + n",), "float32"), z: R.Tensor(("n * 2",), "float32")) -> R.Tensor(("n * 2",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        out: R.Tensor((n * 2,), "float32") = cls.fused_add_add_out(x, y, z)
        R.output(out)
    return out
`},
		pair{name: "what no argument tells cannot be fused", before: reluKernel + spreadKernel + `
@R.function
def main(s: R.Shape(["n"]), x: R.Tensor((1,), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.spread, (x,), out_sinfo=R.Tensor((n,), "float32"))
        out = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((n,), "float32"))
        R.output(out)
    return out
`},
		pair{name: "other values stand between", before: reluKernel + addKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        t = (a, x)
        b: R.Tensor((4,), "float32") = t[0]
        c = R.match_cast(b, R.Tensor((4,), "float32"))
        d = R.call_tir(cls.relu, (c,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(d)
    return d
`},
	)
}
