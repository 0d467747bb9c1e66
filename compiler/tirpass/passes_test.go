package tirpass_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	. "github.com/irscope/irscope/compiler/tirpass"
)

// TestPassesSayWhatTheyAre checks which passes every function must go through, which read the target, and the
// options with their defaults.
func TestPassesSayWhatTheyAre(t *testing.T) {
	lowering := []*pass.Pass{
		CanonicalizeLoop, LowerInitBlock, ConvertBlocksToOpaque, LowerMatchBuffer, LowerOpaqueBlock, FlattenBuffer, VectorizeLoop,
		RewriteUnsafeSelect, SplitHostDevice, BindTarget, MakePackedAPI, LowerTVMBuiltin, LowerMath,
	}
	optional := []*pass.Pass{
		PlanAndUpdateBufferAllocationLocation, CompactBufferAllocation, ForceNarrowIndexToInt32, NarrowDataType, Simplify, RemoveNoOp,
		RenormalizeSplitPattern, LoopPartition, UnrollLoop, StorageRewrite, CommonSubexprElimTIR, InstrumentBoundCheckers,
		LowerIntrin, SkipAssert, AnnotateEntryFunc, VerifyMemory,
	}
	targets := []*pass.Pass{BindTarget, VerifyMemory, LowerMath}
	modules := []*pass.Pass{BindTarget, SplitHostDevice, AnnotateEntryFunc}
	options := map[*pass.Pass]map[string]ir.Value{
		CompactBufferAllocation: {"is_strict": true},
		VectorizeLoop:           {"enable_vectorize": true},
		UnrollLoop:              {"mark_only": false},
		CommonSubexprElimTIR:    {"enable_cse_tir": true, "identify_equiv_terms": false},
		NarrowDataType:          {"target_bits": int64(32)},
		BindTarget:              {"target": ""},
	}
	for _, p := range append(slices.Clone(lowering), optional...) {
		if p.Lowering != slices.Contains(lowering, p) {
			t.Errorf("%s: lowering is %v", p.Name, p.Lowering)
		}
		if p.ReadsTarget != slices.Contains(targets, p) {
			t.Errorf("%s: reading the target is %v", p.Name, p.ReadsTarget)
		}
		if want := slices.Contains(modules, p); (p.Kind == pass.Module) != want || (p.Kind == pass.PrimFunc) == want {
			t.Errorf("%s: the kind is %v", p.Name, p.Kind)
		}
		got := map[string]ir.Value{}
		for _, o := range p.Options {
			got[o.Name] = o.Default
		}
		if !maps.Equal(got, options[p]) {
			t.Errorf("%s: the options are %v, want %v", p.Name, got, options[p])
		}
	}
}

// TestOptionsOfPasses turns passes off by their own options.
func TestOptionsOfPasses(t *testing.T) {
	for _, c := range []struct {
		p       *pass.Pass
		options *ir.Attrs
		body    string
		after   string
	}{
		{VectorizeLoop, ir.NewAttrs("enable_vectorize", false), `
    for i in T.vectorized(4):
        A[i] = 1`, `
    for i in range(4):
        A[i] = 1`},
		{UnrollLoop, ir.NewAttrs("mark_only", true), `
    for i in T.unroll(4):
        A[i] = 1`, ""},
		{UnrollLoop, ir.NewAttrs("mark_only", true), `
    for i in T.unroll(2):
        for j in T.unroll(2):
            A[T.min(j, 1) + i] = 1`, `
    for i in T.unroll(2):
        A[T.Min(0, 1) + i] = 1
        A[T.Min(1, 1) + i] = 1`},
		{CommonSubexprElimTIR, ir.NewAttrs("enable_cse_tir", false), `
    for i in range(4):
        A[i * 2] = A[i * 2 + 1] + i * 2`, ""},
		{CommonSubexprElimTIR, ir.NewAttrs("identify_equiv_terms", true), `
    for i, j in T.grid(4, 2):
        A[i + j] = A[j + i]`, `
    for i, j in T.grid(4, 2):
        cse_v1: T.int32 = j + i
        A[cse_v1] = A[cse_v1]`},
		{SkipAssert, nil, `
    with T.Assert(A[0] > 0, "a text"):
        A[0] = 1`, ""},
	} {
		p, err := c.p.With(c.options)
		if err != nil {
			t.Fatal(err)
		}
		const header = "@T.prim_func\ndef kernel(A: T.Buffer((16,), \"int32\")):"
		if c.after == "" {
			c.after = c.body
		}
		if got, want := scriptOf(funcOf(mustPass(t, p, parseFunc(t, header+c.body)))), scriptOf(parseFunc(t, header+c.after)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", p.Name, got, want)
		}
	}
}
