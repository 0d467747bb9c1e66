package tir

import (
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
)

// foreignBuiltins are intrinsics of accelerators and of runtimes other than ours, with the
// number of arguments where it is fixed. They are read, verified and printed; no target of ours
// makes code of them. Scalable vectors are among them.
var foreignBuiltins = []struct {
	effect Effect
	arity  int
	names  string
}{
	{Pure, 0, "tvm_static_handle tvm_context_id tvm_warp_activemask"},
	{Pure, 1, "ignore_loop_partition tvm_thread_context tvm_thread_invariant llvm_lookup_intrinsic_id"},
	{Pure, 2, "get_active_lane_mask handle_add_byte_offset"},
	{Pure, 4, "ptx_ldg32"},
	{Pure, 7, "q_multiply_shift_per_axis"},
	{Pure, -1, "tvm_tuple lookup_param vectorpermute call_spirv_pure_glsl450"},
	{ReadState, 2, "anylist_getitem"},
	{OpaqueCall, 2, "anylist_resetitem"},
	{ControlJump, 0, "thread_return"},
	{OpaqueCall, -1, `call_llvm_intrin prefetch tvm_call_trace_packed tvm_call_trace_packed_lowered tvm_global_barrier_kinit
		tvm_warp_shuffle tvm_warp_shuffle_up tvm_warp_shuffle_down tvm_load_matrix_sync tvm_store_matrix_sync tvm_mma_sync
		tvm_bmma_sync tvm_fill_fragment ptx_mma ptx_mma_sp ptx_ldmatrix ptx_cp_async ptx_cp_async_bulk ptx_commit_group
		ptx_wait_group ptx_cp_async_barrier ptx_init_barrier_thread_count ptx_arrive_barrier ptx_arrive_barrier_expect_tx
		ptx_wait_barrier create_barriers mma_store mma_fill make_filled_simdgroup_matrix simdgroup_load simdgroup_store
		simdgroup_multiply_accumulate atomic_add nd_mem_alloc_with_scope texture2d_store texture2d_load mem_copy dma_copy
		dma_wait dma_start_group dma_end_group anylist_setitem_call_packed anylist_setitem_call_cpacked tvm_check_return
		call_kernel`},
}

// Blank, since it only fills the table of builtins.
var _ = func() int {
	n := 0
	for _, f := range foreignBuiltins {
		for _, name := range strings.Fields(f.names) {
			builtin(name, f.effect, f.arity, false)
			n++
		}
	}
	return n
}()

// OpVScale is the factor by which scalable vectors of the machine are longer than they say.
var OpVScale = builtin("vscale", Pure, 0, false)

// Elements returns the number of lanes of r in the type of its stride.
func Elements(r *Ramp) Expr {
	d := r.Stride.DType()
	if !r.Scalable {
		return Const(d, int64(r.Lanes))
	}
	n := Expr(&Call{Type: dtype.Int32T, Op: OpVScale})
	if r.Lanes != 1 {
		n = Mul(n, Int32(int64(r.Lanes)))
	}
	return CastTo(d, n)
}
