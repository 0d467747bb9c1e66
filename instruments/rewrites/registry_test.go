package rewrites_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
)

// unchanging are the passes that change nothing by design.
var unchanging = map[string]string{
	"tir.VerifyMemory":    "only checks",
	"tir.VerifyGPUCode":   "only checks",
	"tir.OOBChecker":      "only checks",
	"tir.VerifySSA":       "only checks",
	"tir.VerifyVTCMLimit": "only checks",
	"NormalizeGlobalVar":  "modules whose functions have other names than symbols are refused when they are read",
	"Normalize":           "modules are in A-normal form when they have been read, and all passes keep it",
	"relay.InferType":     "values have their struct info when they have been read, and all passes keep it",
}

// scaled has scales before and behind a convolution.
const scaled = `@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), w: R.Tensor((2, 2, 3, 3), "float32"), s: R.Tensor((2, 1, 1), "float32")):
    with R.dataflow():
        a = R.multiply(x, s)
        b = R.nn.conv2d(a, w)
        c = R.multiply(b, s)
        R.output(c)
    return c
`

// hoisted has a branch that depends on the outer of two loops only.
const hoisted = `@T.prim_func
def f(a: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        for j in range(8):
            if i < n:
                a[j] = a[j] + 1
`

// threads has a kernel with two loops over one thread.
const threads = `@T.prim_func
def f(a: T.Buffer((8,), "int32")):
    for i in T.thread_binding(2, "blockIdx.x"):
        for j in T.thread_binding(4, "threadIdx.x"):
            a[i * 4 + j] = 1
        for k in T.thread_binding(4, "threadIdx.x"):
            a[i * 4 + k] = 2
`

// cases are programs that give passes something to do which the gallery does not.
var cases = []struct {
	passes string
	config map[string]any
	text   string
}{
	{"EliminateCommonSubexpr,DeadCodeElimination", nil, program},
	{"CanonicalizeBindings", nil, `@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    with R.dataflow():
        a = R.match_cast(x, R.Tensor((n,), "float32"))
        b = a
        c = R.exp(b)
        R.output(c)
    return c
`},
	{`ConvertToDataflow,TopologicalSort,BindSymbolicVars{"binding_map": {"n": 4}}`, nil, `@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    a = R.exp(x)
    b = R.sqrt(x)
    c = R.tanh(a)
    d = R.sin(b)
    e = R.add(c, d)
    return e
`},
	{"ExpandTupleArguments,RemoveUnusedParameters,RemoveUnusedOutputs", nil, `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        t = (x, x)
        u = cls.part(t)
        r = u[1]
        return r

    @R.function(private=True)
    def part(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = t[0]
        b = R.exp(a)
        c = R.sin(a)
        r = (b, c)
        return r
`},
	{`FoldScaleToConv2D,BlockConvLayout{"block": 2},LegalizeOps,LiftConstantCalls`, nil, `@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32"))
        b = R.multiply(a, R.const([[[2.0]], [[3.0]]], "float32"))
        R.output(b)
    return b
`},
	{`FakeQuantizationToInteger{"products": "all"}`, nil, `@R.function
def main(x: R.Tensor((32, 8), "int8"), w: R.Tensor((8, 16), "int8")):
    with R.dataflow():
        a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "int32"))
        b = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int32"))
        c = R.matmul(a, b)
        R.output(c)
    return c
`},
	{`BlockMatmulWeights{"block": 2}`, nil, `@R.function
def main(x: R.Tensor((3, 2), "float32")):
    with R.dataflow():
        a = R.matmul(x, R.const([[1, 2, 3, 4], [5, 6, 7, 8]], "float32"))
        R.output(a)
    return a
`},
	{`PackQuantizedWeights{"block": 4}`, nil, `@R.function
def main(x: R.Tensor((3, 2), "float32")):
    with R.dataflow():
        a = R.multiply(R.astype(R.const([[1, 2, 3, 4], [5, 6, 7, 100]], "int8"), "float32"), R.const([[0.5, 0.25, 1, 2]], "float32"))
        b = R.matmul(x, a)
        R.output(b)
    return b
`},
	{`PackByteProducts{"signs": "mixed"}`, nil, `@R.function
def main(x: R.Tensor((32, 8), "int8"), w: R.Tensor((8, 16), "int8")):
    with R.dataflow():
        a = R.matmul(x, w, out_dtype="int32")
        R.output(a)
    return a
`},
	{`BlockConvLayout{"block": 4},ConvertConv2DToWinograd{"tile": 2}`, nil, `@R.function
def main(x: R.Tensor((1, 4, 6, 6), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, R.broadcast_to(R.const(2.0, "float32"), R.shape([4, 4, 3, 3])), padding=[1, 1])
        R.output(a)
    return a
`},
	{"LiftTransformParams", nil, `@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.exp(w)
        b = R.add(x, a)
        R.output(b)
    return b
`},
	{`AttachExternModules{"extern_modules": ["@T.prim_func\ndef g(a: T.Buffer((2,), \"float32\")):\n    T.func_attr({\"global_symbol\": \"g\"})\n    a[0] = T.float32(1)\n"]}`, nil, `@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.exp(x)
    return y
`},
	{`SplitCallTIRByPattern{"patterns": ["three"]}`, nil, `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def three(a: T.Buffer((7,), "float32"), b: T.Buffer((7,), "float32"), s: T.float32):
        for i in range(7):
            with T.block("b"):
                v = T.axis.spatial(7, i)
                b[v] = a[v] * s

    @T.prim_func(private=True)
    def k(a: T.Buffer((7,), "float32"), c: T.Buffer((7,), "float32")):
        b = T.alloc_buffer((7,), "float32")
        for i in range(7):
            with T.block("b"):
                v = T.axis.spatial(7, i)
                b[v] = a[v] * T.float32(3)
        for i in range(7):
            with T.block("c"):
                v = T.axis.spatial(7, i)
                c[v] = b[v] + T.float32(1)

    @R.function
    def main(x: R.Tensor((7,), "float32")) -> R.Tensor((7,), "float32"):
        cls = Module
        y = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((7,), "float32"))
        return y
`},
	{`AlterOpImpl{"op_impl_map": {"relax.add": "plus"}, "op_buffer_transforms": {"relax.add": ["lambda i: (i // 4, i % 4)", "lambda i: (i // 4, i % 4)"]}}`, nil, `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((7,), "float32"), b: T.Buffer((7,), "float32")):
        T.func_attr({"operator_name": "relax.add"})
        for i in range(7):
            with T.block("b"):
                v = T.axis.spatial(7, i)
                b[v] = a[v] + T.float32(1)

    @T.prim_func(private=True)
    def plus(a: T.Buffer((2, 4), "float32"), b: T.Buffer((2, 4), "float32")):
        for i, j in T.grid(2, 4):
            with T.block("b"):
                v, w = T.axis.remap("SS", [i, j])
                b[v, w] = a[v, w] + T.float32(1)

    @R.function
    def main(x: R.Tensor((7,), "float32")) -> R.Tensor((7,), "float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.add, (x,), out_sinfo=R.Tensor((7,), "float32"))
            R.output(y)
        return y
`},
	{`UpdateParamStructInfo{"sinfo_func": {"x": {"dtype": "float16"}, "w": {"dtype": "float16"}}},BindParams{"params": {"w": 2}}`, nil, `@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    a = R.add(x, w)
    return a
`},
	{"DecomposeOps", nil, `@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), g: R.Tensor((2,), "float32")):
    with R.dataflow():
        a = R.nn.batch_norm(x, g, g, g, g, axis=1)
        b = a[0]
        R.output(b)
    return b
`},
	{"RemoveRedundantReshape,OptimizeLayoutTransform,FoldBatchnormToConv2D,DecomposeOpsForTraining", nil, `@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32"), g: R.Tensor((2,), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]]], "float32"))
        b = R.nn.batch_norm(a, R.const([2.0], "float32"), R.const([1.0], "float32"), R.const([0.5], "float32"), R.const([4.0], "float32"), axis=1)
        c = b[0]
        d = R.nn.batch_norm(x, g, g, g, g, axis=1)
        e = d[0]
        f = R.reshape(e, R.shape([2, 16]))
        h = R.reshape(f, R.shape([32]))
        i = R.layout_transform(h, index_map=lambda i: (i // 4, i % 4))
        j = R.layout_transform(i, index_map=lambda i, j: (i * 4 + j,))
        R.output(c, j)
    return (c, j)
`},
	{"AttachAttrLayoutFreeBuffers,SplitLayoutRewritePreproc", nil, `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(x: T.Buffer((4, 4), "float32"), w: T.Buffer((4, 4), "float32"), out: T.Buffer((4, 4), "float32")):
        rewritten = T.alloc_buffer((2, 2, 2, 2))
        for i, j in T.grid(4, 4):
            with T.block("rewrite"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
                rewritten[vi // 2, vj // 2, vi % 2, vj % 2] = w[vi, vj]
        for i, j in T.grid(4, 4):
            with T.block("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = x[vi, vj] + rewritten[vi // 2, vj // 2, vi % 2, vj % 2]

    @R.function
    def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        R.func_attr({"num_input": 1})
        cls = Module
        y = R.call_tir(cls.add, (x, w), out_sinfo=R.Tensor((4, 4), "float32"))
        return y
`},
	{"LazyTransformParams", nil, `@R.function
def transform_params(params: R.Tuple(R.Tensor((4,), "float32"))):
    w = params[0]
    y = R.add(w, w)
    z = (y, w)
    return z
`},
	{"LambdaLift,InlinePrivateFunctions,BundleModelParams,LazyGetInput,LazySetOutput", nil, `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"num_input": 1})
        cls = Module
        @R.function
        def twice(a: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            b = R.add(a, w)
            return b
        r = twice(x)
        s = cls.part(r, w)
        return s

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.add(x, w)
        return r
`},
	{`FuseOpsByPattern{"patterns": ["irscope"]},MergeCompositeFunctions,RunCodegen`, nil, `@R.function
def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
    with R.dataflow():
        a = R.matmul(x, w)
        b = R.nn.relu(a)
        c = R.matmul(b, w)
        R.output(c)
    return c
`},
	{"FastMathTransform", nil, `@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    y = R.exp(x)
    return y
`},
	{"FuseTransposeMatmul", nil, `@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        t = R.permute_dims(w)
        y = R.matmul(x, t)
        R.output(y)
    return y
`},
	{"ExpandMatmulOfSum,AdjustMatmulOrder,ReorderTakeAfterMatmul,ReorderPermuteDimsAfterConcat,CombineParallelMatmul", nil, `@R.function
def main(x: R.Tensor((1, 8), "float32"), A: R.Tensor((8, 2), "float32"), B: R.Tensor((2, 8), "float32"), C: R.Tensor((8, 8), "float32"), i: R.Tensor((8,), "int64")):
    with R.dataflow():
        a = R.matmul(A, B)
        b = R.add(a, C)
        c = R.matmul(x, b)
        d = R.take(C, i, axis=1)
        e = R.matmul(c, d)
        f = R.permute_dims(A)
        g = R.permute_dims(C)
        h = R.concat((f, g), axis=0)
        R.output(e, h)
    return (e, h)
`},
	{`ToMixedPrecision{"fp16_input_names": ["w"]}`, nil, `@R.function
def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        y = R.matmul(x, w)
        z = R.nn.relu(y)
        R.output(z)
    return z
`},
	{`ConvertLayout{"desired_layouts": {"relax.nn.conv2d": ["NHWC", "OHWI"]}}`, nil, `@R.function
def main(x: R.Tensor((1, 3, 5, 5), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, w)
        z = R.nn.relu(y)
        R.output(z)
    return z
`},
	{"LegalizeOps,ToNonDataflow,RemovePurityChecking,CallTIRRewrite,StaticPlanBlockMemory,RewriteCUDAGraph", nil, `@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        b = R.sin(a)
        c = R.cos(b)
        R.output(c)
    return c
`},
	{`Gradient{"func_name": "main"}`, nil, `@R.function
def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((), "float32"):
    with R.dataflow():
        y = R.matmul(x, w)
        z = R.sum(y)
        R.output(z)
    return z
`},
	{`RealizeVDevice,UpdateVDevice{"new_vdevice": "metal", "index": 1}`, nil, `@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda")]})

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.hint_on_device(x, R.cpu())
        b = R.hint_on_device(a, R.cuda())
        return b
`},
	{"DataflowUseInplaceCalls", nil, `@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.add(x, y)
        b = R.multiply(a, y)
        R.output(b)
    return b
`},
	{"DispatchSampling,DispatchSortScan", nil, `@R.function
def main(p: R.Tensor((3, 5), "float32"), u: R.Tensor((6, 1), "float32"), r: R.Tensor((6, 1), "int64")):
    o = R.multinomial_from_uniform(p, u, r, dtype="int64")
    return o
`},
	{"AllocateWorkspace", nil, `@I.ir_module
class Module:
    @R.function
    def run(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"Codegen": "lib", "WorkspaceSize": 64, "global_symbol": "run"})

        @R.function
        def part(p: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
            R.func_attr({"Composite": "lib.exp", "Primitive": True, "WorkspaceSize": 64})
            with R.dataflow():
                e = R.exp(p)
                R.output(e)
            return e

        y = part(x)
        return y

    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Module
        with R.dataflow():
            a = cls.run(x)
            R.output(a)
        return a
`},
	{"SpecializePrimFuncBasedOnCallSite", nil, `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(a: T.handle, b: T.handle):
        m, k = T.int64(), T.int64()
        A = T.match_buffer(a, (m, k))
        B = T.match_buffer(b, (m, k))
        for i, j in T.grid(m, k):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((2, 3), "float32"))
            R.output(a)
        return a
`},
	{"relay.DeadCodeElimination,relay.RemoveUnusedFunctions", nil, `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.exp(x)
        b = R.sin(x)
        return b

    @R.function(private=True)
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x
`},
	{"relay.SimplifyInference,relay.CanonicalizeOps,relay.FlattenAtrousConv,relay.FoldExplicitPadding", nil, `@R.function
def main(x: R.Tensor((1, 5, 5, 4), "float32"), w: R.Tensor((3, 3, 4, 4), "float32"), b: R.Tensor((4,), "float32")):
    with R.dataflow():
        c = R.relay.nn.space_to_batch_nd(x, block_shape=[2, 2], paddings=[2, 3, 2, 3])
        d = R.nn.conv2d(c, w, data_layout="NHWC", kernel_layout="HWIO")
        e = R.relay.nn.batch_to_space_nd(d, block_shape=[2, 2], crops=[0, 1, 0, 1])
        f = R.relay.nn.bias_add(e, b, axis=3)
        g = R.relay.nn.dropout(f)
        h = g[0]
        i = R.nn.pad(h, pad_width=[0, 0, 1, 1, 1, 1, 0, 0])
        j = R.nn.conv2d(i, w, data_layout="NHWC", kernel_layout="HWIO")
        R.output(j)
    return j
`},
	{"relay.ToRelax", nil, `@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32")) -> R.Tensor((2, 4), "float32"):
    with R.dataflow():
        y = R.relay.nn.dense(x, w, units=4)
        R.output(y)
    return y
`},
	{"relay.ToBasicBlockNormalForm,relay.ToANormalForm,relay.ToGraphNormalForm", nil, `@R.function
def main(x: R.Tensor((2,), "float32"), p: R.Tensor((), "bool")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.sin(x)
        b = R.exp(a)
        R.output(b)
    if p:
        c = R.add(b, R.const(1.0, "float32"))
        r = c
    else:
        r = b
    return r
`},
	{`relay.ConvertLayout{"desired_layouts": {"nn.conv2d": ["NHWC", "default"]}}`, nil, `@R.function
def main(x: R.Tensor((1, 4, 8, 8), "float32"), w: R.Tensor((8, 4, 3, 3), "float32")) -> R.Tensor((1, 8, 6, 6), "float32"):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.nn.relu(a)
        R.output(b)
    return b
`},
	{`relay.AlterOpLayout{"rules": "cpu"}`, nil, `@R.function
def main(x: R.Tensor((1, 4, 8, 8), "float32"), w: R.Tensor((8, 4, 3, 3), "float32")) -> R.Tensor((1, 8, 6, 6), "float32"):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.nn.relu(a)
        R.output(b)
    return b
`},
	{"relay.Legalize", nil, `@R.function
def main(x: R.Tensor((2,), "float16")) -> R.Tensor((2,), "float16"):
    with R.dataflow():
        a = R.erf(x)
        R.output(a)
    return a
`},
	{"relay.ToMixedPrecision", nil, `@R.function
def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")):
    with R.dataflow():
        a = R.relay.nn.dense(x, w)
        R.output(a)
    return a
`},
	{"relay.DynamicToStatic", nil, `@R.function
def main(x: R.Tensor((4, 7), "float32"), y: R.Tensor((2, 7, 2), "float32")):
    with R.dataflow():
        s = R.relay.shape_of(y, dtype="int64")
        a = R.relay.dyn.reshape(x, s)
        R.output(a)
    return a
`},
	{"relay.LambdaLift", nil, `@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    @R.function
    def f(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        z = R.add(y, x)
        return z
    r = f(x)
    return r
`},
	{"relay.FakeQuantizationToInteger", nil, `@R.function
def main(x: R.Tensor((2, 4), "int8")) -> R.Tensor((4, 2), "int8"):
    with R.dataflow():
        a = R.relay.qnn.dequantize(x, R.const(2.0, "float32"), R.const(1, "int32"))
        b = R.permute_dims(a)
        c = R.relay.qnn.quantize(b, R.const(4.0, "float32"), R.const(1, "int32"), out_dtype="int8")
        R.output(c)
    return c
`},
	{"relay.Inline", nil, `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = Module.f(x)
        return y

    @R.function(private=True)
    def f(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"Inline": 1})
        y = R.exp(x)
        return y
`},
	{"relay.BackwardFoldScaleAxis,relay.ForwardFoldScaleAxis", nil, scaled},
	{"relay.FoldScaleAxis", nil, scaled},
	{"relay.FuseOps,relay.DefuseOps", nil, `@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        a = R.exp(x)
        c = R.add(a, x)
        R.output(c)
    return c
`},
	{"relay.CombineParallelConv2D", nil, `@R.function
def main(x: R.Tensor((1, 4, 6, 6), "float32"), w: R.Tensor((2, 4, 3, 3), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.nn.conv2d(x, w)
        c = R.nn.conv2d(x, w)
        d = R.concat((a, b, c), axis=1)
        R.output(d)
    return d
`},
	{"relay.CombineParallelDense", nil, `@R.function
def main(x: R.Tensor((3, 4), "float32"), w: R.Tensor((2, 4), "float32")):
    with R.dataflow():
        a = R.relay.nn.dense(x, w)
        b = R.relay.nn.dense(x, w)
        c = R.relay.nn.dense(x, w)
        d = R.concat((a, b, c), axis=1)
        R.output(d)
    return d
`},
	{"relay.CombineParallelBatchMatmul", nil, `@R.function
def main(x: R.Tensor((2, 3, 4), "float32"), w: R.Tensor((2, 3, 4), "float32")):
    with R.dataflow():
        a = R.relay.nn.batch_matmul(x, w, transpose_b=True)
        b = R.relay.nn.batch_matmul(x, w, transpose_b=True)
        c = R.relay.nn.batch_matmul(x, w, transpose_b=True)
        d = R.concat((a, b, c), axis=1)
        R.output(d)
    return d
`},
	{"relay.EliminateCommonSubexpr", nil, `@R.function
def main(x: R.Tensor((3, 4), "float32")):
    with R.dataflow():
        a = R.exp(x)
        b = R.exp(x)
        d = R.add(a, b)
        R.output(d)
    return d
`},
	{`relay.DeadCodeElimination{"inline_once": true}`, nil, `@R.function
def main(x: R.Tensor((3, 4), "float32")):
    a = R.exp(x)
    b = R.sin(a)
    d = R.tanh(a)
    return d
`},
	{"relay.EtaExpand", nil, `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        f = Module.f
        y = f(x)
        return y

    @R.function(private=True)
    def f(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.exp(x)
        return y
`},
	{"relay.CanonicalizeCast", nil, `@R.function
def main(x: R.Tensor((3, 4), "int8")):
    with R.dataflow():
        a = R.astype(x, "int32")
        d = R.add(a, a)
        R.output(d)
    return d
`},
	{"relay.DivToMul,relay.FastMath", nil, `@R.function
def main(x: R.Tensor((3, 4), "float32")):
    with R.dataflow():
        a = R.exp(x)
        d = R.divide(a, R.const(4.0, "float32"))
        R.output(d)
    return d
`},
	{"relay.FirstOrderGradient", nil, `@R.function
def main(x: R.Tensor((3, 4), "float32")):
    with R.dataflow():
        a = R.exp(x)
        R.output(a)
    return a
`},
	{"relay.FoldConstant", nil, `@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        a = R.add(R.const(1.0, "float32"), R.const(2.0, "float32"))
        c = R.add(x, a)
        R.output(c)
    return c
`},
	{"relay.SimplifyExprPostAlterOp", nil, `@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((6,), "float32"):
    with R.dataflow():
        a = R.reshape(x, R.shape([3, 2]))
        b = R.reshape(a, R.shape([6]))
        c = R.exp(b)
        R.output(c)
    return c
`},
	{"relay.SimplifyExpr", nil, `@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        a = R.permute_dims(x)
        b = R.permute_dims(a)
        c = R.add(b, b)
        R.output(c)
    return c
`},
	{"LegalizeOps,ToNonDataflow,RemovePurityChecking,CallTIRRewrite,ElideCopies", nil, `@R.function
def main(x: R.Tensor((2, 16), "float32"), y: R.Tensor((1, 16), "float32")):
    with R.dataflow():
        a = R.exp(x)
        b = R.nn.relu(y)
        c = R.concat((a, b), axis=0)
        R.output(c)
    return c
`},
	{"RewriteDataflowReshape", nil, `@I.ir_module
class Module:
    @T.prim_func(private=True)
    def flat(a: T.Buffer((2, 3), "float32"), b: T.Buffer((6,), "float32")):
        for i in range(6):
            with T.block("flat"):
                v = T.axis.spatial(6, i)
                b[v] = a[v // 3, v % 3]

    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((6,), "float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.flat, (x,), out_sinfo=R.Tensor((6,), "float32"))
            z = R.nn.relu(y)
            R.output(z)
        return z
`},
	{"ComputePrimValue", nil, `@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Prim("int64"):
    n = T.int64()
    y = R.prim_value(n + 1)
    return y
`},
	{"tir.UnrollLoop", nil, `@T.prim_func
def f(a: T.Buffer((4,), "float32")):
    for i in T.unroll(4):
        a[i] = T.float32(0)
`},
	{"tir.CanonicalizeLoop,tir.LoopPartition,tir.SkipAssert", map[string]any{"tir.disable_assert": true}, `@T.prim_func
def f(a: T.Buffer((8,), "int32"), n: T.int32):
    T.func_attr({"global_symbol": "f"})
    assert n > 0, "n"
    for i in range(1, 8):
        a[i] = i
    for i in range(n):
        if T.likely(i * 2 < 8):
            a[i] = i
`},
	{"tir.LowerInitBlock,tir.ConvertBlocksToOpaque,tir.LowerMatchBuffer", nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32"), b: T.Buffer((1,), "float32")):
    for i in range(8):
        with T.block("sum"):
            k = T.axis.reduce(8, i)
            v = T.match_buffer(a[k:k + 1], (1,), elem_offset=T.int32())
            with T.init():
                b[0] = T.float32(0)
            b[0] = b[0] + v[0]
`},
	{"tir.InstrumentBoundCheckers", map[string]any{"tir.instrument_bound_checkers": true}, `@T.prim_func
def f(a: T.Buffer((8,), "float32"), n: T.int32):
    a[n] = T.float32(0)
`},
	{"tir.ForceNarrowIndexToInt32", nil, `@T.prim_func
def f(a: T.Buffer((T.int64(8),), "float32")):
    for i in range(T.int64(8)):
        a[i] = T.float32(0)
`},
	{"tir.RenormalizeSplitPattern,tir.RemoveNoOp,tir.RewriteUnsafeSelect,tir.LowerIntrin,tir.AnnotateEntryFunc", nil, `@T.prim_func
def f(a: T.Buffer((8,), "int32"), n: T.int32):
    T.func_attr({"global_symbol": "f"})
    for i in range(8):
        a[i] = i % 8 // 4 + T.Select(n > 0, a[n], 0) + n // 3
    for i in range(0):
        a[i] = 1
`},
	{"tir.CompactBufferAllocation,tir.PlanAndUpdateBufferAllocationLocation", nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32")):
    with T.block("root"):
        b = T.alloc_buffer((64,), "float32")
        for i in range(8):
            with T.block("w"):
                v = T.axis.spatial(8, i)
                b[v] = a[v]
                a[v] = b[v]
`},
	{"tir.SplitHostDevice", nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32")):
    T.func_attr({"global_symbol": "f", "target": T.target("wasm")})
    with T.attr(T.target("wasm"), "target", 0):
        a[0] = T.float32(0)
`},
	{"tir.RemoveStoreUndef,tir.RemoveAssume,tir.AnnotateIrregularLoop", nil, `@T.prim_func
def f(a: T.Buffer((8,), "int32")):
    T.evaluate(T.assume(a[0] == 0))
    a[1] = T.undef(dtype="int32")
    for i in range(8):
        if a[i] > 0:
            break
        a[i] = 1
`},
	{`tir.ReduceBranchingThroughOvercompute`, nil, `@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    for i in range(16):
        if i < 14:
            A[i] = 1
            T.evaluate(0)
        else:
            A[i] = 1
`},
	{`tir.InlinePrivateFunctions`, nil, `@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 16), "float32")):
        for i in range(4):
            Module.scale(T.address_of(A[i, 0]), i + 1)

    @T.prim_func(private=True)
    def scale(a: T.handle("float32"), n: T.int32):
        A = T.decl_buffer((16,), "float32", data=a)
        for j in range(16):
            A[j] = A[j] * T.Cast("float32", n)
`},
	{`tir.InjectDoubleBuffer`, nil, `@T.prim_func
def f(A: T.Buffer((128,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        C = T.decl_buffer((8,))
        with T.attr(C.data, "double_buffer_scope", 1):
            for j in range(8):
                C[j] = A[i * 8 + j]
        for j in range(8):
            B[i] = B[i] + C[j]
`},
	{`tir.CombineContextCall`, nil, `@T.prim_func
def f(dev: T.handle):
    T.func_attr({"target": T.target("llvm")})
    for i in range(8):
        T.evaluate(T.call_extern("int32", "run", T.tvm_thread_context(dev), i))
`},
	{`tir.DecorateDeviceScope`, nil, `@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = T.float32(0)
`},
	{`tir.InjectVirtualThread`, nil, `@T.prim_func
def f(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    v = T.launch_thread("vthread", 2)
    D = T.allocate([4], "int32", "local")
    B = T.Buffer((4,), "int32", data=D, scope="local")
    for i in range(4):
        B[i] = A[v * 4 + i]
    C[v] = B[0] + B[1]
`},
	{"tir.ConvertSSA", nil, `@T.prim_func
def f(a: T.Buffer((2,), "int32")):
    x = T.int32()
    a[0] = T.Let(x + x, where={x: 1})
    a[1] = T.Let(x * x, where={x: 2})
`},
	{"tir.HoistExpression", nil, hoisted},
	{"tir.HoistIfThenElse", nil, hoisted},
	{"tir.HoistIfThenElseBasic", nil, hoisted},
	{"tir.UnifyThreadBinding", nil, threads},
	{"tir.LiftThreadBinding", nil, threads},
	{"tir.LowerAutoCopy", nil, `@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    with T.block("root"):
        T.block_attr({"warp_execution": 1})
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            with T.block("tile"):
                S = T.alloc_buffer((64, 64), scope="shared")
                with T.block("load"):
                    T.block_attr({"auto_copy": 1, "vector_bytes": 16})
                    for i, j in T.grid(64, 64):
                        S[i, j] = A[i, j]
                with T.block("store"):
                    for i, j in T.grid(64, 64):
                        B[j, i] = S[i, j]
`},
	{"tir.InjectPermutedLayout", nil, `@T.prim_func
def main(A: T.Buffer((8, 64), "float16"), B: T.Buffer((64, 8), "float16")):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        with T.block("tile"):
            S = T.alloc_buffer((8, 64), "float16", scope="shared")
            with T.block("load"):
                T.block_attr({"permuted_layout": 1})
                for j in range(64):
                    S[tx, j] = A[tx, j]
            with T.block("store"):
                T.block_attr({"permuted_layout": 1})
                for j in range(64):
                    B[j, tx] = S[tx, j]
`},
	{"tir.ManifestSharedMemoryLocalStage", nil, `@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        with T.block("tile"):
            S = T.alloc_buffer((64,), scope="shared")
            for i in range(4):
                with T.block("load"):
                    T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                    S[i * 16 + tx] = A[i * 16 + tx]
            for i in range(4):
                with T.block("store"):
                    B[i * 16 + tx] = S[i * 16 + 15 - tx]
`},
	{"tir.LowerWarpMemory", nil, `@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    tx = T.launch_thread("threadIdx.x", 32)
    W_data = T.allocate([32], "float32", "warp")
    W = T.Buffer((32,), data=W_data, scope="warp")
    W[tx] = A[tx]
    B[tx] = W[(tx + 1) % 32]
`},
	{"tir.InjectPTXAsyncCopy", nil, `@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    S_data = T.allocate([128], "float32", "shared")
    S = T.Buffer((128,), data=S_data, scope="shared")
    with T.attr(0, "async_scope", 1):
        S[T.Ramp(tx * 4, 1, 4)] = A[T.Ramp(tx * 4, 1, 4)]
    T.evaluate(T.ptx_commit_group(dtype=""))
    T.evaluate(T.ptx_wait_group(0, dtype=""))
    B[T.Ramp(tx * 4, 1, 4)] = S[T.Ramp(tx * 4, 1, 4)]
`},
	{"tir.InjectPTXLDG32", nil, `@T.prim_func
def main(A: T.Buffer((20,), "float32"), B: T.Buffer((32,), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    L_data = T.allocate([1], "float32", "local")
    L = T.Buffer((1,), data=L_data, scope="local")
    L[0] = T.if_then_else(tx < 20, A[tx], T.float32(0))
    B[tx] = L[0]
`},
	{"tir.InferFragment", nil, `@T.prim_func
def main(A: T.Buffer((16, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    a = T.allocate([256], "float16", "wmma.matrix_a")
    b = T.allocate([256], "float16", "wmma.matrix_b")
    c = T.allocate([256], "float32", "wmma.accumulator")
    T.tvm_fill_fragment(c, 16, 16, 16, 0, T.float32(0))
    T.tvm_load_matrix_sync(a, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 0, 256, 1), 16, "row_major")
    T.tvm_load_matrix_sync(b, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), B.data, 0, 256, 1), 16, "col_major")
    T.tvm_mma_sync(c, 0, a, 0, b, 0, c, 0)
    T.tvm_store_matrix_sync(c, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, 256, 2), 16, "row_major")
`},
	{`tir.UseAssumeToReduceBranches`, nil, `@T.prim_func
def main(A: T.Buffer((16,), "uint8"), B: T.Buffer((16,), "uint8")):
    T.func_attr({"op_pattern": 0})
    for i in range(16):
        T.evaluate(T.assume(i < 14 or A[i] == T.uint8(0)))
    for i in range(16):
        B[i] = T.if_then_else(14 <= i, T.uint8(0), A[i] * T.uint8(3))
`},
	{`tir.ContractFMA`, nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32")):
    T.func_attr({"target": T.target("x86 -mattr=+avx2,+fma")})
    for i in range(8):
        a[i] = a[i] + b[i] * b[i]
        b[i] = a[i] - b[i] * b[i]
        a[i] = a[i] * b[i] - b[i]
        b[i] = a[i] * b[i] + b[i]
`},
	{`tir.RemoveWeightLayoutRewriteBlock`, nil, `@T.prim_func
def main(A: T.Buffer((4, 4), "float32"), W: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    W_ = T.alloc_buffer((8, 4))
    for i, j in T.grid(4, 8):
        with T.block("layout_rewrite"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
            W_[vj, vi] = W[vi, vj]
    for i, j, k in T.grid(4, 8, 4):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * W_[vj, vk]
`},
	{`tir.TransformMmaBufferLayout`, nil, `@T.prim_func
def main(A: T.Buffer((16, 8), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.block(""):
            C = T.alloc_buffer((16, 8), scope="m16n8k8.matrixC")
            for b, v in T.grid(2, 2):
                C[b * 8 + tx // 4, tx % 4 * 2 + v] = T.Cast("float32", tx)
            for b, v in T.grid(2, 2):
                A[b * 8 + tx // 4, tx % 4 * 2 + v] = C[b * 8 + tx // 4, tx % 4 * 2 + v]
`},
	{`tir.ExtractPrimFuncConstants`, nil, `@I.ir_module
class Module:
    @T.prim_func
    def one(A: T.Buffer((4,), "int32")):
        K_data = T.allocate_const([1, 2, 3, 4], "int32", [4])
        K = T.Buffer((4,), "int32", data=K_data)
        for i in range(4):
            A[i] = K[i]

    @T.prim_func
    def two(A: T.Buffer((4,), "int32")):
        K_data = T.allocate_const([1, 2, 3, 4], "int32", [4])
        K = T.Buffer((4,), "int32", data=K_data)
        for i in range(4):
            A[i] = K[3 - i]
`},
	{`tir.Filter{"fcond": {"tir.is_host_func": true}}`, nil, `@I.ir_module
class Module:
    @T.prim_func
    def host(A: T.Buffer((4,), "float32")):
        T.func_attr({"tir.is_host_func": True})
        for i in range(4):
            A[i] = T.float32(0)

    @T.prim_func
    def device(A: T.Buffer((4,), "float32")):
        T.func_attr({"target": T.target("cuda")})
        for i in range(4):
            A[i] = T.float32(1)
`},
	{`tir.ConvertForLoopsToSerial`, nil, `@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):
    for i in T.parallel(8):
        for j in T.parallel(8):
            B[i, j] = A[i, j] + T.float32(1)
`},
	{`tir.RemapThreadAxis{"thread_map": {"threadIdx.x": "threadIdx.y"}}`, nil, `@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    bx = T.launch_thread("blockIdx.x", 2)
    tx = T.launch_thread("threadIdx.x", 8)
    B[bx * 8 + tx] = A[bx * 8 + tx] + T.float32(1)
`},
	{`tir.InjectRollingBuffer`, nil, `@T.prim_func
def main(A: T.Buffer((10,), "int32"), C: T.Buffer((8,), "int32")):
    B = T.Buffer((10,), "int32")
    for i in range(4):
        T.realize(B[i * 2:i * 2 + 4], "")
        T.attr(B, "rolling_buffer_scope", True)
        for j in range(4):
            B[i * 2 + j] = A[i * 2 + j] * A[i * 2 + j]
        for j in range(2):
            C[i * 2 + j] = B[i * 2 + j] + B[i * 2 + j + 2]
`},
	{`tir.BindParams{"constants": [[1, 2, 3, 4]]}`, nil, `@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), W: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = A[i] * W[i]
`},
	{`tir.LowerVtcmAlloc`, nil, `@T.prim_func
def main(A: T.Buffer((128,), "uint8"), B: T.Buffer((128,), "uint8")):
    V_data = T.allocate([128], "uint8", "global.vtcm")
    V = T.Buffer((128,), "uint8", data=V_data, scope="global.vtcm")
    for i in range(128):
        V[i] = A[i]
    for i in range(128):
        B[i] = V[127 - i]
`},
	{`tir.backend.adreno.TextureFlatten`, nil, `@T.prim_func
def main(A: T.Buffer((2, 3, 4), "float32"), B: T.Buffer((2, 3, 4), "float32")):
    X = T.alloc_buffer((2, 3, 4), scope="global.texture")
    for i, j in T.grid(2, 3):
        for c in T.vectorized(4):
            X[i, j, c] = A[i, j, c]
    for i, j, c in T.grid(2, 3, 4):
        B[i, j, c] = X[1 - i, j, c] * T.float32(2)
`},
	{`tir.backend.adreno.InjectTextureAlloc`, nil, `@T.prim_func
def main(A: T.Buffer((24,), "float32"), B: T.Buffer((24,), "float32")):
    X_data = T.allocate([2, 3, 4], "float32", "global.texture")
    X = T.Buffer((2, 3, 4), data=X_data, scope="global.texture")
    for i, j, c in T.grid(2, 3, 4):
        X[i, j, c] = A[i * 12 + j * 4 + c]
    for i, j, c in T.grid(2, 3, 4):
        B[i * 12 + j * 4 + c] = X[1 - i, j, c]
`},
	{"tir.LowerAsyncDMA", nil, `@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    S = T.decl_buffer((64,))
    with T.attr(0, "async_commit_queue_scope", 0):
        with T.attr(0, "async_scope", 1):
            for i in range(64):
                S[i] = A[i]
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", 0):
            for i in range(64):
                B[i] = S[i] + T.float32(1)
`},
	{"tir.DefaultGPUSchedule", nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    for i in range(8):
        with T.block("double"):
            vi = T.axis.spatial(8, i)
            b[vi] = a[vi] + a[vi]
`},
	{`tir.ThreadSync`, nil, `@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    tx = T.launch_thread("threadIdx.x", 16)
    S_data = T.allocate([16], "float32", "shared")
    S = T.Buffer((16,), data=S_data, scope="shared")
    S[tx] = A[tx]
    B[tx] = S[15 - tx]
`},
	{`tir.LowerThreadAllreduce`, nil, `@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((1,), "float32")):
    T.func_attr({"target": T.target("cuda", host="llvm")})
    tx = T.launch_thread("threadIdx.x", 32)
    R_data = T.allocate([1], "float32", "local")
    R = T.Buffer((1,), data=R_data, scope="local")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), R[0], tx)
    if tx == 0:
        B[0] = R[0]
`},
	{`tir.MergeSharedMemoryAllocations`, nil, `@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    tx = T.launch_thread("threadIdx.x", 128)
    S_data = T.allocate([128], "float32", "shared.dyn")
    S = T.Buffer((128,), data=S_data, scope="shared.dyn")
    U_data = T.allocate([256], "float16", "shared.dyn")
    U = T.Buffer((256,), "float16", data=U_data, scope="shared.dyn")
    S[tx] = A[tx]
    U[tx + 128] = T.Cast("float16", S[tx])
    B[tx] = T.Cast("float32", U[tx + 128])
`},
	{`tir.AnnotateDeviceRegions`, nil, `@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"target": T.target("cuda", host="llvm")})
    n: T.int32 = 16
    tx = T.launch_thread("threadIdx.x", 16)
    A[tx] = T.Cast("float32", n)
`},
	{`tir.LowerDeviceKernelLaunch`, nil, `@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "float32")):
        T.func_attr({"target": T.target("llvm")})
        Module.kernel(A.data, 16)

    @T.prim_func(private=True)
    def kernel(A_data: T.handle("float32"), n: T.int32):
        T.func_attr({"target": T.target("cuda")})
        A = T.decl_buffer((16,), "float32", data=A_data)
        tx = T.launch_thread("threadIdx.x", n)
        A[tx] = T.float32(0)
`},
	{`tir.PointerValueTypeRewrite`, nil, `@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(4):
        B[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4]
`},
	{`tir.MakeUnpackedAPI`, nil, `@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"target": T.target("llvm", host="llvm")})
    A[0] = T.float32(0)
`},
	{`tir.LowerDeviceStorageAccessInfo{"memory_info": {"global.vtcm": {"head_address": "vtcm_begin"}}}`, nil, `@T.prim_func
def main():
    V = T.allocate([16], "float32", "global.vtcm")
    T.evaluate(V)
`},
	{"tir.LowerCrossThreadReduction", nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32"), b: T.Buffer((1,), "float32")):
    for i in T.thread_binding(8, "threadIdx.x"):
        with T.block("sum"):
            k = T.axis.reduce(8, i)
            with T.init():
                b[0] = T.float32(0)
            b[0] = b[0] + a[k]
`},
	{"tir.InjectSoftwarePipeline", nil, `@T.prim_func
def f(a: T.Buffer((8,), "float32"), c: T.Buffer((8,), "float32")):
    for i in T.serial(8, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        with T.block("both"):
            b = T.alloc_buffer((1,), "float32")
            with T.block("load"):
                b[0] = a[i]
            with T.block("use"):
                c[i] = b[0]
`},
	{"tir.BF16ComputeLegalize,tir.FP8ComputeLegalize,tir.BF16StorageLegalize,tir.FP8StorageLegalize", nil, `@T.prim_func
def f(a: T.handle("bfloat16"), b: T.handle("float8_e5m2")):
    T.func_attr({"target": T.target("wasm")})
    c = T.decl_buffer((8,), "bfloat16", data=a)
    d = T.decl_buffer((8,), "float8_e5m2", data=b)
    c[0] = c[1] + c[2]
    d[0] = d[1] + d[2]
`},
	{"tir.LowerSmallDatatypes", nil, `@T.prim_func
def f(a: T.handle("int4"), b: T.handle("float8_e5m2")):
    c = T.decl_buffer((8,), "int4", data=a)
    d = T.decl_buffer((8,), "float8_e5m2", data=b)
    c[0] = c[1] + c[2]
    d[0] = d[1] + d[2]
`},
	{"tir.InstrumentProfileIntrinsics", map[string]any{"tir.instrument_lwp": true}, `@T.prim_func
def f(a: T.Buffer((4,), "float32")):
    a[0] = T.float32(0)
`},
	{"tir.LowerTVMBuiltin", nil, `@T.prim_func
def f(a: T.Buffer((4096,), "float32")):
    b = T.allocate([4096], "float32", "global")
    c = T.decl_buffer((4096,), data=b)
    c[0] = a[0]
`},
}

// TestEveryPassReports runs the pipeline on models and passes on small programs. Each pass must
// have changed something in one of them, and each time that it did it must have reported a
// rewrite.
func TestEveryPassReports(t *testing.T) {
	changed, silent := map[string]bool{}, map[string]bool{}
	try := func(what string, m *ir.Module, passes string, config map[string]any) {
		did := map[string]string{}
		in := &pass.Instrument{Name: "changes", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if m != s.Input && s.Pass.Kind != pass.Sequential {
				did[s.Path()] = s.Pass.Name
			}
			return nil
		}}
		steps, _ := run(t, m, passes, config, 5, in)
		said := map[string]bool{}
		for _, s := range steps {
			said[s.Step] = len(s.Names) > 0
		}
		for path, name := range did {
			changed[name] = true
			if !said[path] && !silent[name] {
				silent[name] = true
				t.Errorf("%s: %s changed the module and reported no rewrite", what, path)
			}
		}
		for path, yes := range said {
			if yes && did[path] == "" {
				t.Errorf("%s: %s reported a rewrite and changed nothing", what, path)
			}
		}
	}
	for _, name := range []string{"mlp", "batch", "cnn"} {
		try(name, galleryModule(t, name), "default", nil)
	}
	for _, c := range cases {
		try(c.passes, load(t, "in.py", []byte(c.text)), c.passes, c.config)
	}
	for _, p := range pipeline.All() {
		if p.Kind != pass.Sequential && !changed[p.Name] && unchanging[p.Name] == "" {
			t.Errorf("no program here gives %s something to do: add one to cases", p.Name)
		}
		if unchanging[p.Name] != "" && changed[p.Name] {
			t.Errorf("%s changed something, it is said not to", p.Name)
		}
	}
}
