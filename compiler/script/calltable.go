package script

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
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
var callForms = map[string]CallForm{
	"tir.call_extern": {Place: DTypeFirst}, "tir.call_pure_extern": {Place: DTypeFirst},
	"tir.call_llvm_intrin": {Place: DTypeFirst}, "tir.call_llvm_pure_intrin": {Place: DTypeFirst},
	"tir.reinterpret": {Place: DTypeFirst}, "tir.large_uint_imm": {Place: DTypeFirst},
	"tir.vectorhigh": {Place: DTypeFirst}, "tir.vectorlow": {Place: DTypeFirst}, "tir.vectorcombine": {Place: DTypeFirst},
	"tir.get_active_lane_mask": {Place: DTypeFirst},
	"tir.tvm_struct_get":       {Place: DTypeLast}, "tir.type_annotation": {Place: DTypeFirst},
	"tir.ptx_mma": {Place: DTypeFirst}, "tir.ptx_mma_sp": {Place: DTypeFirst}, "tir.ptx_ldmatrix": {Place: DTypeFirst},
	"tir.ptx_cp_async": {Place: DTypeFirst}, "tir.ptx_cp_async_bulk": {Place: DTypeFirst},
	"tir.mma_store": {Place: DTypeFirst}, "tir.mma_fill": {Place: DTypeFirst},

	"tir.tvm_call_packed":          {Name: "call_packed", Type: dtype.Int32T},
	"tir.tvm_call_cpacked":         {Name: "call_cpacked", Type: dtype.Int32T},
	"tir.tvm_call_packed_lowered":  {Name: "call_packed_lowered", Type: dtype.Int32T},
	"tir.tvm_call_cpacked_lowered": {Name: "call_cpacked_lowered", Type: dtype.Int32T},

	"tir.assume": {Type: dtype.BoolT}, "tir.isnan": {Type: dtype.BoolT}, "tir.isinf": {Type: dtype.BoolT}, "tir.isnullptr": {Type: dtype.BoolT},
	"tir.undef": {Type: dtype.Int32T}, "tir.tvm_storage_sync": {Type: dtype.Int32T}, "tir.tvm_struct_set": {Type: dtype.Int32T},
	"tir.tvm_throw_last_error": {Type: dtype.Int32T}, "tir.TVMBackendFreeWorkspace": {Type: dtype.Int32T},
	"tir.clz": {Type: dtype.Int32T}, "tir.vscale": {Type: dtype.Int32T}, "tir.llvm_lookup_intrinsic_id": {Type: dtype.Int32T},
	"tir.tvm_warp_activemask": {Type: dtype.UInt32T}, "tir.ignore_loop_partition": {Type: dtype.BoolT},
	"tir.q_multiply_shift": {Type: dtype.Int32T}, "tir.q_multiply_shift_per_axis": {Type: dtype.Int32T}, "tir.dp4a": {Type: dtype.Int32T},
	"tir.handle_add_byte_offset": {Type: dtype.HandleT}, "tir.lookup_param": {Type: dtype.HandleT},
	"tir.make_filled_simdgroup_matrix": {Type: dtype.HandleT}, "tir.simdgroup_load": {Type: dtype.HandleT},
	"tir.simdgroup_store": {Type: dtype.HandleT}, "tir.simdgroup_multiply_accumulate": {Type: dtype.HandleT},

	"tir.address_of": {Type: dtype.HandleT}, "tir.tvm_access_ptr": {Type: dtype.HandleT}, "tir.tvm_stack_alloca": {Type: dtype.HandleT},
	"tir.tvm_stack_make_shape": {Type: dtype.HandleT}, "tir.tvm_stack_make_array": {Type: dtype.HandleT},
	"tir.tvm_thread_allreduce": {Type: dtype.HandleT}, "tir.TVMBackendAllocWorkspace": {Type: dtype.HandleT},
	"tir.start_profile_intrinsic": {Type: dtype.HandleT}, "tir.end_profile_intrinsic": {Type: dtype.HandleT},
	"tir.tvm_tuple": {Type: dtype.HandleT}, "tir.create_barriers": {Type: dtype.HandleT},
	"tir.anylist_getitem": {Type: dtype.HandleT}, "tir.anylist_resetitem": {Type: dtype.Int32T},
	"tir.anylist_setitem_call_packed": {Type: dtype.Int32T}, "tir.anylist_setitem_call_cpacked": {Type: dtype.Int32T},
	"tir.tvm_load_matrix_sync": {Type: dtype.HandleT}, "tir.tvm_store_matrix_sync": {Type: dtype.HandleT},
	"tir.tvm_mma_sync": {Type: dtype.HandleT}, "tir.tvm_bmma_sync": {Type: dtype.HandleT}, "tir.tvm_fill_fragment": {Type: dtype.HandleT},
	"tir.break_loop": {Type: dtype.Int32T}, "tir.continue_loop": {Type: dtype.Int32T},
	"tir.thread_return": {Type: dtype.HandleT},
}

// LookupCall returns how calls of the intrinsic op ("tir.exp") are written.
func LookupCall(op string) CallForm {
	f := callForms[op]
	if f.Name == "" {
		f.Name = strings.TrimPrefix(op, "tir.")
	}
	return f
}

// IntrinsicOf returns the intrinsic that T.name calls.
func IntrinsicOf(name string) string {
	switch name {
	case "call_packed", "call_cpacked", "call_packed_lowered", "call_cpacked_lowered":
		return "tir.tvm_" + name
	}
	return "tir." + name
}

// ResultType returns the type that a call of the intrinsic op has where the text does not
// say it.
func ResultType(op string, args []tir.Expr) dtype.DType {
	switch op {
	case "tir.if_then_else", "tir.tvm_warp_shuffle", "tir.tvm_warp_shuffle_up", "tir.tvm_warp_shuffle_down":
		if len(args) > 1 {
			return args[1].DType()
		}
	}
	if f := callForms[op]; !f.Type.IsVoid() {
		if f.Type.IsBool() && len(args) > 0 {
			return f.Type.WithLanes(int(args[0].DType().Lanes))
		}
		return f.Type
	}
	if len(args) > 0 {
		return args[0].DType()
	}
	return dtype.Void
}

// writable reports whether T.name(args) reads back as c.
func writable(c *tir.Call, op *ir.Op) bool {
	if tir.LookupBuiltin(op.Name) == nil {
		return false
	}
	return callForms[op.Name].Place != DTypeNone || ResultType(op.Name, c.Args) == c.Type
}
