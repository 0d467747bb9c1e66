package tir

import "github.com/irscope/irscope/compiler/ir"

// Effect says what a call may do besides computing its result (TVM's CallEffectKind).
type Effect uint8

// The effects, from harmless to unknown.
const (
	Pure        Effect = iota // the result depends on the arguments only
	ReadState                 // reads memory
	UpdateState               // writes memory or has another visible effect
	ControlJump               // returns or jumps
	SpecialArg                // only an argument of another call, e.g. type_annotation
	OpaqueCall                // unknown
)

// Builtin describes an intrinsic.
type Builtin struct {
	*ir.Op
	Effect Effect
	Arity  int  // number of arguments; -1 is any number
	Vector bool // may be applied to each lane of vector arguments
}

// builtins are the intrinsics by name, and intrinsics the memory that they are in: every program makes them before it begins.
var (
	builtins   = make(map[string]*Builtin, len(intrinsics))
	intrinsics [256]struct {
		op   ir.Op
		info Builtin
	}
)

func builtin(name string, effect Effect, arity int, vector bool) *ir.Op {
	at := &intrinsics[len(builtins)]
	at.op = ir.Op{Name: "tir." + name}
	at.info = Builtin{&at.op, effect, arity, vector}
	builtins[at.op.Name] = &at.info
	return &at.op
}

// LookupBuiltin returns the intrinsic of that name ("tir.exp"), nil if there is none.
func LookupBuiltin(name string) *Builtin { return builtins[name] }

// Builtins returns the names of all intrinsics in no particular order.
func Builtins() []string {
	out := make([]string, 0, len(builtins))
	for n := range builtins {
		out = append(out, n)
	}
	return out
}

// Intrinsics that the compiler itself names.
var (
	OpRet          = builtin("ret", ControlJump, 1, false)
	OpLikely       = builtin("likely", Pure, 1, true)
	OpIfThenElse   = builtin("if_then_else", Pure, 3, false)
	OpAssume       = builtin("assume", UpdateState, 1, false)
	OpUndef        = builtin("undef", ReadState, 0, false)
	OpReinterpret  = builtin("reinterpret", Pure, 1, true)
	OpAddressOf    = builtin("address_of", Pure, 1, false)
	OpAccessPtr    = builtin("tvm_access_ptr", SpecialArg, 5, false)
	OpTypeAnnot    = builtin("type_annotation", Pure, 0, false)
	OpBreakLoop    = builtin("break_loop", ControlJump, 0, false)
	OpContinueLoop = builtin("continue_loop", ControlJump, 0, false)
	OpLargeUIntImm = builtin("large_uint_imm", Pure, 2, false)
	OpQMulShift    = builtin("q_multiply_shift", Pure, 4, true)
	OpIsNullPtr    = builtin("isnullptr", Pure, 1, false)
	OpIsNaN        = builtin("isnan", Pure, 1, true)
	OpIsInf        = builtin("isinf", Pure, 1, true)

	OpBitwiseAnd = builtin("bitwise_and", Pure, 2, true)
	OpBitwiseOr  = builtin("bitwise_or", Pure, 2, true)
	OpBitwiseXor = builtin("bitwise_xor", Pure, 2, true)
	OpBitwiseNot = builtin("bitwise_not", Pure, 1, true)
	OpShiftLeft  = builtin("shift_left", Pure, 2, true)
	OpShiftRight = builtin("shift_right", Pure, 2, true)
	OpPopcount   = builtin("popcount", Pure, 1, true)
	OpClz        = builtin("clz", Pure, 1, true)

	// OpDp4a adds the products of the four bytes of one word with those of another to its third argument. The bytes of an int32 have signs, those of a uint32 have none. TVM's
	// programs for accelerators also give the bytes as vectors of four.
	OpDp4a = builtin("dp4a", Pure, 3, true)

	OpExp       = builtin("exp", Pure, 1, true)
	OpExp2      = builtin("exp2", Pure, 1, true)
	OpExp10     = builtin("exp10", Pure, 1, true)
	OpErf       = builtin("erf", Pure, 1, true)
	OpTanh      = builtin("tanh", Pure, 1, true)
	OpSigmoid   = builtin("sigmoid", Pure, 1, true)
	OpSqrt      = builtin("sqrt", Pure, 1, true)
	OpRsqrt     = builtin("rsqrt", Pure, 1, true)
	OpLog       = builtin("log", Pure, 1, true)
	OpLog2      = builtin("log2", Pure, 1, true)
	OpLog1p     = builtin("log1p", Pure, 1, true)
	OpLog10     = builtin("log10", Pure, 1, true)
	OpTan       = builtin("tan", Pure, 1, true)
	OpCos       = builtin("cos", Pure, 1, true)
	OpCosh      = builtin("cosh", Pure, 1, true)
	OpSin       = builtin("sin", Pure, 1, true)
	OpSinh      = builtin("sinh", Pure, 1, true)
	OpAsin      = builtin("asin", Pure, 1, true)
	OpAcos      = builtin("acos", Pure, 1, true)
	OpAtan      = builtin("atan", Pure, 1, true)
	OpAcosh     = builtin("acosh", Pure, 1, true)
	OpAsinh     = builtin("asinh", Pure, 1, true)
	OpAtanh     = builtin("atanh", Pure, 1, true)
	OpAtan2     = builtin("atan2", Pure, 2, true)
	OpNextafter = builtin("nextafter", Pure, 2, true)
	OpHypot     = builtin("hypot", Pure, 2, true)
	OpCopysign  = builtin("copysign", Pure, 2, true)
	OpLdexp     = builtin("ldexp", Pure, 2, true)
	OpFloor     = builtin("floor", Pure, 1, true)
	OpCeil      = builtin("ceil", Pure, 1, true)
	OpTrunc     = builtin("trunc", Pure, 1, true)
	OpRound     = builtin("round", Pure, 1, true)     // halves away from zero
	OpNearbyint = builtin("nearbyint", Pure, 1, true) // halves to even
	OpFabs      = builtin("fabs", Pure, 1, true)
	OpFmod      = builtin("fmod", Pure, 2, true)
	OpPow       = builtin("pow", Pure, 2, true)
	OpFma       = builtin("fma", Pure, 3, true)

	OpCallExtern     = builtin("call_extern", OpaqueCall, -1, false)
	OpCallPureExtern = builtin("call_pure_extern", Pure, -1, true)
	OpCallLLVMPure   = builtin("call_llvm_pure_intrin", Pure, -1, true)

	OpCallPacked         = builtin("tvm_call_packed", OpaqueCall, -1, false)
	OpCallCPacked        = builtin("tvm_call_cpacked", OpaqueCall, -1, false)
	OpCallPackedLowered  = builtin("tvm_call_packed_lowered", OpaqueCall, -1, false)
	OpCallCPackedLowered = builtin("tvm_call_cpacked_lowered", OpaqueCall, -1, false)
	OpStructGet          = builtin("tvm_struct_get", ReadState, 3, false)
	OpStructSet          = builtin("tvm_struct_set", UpdateState, 4, false)
	OpStackAlloca        = builtin("tvm_stack_alloca", OpaqueCall, 2, false)
	OpStackMakeShape     = builtin("tvm_stack_make_shape", ReadState, -1, false)
	OpStackMakeArray     = builtin("tvm_stack_make_array", ReadState, 6, false)
	OpThrowLastError     = builtin("tvm_throw_last_error", OpaqueCall, 0, false)
	OpStorageSync        = builtin("tvm_storage_sync", OpaqueCall, -1, false)
	OpThreadAllreduce    = builtin("tvm_thread_allreduce", OpaqueCall, -1, false)

	OpAllocWorkspace = builtin("TVMBackendAllocWorkspace", OpaqueCall, 5, false)
	OpFreeWorkspace  = builtin("TVMBackendFreeWorkspace", OpaqueCall, 3, false)

	OpVectorHigh    = builtin("vectorhigh", Pure, 1, false)
	OpVectorLow     = builtin("vectorlow", Pure, 1, false)
	OpVectorCombine = builtin("vectorcombine", Pure, 2, false)
	OpProfile       = builtin("start_profile_intrinsic", UpdateState, 1, false)
	OpProfileEnd    = builtin("end_profile_intrinsic", UpdateState, 1, false)
)

// CallEffect returns what c may do: that of its intrinsic, OpaqueCall for a call of a
// function of the module or an unknown intrinsic.
func CallEffect(c *Call) Effect {
	if op, ok := c.Op.(*ir.Op); ok {
		if b := builtins[op.Name]; b != nil {
			return b.Effect
		}
	}
	return OpaqueCall
}

// NewCall calls op with a result of the first argument's type, as the mathematical
// intrinsics have it.
func NewCall(op *ir.Op, args ...Expr) *Call {
	return &Call{Type: args[0].DType(), Op: op, Args: args}
}

// IsCallTo reports whether e is a call of op, and returns the call.
func IsCallTo(e Expr, op *ir.Op) (*Call, bool) {
	c, ok := e.(*Call)
	if !ok {
		return nil, false
	}
	o, ok := c.Op.(*ir.Op)
	return c, ok && o.Name == op.Name
}
