package pipeline_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/target"
)

// effect shows what an option does: a module that passes make something else of with the
// option than without it.
type effect struct {
	text   string
	passes string // as in --passes, with %s where the options of the pass stand; the pass itself if empty
	value  any    // of the option
	// besides are options that both have, such as "name": "main".
	besides string
	// set is what only the result with the option has, plain what only the one without it has.
	set, plain string
	config     map[string]any // of both
}

// two functions to fold, and a tuple that is made twice.
const graph = `
@I.ir_module
class Module:
    @R.function
    def other(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((3,), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        lv: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor((3,), dtype="float32")) = R.nn.batch_norm(x, w, w, w, w, axis=1)
        gv: R.Tensor((2, 3), dtype="float32") = lv[0]
        return gv

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")), R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32"))):
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32") = R.exp(x)
            b: R.Tensor((2, 3), dtype="float32") = R.add(a, x)
            c: R.Tensor((2, 3), dtype="float32") = R.tanh(b)
            t: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = (a, x)
            u: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = (a, x)
            gv = (c, t, u)
            R.output(gv)
        return gv
`

// a value that is computed twice.
const twice = `
@R.function
def main(x: R.Tensor((4,), "float32")):
    with R.dataflow():
        a = R.exp(x)
        a_again = R.exp(x)
        b = R.add(a, a_again)
        R.output(b)
    return b
`

// a let that is used once, and an effect.
const once = `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")):
    k = R.relay.memory.kill(x)
    a = R.exp(x)
    return a
`

// two operators of one value, of each kind.
const parallel = `
@R.function
def main(x: R.Tensor((1, 4, 6, 6), "float32"), w: R.Tensor((2, 4, 3, 3), "float32"), y: R.Tensor((3, 4), "float32"), v: R.Tensor((2, 4), "float32"), z: R.Tensor((2, 3, 4), "float32")):
    with R.dataflow():
        a = R.nn.conv2d(x, w)
        b = R.nn.conv2d(x, w)
        c = R.relay.nn.dense(y, v)
        d = R.relay.nn.dense(y, v)
        e = R.relay.nn.batch_matmul(z, z, transpose_b=True)
        f = R.relay.nn.batch_matmul(z, z, transpose_b=True)
        R.output(a, b, c, d, e, f)
    return (a, b, c, d, e, f)
`

// two results to differentiate.
const losses = `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
    with R.dataflow():
        y = R.multiply(x, w)
        a = R.sum(y)
        b = R.mean(w)
        R.output(a, b)
    return (a, b)
`

// what is computed with dequantized values, and not with what is quantized again but a softmax.
const dequantized = `
@R.function
def main(x: R.Tensor((2, 4), "int8"), w: R.Tensor((3, 4), "int8")) -> R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((2, 4), "int8")):
    with R.dataflow():
        a = R.relay.qnn.dequantize(x, R.const(2.0, "float32"), R.const(1, "int32"))
        b = R.relay.qnn.dequantize(w, R.const(0.5, "float32"), R.const(0, "int32"))
        c = R.relay.nn.dense(a, b, units=3)
        d = R.nn.softmax(a)
        e = R.relay.qnn.quantize(d, R.const(4.0, "float32"), R.const(1, "int32"), out_dtype="int8")
        f = (c, e)
        R.output(f)
    return f
`

const chain = `
@R.function
def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    with R.dataflow():
        a: R.Tensor((2, 3), dtype="float32") = R.exp(x)
        b: R.Tensor((2, 3), dtype="float32") = R.add(a, x)
        gv: R.Tensor((2, 3), dtype="float32") = R.tanh(b)
        R.output(gv)
    return gv
`

const onDevice = `
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("wasm"), I.vdevice("cuda")]})

    @R.function
    def main(x: R.Tensor((4,), "float32", "cuda")):
        return x
`

const product = `
@R.function
def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((3, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    with R.dataflow():
        a = R.matmul(x, w)
        R.output(a)
    return a
`

// forGenerator has a function for a generator, and one that nothing calls.
const forGenerator = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = cls.part(x)
        return a

    @R.function
    def part(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Codegen": "irscope"})
        y = R.nn.softmax(x)
        return y

    @R.function(private=True)
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.exp(x)
        return y
`

// a kernel that says what it computes, and another one.
const otherKernel = `
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def some_op(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32")):
        T.func_attr({"operator_name": "relax.some_op"})
        for i in range(8):
            with T.block("b"):
                v = T.axis.spatial(8, i)
                b[v] = a[v] + T.float32(1)

    @T.prim_func(private=True)
    def flat(a: T.Buffer((8,), "float32"), b: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.block("b"):
                v = T.axis.spatial(8, i)
                b[v] = T.float32(1) + a[v]

    @R.function
    def main(x: R.Tensor((8,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.some_op, (x,), out_sinfo=R.Tensor((8,), "float32"))
            R.output(y)
        return y
`

// what transforms the weights of a model.
const onDemand = `
@R.function
def transform_params(params: R.Tuple(R.Tensor((4,), "float32"))):
    w = params[0]
    y = R.add(w, w)
    z = (y,)
    return z
`

const plain = `
@R.function
def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    a = R.exp(x)
    b = R.tanh(a)
    return b
`

const diamond = `
@R.function
def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    with R.dataflow():
        a = R.exp(x)
        c = R.sin(a)
        b = R.tanh(x)
        d = R.add(b, c)
        R.output(d)
    return d
`

const weights = `
@R.function
def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    R.func_attr({"num_input": 1})
    a = R.add(x, w)
    return a
`

const lifts = `
@R.function
def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.exp(w)
        b = R.add(x, a)
        R.output(b)
    return b
`

const symbolic = `
@R.function
def main(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
    n = T.int64()
    return x
`

// twoChannels has a convolution of constant weights, whose channels are two.
const twoChannels = `@R.function
def main(x: R.Tensor((1, 2, 4, 4), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.const([[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]], "float32"))
        R.output(y)
    return y
`

// constantProduct multiplies by a constant.
const constantProduct = `@R.function
def main(x: R.Tensor((3, 2), "float32")):
    with R.dataflow():
        y = R.matmul(x, R.const([[1, 2, 3, 4], [5, 6, 7, 8]], "float32"))
        R.output(y)
    return y
`

// quantizedProduct multiplies by a constant of integers with a scale for each column.
const quantizedProduct = `@R.function
def main(x: R.Tensor((3, 2), "float32")):
    with R.dataflow():
        w = R.multiply(R.astype(R.const([[1, 2, 3, 4, 5, 6, 7, 100], [1, 2, 3, 4, 5, 6, 7, 8]], "int8"), "float32"), R.const(0.5, "float32"))
        y = R.matmul(x, w)
        R.output(y)
    return y
`

// windows has a convolution 3x3 whose channels are one block.
const windows = `@R.function
def main(x: R.Tensor((1, 1, 6, 6, 4), "float32")):
    with R.dataflow():
        y = R.nn.conv2d(x, R.broadcast_to(R.const(0.5, "float32"), R.shape([1, 1, 3, 3, 4, 4])), data_layout="NCHW4c", kernel_layout="OIHW4i4o")
        R.output(y)
    return y
`

// byteProduct multiplies bytes of one kind.
const byteProduct = `@R.function
def main(x: R.Tensor((32, 8), "int8"), w: R.Tensor((8, 16), "int8")):
    with R.dataflow():
        y = R.matmul(x, w, out_dtype="int32")
        R.output(y)
    return y
`

// dequantizedProduct multiplies what bytes stand for.
const dequantizedProduct = `@R.function
def main(x: R.Tensor((32, 8), "int8"), w: R.Tensor((8, 16), "int8")):
    with R.dataflow():
        a = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "int32"))
        b = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int32"))
        y = R.matmul(a, b)
        R.output(y)
    return y
`

const images = `
@R.function
def main(x: R.Tensor((1, 3, 5, 5), dtype="float32"), w: R.Tensor((4, 3, 3, 3), dtype="float32")) -> R.Tensor((1, 4, 3, 3), dtype="float32"):
    with R.dataflow():
        y = R.nn.conv2d(x, w)
        R.output(y)
    return y
`

const quantizedDense = `
@R.function
def main(x: R.Tensor((2, 4), "uint8"), w: R.Tensor((3, 4), "int8")):
    with R.dataflow():
        y = R.relay.qnn.dense(x, w, R.const(3, "int32"), R.const(0, "int32"), R.const(0.5, "float32"), R.const(0.25, "float32"), units=3, out_dtype="int32")
        R.output(y)
    return y
`

func loops(params, body string) string {
	return "@T.prim_func\ndef main(" + params + "):\n    " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
}

// three loops.
const deepLoops = "for i in range(2):\n    for j in range(2):\n        for k in range(4):\n            B[k] = A[k]"

// a constant that is no scalar.
const linked = `
@R.function
def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
    with R.dataflow():
        gv: R.Tensor((2,), dtype="float32") = R.add(x, R.const([1.0, 2.0], "float32"))
        R.output(gv)
    return gv
`

// a constant that is quantized.
const quantized = `
@R.function
def main() -> R.Tensor((), "int8"):
    with R.dataflow():
        gv = R.relay.qnn.quantize(R.const(1.0, "float32"), R.const(0.5, "float32"), R.const(0, "int32"), out_dtype="int8")
        R.output(gv)
    return gv
`

const vectors = `A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")`

// effects has an entry for each option of each pass and each key of the config, "pass.option",
// "key" or "key.field".
var effects = map[string]effect{
	"FuseOpsByPattern.patterns":                     {text: product, value: []any{"irscope.matmul"}, set: `"Composite": "irscope.matmul"`},
	"RunCodegen.target_options":                     {text: forGenerator, value: map[string]any{"irscope": map[string]any{"kernels": "topi"}}, plain: "-inf"},
	"RunCodegen.entry_functions":                    {text: forGenerator, value: []any{"other"}, set: "def other"},
	"Gradient.func_name":                            {text: losses, value: "main", set: "def main_adjoint"},
	"Gradient.require_grads":                        {text: losses, besides: `"func_name": "main"`, value: []any{"w"}, plain: "x_adjoint_out"},
	"Gradient.target_index":                         {text: losses, besides: `"func_name": "main"`, value: 1, set: "b_adjoint"},
	"DecomposeOpsForTraining.func_name":             {text: graph, value: "main", set: "R.nn.batch_norm"},
	"relay.FuseOps.fuse_opt_level":                  {text: chain, passes: "relay.FuseOps%s", value: 0, set: "a_op"},
	"relay.FuseOps.max_depth":                       {text: chain, passes: "relay.FuseOps", value: 2, set: "b_op"},
	"relay.FuseOps.link_params":                     {text: linked, passes: "relay.FuseOps", value: true, plain: "p1: "},
	"relay.FoldConstant.fold_qnn":                   {text: quantized, value: true, plain: "qnn.quantize"},
	"relay.AlterOpLayout.rules":                     {text: images, value: "cpu", set: "contrib_conv2d_NCHWc"},
	"relay.Legalize.legalize_map_attr_name":         {text: quantizedDense, value: "FTVMQnnLegalize", plain: "qnn.dense"},
	"relay.ToMixedPrecision.mixed_precision_type":   {text: images, value: "float64", set: "out_dtype=\"float64\""},
	"relay.ToMixedPrecision.keep_orig_output_dtype": {text: images, passes: "relay.ToMixedPrecision", value: true, set: "R.astype(y, dtype=\"float32\")"},
	"relay.ConvertLayout.desired_layouts":           {text: images, value: map[string]any{"nn.conv2d": []any{"NHWC", "default"}}, set: "data_layout=\"NHWC\""},
	"relay.RemoveUnusedFunctions.entry_functions":   {text: graph, value: []any{"main", "other"}, set: "def other"},
	"DecomposeOps.func_name":                        {text: graph, value: "main", set: "R.nn.batch_norm"},
	"EliminateCommonSubexpr.call_only":              {text: graph, value: true, plain: " = t\n"},
	"LazyTransformParams.fget_item":                 {text: onDemand, value: "load", set: `"load", R.prim_value(0)`},
	"LazyTransformParams.fset_item":                 {text: onDemand, value: "store", set: `"store", R.prim_value(0)`},
	"LazyTransformParams.extra_get_item_params":     {text: onDemand, value: []any{"loader"}, set: `"get_item", loader, R.prim_value(0)`},
	"LazyTransformParams.extra_set_item_params":     {text: onDemand, value: []any{"storer"}, set: `"set_item", storer, R.prim_value(0)`},
	"DeadCodeElimination.entry_functions":           {text: forGenerator, value: []any{"other"}, set: "def other"},
	"LegalizeOps.skip_ops":                          {text: chain, value: []any{"relax.tanh"}, set: "R.tanh"},
	"LegalizeOps.kernels":                           {text: "@R.function\ndef main(x: R.Tensor((4,), \"float32\")):\n    gv = R.max(x)\n    return gv\n", passes: "LegalizeOps%s", value: "tuned", set: "-inf"},
	"LegalizeOps.enable_warning":                    {text: "@R.function\ndef main(x: R.Tensor(dtype=\"float32\", ndim=2)) -> R.Tensor(dtype=\"float32\", ndim=2):\n    gv = R.exp(x)\n    return gv\n", value: false, plain: "was not lowered"},
	"relax.transform.apply_legalize_ops":            {text: chain, passes: "LegalizeOps", value: false, set: "R.tanh"},
	"FuseOps.fuse_opt_level":                        {text: chain, passes: "LegalizeOps,AnnotateTIROpPattern,FuseOps%s", value: 0, plain: "def fused"},
	"relax.FuseOps.max_depth":                       {text: chain, passes: "LegalizeOps,AnnotateTIROpPattern,FuseOps", value: 2, plain: "def fused_exp_add_tanh"},
	"ConvertToDataflow.min_size":                    {text: plain, value: 9, plain: "R.dataflow()"},
	"TopologicalSort.order":                         {text: diamond, value: "breadth-first", plain: "c: R.Tensor((2, 3), dtype=\"float32\") = R.sin(a)\n            b:"},
	"TopologicalSort.direction":                     {text: diamond, value: "from-outputs", set: "b: R.Tensor((2, 3), dtype=\"float32\") = R.tanh(x)\n            a:"},
	"BindSymbolicVars.binding_map":                  {text: symbolic, value: map[string]any{"n": 7}, set: "def main(x: R.Tensor((7, 3)"},
	"ConvertLayout.desired_layouts":                 {text: images, value: map[string]any{"relax.nn.conv2d": []any{"NHWC", "OHWI"}}, set: "data_layout=\"NHWC\""},
	"BlockConvLayout.block":                         {text: twoChannels, value: 2, set: "data_layout=\"NCHW2c\""},
	"FakeQuantizationToInteger.products":            {text: dequantizedProduct, value: "all", set: "out_dtype=\"int32\""},
	"PackQuantizedWeights.block":                    {text: quantizedProduct, value: 4, set: "y_packed: T.Buffer((T.int64(2), T.int64(2), T.int64(4)), \"int8\")"},
	"BlockMatmulWeights.block":                      {text: constantProduct, value: 2, set: "i1 // 2"},
	"PackByteProducts.signs":                        {text: byteProduct, value: "mixed", set: "R.bitwise_xor"},
	"ConvertConv2DToWinograd.tile":                  {text: windows, value: 4, set: "(36, 1, 1, 4, 4)"},
	"ConvertConv2DToWinograd.rows":                  {text: windows, besides: `"tile": 2`, value: 2, set: "pad_temp = T.alloc_buffer((T.int64(1), T.int64(1),"},
	"ToMixedPrecision.out_dtype":                    {text: images, value: "float16", set: "out_dtype=\"float16\""},
	"ToMixedPrecision.fp16_input_names":             {text: images, value: []any{"w"}, set: "w: R.Tensor((4, 3, 3, 3), dtype=\"float16\")"},
	"LiftTransformParams.shared_transform":          {text: lifts, value: true, set: "def transform_params"},
	"relax.lift_transform_params.consume_params":    {text: lifts, passes: "LiftTransformParams", value: true, set: "tuple_reset_item"},
	"BindParams.params":                             {text: weights, value: map[string]any{"w": 1}, plain: "w: R.Tensor("},
	"UpdateParamStructInfo.sinfo_func":              {text: weights, value: map[string]any{"w": map[string]any{"shape": []any{1, 3}}}, set: "w: R.Tensor((1, 3)"},
	"SplitCallTIRByPattern.patterns":                {text: otherKernel, value: []any{"flat"}, set: `R.call_dps_packed("some_op"`},
	"AttachExternModules.extern_modules":            {text: chain, value: []any{"@T.prim_func\ndef g(a: T.Buffer((2,), \"float32\")):\n    T.func_attr({\"global_symbol\": \"g\"})\n    a[0] = T.float32(1)\n"}, set: "def g("},
	"AlterOpImpl.op_impl_map":                       {text: otherKernel, value: map[string]any{"relax.some_op": "flat"}, set: "cls.relax_some_op_replacement, (x,)"},
	"AlterOpImpl.op_buffer_transforms":              {text: otherKernel, passes: `AlterOpImpl%s`, besides: `"op_impl_map": {"relax.some_op": "flat"}`, value: map[string]any{"relax.some_op": []any{"lambda i: (i % 8,)", ""}}, set: "R.layout_transform"},
	"AlterOpImpl.op_buffer_axis_separators":         {text: otherKernel, besides: `"op_impl_map": {"relax.some_op": "flat"}, "op_buffer_transforms": {"relax.some_op": ["lambda i: (i,)", ""]}`, value: map[string]any{"relax.some_op": []any{[]any{1}, []any{}}}, set: "axis_separators=[1]"},
	"AlterOpImpl.op_buffer_input_axis_separators":   {text: otherKernel, besides: `"op_impl_map": {"relax.some_op": "flat"}, "op_buffer_transforms": {"relax.some_op": ["lambda i: (i,)", ""]}`, value: map[string]any{"relax.some_op": []any{[]any{1}, []any{}}}, set: "input_axis_separators=[1]"},
	"BundleModelParams.param_tuple_name":            {text: weights, value: "all", set: "all: R.Tuple("},
	"VMShapeLower.emit_err_ctx":                     {text: chain, passes: "zero,dataflow_lower,VMShapeLower%s", value: false, plain: "ErrorContext"},
	"UpdateVDevice.new_vdevice":                     {text: onDevice, value: "metal:1:local", set: `I.vdevice("metal", 1, "local")`},
	"UpdateVDevice.index":                           {text: onDevice, value: 1, plain: `I.vdevice("cuda"`},
	"relax.backend.use_cuda_graph":                  {text: chain, passes: "LegalizeOps,dataflow_lower,StaticPlanBlockMemory,RewriteCUDAGraph", value: false, plain: "cuda_graph_alloc"},
	"tir.BindTarget.target":                         {text: loops(vectors, "B[0] = A[0]"), value: `wasm -mattr=-simd128`, set: "-simd128"},
	"tir.FP8ComputeLegalize.promote_dtype_str": {
		text:  "@T.prim_func\ndef main(A: T.Buffer((8,), \"float8_e5m2\")):\n    T.func_attr({\"target\": T.target(\"wasm\")})\n    A[0] = A[1] + A[2]\n",
		value: "float16", set: "float16", plain: "float32",
	},
	"tir.NarrowDataType.target_bits":     {text: loops(vectors, "for i in range(16):\n    B[i] = A[i]"), value: 16, set: "range(T.int16(16))"},
	"tir.VectorizeLoop.enable_vectorize": {text: loops(vectors, "for i in T.vectorized(4):\n    B[i] = A[i]"), value: false, set: "for i"},
	"tir.disable_vectorize":              {text: loops(vectors, "for i in T.vectorized(4):\n    B[i] = A[i]"), passes: "tir.VectorizeLoop", value: true, set: "for i"},
	"tir.ThreadSync.storage_scope": {
		text: loops(vectors, "tx = T.launch_thread(\"threadIdx.x\", 4)\nS = T.decl_buffer((4,), \"float32\", scope=\"shared.dyn\")\nS[tx] = A[tx]\nB[tx] = S[3 - tx]"), value: "shared.dyn", set: `T.tvm_storage_sync("shared.dyn")`,
	},
	"tir.RemapThreadAxis.thread_map": {
		text: loops(vectors, "tx = T.launch_thread(\"threadIdx.x\", 16)\nB[tx] = A[tx]"), value: map[string]any{"threadIdx.x": "threadIdx.z"}, set: "threadIdx.z",
	},
	"tir.BindParams.constants": {
		text: loops(vectors+`, W: T.Buffer((2,), "float32")`, "B[0] = A[0] + W[1]"), value: []any{[]any{1, 2}}, set: "allocate_const",
	},
	"tir.Filter.fcond": {text: loops(vectors, "B[0] = A[0]"), value: map[string]any{"target.kind": "cuda"}, plain: "def main"},
	"tir.RemoveWeightLayoutRewriteBlock.skip_tensor_rewrite": {
		text: "@T.prim_func\ndef main(B: T.Buffer((2, 2), \"int32\")):\n    K_data = T.allocate_const([1, 2, 3, 4], \"int32\", [2, 2])\n    K = T.Buffer((2, 2), \"int32\", data=K_data)\n    with T.block(\"root\"):\n        L = T.alloc_buffer((2, 2), \"int32\")\n" +
			"        for i, j in T.grid(2, 2):\n            with T.block(\"copy\"):\n                vi, vj = T.axis.remap(\"SS\", [i, j])\n                T.block_attr({\"meta_schedule.layout_rewrite_preproc\": 1})\n                L[vj, vi] = K[vi, vj]\n" +
			"        for i, j in T.grid(2, 2):\n            with T.block(\"use\"):\n                vi, vj = T.axis.remap(\"SS\", [i, j])\n                B[vi, vj] = L[vi, vj]\n",
		value: true, set: "de8e82d195ab", plain: "34503276fc01",
	},
	"tir.InjectPTXLDG32.enable_inject_ptx_intrin": {
		text: loops(vectors, "L = T.decl_buffer((1,), scope=\"local\")\nfor i in range(16):\n    L[0] = T.if_then_else(i < 9, A[i], T.float32(0))\n    B[i] = L[0]"), value: false, plain: "ptx_ldg32",
	},
	"tir.experimental_dma_bypass_cache": {
		text:   loops(vectors, "with T.attr(0, \"async_commit_queue_scope\", 0):\n    for i in range(16):\n        B[i] = A[i]"),
		passes: "tir.LowerAsyncDMA", value: true, set: "64, T.bool(True)",
	},
	"tir.merge_static_smem": {
		text:   loops(vectors, "tx = T.launch_thread(\"threadIdx.x\", 4)\nS = T.decl_buffer((4,), \"float32\", scope=\"shared\")\nU = T.decl_buffer((4,), \"float32\", scope=\"shared\")\nS[tx] = A[tx]\nU[tx] = S[tx]"),
		passes: "tir.MergeSharedMemoryAllocations", value: true, set: "buf_shmem",
	},
	"tir.CommonSubexprElimTIR.enable_cse_tir": {
		text: loops(vectors+", x: T.int32", "B[x * 2] = A[x * 2]"), value: false, plain: "cse_v1",
	},
	"tir.disable_cse_tir": {text: loops(vectors+", x: T.int32", "B[x * 2] = A[x * 2]"), passes: "tir.CommonSubexprElimTIR", value: true, plain: "cse_v1"},
	"tir.CommonSubexprElimTIR.identify_equiv_terms": {
		text: loops(vectors+", x: T.int32, y: T.int32, z: T.int32", "B[x * y + z * x] = A[(y + z) * x]"), value: true, set: "cse_v1",
	},
	"tir.enable_equiv_terms_in_cse_tir": {
		text: loops(vectors+", x: T.int32, y: T.int32, z: T.int32", "B[x * y + z * x] = A[(y + z) * x]"), passes: "tir.CommonSubexprElimTIR", value: true, set: "cse_v1",
	},
	"tir.CompactBufferAllocation.is_strict": {text: loops(vectors, `
with T.block("b"):
    T.reads(A[0:16])
    T.writes(B[0:16])
    C = T.alloc_buffer((15,))
    for i in range(16):
        with T.block("c"):
            C[i] = A[i]
    for i in range(16):
        with T.block("d"):
            B[i] = C[i]`), value: false, set: "T.alloc_buffer((16,))"},
	"tir.debug_keep_trivial_loop": {text: loops(vectors, `
for i, j in T.grid(1, 16):
    with T.block("b"):
        T.reads(A[j])
        T.writes(B[j])
        B[j] = A[j] + T.Cast("float32", i)`), passes: "tir.LowerOpaqueBlock", value: true, set: "T.grid(1, 16)"},
	"tir.disable_storage_rewrite": {text: loops(vectors, `
C = T.decl_buffer((16,))
for i in range(16):
    C[i] = A[i]
D = T.decl_buffer((16,))
for i in range(16):
    D[i] = C[i]
E = T.decl_buffer((16,))
for i in range(16):
    E[i] = D[i]
for i in range(16):
    B[i] = E[i]`), passes: "tir.StorageRewrite", value: true, set: "E = T.decl_buffer((16,))"},
	"tir.instrument_bound_checkers":       {text: loops(`a: T.handle, n: T.int64`, "A = T.match_buffer(a, (16,), \"float32\")\nA[n] = T.float32(0)"), passes: "tir.InstrumentBoundCheckers", value: true, set: "assert"},
	"tir.enable_buffer_level_predication": {text: loops(vectors, "for i in T.vectorized(4):\n    if i < 3:\n        B[i] = A[i]"), passes: "tir.VectorizeLoop", value: true, set: "get_active_lane_mask"},
	"tir.instrument_lwp":                  {text: loops(vectors, "B[0] = A[0]"), passes: "tir.InstrumentProfileIntrinsics", value: true, set: "start_profile"},
	"tir.lwp_disable_func_prof":           {text: loops(vectors, "B[0] = A[0]"), passes: "tir.InstrumentProfileIntrinsics", config: map[string]any{"tir.instrument_lwp": true}, value: true, plain: "start_profile"},
	"tir.lwp_max_depth":                   {text: loops(vectors, deepLoops), passes: "tir.InstrumentProfileIntrinsics", config: map[string]any{"tir.instrument_lwp": true, "tir.instr_siblings": false}, value: 1, set: "intrinsic(2"},
	"tir.lwp_min_height":                  {text: loops(vectors, deepLoops), passes: "tir.InstrumentProfileIntrinsics", config: map[string]any{"tir.instrument_lwp": true, "tir.instr_siblings": false}, value: 3, plain: "intrinsic(1"},
	"tir.instr_siblings":                  {text: loops(vectors, deepLoops), passes: "tir.InstrumentProfileIntrinsics", config: map[string]any{"tir.instrument_lwp": true}, value: false, set: "intrinsic(1"},
	"tir.reset_start_id":                  {text: loops(vectors, "T.evaluate(T.start_profile_intrinsic(4, dtype=\"handle\"))\nB[0] = A[0]"), passes: "tir.InstrumentProfileIntrinsics", config: map[string]any{"tir.instrument_lwp": true}, value: true, set: "intrinsic(0", plain: "intrinsic(5"},
	"tir.disable_assert":                  {text: loops(vectors+", x: T.int32", "assert x > 0, \"x is positive\"\nB[0] = A[0]"), passes: "tir.SkipAssert", value: true, plain: "assert"},

	"tir.UnrollLoop.auto_max_step":   {text: loops(vectors, "for i in range(4):\n    B[i] = A[i]"), value: 4, set: "B[3] = A[3]"},
	"tir.UnrollLoop.auto_max_extent": {text: loops(vectors, "for i in range(4):\n    B[i] = A[i]"), value: 4, set: "B[3] = A[3]"},
	"tir.UnrollLoop.auto_max_depth": {
		text: loops(vectors, "for i, j in T.grid(2, 2):\n    B[i * 2 + j] = A[j]"), value: 0, set: "for i in range(2)",
		config: map[string]any{"auto_max_step": 8},
	},
	"tir.UnrollLoop.mark_only": {text: loops(vectors, "for i in T.unroll(4):\n    B[i] = A[i]"), value: true, set: "T.unroll(4)", plain: "B[3] = A[3]"},
	"tir.UnrollLoop.explicit_unroll": {
		text: loops(vectors, "for i in range(4):\n    B[i] = A[i]"), value: false, set: "T.unroll(4)", config: map[string]any{"auto_max_step": 4},
	},
	"tir.UnrollLoop.unroll_local_access": {text: loops(vectors, `
C = T.decl_buffer((4,), scope="local")
for i in range(4):
    C[i] = A[i]
for i in range(4):
    B[i] = C[i]`), value: true, set: "C[3] = A[3]"},
	"tir.LoopPartition.partition_const_loop": {
		text: loops(vectors, "for i in range(16):\n    if T.likely(i < 10):\n        B[i] = A[i]"), value: true, set: "range(10)",
	},
	"tir.LoopPartition.no_unroll_loop_with_extent_one": {
		text: loops(vectors, "for i in range(16):\n    if T.likely(i < 1):\n        B[i] = A[i]"), value: true, set: "range(1)",
		config: map[string]any{"partition_const_loop": true},
	},
	"tir.LoopPartition.unroll_loop_with_partition_hint_no_interval": {text: loops(vectors, `
for i in T.serial(2, annotations={"pragma_loop_partition_hint": 1}):
    for j in range(10):
        if 6 <= i * 4 + j:
            B[j] = A[j]`), value: true, set: "T.unroll"},
	"tir.Simplify.transitively_prove_inequalities": {
		text: loops(vectors+", i: T.int32, j: T.int32, k: T.int32", "if i < j and j < k:\n    if i < k:\n        B[0] = A[0]"), value: true, plain: "if i < k",
	},
	"tir.Simplify.convert_boolean_to_and_of_ors": {
		text:  loops(vectors+", i: T.int32, j: T.int32, k: T.int32", "if (i == 0 and j == 10) or k == 20:\n    if k == 20 or i == 0:\n        B[0] = A[0]"),
		value: true, set: "(i == 0 or k == 20) and (j == 10 or k == 20)",
	},
	"tir.Simplify.apply_constraints_to_boolean_branches": {
		text:  loops(vectors+", n: T.int32", "B[0] = T.Cast(\"float32\", n < 10 and T.truncmod(T.min(n, 20), 7) == 0)"),
		value: true, plain: "T.min",
	},
	"tir.HoistIfThenElse.variant": {
		text:  "@T.prim_func\ndef main(" + vectors + "):\n    T.func_attr({\"tir.HoistIfThenElseExprWithBlock\": 1})\n    for i, j in T.grid(2, 2):\n        B[j] = T.if_then_else(i == 1, A[j], T.float32(0))\n",
		value: "basic", plain: "if i == 1",
	},
	"tir.HoistIfThenElse.support_block_scope_hoisting": {
		text:  loops(vectors, "x = T.launch_thread(\"threadIdx.x\", 4)\nfor i in range(4):\n    if x < 3:\n        B[i] = A[i]"),
		value: true, set: "if x < 3:\n            for i",
	},
	"tir.HoistExpression.hoisted_conditionals": {
		text: loops(vectors+", n: T.int32", "for i in range(4):\n    B[i] = T.if_then_else(n == 3, A[i], T.float32(0))"), value: 1, plain: "if n == 3",
	},
	"tir.HoistExpression.hoisted_let_bindings": {
		text: loops(vectors, "for i in range(2):\n    for j in range(2):\n        x: T.float32 = T.Cast(\"float32\", i)\n        B[j] = x * x"), value: 0, set: "for i, j in T.grid",
	},
	"tir.ReduceBranchingThroughOvercompute.use_dataflow_analysis": {
		text: loops(`A: T.Buffer((16,), "int32")`, "for i in range(16):\n    if i < 14:\n        A[i] = 1\nfor j in range(16):\n    A[j] = 2"), value: true, plain: "if i < 14",
	},
	"tir.InjectDoubleBuffer.split_loop": {
		text: loops(vectors, "for i in range(8):\n    C = T.decl_buffer((2,))\n    with T.attr(C.data, \"double_buffer_scope\", 1):\n        C[0] = A[i]\n    B[i] = C[0]"), value: 0, plain: "i_outer",
	},
	"tir.RemoveNoOp.use_dataflow_analysis": {
		text: loops(vectors, "A[0] = T.float32(1)\nA[0] = T.float32(2)"), value: true, plain: "T.float32(1",
	},
	"tir.Simplify.propagate_knowns_to_prove_conditional": {
		text: loops(vectors+`, C: T.Buffer((4,), "int32")`, "C[0] = 5\nif C[0] == 5:\n    B[0] = A[0]"), value: true, plain: "if C[0]",
	},
	"tir.Simplify.propagate_knowns_to_simplify_expressions": {
		text: loops(`C: T.Buffer((4,), "int32")`, "C[0] = 5\nC[1] = C[0] + 7"), value: true, set: "C[1] = 12",
	},
	"ApplyDefaultSchedule.rules": {
		text:  "@T.prim_func\ndef main(" + vectors + "):\n    T.func_attr({\"target\": T.target(\"cuda\")})\n    for i in range(16):\n        with T.block(\"b\"):\n            v = T.axis.spatial(16, i)\n            B[v] = A[v] + T.float32(1)\n",
		value: []any{"gpu.Fallback"}, set: "threadIdx.x",
	},
	"tir.RemoveNoOp.max_simplification_steps": {
		text: loops(`A: T.Buffer((16,), "int32"), n: T.int32`, "for i in range(16):\n    A[i] = A[i] + (n + i) * 2 - n * 2 - i - i"), value: 1, set: "for i",
	},

	"relay.FakeQuantizationToInteger.use_qat":          {text: dequantized, value: true, set: "qnn.dense"},
	"relay.FakeQuantizationToInteger.optional_qnn_ops": {text: dequantized, value: []any{"nn.softmax"}, set: "qnn.softmax"},

	"relay.EliminateCommonSubexpr.fskip":        {text: twice, value: []any{"exp"}, set: "a_again"},
	"relay.DeadCodeElimination.inline_once":     {text: once, value: true, set: "with R.dataflow"},
	"relay.DeadCodeElimination.ignore_impurity": {text: once, value: true, plain: "memory.kill"},

	"relay.CombineParallelConv2D.min_num_branches":      {text: parallel, value: 2, set: "combined"},
	"relay.CombineParallelDense.min_num_branches":       {text: parallel, value: 2, set: "combined"},
	"relay.CombineParallelBatchMatmul.min_num_branches": {text: parallel, value: 2, set: "combined"},
	"relay.CombineParallelDense.to_batch":               {text: parallel, besides: `"min_num_branches": 2`, value: false, set: "units=4", plain: "R.stack"},
}

// elsewhere are keys whose effect another test shows, as it is no change of the result.
var elsewhere = map[string]struct{ file, test string }{
	"BindParams.func_name":              {"../transform/bindparams_test.go", "TestBindParamsPairs"},
	"BindSymbolicVars.func_name":        {"../transform/private_test.go", "TestBindSymbolicVarsPairs"},
	"FuseOpsByPattern.bind_constants":   {"../transform/backend_test.go", "TestFuseOpsByPatternConstants"},
	"FuseOpsByPattern.annotate_codegen": {"../transform/backend_test.go", "TestFuseOpsByPatternBranches"},
	"FuseOpsByPattern.entry_functions":  {"../transform/backend_test.go", "TestFuseOpsByPatternEntries"},
	"testing.immutable_module":          {"../pass/rules_test.go", "TestRule10ImmutableModule"},

	"tir.LowerDeviceStorageAccessInfo.memory_info": {"../tirpass/device_test.go", "TestLowerDeviceStorageAccessInfo"},
	"tir.VerifyGPUCode.constraints":                {"../tirpass/verifygpu_test.go", "TestVerifyGPUCode"},
	"tir.VerifyVTCMLimit.default_target":           {"../tirpass/vtcm_test.go", "TestVerifyVTCMLimit"},
	"tir.vtcm_capacity":                            {"../tirpass/vtcm_test.go", "TestVerifyVTCMLimit"},

	"relay.ToMixedPrecision.missing_op_mode":    {"../relaypass/tomixedprecision_test.go", "TestToMixedPrecisionMissing"},
	"relay.EtaExpand.expand_constructor":        {"../relaypass/smallpasses_test.go", "TestEtaExpand"},
	"relay.EtaExpand.expand_global_var":         {"../relaypass/smallpasses_test.go", "TestEtaExpand"},
	"relay.FakeQuantizationToInteger.hard_fail": {"../relaypass/fakequantization_test.go", "TestFakeQuantizationErrors"},
}

// apply runs passes and returns what they made and reported.
func (e effect) apply(t *testing.T, name, passes string, config map[string]any) string {
	t.Helper()
	m, diags := parse.Module(name, e.text, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	list, err := pipeline.Parse(passes, pipeline.NewRegistry(), target.Default())
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := target.Parse("wasm")
	if err != nil {
		t.Fatal(err)
	}
	c, err := pass.NewContext(t.Context(), pass.WithTarget(wasm), pass.WithEvaluator(compiler.Interpreter{}), pass.WithRegistry(pipeline.NewRegistry()), pass.Configure(config))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if m, err = c.Run(p, m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	text := script.Module(m, script.Options{}).Source
	for _, d := range c.Diagnostics() {
		text += d.Message + "\n"
	}
	return text
}

// check runs the passes with and without the option.
func (e effect) check(t *testing.T, name string, passes [2]string, config [2]map[string]any) {
	t.Helper()
	plain, set := e.apply(t, name, passes[0], config[0]), e.apply(t, name, passes[1], config[1])
	if e.set == "" && e.plain == "" {
		t.Fatalf("%s: nothing is expected", name)
	}
	if e.set != "" && (!strings.Contains(set, e.set) || strings.Contains(plain, e.set)) ||
		e.plain != "" && (strings.Contains(set, e.plain) || !strings.Contains(plain, e.plain)) {
		t.Errorf("%s: only with it there is %q, only without it %q; got with it\n%s\nwithout it\n%s", name, e.set, e.plain, set, plain)
	}
}

// shownElsewhere tells whether another test shows the effect of key, and sees to it that it is there and names it.
func shownElsewhere(t *testing.T, key, name string) bool {
	t.Helper()
	at, ok := elsewhere[key]
	if !ok {
		return false
	}
	if src, err := os.ReadFile(at.file); err != nil || !strings.Contains(string(src), "func "+at.test+"(") || !strings.Contains(string(src), name) {
		t.Errorf("%s: %s has no %s that sets it (%v)", key, at.file, at.test, err)
	}
	return true
}

// TestOptionsHaveEffects changes each option of each pass and each config key, and sees the
// difference. An option without a case fails, and so does a case without an option.
func TestOptionsHaveEffects(t *testing.T) {
	left := maps.Clone(effects)
	use := func(t *testing.T, key string) (effect, bool) {
		e, ok := left[key]
		if !ok {
			t.Errorf("%s has no case that shows what it does", key)
		}
		delete(left, key)
		return e, ok
	}
	for _, p := range pipeline.All() {
		for _, o := range p.Options {
			key := p.Name + "." + o.Name
			if shownElsewhere(t, key, o.Name) {
				continue
			}
			t.Run(key, func(t *testing.T) {
				e, ok := use(t, key)
				if !ok {
					return
				}
				form := e.passes
				if form == "" {
					form = p.Name + "%s"
				}
				args, without := fmt.Sprintf("{%q: %s}", o.Name, literal(e.value)), ""
				if e.besides != "" {
					args, without = fmt.Sprintf("{%s, %q: %s}", e.besides, o.Name, literal(e.value)), "{"+e.besides+"}"
				}
				e.check(t, key, [2]string{fmt.Sprintf(form, without), fmt.Sprintf(form, args)}, [2]map[string]any{})
			})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(pass.ListConfigs())) {
		if shownElsewhere(t, key, key) {
			continue
		}
		fields, structured := (pass.Config{}).Get(key).(*ir.Attrs)
		if !structured {
			t.Run(key, func(t *testing.T) {
				if e, ok := use(t, key); ok {
					set := map[string]any{key: e.value}
					maps.Copy(set, e.config)
					e.check(t, key, [2]string{e.passes, e.passes}, [2]map[string]any{e.config, set})
				}
			})
			continue
		}
		for i := range fields.Len() {
			field, _ := fields.At(i)
			t.Run(key+"."+field, func(t *testing.T) {
				e, ok := use(t, key+"."+field)
				if !ok {
					return
				}
				set := map[string]any{field: e.value}
				maps.Copy(set, e.config)
				var plain map[string]any
				if e.config != nil {
					plain = map[string]any{key: e.config}
				}
				e.check(t, key+"."+field, [2]string{key, key}, [2]map[string]any{plain, {key: set}})
			})
		}
	}
	for key := range left {
		t.Errorf("%s: there is no such option", key)
	}
}

// literal writes a value as JSON.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = literal(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, fmt.Sprintf("%q: %s", key, literal(v[key])))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}
