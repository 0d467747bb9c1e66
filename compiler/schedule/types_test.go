package schedule_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
)

// TestMixedIndexTypes: loops, axes of buffers and iteration variables may count in different types; what a primitive makes of them counts
// in one.
func TestMixedIndexTypes(t *testing.T) {
	const params = `A: T.Buffer((4, T.int64(6)), "float32"), C: T.Buffer((4, T.int64(6)), "float32")`
	const body = `
B = T.alloc_buffer((4, T.int64(6)))
for i, j in T.grid(T.int64(4), 6):
    with T.block("B"):
        vi = T.axis.spatial(T.int64(4), i)
        vj = T.axis.spatial(6, j)
        B[vi, vj] = A[vi, vj] * T.float32(2)
for i, j in T.grid(4, T.int64(6)):
    with T.block("C"):
        vi = T.axis.spatial(4, i)
        vj = T.axis.spatial(T.int64(6), j)
        C[vi, vj] = B[vi, vj] + T.float32(1)`
	for _, x := range []struct {
		name string
		do   func(o on) error
	}{
		{"loop_partition at an index of another type", func(o on) error { return third(o.s.LoopPartition(o.l("C", 0), tir.Int(3))) }},
		{"loop_partition at a narrower index", func(o on) error { return third(o.s.LoopPartition(o.l("B", 0), i32(3))) }},
		{"compute_at the inner loop", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 1)) }},
		{"compute_at the outer loop", func(o on) error { return o.s.ComputeAt(o.b("B"), o.l("C", 0)) }},
		{"reverse_compute_at the inner loop", func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("B", 1)) }},
		{"reverse_compute_at the outer loop", func(o on) error { return o.s.ReverseComputeAt(o.b("C"), o.l("B", 0)) }},
		{"cache_write and compute_at", func(o on) error {
			return steps(second(o.s.CacheWrite(o.b("C"), 0, "local")), o.s.ComputeAt(o.b("C"), o.l("C_local", 0)))
		}},
		{"transform_block_layout from wide to narrow", func(o on) error { return o.s.FuseIters(o.b("B"), 0, 1) }},
		{"transform_block_layout from narrow to wide", func(o on) error { return o.s.FuseIters(o.b("C"), 0, 1) }},
		{"transform_block_layout of a part", func(o on) error { return o.s.SplitIter(o.b("C"), 0, 2) }},
		{"split and fuse", func(o on) error {
			l, err := o.s.Split(o.l("C", 1), 0, 4)
			return steps(err, second(o.s.Fuse(o.l("C", 0), l[0])))
		}},
		{"reverse_compute_inline", func(o on) error { return o.s.ReverseComputeInline(o.b("C")) }},
		{"cache_read", func(o on) error { return second(o.s.CacheRead(o.b("C"), 0, "")) }},
	} {
		changes(t, []change{{x.name, params, body, x.do, "", nil}})
	}
}
