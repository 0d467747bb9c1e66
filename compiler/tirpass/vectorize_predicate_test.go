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
