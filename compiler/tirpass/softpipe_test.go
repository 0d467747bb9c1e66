package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/tensor"
)

const pipelineHeader = `@T.prim_func
def kernel(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):`

// pipelineOf is a loop over two statements with annotations.
func pipelineOf(notes, first, second string) string {
	return `
    for i in T.serial(8, annotations={` + notes + `}):
        with T.block("both"):
            T.reads(A[i])
            T.writes(C[i])
            B = T.alloc_buffer((1, 1), "float32")
            with T.block("load"):` + first + `
            with T.block("use"):` + second
}

const (
	loadA = `
                T.reads(A[i])
                T.writes(B[0, 0])
                B[0, 0] = A[i] * T.float32(2)`
	useB = `
                T.reads(B[0, 0])
                T.writes(C[i])
                C[i] = B[0, 0] + T.float32(1)`
)

// TestPipelinePairs overlaps two stages, and refuses what TVM refuses.
func TestPipelinePairs(t *testing.T) {
	two := `"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]`
	checkPairs(t, tirpass.InjectSoftwarePipeline, pipelineHeader, []pair{
		{name: "no annotation", before: pipelineOf(`"note": 1`, loadA, useB)},
		{name: "two stages", before: pipelineOf(two, loadA, useB), after: `
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block(""):
            T.reads(A[0:8])
            T.writes(C[0:8])
            B = T.alloc_buffer((2, 1, 1))
            with T.block("load"):
                T.reads(A[0])
                T.writes(B[T.FloorMod(0, 2), 0, 0])
                B[T.FloorMod(0, 2), 0, 0] = A[0] * T.float32(2.0)
            with T.block(""):
                T.reads(A[1:8], B[0:2, 0, 0])
                T.writes(B[0:2, 0, 0], C[0:7])
                for i in range(7):
                    with T.block("load"):
                        T.where(i + 1 < 8)
                        T.reads(A[i + 1])
                        T.writes(B[(i + 1) % 2, 0, 0])
                        B[(i + 1) % 2, 0, 0] = A[i + 1] * T.float32(2.0)
                    with T.block("use"):
                        T.where(i + 1 - 1 < 8)
                        T.reads(B[(i - 1 + 1) % 2, 0, 0])
                        T.writes(C[i - 1 + 1])
                        C[i - 1 + 1] = B[(i - 1 + 1) % 2, 0, 0] + T.float32(1.0)
            with T.block("use"):
                T.reads(B[T.FloorMod(7, 2), 0, 0])
                T.writes(C[7])
                C[7] = B[T.FloorMod(7, 2), 0, 0] + T.float32(1.0)`},
		{name: "one stage", before: pipelineOf(`"software_pipeline_stage": [0, 0], "software_pipeline_order": [0, 1]`, loadA, useB), after: `
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block(""):
            T.reads(A[0:8])
            T.writes(C[0:8])
            B = T.alloc_buffer((1, 1))
            with T.block(""):
                T.reads()
                T.writes()
                T.evaluate(0)
            with T.block(""):
                T.reads(A[0:8], B[0, 0])
                T.writes(B[0, 0], C[0:8])
                for i in range(8):
                    with T.block("load"):
                        T.where(i < 8)
                        T.reads(A[i])
                        T.writes(B[0, 0])
                        B[0, 0] = A[i] * T.float32(2.0)
                    with T.block("use"):
                        T.where(i < 8)
                        T.reads(B[0, 0])
                        T.writes(C[i])
                        C[i] = B[0, 0] + T.float32(1.0)
            with T.block(""):
                T.reads()
                T.writes()
                T.evaluate(0)`},
		{name: "no order", before: pipelineOf(`"software_pipeline_stage": [0, 1]`, loadA, useB), fails: "order of the software pipeline is not defined"},
		{name: "no stage", before: pipelineOf(`"software_pipeline_order": [0, 1]`, loadA, useB), fails: "stage of the software pipeline is not defined"},
		{name: "too many stages", before: pipelineOf(`"software_pipeline_stage": [0, 1, 1], "software_pipeline_order": [0, 1, 2]`, loadA, useB), fails: `has the 2 statements ["load" "use"], but its annotation "software_pipeline_stage" is [0 1 1], of different size`},
		{name: "an order twice", before: pipelineOf(`"software_pipeline_stage": [0, 1], "software_pipeline_order": [1, 1]`, loadA, useB), fails: "two statements in the software pipeline cannot have the same order: 1"},
		{name: "an order out of range", before: pipelineOf(`"software_pipeline_stage": [0, 1], "software_pipeline_order": [1, 2]`, loadA, useB), fails: "the order 2 is none of 0 to 1"},
		{name: "a negative stage", before: pipelineOf(`"software_pipeline_stage": [-1, 1], "software_pipeline_order": [0, 1]`, loadA, useB), fails: "the stage -1 is none of 0 to"},
		{name: "no list", before: pipelineOf(`"software_pipeline_stage": 3, "software_pipeline_order": [0, 1]`, loadA, useB), fails: `the annotation "software_pipeline_stage" must be a list of integers, got 3`},
		{name: "reordered in a stage", before: pipelineOf(`"software_pipeline_stage": [1, 1], "software_pipeline_order": [1, 0]`, loadA, useB), fails: "two statements with buffer access dependency in the same stage of the software pipeline cannot be reordered"},
		{name: "a later stage", before: pipelineOf(`"software_pipeline_stage": [1, 0], "software_pipeline_order": [0, 1]`, loadA, useB), fails: `statement "use" in stage 0 cannot depend on statement "load" in a later stage 1, which writes B`},
		{name: "a value of an iteration before", before: pipelineOf(two, `
                T.reads(A[i], C[0:8])
                T.writes(B[0, 0])
                B[0, 0] = A[i] + C[T.max(i - 1, 0)]`, useB), fails: `statement "load" in stage 0 would access C before statement "use" in stage 1 of an iteration before it`},
		{name: "overwritten too early", before: pipelineOf(`"software_pipeline_stage": [1, 0], "software_pipeline_order": [0, 1]`, `
                T.reads(A[i])
                T.writes(C[i])
                C[i] = A[i]`, `
                T.reads()
                T.writes(A[i])
                A[i] = T.float32(1)`), fails: `statement "use" writes A, which "load", before it in the body, uses too`},
		{name: "a parallel loop", before: strings.Replace(pipelineOf(two, loadA, useB), "T.serial", "T.parallel", 1), fails: "the loop is parallel, but the iterations of a pipeline run one after the other"},
		{name: "one statement", before: `
    for i in T.serial(8, annotations={"software_pipeline_stage": [0], "software_pipeline_order": [0]}):
        C[i] = A[i]`, fails: "the body of the software pipeline should be a sequence of statements, got one BufferStore"},
		{name: "a block with variables", before: pipelineOf(two, loadA, `
                v = T.axis.spatial(8, i)
                T.reads(B[0, 0])
                T.writes(C[v])
                C[v] = B[0, 0] + T.float32(1)`), fails: `block "use" has iteration variables: run tir.ConvertBlocksToOpaque`},
		{name: "a view", before: pipelineOf(two, `
                T.reads(A[i])
                T.writes(B[0, 0])
                V = T.match_buffer(B[0:1, 0], (1,))
                V[0] = A[i]`, useB), fails: "block \"load\" has matched buffers: run tir.ConvertBlocksToOpaque, tir.LowerMatchBuffer"},
		{name: "an address", before: pipelineOf(two, `
                T.reads(A[i])
                T.writes(B[0, 0])
                T.evaluate(T.call_extern("int32", "fill", B.data))`, useB), fails: "the address of B is used in a way that does not say what of it is accessed"},
		{name: "no such buffer to double", before: pipelineOf(two, `
                T.reads(A[i])
                T.writes(B[0, 0])
                T.block_attr({"double_buffer_scope": 1})
                B[0, 0] = A[i]`, useB), fails: "exceeds the size of the write regions of the block (1 vs. 1)"},
	})
}

// TestPipelinesOfRandomStages pipelines loops of up to four statements in all kinds of stages and orders. What is
// not refused computes what the loop does.
func TestPipelinesOfRandomStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	taken := 0
	for range 300 {
		n := 2 + rng.IntN(3)
		stages, orders := make([]string, n), make([]string, n)
		stage := 0
		for i, o := range rng.Perm(n) {
			if rng.IntN(3) == 0 {
				o = i
			}
			stage += rng.IntN(2)
			if rng.IntN(8) == 0 {
				stage += 1 - rng.IntN(3)
			}
			stages[i], orders[i] = fmt.Sprint(max(stage, 0)), fmt.Sprint(o)
		}
		if rng.IntN(2) == 0 {
			for i := range orders {
				orders[i] = fmt.Sprint(i)
			}
		}
		var b strings.Builder
		extent := []string{"0", "1", "2", "3", "5", "16", "n"}[rng.IntN(7)]
		lo := rng.IntN(3)
		end := extent
		if lo > 0 {
			end = fmt.Sprintf("%s + %d", extent, lo)
		}
		async := ""
		if rng.IntN(2) == 0 {
			async = fmt.Sprintf(`, "software_pipeline_async_stages": [%d]`, rng.IntN(2))
		}
		fmt.Fprintf(&b, `@T.prim_func
def kernel(A: T.Buffer((32,), "float32"), C: T.Buffer((4, 32), "float32"), N: T.Buffer((1,), "int32")):
    n: T.int32 = N[0]
    for i in T.serial(%d, %s, annotations={"software_pipeline_stage": [%s], "software_pipeline_order": [%s]%s}):
        with T.block("all"):
            T.reads(A[i])
            T.writes(C[0:4, i])
`, lo, end, strings.Join(stages, ", "), strings.Join(orders, ", "), async)
		for k := range n {
			fmt.Fprintf(&b, "            B%d = T.alloc_buffer((2,), \"float32\")\n", k)
		}
		for k := range n {
			source, reads := "A[i]", "A[i]"
			if k > 0 && rng.IntN(4) > 0 {
				from := rng.IntN(k)
				source, reads = fmt.Sprintf("B%d[1]", from), fmt.Sprintf("B%d[1]", from)
			}
			note := ""
			if rng.IntN(3) == 0 {
				note = "                T.block_attr({\"double_buffer_scope\": 0})\n"
			}
			fmt.Fprintf(&b, `            with T.block("s%d"):
                T.reads(%s)
                T.writes(B%d[1], C[%d, i])
%s                for u in range(2):
                    B%d[1] = %s + T.float32(%d)
                    C[%d, i] = %s * T.float32(2)
`, k, reads, k, k, note, k, source, k+1, k, source)
		}
		f := parseFunc(t, b.String())
		out, err := passtest.NewContext().Run(tirpass.InjectSoftwarePipeline, moduleOf(f))
		if err != nil {
			continue
		}
		taken++
		g := funcOf(out)
		wellFormed(t, "pipeline", g)
		for _, size := range []int64{0, 1, 2, 3, 4, 9} {
			args := tirtest.Arguments(f, 1)
			args[2].(*tensor.Tensor).SetInt(0, size)
			sameMeaning(t, tirpass.InjectSoftwarePipeline, f, g, args, mustRun(t, f, args))
			if extent != "n" {
				break
			}
		}
	}
	if taken < 100 {
		t.Errorf("only %d of 300 pipelines were taken", taken)
	}
}
