package transform_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/transform"
)

// TestPassSettings holds what the passes say of themselves: from which opt_level on they run, what they are made for, whether
// what follows needs them, and what they read of the context.
func TestPassSettings(t *testing.T) {
	for _, c := range []struct {
		pass     *pass.Pass
		level    int
		kind     pass.Kind
		lowering bool
	}{
		{transform.DecomposeOps, 0, pass.Function, false},
		{transform.CanonicalizeBindings, 0, pass.Sequential, false},
		{transform.CanonicalizeBindings.Children[0], 1, pass.Function, false},
		{transform.CanonicalizeBindings.Children[1], 1, pass.Function, false},
		{transform.EliminateCommonSubexpr, 3, pass.Function, false},
		{transform.DeadCodeElimination, 1, pass.Module, false},
		{transform.LegalizeOps, 0, pass.Module, true},
		{transform.AnnotateTIROpPattern, 0, pass.PrimFunc, false},
		{transform.FoldConstant, 2, pass.Function, false},
		{transform.FuseOps, 0, pass.Module, false},
		{transform.FuseTIR, 0, pass.Sequential, false},
		{transform.FuseTIR.Children[0], 0, pass.Module, true},
		{transform.RewriteDataflowReshape, 0, pass.Module, false},
		{transform.ToNonDataflow, 0, pass.Function, true},
		{transform.RemovePurityChecking, 0, pass.Function, true},
		{transform.CallTIRRewrite, 0, pass.Module, true},
		{transform.ElideCopies, 1, pass.Module, false},
		{transform.StaticPlanBlockMemory, 0, pass.Function, false},
		{transform.LowerAllocTensor, 0, pass.Function, true},
		{transform.KillAfterLastUse, 0, pass.Function, false},
		{transform.LowerRuntimeBuiltin, 0, pass.Function, true},
		{transform.ComputePrimValue, 0, pass.Module, true},
		{transform.VMShapeLower, 0, pass.Module, true},
		{transform.AttachGlobalSymbol, 0, pass.Module, true},
		{transform.ApplyDefaultSchedule, 1, pass.Module, false},
		{transform.Normalize, 1, pass.Function, false},
		{transform.ConvertToDataflow, 0, pass.Function, false},
		{transform.TopologicalSort, 0, pass.Function, false},
		{transform.BindSymbolicVars, 1, pass.Module, false},
		{transform.ExpandTupleArguments, 0, pass.Sequential, false},
		{transform.RemoveUnusedParameters, 0, pass.Module, false},
		{transform.RemoveUnusedOutputs, 0, pass.Sequential, false},
		{transform.InlinePrivateFunctions, 0, pass.Module, false},
		{transform.LambdaLift, 1, pass.Module, false},
		{transform.NormalizeGlobalVar, 0, pass.Module, false},
		{transform.BundleModelParams, 1, pass.Module, false},
		{transform.LazyGetInput, 0, pass.Function, false},
		{transform.LazySetOutput, 0, pass.Function, false},
		{transform.LazyTransformParams, 0, pass.Module, false},
		{transform.RemoveRedundantReshape, 0, pass.Function, false},
		{transform.FoldBatchnormToConv2D, 0, pass.Function, false},
		{transform.FoldScaleToConv2D, 0, pass.Function, false},
		{transform.BlockConvLayout, 2, pass.Function, false},
		{transform.PackByteProducts, 2, pass.Module, false},
		{transform.ConvertConv2DToWinograd, 2, pass.Module, false},
		{transform.PackQuantizedWeights, 2, pass.Module, false},
		{transform.BlockMatmulWeights, 2, pass.Module, false},
		{transform.LiftConstantCalls, 2, pass.Module, false},
		{transform.ConvertLayout, 0, pass.Function, false},
		{transform.ToMixedPrecision, 0, pass.Function, false},
		{transform.OptimizeLayoutTransform, 0, pass.Function, false},
		{transform.AlterOpImpl, 0, pass.Module, false},
		{transform.DecomposeOpsForTraining, 0, pass.Function, false},
		{transform.Gradient, 0, pass.Module, false},
		{transform.LiftTransformParams, 0, pass.Module, false},
		{transform.AttachAttrLayoutFreeBuffers, 0, pass.Module, false},
		{transform.SplitLayoutRewritePreproc, 0, pass.Module, false},
		{transform.CombineParallelMatmul, 0, pass.Function, false},
		{transform.FuseOpsByPattern, 0, pass.Module, false},
		{transform.MergeCompositeFunctions, 0, pass.Module, false},
		{transform.RunCodegen, 0, pass.Module, false},
		{transform.AdjustMatmulOrder, 1, pass.Function, false},
		{transform.ExpandMatmulOfSum, 1, pass.Function, false},
		{transform.ReorderTakeAfterMatmul, 1, pass.Function, false},
		{transform.ReorderPermuteDimsAfterConcat, 1, pass.Function, false},
	} {
		if p := c.pass; p.Level != c.level || p.Kind != c.kind || p.Lowering != c.lowering {
			t.Errorf("%s: level %d, kind %v, lowering %v, want %d, %v, %v", p.Name, p.Level, p.Kind, p.Lowering, c.level, c.kind, c.lowering)
		}
		if reads := c.pass == transform.FuseOps || c.pass == transform.ConvertConv2DToWinograd; c.pass.ReadsLevel != reads {
			t.Errorf("%s: reads opt_level: %v, want %v", c.pass.Name, c.pass.ReadsLevel, reads)
		}
		reading := []*pass.Pass{transform.ApplyDefaultSchedule, transform.BlockConvLayout, transform.PackByteProducts, transform.ConvertConv2DToWinograd, transform.PackQuantizedWeights, transform.BlockMatmulWeights}
		if reads := slices.Contains(reading, c.pass); c.pass.ReadsTarget != reads {
			t.Errorf("%s: reads the target: %v, want %v", c.pass.Name, c.pass.ReadsTarget, reads)
		}
		want := map[*pass.Pass][]string{
			transform.FuseOps: {"relax.FuseOps.max_depth"}, transform.LegalizeOps: {"relax.transform.apply_legalize_ops"},
			transform.LiftTransformParams: {"relax.lift_transform_params.consume_params"},
		}[c.pass]
		if !slices.Equal(c.pass.Config, want) {
			t.Errorf("%s reads %v of the config, want %v", c.pass.Name, c.pass.Config, want)
		}
	}
	if names := transform.FuseTIR.Children; len(names) != 2 || names[1] != transform.DeadCodeElimination {
		t.Error("FuseTIR does not remove the kernels that it joined")
	}
}
