package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/target"
)

// zero is TVM's pipeline "zero": kernels, classified, folded and fused.
var zero = pass.NewSequential("zero",
	legalize,
	transform.AnnotateTIROpPattern,
	transform.FoldConstant,
	transform.FuseOps,
	transform.FuseTIR,
)

// dataflowLower leaves dataflow blocks and gives kernels their memory.
var dataflowLower = pass.NewSequential("dataflow_lower",
	transform.RewriteDataflowReshape,
	transform.ToNonDataflow,
	transform.RemovePurityChecking,
	transform.CallTIRRewrite,
)

// finalize plans memory and lowers what is left to the runtime's builtins.
var finalize = pass.NewSequential("finalize",
	transform.StaticPlanBlockMemory,
	transform.LowerAllocTensor,
	transform.KillAfterLastUse,
	transform.LowerRuntimeBuiltin,
	transform.ComputePrimValue,
	transform.VMShapeLower,
	transform.AttachGlobalSymbol,
)

// memory gives kernels their memory. Programs that run here do not copy what can be computed where it belongs.
var (
	memory    = []*pass.Pass{dataflowLower, finalize}
	cpuMemory = []*pass.Pass{dataflowLower, transform.ElideCopies, finalize}
)

// legalize is LegalizeOps with kernels that are more exact and have fewer steps than TVM's.
var legalize = with(transform.LegalizeOps, "kernels", "tuned")

// Held returns a pass as the pipelines hold it, which may give it options of their own: LegalizeOps makes tuned kernels.
func Held(p *pass.Pass) *pass.Pass {
	if p == transform.LegalizeOps {
		return legalize
	}
	return p
}

// graph are the passes of the default pipeline before its phases: from operators to scheduled kernels.
var graph = []*pass.Pass{
	transform.DecomposeOps,
	transform.CanonicalizeBindings,
	transform.EliminateCommonSubexpr,
	transform.DeadCodeElimination,
	legalize,
	transform.AnnotateTIROpPattern,
	transform.FoldConstant,
	transform.FuseOps,
	transform.FuseTIR,
	transform.ApplyDefaultSchedule,
}

// cpuGraph is graph for targets whose programs run here: scales are in the weights, and what depends on weights alone is computed when a program
// is loaded.
var cpuGraph = func() []*pass.Pass {
	out := append([]*pass.Pass{relaypass.QuantizedProducts, transform.FoldBatchnormToConv2D, transform.FoldScaleToConv2D}, graph...)
	out = slices.Insert(out, slices.Index(out, legalize), transform.BlockConvLayout, transform.PackByteProducts, transform.ConvertConv2DToWinograd, transform.PackQuantizedWeights, transform.BlockMatmulWeights)
	return append(out, transform.LiftConstantCalls)
}()

// gpuGraph is graph with the rules of DLight that TVM's pipelines for GPUs take; what none of them fits is run by threads as it is.
var gpuGraph = append(without(graph, transform.ApplyDefaultSchedule), gpuSchedule, tirpass.DefaultGPUSchedule)

// gpuSchedule is ApplyDefaultSchedule with the rules of TVM's pipelines for GPUs.
var gpuSchedule = with(transform.ApplyDefaultSchedule, "rules", []ir.Value{"gpu.Matmul", "gpu.GEMV", "gpu.Reduction", "gpu.GeneralReduction", "gpu.Fallback"})

// Relay is the pipeline of Relay's passes, whose names begin with RelayPrefix.
const (
	Relay       = "relay"
	RelayPrefix = "relay."
)

// relay are the passes that TVM v0.18 runs on Relay before it makes kernels, in its order (GetPassPrefix and OptimizeImpl), as far as they
// are here; then its operators become those of Relax.
var relay = []*pass.Pass{
	relaypass.RemoveUnusedFunctions,
	relaypass.ToBasicBlockNormalForm,
	qnnLegalize,
	relaypass.Legalize,
	relaypass.SimplifyInference,
	relaypass.EliminateCommonSubexpr,
	relaypass.CombineParallelConv2D,
	relaypass.CombineParallelDense,
	relaypass.CombineParallelBatchMatmul,
	relaypass.FoldConstant,
	relaypass.FoldScaleAxis,
	relaypass.SimplifyExpr,
	relaypass.CanonicalizeCast,
	relaypass.CanonicalizeOps,
	relaypass.FlattenAtrousConv,
	relaypass.InferType,
	relaypass.AlterOpLayout,
	relaypass.SimplifyExprPostAlterOp,
	relaypass.FastMath,
	relaypass.FoldConstant,
	relaypass.FuseOps,
	relaypass.InferType,
	relaypass.Inline,
	relaypass.InferType,
	relaypass.ToRelax,
}

// qnnLegalize is relay.Legalize for quantized operators.
var qnnLegalize = with(relaypass.Legalize, "legalize_map_attr_name", "FTVMQnnLegalize")

// with returns a pass with an option set.
func with(p *pass.Pass, option string, value ir.Value) *pass.Pass {
	out, err := p.With(ir.NewAttrs(option, value))
	if err != nil {
		panic(err)
	}
	return out
}

// loops is TVM v0.23's default pipeline for PrimFuncs on a CPU.
var loops = []*pass.Pass{
	tirpass.BindTarget,
	tirpass.CanonicalizeLoop,
	tirpass.LowerInitBlock,
	tirpass.PlanAndUpdateBufferAllocationLocation,
	tirpass.ConvertBlocksToOpaque,
	tirpass.InstrumentBoundCheckers,
	tirpass.CompactBufferAllocation,
	tirpass.LowerMatchBuffer,
	tirpass.Simplify,
	tirpass.LowerOpaqueBlock,
	tirpass.FlattenBuffer,
	tirpass.NarrowDataType,
	tirpass.LoopPartition,
	tirpass.VectorizeLoop,
	tirpass.StorageRewrite,
	tirpass.UnrollLoop,
	tirpass.RenormalizeSplitPattern,
	tirpass.Simplify,
	tirpass.RemoveNoOp,
	tirpass.RewriteUnsafeSelect,
	tirpass.CommonSubexprElimTIR,
	tirpass.VerifyMemory,
	tirpass.AnnotateEntryFunc,
	tirpass.SplitHostDevice,
	tirpass.MakePackedAPI,
	tirpass.SkipAssert,
	tirpass.LowerTVMBuiltin,
	tirpass.LowerIntrin,
	tirpass.LowerMath,
}

// codeLoops is loops with what code of our own needs besides: no generator computes with small types.
var codeLoops = after(loops, tirpass.MakePackedAPI, tirpass.LowerSmallDatatypes)

// ownLoops is codeLoops for code that this program generates. The generators copy the bodies of loops that are to be unrolled (compiler/lower), so
// that the passes behind UnrollLoop, and those who read the program, have one body to look at.
var (
	ownLoops   = after(replaced(codeLoops, tirpass.UnrollLoop, markUnroll), tirpass.LowerMatchBuffer, tirpass.InjectSoftwarePipeline)
	markUnroll = with(tirpass.UnrollLoop, "mark_only", true)
)

// plainLoops is codeLoops for what runs one statement at a time: without the passes that copy the bodies of loops for speed.
var plainLoops = without(codeLoops, tirpass.LoopPartition, tirpass.UnrollLoop)

// gpuLoops is TVM v0.23's default pipeline for PrimFuncs on a GPU, in its order, with what finishes host and device code behind it. No code is
// made of the kernels here.
var gpuLoops = []*pass.Pass{
	tirpass.BindTarget,
	tirpass.CanonicalizeLoop,
	tirpass.LowerCrossThreadReduction,
	tirpass.LowerInitBlock,
	tirpass.PlanAndUpdateBufferAllocationLocation,
	tirpass.ConvertBlocksToOpaque,
	tirpass.LiftThreadBinding,
	tirpass.ManifestSharedMemoryLocalStage,
	tirpass.CompactBufferAllocation,
	tirpass.LowerAutoCopy,
	tirpass.UnifyThreadBinding,
	tirpass.LowerMatchBuffer,
	tirpass.Simplify,
	tirpass.InjectPermutedLayout,
	tirpass.AnnotateIrregularLoop,
	tirpass.InjectSoftwarePipeline,
	tirpass.LowerOpaqueBlock,
	tirpass.FlattenBuffer,
	tirpass.BF16ComputeLegalize,
	tirpass.NarrowDataType,
	tirpass.LoopPartition,
	tirpass.VectorizeLoop,
	tirpass.InjectVirtualThread,
	tirpass.InjectDoubleBuffer,
	tirpass.StorageRewrite,
	tirpass.HoistIfThenElse,
	tirpass.UnrollLoop,
	tirpass.RenormalizeSplitPattern,
	tirpass.Simplify,
	tirpass.RemoveNoOp,
	tirpass.RewriteUnsafeSelect,
	tirpass.CommonSubexprElimTIR,
	tirpass.FP8ComputeLegalize,
	tirpass.VerifyMemory,
	tirpass.AnnotateEntryFunc,
	tirpass.ThreadSync,
	syncDynamic,
	syncWarp,
	tirpass.InferFragment,
	tirpass.LowerThreadAllreduce,
	tirpass.AnnotateDeviceRegions,
	tirpass.SplitHostDevice,
	tirpass.MergeSharedMemoryAllocations,
	tirpass.MakePackedAPI,
	tirpass.FP8StorageLegalize,
	tirpass.BF16StorageLegalize,
	tirpass.LowerDeviceKernelLaunch,
	tirpass.LowerWarpMemory,
	tirpass.SkipAssert,
	tirpass.LowerTVMBuiltin,
	tirpass.LowerDeviceStorageAccessInfo,
	tirpass.LowerIntrin,
}

// ThreadSync for the other kinds of memory that threads share.
var syncDynamic, syncWarp = with(tirpass.ThreadSync, "storage_scope", "shared.dyn"), with(tirpass.ThreadSync, "storage_scope", "warp")

func replaced(list []*pass.Pass, p, by *pass.Pass) []*pass.Pass {
	out := slices.Clone(list)
	out[slices.Index(out, p)] = by
	return out
}

// after returns list with p behind one of its passes.
func after(list []*pass.Pass, of, p *pass.Pass) []*pass.Pass {
	return slices.Insert(slices.Clone(list), slices.Index(list, of)+1, p)
}

func without(list []*pass.Pass, out ...*pass.Pass) []*pass.Pass {
	return slices.DeleteFunc(slices.Clone(list), func(p *pass.Pass) bool { return slices.Contains(out, p) })
}

// kinds is the table of what pipelines are made of, by kind of target: the passes of "default" before its phases, the phases between them and "tir", and the passes
// of "tir". What depends on features or attributes of a target, passes read themselves; which rules schedule a kernel follows from
// its keys (transform.ApplyDefaultSchedule).
var kinds = []struct {
	names         []string // of kinds that are made alike
	graph, memory []*pass.Pass
	loops         []*pass.Pass
}{
	{[]string{"wasm"}, cpuGraph, cpuMemory, ownLoops},
	{[]string{"x86"}, cpuGraph, cpuMemory, slices.Concat(ownLoops, []*pass.Pass{tirpass.ContractFMA})},
	{[]string{"interp"}, cpuGraph, cpuMemory, plainLoops},
	{[]string{"llvm", "c"}, graph, memory, loops},
	{[]string{"cuda", "rocm", "opencl", "metal", "vulkan", "webgpu"}, gpuGraph, memory, gpuLoops},
}

// pipelines are those of each kind of target by their names.
var pipelines = func() map[string]map[string]*pass.Pass {
	out := map[string]map[string]*pass.Pass{}
	for _, k := range kinds {
		tir := pass.NewSequential("tir", k.loops...)
		whole := pass.NewSequential("default", slices.Concat(k.graph, k.memory, []*pass.Pass{tir})...)
		fromRelay := pass.NewSequential(Relay, slices.Concat(relay, k.graph, k.memory, []*pass.Pass{tir})...)
		byName := map[string]*pass.Pass{}
		for _, p := range []*pass.Pass{whole, zero, dataflowLower, finalize, tir, fromRelay} {
			byName[p.Name] = p
		}
		for _, name := range k.names {
			out[name] = byName
		}
	}
	return out
}()

// Names returns the names of the pipelines in alphabetical order: each target has all of them.
func Names() []string { return slices.Sorted(maps.Keys(pipelines[target.DefaultKind])) }

// Lookup returns the pipeline of that name for a target; "" is "default", and no target the default one. Functions of a module
// that are for another target go through the same passes.
func Lookup(name string, t target.Target) (*pass.Pass, error) {
	if name == "" {
		name = "default"
	}
	if t.IsZero() {
		t = target.Default()
	}
	if p := pipelines[t.Kind().Name][name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("unknown pipeline %q: known are %s", name, strings.Join(Names(), ", "))
}
