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

	// ImportPoll is () -> i32: it sets the i32 at PollBudgetAddr to PollBudget and returns
	// non-zero if the kernel must return ErrStopped. The Go scheduler cannot interrupt
	// generated code, and a garbage collection that is about to start halts every other
	// goroutine until it can, the one that would set the stop flag included: a loop that
	// only reads the flag may spin for ever and freezes the whole process meanwhile. So a
	// long loop takes the cost of a turn off the budget at its back edge and calls
	// ImportPoll when that drops below zero.
	ImportPoll = "irscope_poll"

	// ImportSetError is (kind, msg i32): addresses of two C strings, the kind of the error
	// ("RuntimeError", "TypeError", ...) and its message.
	ImportSetError = "TVMFFIErrorSetRaisedFromCStr"
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
	case ImportPoll:
		return Signature{Results: []ValType{I32}}, true
	case ImportSetError:
		return Signature{Params: []ValType{I32, I32}}, true
	}
	return Math(name)
}

// Kernel is the signature of every exported kernel.
func Kernel() Signature {
	return Signature{[]ValType{I32, I32, I32, I32}, []ValType{I32}}
}
