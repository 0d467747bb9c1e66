package tirpass

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// storageRanks are the kinds of memory that scopes begin with.
var storageRanks = []string{
	"global", "shared", "warp", "local", "wmma.matrix_a", "wmma.matrix_b", "wmma.accumulator", "texture", "amx.tmm",
	"m16n8k8.matrixA", "m16n8k8.matrixB", "m16n8k8.matrixC", "metal.simdgroup",
}

// splitScope returns the kind of memory that a scope names and what stands behind it: "shared" and ".dyn".
// An empty scope is global.
func splitScope(scope string) (rank, tag string, err error) {
	if scope == "" {
		return "global", "", nil
	}
	for _, r := range storageRanks {
		if tag, ok := strings.CutPrefix(scope, r); ok {
			return r, tag, nil
		}
	}
	return "", "", fmt.Errorf("unknown storage scope %s: known are %s, with or without a tag such as .dyn", scope, strings.Join(storageRanks, ", "))
}

// scopeOf is the scope of the memory that a pointer points at, "global" where it names none.
func scopeOf(v *tir.Var) string {
	if p, ok := v.Type.(*ir.PointerType); ok && p.Scope != "" {
		return p.Scope
	}
	return "global"
}

// dynamicShared reports whether memory of a scope is one region of shared memory, the size of which is
// known at launch.
func dynamicShared(scope string) bool { return scope == "shared.dyn" }

// threadDim returns the level of a thread, 0 for blocks and 1 for the threads in them, and its dimension (0 for x), which is
// -1 for a virtual thread.
func threadDim(tag string) (level, dim int, err error) {
	for i, prefix := range []string{"blockIdx.", "threadIdx."} {
		if d, ok := strings.CutPrefix(tag, prefix); ok && len(d) == 1 && d[0] >= 'x' && d[0] <= 'z' {
			return i, int(d[0] - 'x'), nil
		}
	}
	if strings.HasPrefix(tag, "vthread") || tag == "cthread" {
		return 1, -1, nil
	}
	//lint:ignore ST1005 as TVM says it
	return 0, 0, fmt.Errorf("Unknown threadscope %s: known are blockIdx.x to .z, threadIdx.x to .z and vthread", tag)
}

// barrier is the statement at which the threads of a block wait for each other; base is the statement that it is for.
func barrier(base ir.Base, scope string) tir.Stmt {
	call := &tir.Call{Base: base, Type: dtype.Int32T, Op: tir.OpStorageSync, Args: []tir.Expr{&tir.StringImm{Base: base, Value: scope}}}
	return &tir.Evaluate{Base: base, Value: call}
}
