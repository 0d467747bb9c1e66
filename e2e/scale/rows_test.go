package scale

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/target"
)

// row is what is measured: passes on programs, one after the other, of which the last count, 0 for the last one and -1 for all.
type row struct {
	passes string // as flags spell them
	count  int
	on     []program
}

// lowered are the passes that give functions of the graph their memory.
const lowered = "LegalizeOps,AnnotateTIROpPattern,FuseOps,FuseTIR,RewriteDataflowReshape,ToNonDataflow,RemovePurityChecking,CallTIRRewrite,"

// rows has each registered pass, in the forms that it works on. The default pipelines are rows of all their passes.
var rows = []row{
	{"default", -1, append([]program{symbolic, calls}, trio...)},
	{"tir", -1, []program{kernel, stores}},
	{"relay", -1, append([]program{convs}, trio...)},

	{"Normalize", 0, trio},
	{"ConvertToDataflow", 0, []program{lets, branches}},
	{"TopologicalSort", 0, trio},
	{`BindSymbolicVars{"binding_map": {"m": 2}}`, 0, []program{symbolic}},
	{"ExpandTupleArguments", 0, []program{pairs}},
	{"ExpandTupleArgumentsInner", 0, []program{pairs}},
	{"RemoveUnusedParameters", 0, []program{calls, deep}},
	{"RemoveUnusedOutputs", 0, []program{pairs, calls}},
	{"RemoveUnusedOutputsInner", 0, []program{pairs}},
	{"InlinePrivateFunctions", 0, []program{calls, deep}},
	{"LambdaLift", 0, []program{closures, chain}},
	{"NormalizeGlobalVar", 0, []program{calls}},
	{"FuseTransposeMatmul", 0, []program{weights, mix}},
	{"FastMathTransform", 0, []program{weights, mix}},
	{`BindParams{"func_name": "main", "params": {"w": [1]}}`, 0, []program{{
		name: "chain of additions", head: "@R.function\ndef main(x: R.Tensor((1,), \"float32\"), w: R.Tensor((1,), \"float32\")):\n",
		group: "    v$i = R.add($p, w)\n", end: "    return $p\n", first: "x", per: 1,
	}}},
	{`UpdateParamStructInfo{"sinfo_func": {"x": {"shape": [8, 8]}}}`, 0, trio},
	{"BundleModelParams", 0, []program{inputs, lifted}},
	{"LazyGetInput", 0, []program{inputs}},
	{"LazySetOutput", 0, []program{inputs}},
	{"LazyTransformParams", 0, []program{fields}},
	{`ConvertLayout{"desired_layouts": {"relax.nn.conv2d": ["NHWC", "OHWI"]}}`, 0, []program{convs, chain}},
	{"ToMixedPrecision", 0, append([]program{convs}, trio...)},
	{"LiftTransformParams", 0, []program{lifted, inputs}},
	{"LegalizeOps,LiftConstantCalls", 0, []program{once}},
	{"FoldScaleToConv2D", 0, []program{fixed, chain}},
	{`BlockConvLayout{"block": 4}`, 0, []program{fixed, chain}},
	{`FakeQuantizationToInteger{"products": "all"}`, 0, []program{dequant, chain}},
	{`PackByteProducts{"signs": "mixed"}`, 0, []program{quantized, chain}},
	{`BlockConvLayout{"block": 4},ConvertConv2DToWinograd{"tile": 2}`, 0, []program{windows, chain}},
	{`PackQuantizedWeights{"block": 4}`, 0, []program{fewBits, chain}},
	{`BlockMatmulWeights{"block": 2}`, 0, []program{known, chain}},
	{"LegalizeOps,AttachAttrLayoutFreeBuffers", 0, []program{lifted}},
	{"LegalizeOps,SplitLayoutRewritePreproc", 0, []program{lifted}},
	{`FuseOpsByPattern{"patterns": ["irscope"]}`, 0, append([]program{convs}, trio...)},
	{`FuseOpsByPattern{"patterns": ["irscope"]},MergeCompositeFunctions`, 0, []program{weights, chain}},
	{`FuseOpsByPattern{"patterns": ["irscope"], "annotate_codegen": true},RunCodegen`, 0, []program{weights}},
	{"RemoveRedundantReshape", 0, []program{reshapes, mix}},
	{"FoldBatchnormToConv2D", 0, []program{convs}},
	{"OptimizeLayoutTransform", 0, []program{layouts}},
	{"DecomposeOpsForTraining", 0, []program{training, layers}},
	{`Gradient{"func_name": "main", "require_grads": ["w"]}`, 0, []program{gradient}},
	{"CombineParallelMatmul", 0, []program{matmuls, chain}},
	{"AdjustMatmulOrder", 0, []program{weights, chained}},
	{"ExpandMatmulOfSum", 0, []program{weights}},
	{"ReorderTakeAfterMatmul", 0, []program{takes}},
	{"ReorderPermuteDimsAfterConcat", 0, []program{concats, mix}},
	{"LegalizeOps,ToNonDataflow,RemovePurityChecking,CallTIRRewrite,ElideCopies", 0, []program{joins, chain}},
	{lowered + "StaticPlanBlockMemory,RewriteCUDAGraph", 0, []program{chain, fan}},
	{"RealizeVDevice", 0, []program{devices}},
	{`RealizeVDevice,UpdateVDevice{"new_vdevice": "metal:1", "index": 1}`, 0, []program{devices}},
	{"DataflowUseInplaceCalls", 0, trio},
	{"DispatchSampling", 0, []program{samples}},
	{"DispatchSortScan", 0, []program{sorts}},
	{"AllocateWorkspace", 0, []program{calls}},
	{"LegalizeOps,SpecializePrimFuncBasedOnCallSite", 0, []program{chain, symbolic}},
	{"LegalizeOps,AlterOpImpl", 0, []program{chain}},
	{"LegalizeOps,SplitCallTIRByPattern", 0, []program{chain}},
	{"AttachExternModules", 0, []program{chain}},
	{"EliminateCommonSubexpr", 0, []program{unequal}},
	{"DeadCodeElimination", 0, []program{dead, calls}},
	{"CanonicalizeBindings", 0, []program{lets, matched, branches}},
	{"FoldConstant", 0, []program{numbers}},
	{"DecomposeOps", 0, []program{convs}},

	{"relay.InferType", 0, trio},
	{"relay.RemoveUnusedFunctions", 0, []program{calls, deep}},
	{"relay.SimplifyInference", 0, []program{convs}},
	{"relay.CanonicalizeOps", 0, trio},
	{"relay.FlattenAtrousConv", 0, []program{padded}},
	{"relay.FoldExplicitPadding", 0, []program{padded}},
	{`relay.ConvertLayout{"desired_layouts": {"nn.conv2d": ["NHWC", "default"]}}`, 0, []program{convs, mix}},
	{`relay.AlterOpLayout{"rules": "cpu"}`, 0, []program{convs, mix}},
	{"relay.Legalize", 0, []program{convs}},
	{"relay.LambdaLift", 0, []program{closures}},
	{"relay.DynamicToStatic", 0, trio},
	{"relay.ToMixedPrecision", 0, append([]program{convs}, trio...)},
	{"relay.FakeQuantizationToInteger", 0, trio},
	{"relay.ToRelax", 0, trio},
	{"relay.Inline", 0, []program{calls, deep}},
	{"relay.SimplifyExpr", 0, append([]program{reshapes, scales}, trio...)},
	{"relay.SimplifyExprPostAlterOp", 0, append([]program{reshapes, casts}, trio...)},
	{"relay.DeadCodeElimination", 0, []program{dead, chain, deep, lets}},
	{"relay.ToANormalForm", 0, append([]program{branches}, trio...)},
	{"relay.ToANormalForm,relay.ToGraphNormalForm", 0, append([]program{branches, lets}, trio...)},
	{"relay.ToBasicBlockNormalForm", 0, append([]program{branches, lets}, trio...)},
	{"relay.CombineParallelConv2D", 0, []program{convs, wide("convolutions of one value", "x: "+image+`, w: R.Tensor((4, 4, 1, 1), "float32")`, "", "a$i = R.nn.conv2d(x, w)", "b$i = R.nn.relu(a$i)", "v$i = R.sum(b$i)")}},
	{`relay.CombineParallelDense{"to_batch": false}`, 0, []program{dense}},
	{"relay.CombineParallelDense", 0, []program{dense}},
	{"relay.CombineParallelBatchMatmul", 0, []program{wide("batches of one value", `x: R.Tensor((2, 3, 4), "float32"), w: R.Tensor((2, 5, 4), "float32")`, "", "a$i = R.relay.nn.batch_matmul(x, w, transpose_b=True)", "b$i = R.nn.relu(a$i)", "v$i = R.sum(b$i)")}},
	{"relay.EliminateCommonSubexpr", 0, append([]program{unequal}, trio...)},
	{"relay.EtaExpand", 0, []program{calls, deep}},
	{"relay.CanonicalizeCast", 0, []program{casts}},
	{"relay.DivToMul", 0, []program{numbers}},
	{"relay.FastMath", 0, []program{weights, mix}},
	{"relay.FoldConstant", 0, []program{numbers, branches}},
	{"relay.FuseOps", 0, []program{lets, symbolic}},
	{"relay.FuseOps,relay.DefuseOps", 0, trio},
	{"relay.ForwardFoldScaleAxis", 0, []program{scales, scaled}},
	{"relay.BackwardFoldScaleAxis", 0, []program{scales, scaled}},
	{"relay.FirstOrderGradient", 0, []program{chain, gradient}},
	{"relay.FoldScaleAxis", 0, []program{scales}},
	{"relay.FirstOrderGradient", 0, []program{gradient}},
	{"tir.ForceNarrowIndexToInt32", 0, []program{kernel, stores}},
	{"tir.AnnotateIrregularLoop", 0, []program{kernel, stores}},
	{"tir.UnifyThreadBinding", 0, []program{kernel, stores}},
	{"tir.LiftThreadBinding", 0, []program{kernel, stores}},
	{"tir.DefaultGPUSchedule", 0, []program{kernel, stores}},
	{"tir.LowerCrossThreadReduction", 0, []program{kernel, stores}},
	{"tir.InjectSoftwarePipeline", 0, []program{kernel, stores}},
	{"tir.BindTarget,tir.BF16ComputeLegalize", 0, []program{kernel, stores}},
	{"tir.BindTarget,tir.FP8ComputeLegalize", 0, []program{kernel, stores}},
	{"tir.BindTarget,tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock,tir.MakePackedAPI,tir.BF16StorageLegalize", 0, []program{kernel, stores}},
	{"tir.BindTarget,tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock,tir.MakePackedAPI,tir.FP8StorageLegalize", 0, []program{kernel, stores}},
	{"tir.ConvertBlocksToOpaque,tir.LowerOpaqueBlock,tir.MakePackedAPI,tir.LowerSmallDatatypes", 0, []program{kernel, stores}},
	{"tir.ThreadSync", 0, []program{kernel, stores, threaded}},
	{"tir.BindTarget,tir.LowerThreadAllreduce", 0, []program{kernel, stores}},
	{"tir.MergeSharedMemoryAllocations", 0, []program{stores, threaded}},
	{"tir.BindTarget,tir.AnnotateDeviceRegions", 0, []program{kernel, stores}},
	{"tir.BindTarget,tir.LowerDeviceKernelLaunch", 0, []program{kernel, stores}},
	{"tir.PointerValueTypeRewrite", 0, []program{stores, threaded}},
	{"tir.BindTarget,tir.MakeUnpackedAPI", 0, []program{kernel, stores}},
	{"tir.LowerDeviceStorageAccessInfo", 0, []program{kernel, stores}},
	{"tir.InstrumentProfileIntrinsics", 0, []program{kernel, stores}},
	{"tir.RemoveStoreUndef", 0, []program{kernel, stores}},
	{"tir.RemoveAssume", 0, []program{kernel, stores}},
	{"tir.OOBChecker", 0, []program{kernel, stores}},
	{"tir.ReduceBranchingThroughOvercompute", 0, []program{kernel, stores}},
	{"tir.InlinePrivateFunctions", 0, []program{kernel, stores}},
	{"tir.InjectDoubleBuffer", 0, []program{kernel, stores}},
	{"tir.CombineContextCall", 0, []program{kernel, stores}},
	{"tir.DecorateDeviceScope", 0, []program{kernel, stores}},
	{"tir.InjectVirtualThread", 0, []program{stores, threaded}},
	{"tir.ConvertSSA", 0, []program{kernel, stores, threaded}},
	{"tir.HoistExpression", 0, []program{kernel, stores, threaded}},
	{"tir.HoistIfThenElse", 0, []program{kernel, stores, threaded}},
	{"tir.HoistIfThenElseBasic", 0, []program{kernel, stores}},
	{"tir.LowerAutoCopy", 0, []program{kernel, stores}},
	{"tir.InjectPermutedLayout", 0, []program{kernel, stores}},
	{"tir.ManifestSharedMemoryLocalStage", 0, []program{kernel, stores}},
	{"tir.BindTarget,tir.LowerWarpMemory", 0, []program{kernel, stores}},
	{"tir.VerifyGPUCode", 0, []program{kernel, stores}},
	{"tir.InjectPTXAsyncCopy", 0, []program{kernel, stores}},
	{"tir.InjectPTXLDG32", 0, []program{kernel, stores}},
	{"tir.InferFragment", 0, []program{kernel, stores}},
	{"tir.LowerAsyncDMA", 0, []program{kernel, stores}},
	{"tir.TransformMmaBufferLayout", 0, []program{kernel, stores}},
	{"tir.UseAssumeToReduceBranches", 0, []program{kernel, assumed}},
	{"tir.ContractFMA", 0, []program{products, kernel}},
	{"tir.RemoveWeightLayoutRewriteBlock", 0, []program{kernel, stores}},
	{"tir.ExtractPrimFuncConstants", 0, []program{kernel, stores}},
	{"tir.ConvertForLoopsToSerial", 0, []program{kernel, stores}},
	{"tir.VerifySSA", 0, []program{kernel, stores}},
	{`tir.RemapThreadAxis{"thread_map": {"threadIdx.x": "threadIdx.y"}}`, 0, []program{stores, threaded}},
	{"tir.InjectRollingBuffer", 0, []program{kernel, stores}},
	{"tir.BindParams", 0, []program{kernel, stores}},
	{"tir.LowerVtcmAlloc", 0, []program{kernel, stores}},
	{"tir.VerifyVTCMLimit", 0, []program{kernel, stores}},
	{"tir.backend.adreno.TextureFlatten", 0, []program{kernel, stores}},
	{"tir.backend.adreno.InjectTextureAlloc", 0, []program{kernel, stores}},
	{`tir.Filter{"fcond": {"op_pattern": true}}`, 0, []program{kernel, stores}},
}

var dense = wide("products with one value", "x: "+matrix+", w: "+matrix, "", "a$i = R.relay.nn.dense(x, w)", "v$i = R.nn.relu(a$i)")

// list returns the passes of a row without those that only hold others, and the place of the first that is measured.
func (r row) list(tb testing.TB) (list []*pass.Pass, from int) {
	tb.Helper()
	given, err := pipeline.Parse(r.passes, pipeline.NewRegistry(), target.Default())
	if err != nil {
		tb.Fatal(r.passes, err)
	}
	if r.count == 0 {
		return given, len(given) - 1
	}
	var flat func(list []*pass.Pass)
	flat = func(given []*pass.Pass) {
		for _, p := range given {
			if p.Kind == pass.Sequential {
				flat(p.Children)
			} else {
				list = append(list, p)
			}
		}
	}
	flat(given)
	return list, 0
}

// run runs a pass, the reason for which is told where it fails.
func run(tb testing.TB, p *pass.Pass, m *ir.Module) *ir.Module {
	tb.Helper()
	out, err := passtest.NewContext().Run(p, m)
	if err != nil {
		tb.Fatal(p.Name, err)
	}
	return out
}
