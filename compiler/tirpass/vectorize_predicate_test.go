package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestPredicatePairs makes bounds of vectorized loops predicates.
func TestPredicatePairs(t *testing.T) {
	on := config("tir.enable_buffer_level_predication", true)
	loop := func(body string) string {
		return `
    for i in range(4):
        for j in T.vectorized(4):` + body
	}
	bound := loop(`
            if i * 4 + j < 14:
                B[i * 4 + j] = A[i * 4 + j] + 1`)
	serial := func(body string) string {
		return `
    for i in range(4):
        for j_s in range(4):` + body
	}
	checkPairs(t, tirpass.VectorizeLoop, smallHeader, []pair{
		{name: "a bound", opts: on, before: bound, after: `
    for i in range(4):
        B.vstore([T.Ramp(i * 4, 1, 4)], A.vload([T.Ramp(i * 4, 1, 4)], predicate=T.get_active_lane_mask("uint1x4", i * 4, 14)) + T.Broadcast(1, 4), predicate=T.get_active_lane_mask("uint1x4", i * 4, 14))`},
		{name: "switched off", before: bound, after: serial(`
            if i * 4 + j_s < 14:
                B[i * 4 + j_s] = A[i * 4 + j_s] + 1`)},
		{name: "an element that all lanes read", opts: on, before: loop(`
            if i * 4 + j < 14:
                B[i * 4 + j] = A[i]`), after: serial(`
            if i * 4 + j_s < 14:
                B[i * 4 + j_s] = A[i]`)},
		{name: "another start", opts: on, before: loop(`
            if i * 4 + j < 14:
                B[i * 4 + j] = A[j]`), after: serial(`
            if i * 4 + j_s < 14:
                B[i * 4 + j_s] = A[j_s]`)},
		{name: "another comparison", opts: on, before: loop(`
            if i * 4 + j > 3:
                B[i * 4 + j] = A[i * 4 + j]`), after: serial(`
            if i * 4 + j_s > 3:
                B[i * 4 + j_s] = A[i * 4 + j_s]`)},
		{name: "another branch", opts: on, before: loop(`
            if i * 4 + j < 14:
                B[i * 4 + j] = A[i * 4 + j]
            else:
                B[i * 4 + j] = 1`), after: serial(`
            if i * 4 + j_s < 14:
                B[i * 4 + j_s] = A[i * 4 + j_s]
            else:
                B[i * 4 + j_s] = 1`)},
		{name: "a division by what a lane that is off reads", opts: on, unrun: true, before: loop(`
            if i * 4 + j < 14:
                B[i * 4 + j] = 5 // A[i * 4 + j]`), after: serial(`
            if i * 4 + j_s < 14:
                B[i * 4 + j_s] = 5 // A[i * 4 + j_s]`)},
	})
}

// TestLanesOfConstants makes conditions whose lanes are constants predicates, for targets with instructions for some lanes.
func TestLanesOfConstants(t *testing.T) {
	header := func(features string) string {
		return smallHeader + "\n    T.func_attr({\"target\": T.target({\"kind\": \"x86\", \"mattr\": [" + features + "]})})"
	}
	loop := func(body string) string {
		return `
    for i in range(2):
        for j in T.vectorized(8):
            if j < 6:
                ` + body
	}
	serial := func(body string) string {
		return `
    for i in range(2):
        for j_s in range(8):
            if j_s < 6:
                ` + body
	}
	const lanes = "predicate=T.Ramp(0, 1, 8) < T.Broadcast(6, 8)"
	checkPairs(t, tirpass.VectorizeLoop, header(`"+avx2"`), []pair{
		{name: "beyond a row", before: loop("B[i * 10 + j] = A[i * 10 + j] + 1"), after: `
    for i in range(2):
        B.vstore([T.Ramp(i * 10, 1, 8)], A.vload([T.Ramp(i * 10, 1, 8)], ` + lanes + `) + T.Broadcast(1, 8), ` + lanes + `)`},
		{name: "what all lanes may read", before: loop("B[i * 10 + j] = A[i * 2 + j]"), after: `
    for i in range(2):
        B.vstore([T.Ramp(i * 10, 1, 8)], A[i * 2:i * 2 + 8], ` + lanes + `)`},
		{name: "an element for all lanes", before: loop("B[i * 10 + j] = A[i]"), after: `
    for i in range(2):
        B.vstore([T.Ramp(i * 10, 1, 8)], T.Broadcast(A[i], 8), ` + lanes + `)`},
		{name: "elements that lie apart", before: loop("B[i * 10 + j] = A[j * 3]"), after: serial("B[i * 10 + j_s] = A[j_s * 3]")},
		{name: "results that lie apart", before: loop("B[j * 3] = A[j]"), after: serial("B[j_s * 3] = A[j_s]")},
		{name: "a division by what a lane that is off reads", unrun: true, before: loop("B[i * 10 + j] = 5 // A[i * 10 + j]"), after: serial("B[i * 10 + j_s] = 5 // A[i * 10 + j_s]")},
		{name: "no lane", before: `
    for i in range(2):
        for j in T.vectorized(8):
            if j < 0:
                B[j] = A[i * 100]`, after: `
    for i in range(2):
        for j_s in range(8):
            if j_s < 0:
                B[j_s] = A[i * 100]`},
	})
	checkPairs(t, tirpass.VectorizeLoop, header(""), []pair{
		{name: "no such instructions", before: loop("B[i * 10 + j] = A[i * 10 + j] + 1"), after: serial("B[i * 10 + j_s] = A[i * 10 + j_s] + 1")},
	})
}
