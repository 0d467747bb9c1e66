package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestProfilePairs marks functions and loops.
func TestProfilePairs(t *testing.T) {
	opts := func(kv ...any) []pass.ContextOption {
		values := map[string]any{"tir.instrument_lwp": true}
		for i := 0; i < len(kv); i += 2 {
			values[kv[i].(string)] = kv[i+1]
		}
		return []pass.ContextOption{pass.Configure(values)}
	}
	nest := `
    for i in range(2):
        for j in range(2):
            for k in range(4):
                A[k] = B[k] + i
        for j in range(2):
            for k in range(4):
                A[k] = A[k] + j`
	mark := func(id string, lines string) string {
		return `T.evaluate(T.start_profile_intrinsic(` + id + `, dtype="handle"))` + lines + `T.evaluate(T.end_profile_intrinsic(` + id + `, dtype="handle"))`
	}
	checkPairs(t, tirpass.InstrumentProfileIntrinsics, smallHeader, []pair{
		{name: "not asked for", before: nest},
		{name: "loops beside others", before: nest, again: true, opts: opts("tir.lwp_disable_func_prof", true), after: `
    for i in range(2):
        ` + mark("2", `
        for j in range(2):
            for k in range(4):
                A[k] = B[k] + i
        `) + `
        ` + mark("4", `
        for j in range(2):
            for k in range(4):
                A[k] = A[k] + j
        `)},
		{name: "the function", before: `
    A[0] = 1`, again: true, opts: opts(), after: `
    ` + mark("0", `
    A[0] = 1
    `)},
		{name: "by depth", before: nest, again: true, opts: opts("tir.lwp_disable_func_prof", true, "tir.instr_siblings", false, "tir.lwp_max_depth", 0), after: `
    ` + mark("1", nest+`
    `)},
		{name: "innermost loops", before: `
    for i in range(2):
        A[i] = 1
    for i in range(2):
        for j in range(4):
            A[i] = A[i] + j`, again: true, opts: opts("tir.lwp_disable_func_prof", true, "tir.instr_siblings", false, "tir.lwp_max_depth", 5, "tir.lwp_min_height", 0), after: `
    ` + mark("1", `
    for i in range(2):
        A[i] = 1
    `) + `
    ` + mark("2", `
    for i in range(2):
        `+mark("3", `
        for j in range(4):
            A[i] = A[i] + j
        `)+`
    `)},
		{name: "in a parallel loop", before: `
    for i in T.parallel(2):
        for j in range(2):
            for k in range(2):
                for l in range(2):
                    A[i] = A[i] + j`, again: true, opts: opts("tir.lwp_disable_func_prof", true, "tir.instr_siblings", false, "tir.lwp_max_depth", 5), after: `
    ` + mark("1", `
    for i in T.parallel(2):
        `+mark("2", `
        for j in range(2):
            `+mark("3", `
            for k in range(2):
                for l in range(2):
                    A[i] = A[i] + j
            `)+`
        `)+`
    `)},
	})
}
