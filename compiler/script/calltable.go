package script

import (
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// DTypePlace says where a call of an intrinsic prints the type of its result.
type DTypePlace uint8

// The places; the type of a call at DTypeNone follows from the intrinsic and its arguments.
const (
	DTypeNone DTypePlace = iota
	DTypeFirst
	DTypeLast
)

// CallForm says how calls of an intrinsic are written.
type CallForm struct {
	// Name stands behind "T.".
	Name  string
	Place DTypePlace
	// Type is that of the result; Void is that of the first argument.
	Type dtype.DType
}

// callForms lists the intrinsics that are not written as T.name(args) with a result of the
// type of the first argument.
var callForms = func() map[string]CallForm {
	forms := map[string]CallForm{
		"tir.tvm_struct_get":           {Place: DTypeLast},
		"tir.tvm_call_packed":          {Name: "call_packed", Type: dtype.Int32T},
		"tir.tvm_call_cpacked":         {Name: "call_cpacked", Type: dtype.Int32T},
		"tir.tvm_call_packed_lowered":  {Name: "call_packed_lowered", Type: dtype.Int32T},
		"tir.tvm_call_cpacked_lowered": {Name: "call_cpacked_lowered", Type: dtype.Int32T},
	}
	for _, group := range []struct {
		form  CallForm
		names string
	}{
		{CallForm{Place: DTypeFirst}, `call_extern call_pure_extern call_llvm_intrin call_llvm_pure_intrin reinterpret large_uint_imm
			vectorhigh vectorlow vectorcombine get_active_lane_mask type_annotation ptx_mma ptx_mma_sp ptx_ldmatrix ptx_cp_async
			ptx_cp_async_bulk mma_store mma_fill`},
		{CallForm{Type: dtype.BoolT}, `assume isnan isinf isnullptr ignore_loop_partition`},
		{CallForm{Type: dtype.UInt32T}, `tvm_warp_activemask`},
		{CallForm{Type: dtype.Int32T}, `undef tvm_storage_sync tvm_global_barrier_kinit tvm_struct_set tvm_throw_last_error TVMBackendFreeWorkspace clz vscale
			llvm_lookup_intrinsic_id q_multiply_shift q_multiply_shift_per_axis dp4a anylist_resetitem anylist_setitem_call_packed
			anylist_setitem_call_cpacked break_loop continue_loop`},
		{CallForm{Type: dtype.HandleT}, `handle_add_byte_offset lookup_param make_filled_simdgroup_matrix simdgroup_load simdgroup_store
			simdgroup_multiply_accumulate address_of tvm_access_ptr tvm_stack_alloca tvm_stack_make_shape tvm_stack_make_array
			tvm_thread_allreduce TVMBackendAllocWorkspace start_profile_intrinsic end_profile_intrinsic tvm_tuple create_barriers
			anylist_getitem tvm_load_matrix_sync tvm_store_matrix_sync tvm_mma_sync tvm_bmma_sync tvm_fill_fragment thread_return`},
	} {
		for _, name := range strings.Fields(group.names) {
			forms["tir."+name] = group.form
		}
	}
	return forms
}()

// LookupCall returns how calls of the intrinsic op ("tir.exp") are written.
func LookupCall(op string) CallForm {
	f := callForms[op]
	if f.Name == "" {
		f.Name = strings.TrimPrefix(op, "tir.")
	}
	return f
}

// ResultType returns the type that a call of the intrinsic op has where the text does not
// say it.
func ResultType(op string, args []tir.Expr) dtype.DType {
	switch op {
	case "tir.if_then_else", "tir.tvm_warp_shuffle", "tir.tvm_warp_shuffle_up", "tir.tvm_warp_shuffle_down":
		if len(args) > 1 {
			return args[1].DType()
		}
	case tir.OpDp4a.Name: // of words, in each lane, or of vectors of four bytes
		if len(args) > 0 && args[0].DType().Bits == 32 {
			return dtype.Int32T.LikeVector(args[0].DType())
		}
	}
	if f := callForms[op]; !f.Type.IsVoid() {
		if f.Type.IsBool() && len(args) > 0 {
			return f.Type.LikeVector(args[0].DType())
		}
		return f.Type
	}
	if len(args) > 0 {
		return args[0].DType()
	}
	return dtype.Void
}
