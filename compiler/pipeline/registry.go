package pipeline

import (
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/transform"
)

// others are the passes that no default pipeline holds.
var others = []*pass.Pass{
	transform.Normalize, transform.ConvertToDataflow, transform.TopologicalSort, transform.BindSymbolicVars,
	transform.ExpandTupleArguments, transform.RemoveUnusedParameters, transform.RemoveUnusedOutputs,
	transform.InlinePrivateFunctions, transform.LambdaLift, transform.NormalizeGlobalVar,
	transform.FuseTransposeMatmul, transform.FastMathTransform,
	transform.BindParams, transform.UpdateParamStructInfo, transform.BundleModelParams, transform.LazyGetInput, transform.LazySetOutput, transform.LazyTransformParams,
	transform.ConvertLayout, transform.ToMixedPrecision,
	transform.LiftTransformParams, transform.AttachAttrLayoutFreeBuffers, transform.SplitLayoutRewritePreproc,
	transform.FuseOpsByPattern, transform.MergeCompositeFunctions, transform.RunCodegen,
	transform.RemoveRedundantReshape, transform.OptimizeLayoutTransform, transform.AlterOpImpl, transform.SplitCallTIRByPattern, transform.AttachExternModules, transform.DecomposeOpsForTraining, transform.Gradient,
	transform.CombineParallelMatmul, transform.AdjustMatmulOrder, transform.ExpandMatmulOfSum, transform.ReorderTakeAfterMatmul, transform.ReorderPermuteDimsAfterConcat,
	transform.RewriteCUDAGraph, transform.RealizeVDevice, transform.UpdateVDevice,
	transform.DataflowUseInplaceCalls, transform.DispatchSampling, transform.DispatchSortScan, transform.AllocateWorkspace, transform.SpecializePrimFuncBasedOnCallSite,
	relaypass.InferType, relaypass.RemoveUnusedFunctions, relaypass.SimplifyInference, relaypass.CanonicalizeOps, relaypass.FlattenAtrousConv, relaypass.FoldExplicitPadding,
	relaypass.ConvertLayout, relaypass.AlterOpLayout, relaypass.Legalize, relaypass.LambdaLift, relaypass.DynamicToStatic, relaypass.ToMixedPrecision, relaypass.FakeQuantizationToInteger, relaypass.ToRelax,
	relaypass.Inline, relaypass.SimplifyExpr, relaypass.SimplifyExprPostAlterOp, relaypass.DeadCodeElimination, relaypass.ToANormalForm, relaypass.ToGraphNormalForm, relaypass.ToBasicBlockNormalForm,
	relaypass.CombineParallelConv2D, relaypass.CombineParallelDense, relaypass.CombineParallelBatchMatmul,
	relaypass.EliminateCommonSubexpr, relaypass.EtaExpand, relaypass.CanonicalizeCast, relaypass.DivToMul, relaypass.FastMath, relaypass.FirstOrderGradient,
	relaypass.FoldConstant, relaypass.FuseOps, relaypass.DefuseOps, relaypass.ForwardFoldScaleAxis, relaypass.BackwardFoldScaleAxis, relaypass.FoldScaleAxis,
	tirpass.ForceNarrowIndexToInt32, tirpass.RemoveStoreUndef, tirpass.RemoveAssume,
	tirpass.ConvertSSA, tirpass.HoistExpression, tirpass.HoistIfThenElse, tirpass.HoistIfThenElseBasic, tirpass.ReduceBranchingThroughOvercompute, tirpass.InlinePrivateFunctions,
	tirpass.InjectDoubleBuffer,
	tirpass.CombineContextCall,
	tirpass.DecorateDeviceScope,
	tirpass.InjectVirtualThread,
	tirpass.OOBChecker, tirpass.DefaultGPUSchedule, tirpass.InstrumentProfileIntrinsics, tirpass.PointerValueTypeRewrite, tirpass.MakeUnpackedAPI,
	tirpass.LowerAutoCopy, tirpass.InjectPermutedLayout, tirpass.ManifestSharedMemoryLocalStage, tirpass.LowerWarpMemory, tirpass.VerifyGPUCode,
	tirpass.InjectPTXAsyncCopy, tirpass.InjectPTXLDG32, tirpass.InferFragment, tirpass.LowerAsyncDMA,
	tirpass.TransformMmaBufferLayout, tirpass.UseAssumeToReduceBranches, tirpass.RemoveWeightLayoutRewriteBlock, tirpass.ExtractPrimFuncConstants, tirpass.Filter,
	tirpass.RemapThreadAxis, tirpass.VerifySSA, tirpass.ConvertForLoopsToSerial, tirpass.InjectRollingBuffer, tirpass.BindParams,
	tirpass.LowerVtcmAlloc, tirpass.VerifyVTCMLimit, tirpass.TextureFlatten, tirpass.InjectTextureAlloc,
}

// aliases are other spellings of pass names on input, besides those of newer versions of TVM (ir.OlderName).
var aliases = map[string]string{
	"DecomposeOpsForInference": "DecomposeOps",
	"relax.BindSymbolicVars":   "BindSymbolicVars",
	"VMBuiltinLower":           "LowerRuntimeBuiltin",
}

// all holds all passes, each once, and byName the same by their names.
var (
	all    = listPasses()
	byName = func() map[string]*pass.Pass {
		m := make(map[string]*pass.Pass, len(all))
		for _, p := range all {
			m[p.Name] = p
		}
		return m
	}()
)

func listPasses() []*pass.Pass {
	var out []*pass.Pass
	var add func(list []*pass.Pass)
	names := Names()
	add = func(list []*pass.Pass) {
		for _, p := range list {
			p = p.Plain() // pipelines set options
			if !slices.Contains(names, p.Name) && !slices.Contains(out, p) {
				out = append(out, p)
			}
			add(p.Children)
		}
	}
	for _, k := range kinds {
		add(pipelines[k.names[0]]["default"].Children)
	}
	add(others)
	return out
}

// All returns all passes, each once: those of the default pipelines in their order, what
// sequences among them hold, and the others. The phases of pipelines are none.
func All() []*pass.Pass { return slices.Clone(all) }

// Registry finds passes by name, by alias, and loop passes also without their prefix.
type Registry struct{}

// NewRegistry returns the registry of all passes.
func NewRegistry() *Registry { return &Registry{} }

// Lookup returns the pass of that name or alias, nil if there is none.
func (*Registry) Lookup(name string) *pass.Pass { return byName[Canonical(name)] }

// tirPrefix stands before the names of loop passes.
const tirPrefix = "tir."

// OnLoops reports whether a pass of that name is one over PrimFuncs.
func OnLoops(name string) bool { return strings.HasPrefix(Canonical(name), tirPrefix) }

// Canonical returns the name that a pass given by name or alias has.
func Canonical(name string) string {
	if to, ok := aliases[name]; ok {
		return to
	}
	name = ir.OlderName(name)
	if p := byName[ir.OlderName(tirPrefix+name)]; p != nil && byName[name] == nil { // one of another level may have the short name
		return p.Name
	}
	return name
}

// Nearest returns the name of a pass that is spelled most like name, with or without the
// prefix of loop passes, "" if none is close.
func (*Registry) Nearest(name string) string {
	if near := nearest.Name(name, maps.Keys(byName)); near != "" {
		return near
	}
	near := nearest.Name(name, func(yield func(string) bool) {
		for n := range byName {
			if short, ok := strings.CutPrefix(n, tirPrefix); ok && !yield(short) {
				return
			}
		}
	})
	return Canonical(near)
}
