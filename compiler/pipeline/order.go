package pipeline

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/pass"
)

// Constraint says that one pass must stand before another wherever both run. With Needs, the
// later one has nothing to work on without the earlier.
type Constraint struct {
	Before, After string
	Why           string
	Needs         bool
}

// constraints is what must precede what: as written, and as it follows from the forms that passes
// need and give.
var constraints = append(written, fromForms(all)...)

// fromForms makes each pass that gives a form precede those that need it, and follow those that break it.
func fromForms(passes []*pass.Pass) []Constraint {
	var out []Constraint
	for _, after := range passes {
		for _, need := range after.Needs {
			for _, before := range passes {
				if slices.Contains(before.Gives, need.Form) {
					out = append(out, Constraint{before.Name, after.Name, need.Why, true})
				}
			}
		}
		for _, form := range after.Gives {
			for _, before := range passes {
				if slices.Contains(before.Breaks, form) {
					out = append(out, Constraint{before.Name, after.Name, "what comes behind relies on " + form.Name, false})
				}
			}
		}
	}
	return out
}

// written is the list of constraints that no form tells of.
var written = []Constraint{
	{"DecomposeOps", "LegalizeOps", "operators for training have no kernels", false},
	{"CanonicalizeBindings", "EliminateCommonSubexpr", "aliases hide equal values", false},
	{"LegalizeOps", "AnnotateTIROpPattern", "what it classifies are kernels", true},
	{"LegalizeOps", "FoldConstant", "what it folds are calls of kernels", true},
	{"LegalizeOps", "FuseOps", "what it groups are calls of kernels", true},
	{"AnnotateTIROpPattern", "FuseOps", "it groups kernels by their op_pattern", true},
	{"FoldConstant", "FuseOps", "a constant that is folded needs no place in a fused kernel", false},
	{"FuseOps", "FuseTIR", "it makes kernels of the groups that FuseOps formed", true},
	{"FuseTIR", "RewriteDataflowReshape", "a reshape inside a fused kernel costs nothing, as a view it splits the kernel", false},
	{"LegalizeOps", "RewriteDataflowReshape", "what it recognizes are kernels that reshape", true},
	{"RewriteDataflowReshape", "ToNonDataflow", "it rewrites variables of dataflow blocks", false},
	{"FuseOps", "ToNonDataflow", "it groups within dataflow blocks", false},
	{"RemovePurityChecking", "CallTIRRewrite", "calls that write into memory are not pure", false},
	{"LegalizeOps", "CallTIRRewrite", "only calls of kernels are given memory", true},
	{"CallTIRRewrite", "StaticPlanBlockMemory", "what it plans are the allocations that CallTIRRewrite makes", true},
	{"CallTIRRewrite", "ElideCopies", "what it makes parts of others are the allocations that CallTIRRewrite makes", true},
	{"ElideCopies", "StaticPlanBlockMemory", "planned tensors have their memory", false},
	{"ElideCopies", "LowerAllocTensor", "lowered allocations have their memory", false},
	{"ElideCopies", "LowerRuntimeBuiltin", "it makes views, which become calls of the runtime", false},
	{"StaticPlanBlockMemory", "LowerAllocTensor", "lowered allocations no longer share memory", false},
	{"CallTIRRewrite", "LowerAllocTensor", "what it lowers are the allocations that CallTIRRewrite makes", true},
	{"RemovePurityChecking", "KillAfterLastUse", "calls that free memory are not pure", false},
	{"ToNonDataflow", "KillAfterLastUse", "a dataflow block must not hold calls that free memory", false},
	{"ToNonDataflow", "LowerRuntimeBuiltin", "a dataflow block must not hold calls of the runtime", false},
	{"RemovePurityChecking", "VMShapeLower", "calls that check shapes are not pure", false},
	{"LowerAllocTensor", "KillAfterLastUse", "storage that is made later is never freed", false},
	{"KillAfterLastUse", "LowerRuntimeBuiltin", "what frees memory is an operator that LowerRuntimeBuiltin lowers", false},
	{"LowerAllocTensor", "LowerRuntimeBuiltin", "it lowers the storage that LowerAllocTensor makes", false},
	{"LowerAllocTensor", "VMShapeLower", "the sizes of storage may be symbolic", false},
	{"LowerRuntimeBuiltin", "VMShapeLower", "shapes that are arguments of builtins are lowered with them", false},
	{"ComputePrimValue", "VMShapeLower", "it needs the symbolic variables of the scalars that it computes", false},
	{"VMShapeLower", "AttachGlobalSymbol", "the functions that compute shapes need symbols", false},
	{"ComputePrimValue", "AttachGlobalSymbol", "the functions that compute scalars need symbols", false},
	{"FuseTIR", "AttachGlobalSymbol", "the fused kernels need symbols", false},
	{"FakeQuantizationToInteger", "FoldBatchnormToConv2D", "weights that are multiplied by a scale of their channels are no bytes any more", false},
	{"FakeQuantizationToInteger", "FoldScaleToConv2D", "weights that are multiplied by a scale of their channels are no bytes any more", false},
	{"FakeQuantizationToInteger", "FoldConstant", "weights that are folded to real numbers are no bytes any more", false},
	{"FakeQuantizationToInteger", "BlockConvLayout", "what it looks for are convolutions in NCHW", false},
	{"FakeQuantizationToInteger", "PackByteProducts", "it makes the products of bytes", false},
	{"FakeQuantizationToInteger", "LegalizeOps", "what it looks for are operators", false},
	{"FakeQuantizationToInteger", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"FoldBatchnormToConv2D", "DecomposeOps", "what it folds are operators that DecomposeOps expands", false},
	{"FoldBatchnormToConv2D", "FoldScaleToConv2D", "a scale behind a normalization is behind the convolution once that is folded", false},
	{"FoldScaleToConv2D", "DecomposeOps", "a normalization that is expanded multiplies by what is not one number for each channel", false},
	{"FoldScaleToConv2D", "LegalizeOps", "what it folds are operators", false},
	{"FoldScaleToConv2D", "BlockConvLayout", "what it folds are convolutions in NCHW", false},
	{"FoldBatchnormToConv2D", "BlockConvLayout", "what it folds are convolutions in NCHW", false},
	{"DecomposeOps", "BlockConvLayout", "normalizations take no blocks of channels, but the arithmetic does that they become", false},
	{"BlockConvLayout", "LegalizeOps", "what it looks for are operators", false},
	{"BlockConvLayout", "ToNonDataflow", "it changes layouts within dataflow blocks", false},
	{"BlockConvLayout", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"PackByteProducts", "LegalizeOps", "what it looks for are operators", false},
	{"PackByteProducts", "ToNonDataflow", "what it binds before a product is hidden in the dataflow block", false},
	{"BlockConvLayout", "ConvertConv2DToWinograd", "what it looks for are convolutions in blocks of channels", false},
	{"FoldScaleToConv2D", "ConvertConv2DToWinograd", "what it folds are operators", false},
	{"FoldBatchnormToConv2D", "ConvertConv2DToWinograd", "what it folds are operators", false},
	{"ConvertConv2DToWinograd", "LegalizeOps", "what it looks for are operators", false},
	{"ConvertConv2DToWinograd", "ToNonDataflow", "what it binds before a convolution is hidden in the dataflow block", false},
	{"FakeQuantizationToInteger", "PackQuantizedWeights", "products of bytes by bytes are faster than those of numbers by bytes", false},
	{"PackQuantizedWeights", "LegalizeOps", "what it looks for are operators", false},
	{"PackQuantizedWeights", "ToNonDataflow", "what it binds before a product is hidden in the dataflow block", false},
	{"PackQuantizedWeights", "BlockMatmulWeights", "what that brings into blocks are weights of float32", false},
	{"BlockMatmulWeights", "LegalizeOps", "what it looks for are operators", false},
	{"BlockMatmulWeights", "ToNonDataflow", "what it binds before a product is hidden in the dataflow block", false},
	{"FoldScaleToConv2D", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"LegalizeOps", "LiftConstantCalls", "what it lifts are calls of kernels", true},
	{"FoldConstant", "LiftConstantCalls", "what is folded need not be computed when a program is loaded", false},
	{"FuseTIR", "LiftConstantCalls", "a kernel that is lifted is fused no more", false},
	{"LiftConstantCalls", "CallTIRRewrite", "the calls that it lifts are those of call_tir", false},
	{"LiftConstantCalls", "ToNonDataflow", "it lifts out of dataflow blocks", false},
	{"DecomposeOpsForTraining", "DecomposeOps", "what it expands is for training, and DecomposeOps expands the same operators for inference", false},
	{"DecomposeOpsForTraining", "Gradient", "normalizations have no derivatives, but the arithmetic has that they become", false},
	{"Gradient", "LegalizeOps", "what it differentiates are operators", false},
	{"Gradient", "ToNonDataflow", "it differentiates dataflow blocks", false},
	{"ExpandMatmulOfSum", "LegalizeOps", "what it looks for are operators", false},
	{"AdjustMatmulOrder", "LegalizeOps", "what it looks for are operators", false},
	{"ReorderTakeAfterMatmul", "LegalizeOps", "what it looks for are operators", false},
	{"ReorderPermuteDimsAfterConcat", "LegalizeOps", "what it looks for are operators", false},
	{"FuseOpsByPattern", "LegalizeOps", "what the patterns of generators describe are operators", false},
	{"FuseOpsByPattern", "MergeCompositeFunctions", "what it merges are the composite functions that FuseOpsByPattern makes", true},
	{"MergeCompositeFunctions", "RunCodegen", "what it has compiled are functions for generators", false},
	{"FuseOpsByPattern", "AllocateWorkspace", "it makes the functions that workspaces are for", false},
	{"AllocateWorkspace", "RunCodegen", "what it extends are functions for generators", false},
	{"FuseOpsByPattern", "RunCodegen", "what it has compiled are functions for generators", true},
	{"RunCodegen", "LegalizeOps", "generators take operators", false},
	{"RunCodegen", "CallTIRRewrite", "it makes calls that CallTIRRewrite gives memory", false},
	{"CombineParallelMatmul", "LegalizeOps", "what it looks for are operators", false},
	{"RemoveRedundantReshape", "LegalizeOps", "what it looks for are operators", false},
	{"OptimizeLayoutTransform", "LegalizeOps", "what it looks for are operators", false},
	{"LegalizeOps", "AttachAttrLayoutFreeBuffers", "what it marks are parameters of kernels", true},
	{"LegalizeOps", "SpecializePrimFuncBasedOnCallSite", "what it specializes are kernels", true},
	{"FuseTIR", "SpecializePrimFuncBasedOnCallSite", "the parameters of fused kernels are others", false},
	{"SpecializePrimFuncBasedOnCallSite", "CallTIRRewrite", "the calls that tell it of tensors are those of call_tir", false},
	{"FuseTIR", "AttachAttrLayoutFreeBuffers", "the parameters of fused kernels are others", false},
	{"AttachAttrLayoutFreeBuffers", "SplitLayoutRewritePreproc", "weights that are rewritten have the layout that was free", false},
	{"SplitLayoutRewritePreproc", "LiftTransformParams", "it moves the kernels that rewrite weights out of the model", false},
	{"AdjustMatmulOrder", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"CombineParallelMatmul", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"ExpandMatmulOfSum", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"ReorderTakeAfterMatmul", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"ReorderPermuteDimsAfterConcat", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"RemoveRedundantReshape", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"FoldBatchnormToConv2D", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"OptimizeLayoutTransform", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"ConvertLayout", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"FuseTransposeMatmul", "DataflowUseInplaceCalls", "it does nothing where a value that it would read later may be written over", false},
	{"Gradient", "DataflowUseInplaceCalls", "the derivatives of kernels are not known", false},
	{"DataflowUseInplaceCalls", "LegalizeOps", "what it looks for are operators", false},
	{"DispatchSampling", "LegalizeOps", "what it sums is an operator", false},
	{"DispatchSampling", "DispatchSortScan", "what it sums is an operator that DispatchSortScan lowers", false},
	{"DispatchSortScan", "LegalizeOps", "what it looks for are operators", false},
	{"DataflowUseInplaceCalls", "ToNonDataflow", "it looks at dataflow blocks", false},
	{"ConvertLayout", "LegalizeOps", "what it looks for are operators", false},
	{"ToMixedPrecision", "LegalizeOps", "what it looks for are operators", false},
	{"ToMixedPrecision", "ToNonDataflow", "it computes in float16 within dataflow blocks", false},
	{"ConvertLayout", "ToNonDataflow", "it changes layouts within dataflow blocks", false},
	{"LiftTransformParams", "RemovePurityChecking", "the functions that it makes are marked there too", false},
	{"LambdaLift", "RemovePurityChecking", "it makes calls of invoke_pure_closure, which RemovePurityChecking unwraps", false},
	{"LambdaLift", "LowerRuntimeBuiltin", "the closures that it makes are lowered there", false},
	{"LambdaLift", "VMShapeLower", "a local function gets a shape heap once it is lifted", false},
	{"StaticPlanBlockMemory", "RewriteCUDAGraph", "what has fixed addresses is the storage that StaticPlanBlockMemory plans", true},
	{"RemovePurityChecking", "RewriteCUDAGraph", "calls that replay graphs are not pure", false},
	{"RewriteCUDAGraph", "LowerAllocTensor", "the storage of results and of symbolic sizes is made there", false},
	{"RewriteCUDAGraph", "KillAfterLastUse", "storage that stays is not freed", false},
	{"RewriteCUDAGraph", "LowerRuntimeBuiltin", "the storage that it looks for is lowered there", false},
	{"LazyGetInput", "VMShapeLower", "it checks with match_cast what it gets, which is lowered there", false},
	{"LazyGetInput", "KillAfterLastUse", "values that it asks for are not freed", false},

	{"FuseTIR", "ApplyDefaultSchedule", "a schedule of single kernels is lost when they are fused", false},
	{"LegalizeOps", "ApplyDefaultSchedule", "what it schedules are kernels", true},
	{"AttachGlobalSymbol", "tir.MakePackedAPI", "the entry of a kernel is named by its global_symbol", true},
	{"tir.BindTarget", "tir.VerifyMemory", "what may be accessed depends on the target", true},
	{"tir.BindTarget", "tir.SplitHostDevice", "what is host and what device depends on the target", true},
	{"tir.BindTarget", "tir.MakePackedAPI", "the calling convention depends on the target", true},
	{"tir.BindTarget", "tir.AnnotateDeviceRegions", "what is a region of a device depends on the target", true},
	{"tir.BindTarget", "tir.LowerThreadAllreduce", "how threads exchange values depends on the target", true},
	{"tir.BindTarget", "tir.LowerDeviceKernelLaunch", "which kernels are launched depends on the target", true},
	{"tir.BindTarget", "tir.BF16ComputeLegalize", "which types are legal depends on the target", true},
	{"tir.BindTarget", "tir.FP8ComputeLegalize", "which types are legal depends on the target", true},
	{"tir.BindTarget", "tir.BF16StorageLegalize", "which types are legal depends on the target", true},
	{"tir.BindTarget", "tir.FP8StorageLegalize", "which types are legal depends on the target", true},
	{"tir.MakePackedAPI", "tir.BF16StorageLegalize", "parameters that are buffers keep their type", true},
	{"tir.MakePackedAPI", "tir.FP8StorageLegalize", "parameters that are buffers keep their type", true},
	{"tir.MakePackedAPI", "tir.LowerSmallDatatypes", "parameters that are buffers keep their type", true},
	{"tir.LowerInitBlock", "tir.ConvertBlocksToOpaque", "an init runs where the reduction variables are 0, which opaque blocks no longer have", true},
	{"tir.PlanAndUpdateBufferAllocationLocation", "tir.ConvertBlocksToOpaque", "allocations move to blocks that still tell what they read and write", false},
	{"tir.ConvertBlocksToOpaque", "tir.InstrumentBoundCheckers", "an index is bounded by the loops that block iterators stand for", false},
	{"tir.InstrumentBoundCheckers", "tir.CompactBufferAllocation", "it names buffers with the shapes that they were declared with", false},
	{"tir.InstrumentBoundCheckers", "tir.FlattenBuffer", "an index may be out of its dimension and still in the flat buffer", false},
	{"tir.CompactBufferAllocation", "tir.LowerOpaqueBlock", "buffers are allocated with their compact shape", false},
	{"tir.LowerMatchBuffer", "tir.LowerOpaqueBlock", "matched buffers belong to blocks", true},
	{"tir.LoopPartition", "tir.UnrollLoop", "a loop that is unrolled cannot be split any more", false},
	{"tir.LoopPartition", "tir.VectorizeLoop", "conditions that splitting removes do not occur in vectors", false},
	{"tir.VectorizeLoop", "tir.UnrollLoop", "vectorized loops must not be unrolled", false},
	{"tir.SplitHostDevice", "tir.MakePackedAPI", "only host functions get the calling convention", true},
	{"tir.MakePackedAPI", "tir.LowerTVMBuiltin", "it lowers what MakePackedAPI generates", true},
	{"tir.LowerTVMBuiltin", "tir.LowerIntrin", "lowered builtins use intrinsics of the target", false},
	{"tir.VectorizeLoop", "tir.LowerMath", "a definition for vectors tests all lanes at once where one for scalars branches", false},
	{"tir.UnrollLoop", "tir.LowerMath", "the body of a loop that is unrolled is copied, and definitions are long", false},
	{"tir.Simplify", "tir.LowerMath", "definitions are long and contain nothing to simplify", false},
	{"tir.LowerMath", "tir.ContractFMA", "the polynomials that it puts in place of functions are products and sums, too", false},
	{"tir.Simplify", "tir.ContractFMA", "it regroups sums and products, of which a call hides both", false},
	{"tir.VectorizeLoop", "tir.ContractFMA", "what it looks for are the products and sums that code is made of", false},
	{"tir.CommonSubexprElimTIR", "tir.ContractFMA", "a product that is needed elsewhere too is not computed again for a sum", false},
	{"tir.CommonSubexprElimTIR", "tir.LowerMath", "equal calls are found as calls, at less cost than as definitions", false},
}

// Constraints returns the constraints on the order of passes.
func Constraints() []Constraint { return slices.Clone(constraints) }

// Warning is a place in a list of passes that breaks a constraint.
type Warning struct {
	Constraint
	// Index is that of the pass that stands too early, in the list that was checked, and
	// Other that of the pass that must stand before it, -1 if there is none.
	Index, Other int
	Message      string
}

// CheckOrder returns what is wrong with a list of passes, in order of the list: a pass that
// stands before one that must precede it, or whose input no pass before it makes. Names may
// be aliases; unknown ones are passed over, they are reported where passes are looked up.
func CheckOrder(names []string) []Warning {
	first, last := map[string]int{}, map[string]int{}
	canonical := make([]string, len(names))
	for i, n := range names {
		n = Canonical(n)
		canonical[i] = n
		if _, ok := first[n]; !ok {
			first[n] = i
		}
		last[n] = i
	}
	var out []Warning
	for i, n := range canonical {
		if first[n] != i {
			continue // the first run is judged; a later one may be a clean-up
		}
		for _, c := range constraints {
			if c.After != n {
				continue
			}
			at, runs := first[c.Before]
			switch {
			case runs && at > i && last[n] < at:
				out = append(out, Warning{c, i, at, fmt.Sprintf("%s runs before %s: %s; move %s before %s", n, c.Before, c.Why, c.Before, n)})
			case !runs && c.Needs && !startsLowered(canonical):
				out = append(out, Warning{c, i, -1, fmt.Sprintf("%s runs without %s: %s; add %s before it", n, c.Before, c.Why, c.Before)})
			}
		}
	}
	return out
}

// startsLowered reports whether the list is the lowering of PrimFuncs alone, whose input
// other passes have made.
func startsLowered(names []string) bool {
	for _, n := range names {
		if !OnLoops(n) {
			return false
		}
	}
	return true
}

// Flatten returns the names of the passes that a pipeline runs, in order: the children of
// sequential passes in their place, but passes that are sequential inside, such as FuseTIR,
// by their own name.
func Flatten(p *pass.Pass) []string {
	var out []string
	each(p, func(p *pass.Pass, _ []int) { out = append(out, p.Name) })
	return out
}

// each calls f for the passes that Flatten names, with the places of their way down from p:
// the path {0, 2} is the third child of the first.
func each(p *pass.Pass, f func(p *pass.Pass, path []int)) {
	var walk func(p *pass.Pass, path []int)
	walk = func(p *pass.Pass, path []int) {
		if p.Kind != pass.Sequential || byName[p.Name] != nil {
			f(p, path)
			return
		}
		for i, c := range p.Children {
			walk(c, append(slices.Clip(path), i))
		}
	}
	walk(p, nil)
}

// Place is a pass in a pipeline that breaks a constraint.
type Place struct {
	Warning
	// Path leads to the pass that stands too early, as numbers of children from 0, and OtherPath to
	// the one that must stand before it, nil if there is none.
	Path, OtherPath []int
}

// Check returns what CheckOrder finds in the passes of a pipeline that run in a context: one that
// is disabled, or above the level, is as good as missing.
func Check(p *pass.Pass, c *pass.Context) []Place {
	var names []string
	var paths [][]int
	each(p, func(q *pass.Pass, path []int) {
		at := p
		for _, i := range path {
			at = at.Children[i]
			if runs, _ := c.PassEnabled(at); !runs {
				return
			}
		}
		names, paths = append(names, q.Name), append(paths, path)
	})
	var out []Place
	for _, w := range CheckOrder(names) {
		place := Place{Warning: w, Path: paths[w.Index]}
		if w.Other >= 0 {
			place.OtherPath = paths[w.Other]
		}
		out = append(out, place)
	}
	return out
}
