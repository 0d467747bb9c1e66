package rewrites_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
)

// unchanging are the passes that change nothing by design.
var unchanging = map[string]string{
	"tir.VerifyMemory":   "only checks",
	"NormalizeGlobalVar": "modules whose functions have other names than symbols are refused when they are read",
	"Normalize":          "modules are in A-normal form when they have been read, and all passes keep it",
	"relay.InferType":    "values have their struct info when they have been read, and all passes keep it",
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
	{"LiftTransformParams", nil, `@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.exp(w)
        b = R.add(x, a)
        R.output(b)
    return b
`},
	{`UpdateParamStructInfo{"sinfo_func": {"x": {"dtype": "float16"}, "w": {"dtype": "float16"}}},BindParams{"params": {"w": 2}}`, nil, `@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    a = R.add(x, w)
    return a
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
	{"relay.SimplifyExpr", nil, `@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
    with R.dataflow():
        a = R.permute_dims(x)
        b = R.permute_dims(a)
        c = R.add(b, b)
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
