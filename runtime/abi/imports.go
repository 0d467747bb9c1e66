package abi

import "sort"

// The names that kernel modules import, all from module ImportModule.
const (
	ImportModule   = "env"
	ImportMemory   = "memory"
	ImportDataBase = "data_base"

	// ImportAllocWorkspace is (device_type, device_id i32, nbytes i64, dtype_code, bits i32) -> i32,
	// the address of nbytes of scratch memory, DataAlign aligned and with undefined contents,
	// or 0 after an error was recorded.
	ImportAllocWorkspace = "TVMBackendAllocWorkspace"

	// ImportFreeWorkspace is (device_type, device_id, ptr i32) -> i32; 0 means success.
	ImportFreeWorkspace = "TVMBackendFreeWorkspace"

	// ImportBudget is () -> i32: how many operations the kernel may run until it calls again, zero
	// if the run was canceled, and the kernel must return ErrStopped or trap. The Go scheduler cannot interrupt generated code, and a
	// garbage collection that is about to start halts every other goroutine until it can, the
	// one that cancels the run included: a loop that never calls the host may spin for ever and
	// freezes the whole process meanwhile. So loops take the cost of their turns off a budget,
	// FirstBudget when the kernel is entered, and call ImportBudget when it drops below zero. The
	// budget is a mutable global of the module: no store can reach it, and no store can reach the
	// flag, which the host keeps for itself.
	ImportBudget = "irscope_budget"

	// ImportStopped is () -> i32 for artifacts made before ImportBudget existed: non-zero if the
	// run was canceled. Their budget is PollBudget.
	ImportStopped = "irscope_stopped"

	// ImportRaise is (id i32, x, y i64): the error is entry id of the module's table of messages
	// (MessageSection), with two numbers for its template.
	ImportRaise = "irscope_raise"

	// ImportPoll is ImportStopped for artifacts made before that existed: it also sets the
	// i32 at OldBudgetAddr to PollBudget.
	ImportPoll = "irscope_poll"

	// ImportSetError is ImportRaise for the same artifacts: (kind, msg i32) are addresses of two
	// C strings in linear memory, the kind of the error and its message.
	ImportSetError = "TVMFFIErrorSetRaisedFromCStr"
)

// How many simple operations a kernel runs between two polls.
const (
	// PollBudget is for artifacts that call ImportStopped or ImportPoll: a millisecond or so, more where operations are slow.
	PollBudget = 4 << 20
	// LeastBudget is the smallest number: some take a hundred nanoseconds, where each misses the caches.
	LeastBudget = 1 << 14
	// FirstBudget is for a kernel that nothing is known of.
	FirstBudget = 1 << 16
	// MostBudget is the largest number: the next loop of a kernel may be much slower than the last one.
	MostBudget = 1 << 20
)

// What a kernel returns.
const (
	ErrNone    = 0
	ErrRaised  = -1
	ErrStopped = -2
)

// ValType is a WebAssembly value type in its binary encoding.
type ValType byte

// The value types that imports use.
const (
	I32 ValType = 0x7f
	I64 ValType = 0x7e
	F32 ValType = 0x7d
	F64 ValType = 0x7c
)

// Signature is the type of an imported function; each has at most one result.
type Signature struct {
	Params  []ValType
	Results []ValType
}

var (
	unary  = []string{"exp", "exp2", "exp10", "log", "log2", "log10", "log1p", "tanh", "sinh", "cosh", "sin", "cos", "tan", "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "cbrt", "round"}
	binary = []string{"pow", "atan2", "hypot", "fmod", "copysign", "nextafter", "ldexp"}
)

// Math returns the signature of the C math function name that the runtime offers as an
// import (float32 with the suffix f: "expf", "powf"; float64 without: "exp", "pow").
// The second argument of ldexp is an i32. Code that sqrt, floor, ceil, trunc, fabs and
// nearest serve is expected to use the instructions.
func Math(name string) (Signature, bool) {
	for _, n := range unary {
		switch name {
		case n:
			return Signature{[]ValType{F64}, []ValType{F64}}, true
		case n + "f":
			return Signature{[]ValType{F32}, []ValType{F32}}, true
		}
	}
	for _, n := range binary {
		f := ValType(0)
		switch name {
		case n:
			f = F64
		case n + "f":
			f = F32
		default:
			continue
		}
		second := f
		if n == "ldexp" {
			second = I32
		}
		return Signature{[]ValType{f, second}, []ValType{f}}, true
	}
	return Signature{}, false
}

// MathNames lists the names that Math knows, sorted.
func MathNames() []string {
	var names []string
	for _, list := range [][]string{unary, binary} {
		for _, n := range list {
			names = append(names, n, n+"f")
		}
	}
	sort.Strings(names)
	return names
}

// Import returns the signature of the function name of ImportModule, math functions included.
func Import(name string) (Signature, bool) {
	switch name {
	case ImportAllocWorkspace:
		return Signature{[]ValType{I32, I32, I64, I32, I32}, []ValType{I32}}, true
	case ImportFreeWorkspace:
		return Signature{[]ValType{I32, I32, I32}, []ValType{I32}}, true
	case ImportBudget, ImportStopped, ImportPoll:
		return Signature{Results: []ValType{I32}}, true
	case ImportRaise:
		return Signature{Params: []ValType{I32, I64, I64}}, true
	case ImportSetError:
		return Signature{Params: []ValType{I32, I32}}, true
	}
	return Math(name)
}

// Kernel is the signature of every exported kernel.
func Kernel() Signature {
	return Signature{[]ValType{I32, I32, I32, I32}, []ValType{I32}}
}
