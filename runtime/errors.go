package runtime

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/runtime/memory"
)

var (
	// ErrDeviceMemory is wrapped by errors about memory that a device does not have:
	// what lies beyond its limit, at most 4 GiB.
	ErrDeviceMemory = memory.ErrFull

	// ErrClosed is wrapped by errors about a closed engine, device or module.
	ErrClosed = errors.New("closed")

	// ErrUnsupported is wrapped by errors about code that this machine cannot execute.
	ErrUnsupported = errors.New("not executable on this machine")

	// ErrStopped is wrapped, together with the cause of the context, by errors about a
	// run that was canceled.
	ErrStopped = errors.New("stopped")
)

// KernelError is what a kernel raised: an assertion about its arguments, or a failed import.
type KernelError struct {
	Kernel  string // name of the kernel
	Kind    string // as TVM names it: RuntimeError, TypeError, ValueError, ...
	Message string
	Cause   error // the error of an import, or nil
}

// Error names kernel, kind and message.
func (e *KernelError) Error() string {
	return fmt.Sprintf("kernel %s: %s: %s", e.Kernel, e.Kind, e.Message)
}

// Unwrap returns the error of a failed import, such as ErrDeviceMemory.
func (e *KernelError) Unwrap() error { return e.Cause }
