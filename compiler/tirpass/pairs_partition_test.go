package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

func partitioning(fields ...string) []pass.ContextOption {
	m := map[string]any{}
	for _, f := range fields {
		m[f] = true
	}
	return config("tir.LoopPartition", m)
}

// TestPartitionPairs splits loops of constant bounds at likely conditions.
func TestPartitionPairs(t *testing.T) {
	on := partitioning("partition_const_loop")
	checkPairs(t, tirpass.LoopPartition, `@T.prim_func
def kernel(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):`, []pair{
		{name: "not asked for", before: `
    for i in range(8):
        if T.likely(i < 5):
            B[i] = A[i]`, after: `
    for i in range(8):
        if i < 5:
            B[i] = A[i]`},
		{name: "upper end", before: `
    for i in range(8):
        if T.likely(i < 5):
            B[i] = A[i]`, after: `
    for i in range(5):
        if T.bool(True):
            B[i] = A[i]
    for i in range(3):
        if T.bool(False):
            B[i + 5] = A[i + 5]`, opts: on},
		{name: "lower end", before: `
    for i in range(2, 8):
        if T.likely(i >= 5):
            B[i] = A[i]`, after: `
    for i in range(3):
        if T.bool(False):
            B[i + 2] = A[i + 2]
    for i in range(3):
        if T.bool(True):
            B[i + 5] = A[i + 5]`, opts: on},
		{name: "both ends", before: `
    for i in range(8):
        if T.likely(i >= 2 and i < 5):
            B[i] = A[i]`, after: `
    for i in range(2):
        if T.bool(False) and T.bool(True):
            B[i] = A[i]
    for i in range(3):
        if T.bool(True) and T.bool(True):
            B[i + 2] = A[i + 2]
    for i in range(3):
        if T.bool(True) and T.bool(False):
            B[i + 5] = A[i + 5]`, opts: on},
		{name: "a part of one step", before: `
    for i in range(8):
        if T.likely(i < 7):
            B[i] = A[i]`, after: `
    for i in range(7):
        if T.bool(True):
            B[i] = A[i]
    if T.LT(7, 7):
        B[7] = A[7]`, opts: on},
		{name: "a part of one step as a loop", before: `
    for i in range(8):
        if T.likely(i < 7):
            B[i] = A[i]`, after: `
    for i in range(7):
        if T.bool(True):
            B[i] = A[i]
    for i in range(1):
        if T.bool(False):
            B[i + 7] = A[i + 7]`, opts: partitioning("partition_const_loop", "no_unroll_loop_with_extent_one")},
		{name: "a condition that always holds", before: `
    for i in range(8):
        if T.likely(i < 9):
            B[i] = A[i]`, after: `
    for i in range(8):
        if T.bool(True):
            B[i] = A[i]`, opts: on},
		{name: "a condition that never holds", before: `
    for i in range(8):
        B[i] = 1
        if T.likely(i > 9):
            B[i] = A[i]`, after: `
    for i in range(8):
        B[i] = 1
        if T.bool(False):
            B[i] = A[i]`, opts: on},
		{name: "equal to one value", before: `
    for i in range(8):
        if T.likely(i == 3):
            B[i] = A[i]`, after: `
    for i in range(3):
        if i == 3:
            B[i] = A[i]
    if T.bool(True):
        B[3] = A[3]
    for i in range(4):
        if i + 4 == 3:
            B[i + 4] = A[i + 4]`, opts: on},
		{name: "of an inner loop", before: `
    for i, j in T.grid(4, 3):
        if T.likely(i * 3 + j < 10):
            B[i * 3 + j] = A[i * 3 + j]`, after: `
    for i, j in T.grid(3, 3):
        if T.bool(True):
            B[i * 3 + j] = A[i * 3 + j]
    if T.bool(True):
        B[T.Add(T.Mul(3, 3), 0)] = A[T.Add(T.Mul(3, 3), 0)]
    for j in range(2):
        if T.bool(False):
            B[T.Mul(3, 3) + (j + 1)] = A[T.Mul(3, 3) + (j + 1)]`, opts: on, again: true},
		{name: "of another variable only", before: `
    for i in range(4):
        for j in T.parallel(3):
            if T.likely(j < 2):
                B[i] = A[j]`, after: `
    for i in range(4):
        for j in T.parallel(2):
            if T.bool(True):
                B[i] = A[j]
        if T.LT(2, 2):
            B[i] = A[2]`, opts: on, unrun: true},
		{name: "conditions that never hold together", before: `
    for i in range(8):
        if T.likely(i < 2):
            B[i] = A[i]
        if T.likely(i > 5):
            B[i] = 1`, after: `
    for i in range(2):
        if T.bool(True):
            B[i] = A[i]
        if T.bool(False):
            B[i] = 1
    for i in range(4):
        if T.bool(False):
            B[i + 2] = A[i + 2]
        if T.bool(False):
            B[i + 2] = 1
    for i in range(2):
        if T.bool(False):
            B[i + 6] = A[i + 6]
        if T.bool(True):
            B[i + 6] = 1`, opts: on},
		{name: "one loop after the other", before: `
    for i in range(8):
        if T.likely(i < 5):
            B[i] = A[i]
    for j in range(8):
        if T.likely(j < 4):
            B[j] = A[j]`, after: `
    for i in range(5):
        if T.bool(True):
            B[i] = A[i]
    for i in range(3):
        if T.bool(False):
            B[i + 5] = A[i + 5]
    for j in range(4):
        if T.bool(True):
            B[j] = A[j]
    for j in range(4):
        if T.bool(False):
            B[j + 4] = A[j + 4]`, opts: on},
		{name: "no part without a condition", before: `
    for i in range(8):
        for j in range(30):
            if T.likely(i + j < 15):
                B[i] = A[j]`, after: `
    for i in range(8):
        for j in range(30):
            if i + j < 15:
                B[i] = A[j]`, opts: partitioning("unroll_loop_with_partition_hint_no_interval")},
		{name: "conditions that are no comparisons", before: `
    for i in range(8):
        if T.likely(not (i < 5)):
            B[i] = A[i]
        if T.likely(i < 5 or i > 6):
            B[i] = A[i] + 1`, after: `
    for i in range(8):
        if not i < 5:
            B[i] = A[i]
        if i < 5 or i > 6:
            B[i] = A[i] + 1`, opts: on},
		{name: "a condition that is not likely", before: `
    for i in range(8):
        if i < 5:
            B[i] = A[i]`, opts: on},
		{name: "threads stay", before: `
    for i in T.thread_binding(8, thread="threadIdx.x"):
        if T.likely(i < 5):
            B[i] = A[i]`, after: `
    for i in T.thread_binding(8, thread="threadIdx.x"):
        if i < 5:
            B[i] = A[i]`, opts: on, unrun: true},
		{name: "a step stays", before: `
    for i in T.serial(0, 8, step=2):
        if T.likely(i < 5):
            B[i] = A[i]`, after: `
    for i in T.serial(0, 8, step=2):
        if i < 5:
            B[i] = A[i]`, opts: on},
		{name: "a bound from memory", before: `
    for i in range(8):
        if T.likely(i < A[0]):
            B[i] = A[i]`, after: `
    for i in range(8):
        if i < A[0]:
            B[i] = A[i]`, opts: on},
		{name: "a bound that the body defines", before: `
    for i in range(8):
        x: T.int32 = A[0] % 8
        if T.likely(i < x):
            B[i] = A[i]`, after: `
    for i in range(8):
        x: T.int32 = A[0] % 8
        if i < x:
            B[i] = A[i]`, opts: on},
		{name: "a bound that a loop in the body defines", before: `
    for i in range(8):
        B[i] = 1
        for k in range(2):
            x: T.int32 = A[0] % 8
            if T.likely(i < x):
                B[i] = A[i]`, after: `
    for i in range(8):
        B[i] = 1
        for k in range(2):
            x: T.int32 = A[0] % 8
            if i < x:
                B[i] = A[i]`, opts: on},
		{name: "a bound that a let in an expression defines", before: `
    x = T.int32()
    for i in range(8):
        B[i] = T.Let(T.if_then_else(T.likely(i < x), A[i], 0), where={x: A[0] % 8})`, after: `
    x = T.int32()
    for i in range(8):
        B[i] = T.Let(T.if_then_else(i < x, A[i], 0), where={x: A[0] % 8})`, opts: on},
		{name: "an annotated loop keeps one step as a loop", before: `
    for i in T.serial(8, annotations={"key": 1}):
        if T.likely(i < 7):
            B[i] = A[i]`, after: `
    for i in T.serial(7, annotations={"key": 1}):
        if T.bool(True):
            B[i] = A[i]
    for i in T.serial(1, annotations={"key": 1}):
        if T.bool(False):
            B[i + 7] = A[i + 7]`, opts: on},
		{name: "the loops around know the parts", before: `
    for i in range(8):
        if T.likely(i < 6):
            if T.likely(i < 3):
                B[i] = A[i]
            else:
                B[i] = 1
        else:
            B[i] = 2`, after: `
    for i in range(3):
        if T.bool(True):
            if T.bool(True):
                B[i] = A[i]
            else:
                B[i] = 1
        else:
            B[i] = 2
    for i in range(3):
        if T.bool(True):
            if T.bool(False):
                B[i + 3] = A[i + 3]
            else:
                B[i + 3] = 1
        else:
            B[i + 3] = 2
    for i in range(2):
        if T.bool(False):
            if T.bool(False):
                B[i + 3 + 3] = A[i + 3 + 3]
            else:
                B[i + 3 + 3] = 1
        else:
            B[i + 3 + 3] = 2`, opts: on, again: true},
	})
}

// TestPartitionHints splits loops that carry a hint at all of their comparisons.
func TestPartitionHints(t *testing.T) {
	unroll := partitioning("unroll_loop_with_partition_hint_no_interval")
	checkPairs(t, tirpass.LoopPartition, `@T.prim_func
def kernel(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):`, []pair{
		{name: "annotation", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        if i < 5:
            B[i] = A[i]`, after: `
    for i in T.serial(5, annotations={"pragma_loop_partition_hint": 1}):
        if T.bool(True):
            B[i] = A[i]
    for i in T.serial(3, annotations={"pragma_loop_partition_hint": 1}):
        if T.bool(False):
            B[i + 5] = A[i + 5]`, again: true},
		{name: "annotation that is off", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 0}):
        if i < 5:
            B[i] = A[i]`},
		{name: "annotation that is false", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": False}):
        if i < 5:
            B[i] = A[i]`},
		{name: "another annotation", before: `
    for i in T.serial(8, annotations={"key": 1}):
        if i < 5:
            B[i] = A[i]`},
		{name: "conditions that exclude each other", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        if i < 2:
            B[i] = A[i]
        if i > 5:
            B[i] = A[i]`, after: `
    for i in T.serial(2, annotations={"pragma_loop_partition_hint": 1}):
        if T.bool(True):
            B[i] = A[i]
        if T.bool(False):
            B[i] = A[i]
    for i in T.serial(4, annotations={"pragma_loop_partition_hint": 1}):
        if T.bool(False):
            B[i + 2] = A[i + 2]
        if T.bool(False):
            B[i + 2] = A[i + 2]
    for i in T.serial(2, annotations={"pragma_loop_partition_hint": 1}):
        if T.bool(False):
            B[i + 4 + 2] = A[i + 4 + 2]
        if T.bool(True):
            B[i + 4 + 2] = A[i + 4 + 2]`, again: true},
		{name: "attribute on the loop", before: `
    i = T.int32()
    T.attr(i, "pragma_loop_partition_hint", T.bool(True))
    for i in range(8):
        if i < 5:
            B[i] = A[i]`, after: `
    for i in range(5):
        if T.bool(True):
            B[i] = A[i]
    for i in range(3):
        if T.bool(False):
            B[i + 5] = A[i + 5]`},
		{name: "attribute on the loop, for its parts too", before: `
    i = T.int32()
    T.attr(i, "pragma_loop_partition_hint", T.bool(True))
    for i in range(24):
        if 16 <= i:
            B[i] = A[i]
        if 8 <= i and i < 16:
            B[i] = A[i - 8]
        if i < 8:
            B[i] = 0`, after: `
    for i in range(8):
        if T.bool(False):
            B[i] = A[i]
        if T.bool(False) and T.bool(True):
            B[i] = A[i - 8]
        if T.bool(True):
            B[i] = 0
    for i in range(8):
        if T.bool(False):
            B[i + 8] = A[i + 8]
        if T.bool(True) and T.bool(True):
            B[i + 8] = A[i + 8 - 8]
        if T.bool(False):
            B[i + 8] = 0
    for i in range(8):
        if T.bool(True):
            B[i + 16] = A[i + 16]
        if T.bool(True) and T.bool(False):
            B[i + 16] = A[i + 16 - 8]
        if T.bool(False):
            B[i + 16] = 0`},
		{name: "a condition to ignore", unrun: true, before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        if T.ignore_loop_partition(i < 5):
            B[i] = A[i]`, after: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        if i < 5:
            B[i] = A[i]`},
		{name: "no part without a condition", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        for j in range(30):
            if i + j < 15:
                B[i] = A[j]`},
		{name: "another attribute on the loop", before: `
    i = T.int32()
    T.attr(i, "key", T.bool(True))
    for i in range(8):
        if i < 5:
            B[i] = A[i]`},
		{name: "an attribute that is off", before: `
    i = T.int32()
    T.attr(i, "pragma_loop_partition_hint", T.bool(False))
    for i in range(8):
        if i < 5:
            B[i] = A[i]`, after: `
    for i in range(8):
        if i < 5:
            B[i] = A[i]`},
		{name: "no part without a condition, to be unrolled", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        for j in range(30):
            if i + j < 15:
                B[i] = A[j]`, after: `
    for i in T.unroll(8, annotations={"pragma_loop_partition_hint": 1}):
        for j in range(30):
            if i + j < 15:
                B[i] = A[j]`, opts: unroll},
		{name: "one step is not unrolled", before: `
    for i in T.serial(1, annotations={"pragma_loop_partition_hint": 1}):
        for j in range(30):
            if i + j < 15:
                B[i] = A[j]`, opts: unroll},
		{name: "without a hint", before: `
    for i in range(8):
        for j in range(30):
            if i + j < 15:
                B[i] = A[j]`, opts: unroll},
		{name: "nothing to split", before: `
    for i in T.serial(8, annotations={"pragma_loop_partition_hint": 1}):
        if A[i] < 5:
            B[i] = A[i]`, opts: unroll},
	})
}
