package pipeline

import (
	"fmt"
	"sort"
	"strings"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/transform"
)

// zero is TVM's pipeline "zero": kernels, classified, folded and fused.
var zero = pass.NewSequential("zero",

	transform.LegalizeOps,
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

// lowering is TVM v0.23's default pipeline for PrimFuncs on a CPU.
var lowering = pass.NewSequential("tir",
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
)

var pipelines = map[string]*pass.Pass{
	"default": pass.NewSequential("default",
		transform.DecomposeOps,
		transform.CanonicalizeBindings,
		transform.EliminateCommonSubexpr,
		transform.DeadCodeElimination,
		transform.LegalizeOps,
		transform.AnnotateTIROpPattern,
		transform.FoldConstant,
		transform.FuseOps,
		transform.FuseTIR,
		transform.ApplyDefaultSchedule,
		dataflowLower,
		finalize,
		lowering,
	),
	"zero":           zero,
	"dataflow_lower": dataflowLower,
	"finalize":       finalize,
	"tir":            lowering,
}

// Names returns the names of the pipelines in alphabetical order.
func Names() []string {
	var out []string
	for n := range pipelines {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Lookup returns the pipeline of that name; "" is "default".
func Lookup(name string) (*pass.Pass, error) {
	if name == "" {
		name = "default"
	}
	if p := pipelines[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("unknown pipeline %q: known are %s", name, strings.Join(Names(), ", "))
}
