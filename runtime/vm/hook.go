package vm

import (
	"time"

	"github.com/irscope/irscope/runtime"
)

// Hook is called around every call that a machine makes: kernels, builtins and functions
// of the executable. It runs inside of the session, so it must not wait for the device.
type Hook struct {
	// Before may skip the call, whose result is then None, or fail the run.
	Before func(*Call) (skip bool, err error)
	// After sees the result and the time. It may keep the Call but not its values,
	// unless it retains them.
	After func(*Call)
}

// Call is a call that a hook sees.
type Call struct {
	Func    string
	Kernel  bool  // whether Func is generated code
	PC      int64 // the instruction that calls, counted over the whole executable
	Args    []runtime.Value
	Depth   int // 1 for calls made by the function that was invoked
	Session *runtime.Session

	// What After sees in addition. Elapsed includes calls made by the callee.
	Result  runtime.Value
	Err     error
	Elapsed time.Duration
}
