package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// rowsInStages is a loop over rows of four elements with statements in stages: each goes over a row of what it reads, or sums one up.
func rowsInStages(rng *rand.Rand, merge bool) string {
	n := 2 + rng.IntN(3)
	stages, orders := make([]string, n), make([]string, n)
	stage := 0
	perm := rng.Perm(n)
	for i := range n {
		stages[i], orders[i] = fmt.Sprint(stage), fmt.Sprint(i)
		if rng.IntN(4) > 0 {
			stage++
		}
	}
	if rng.IntN(2) == 0 {
		for i := range n {
			orders[i] = fmt.Sprint(perm[i])
		}
	}
	note := ""
	if merge {
		note = `, "software_pipeline_merge": True`
	}
	var b strings.Builder
	fmt.Fprintf(&b, `@T.prim_func
def kernel(A: T.Buffer((32, 4), "float32"), C: T.Buffer((4, 32, 4), "float32"), D: T.Buffer((32, 4), "float32")):
    for i in T.serial(%d, annotations={"software_pipeline_stage": [%s], "software_pipeline_order": [%s]%s}):
        with T.block("all"):
            T.reads(A[i, 0:4], D[i, 0:4])
            T.writes(C[0:4, i, 0:4], D[i, 0:4])
`, []int{0, 1, 2, 3, 5, 16}[rng.IntN(6)], strings.Join(stages, ", "), strings.Join(orders, ", "), note)
	for k := range n {
		fmt.Fprintf(&b, "            B%d = T.alloc_buffer((4,), \"float32\")\n", k)
	}
	for k := range n {
		from := "A[i, u]"
		switch rng.IntN(4) {
		case 0:
			from = []string{"D[i, u]", "D[i, 3 - u]"}[rng.IntN(2)] // what another stage may write
		case 1, 2:
			if k > 0 {
				from = fmt.Sprintf("B%d[%s]", rng.IntN(k), []string{"u", "3 - u", "0"}[rng.IntN(3)])
			}
		}
		extent := 4
		if rng.IntN(6) == 0 {
			extent = 3
		}
		store := fmt.Sprintf("B%d[u] = %s + T.float32(%d)\n                C[%d, i, u] = %s * T.float32(2)", k, from, k+1, k, from)
		if rng.IntN(4) == 0 {
			store = fmt.Sprintf("D[i, u] = %s + T.float32(%d)", from, k+1)
		}
		fmt.Fprintf(&b, "            for u in range(%d):\n                %s\n", extent, store)
	}
	return b.String()
}

// TestMergedPipelines pipelines loops whose statements are loops, and merges those of different stages. What is not refused computes what the loop does; the loops of some are one.
func TestMergedPipelines(t *testing.T) {
	taken, merged := 0, 0
	for seed := range uint64(400) {
		f := parseFunc(t, rowsInStages(rand.New(rand.NewPCG(seed, 5)), true))
		out, err := passtest.NewContext().Run(tirpass.InjectSoftwarePipeline, moduleOf(f))
		if err != nil {
			continue
		}
		taken++
		g := funcOf(out)
		wellFormed(t, "pipeline", g)
		if mostStores(g) > mostStores(f) {
			merged++
		}
		args := tirtest.Arguments(f, 1)
		sameMeaning(t, tirpass.InjectSoftwarePipeline, f, g, args, mustRun(t, f, args))
	}
	if taken < 100 || merged < 50 {
		t.Errorf("of 400 pipelines %d were taken, and %d merged loops", taken, merged)
	}
}

// mostStores is how many stores an innermost loop of f has at most.
func mostStores(f *tir.PrimFunc) int {
	most := 0
	ir.Walk(f.Body, func(n ir.Node) bool {
		if l, ok := n.(*tir.For); ok {
			stores, loops := 0, 0
			ir.Walk(l.Body, func(n ir.Node) bool {
				switch n.(type) {
				case *tir.BufferStore:
					stores++
				case *tir.For:
					loops++
				}
				return true
			})
			if loops == 0 {
				most = max(most, stores)
			}
		}
		return true
	})
	return most
}
