package vm

import (
	"github.com/irscope/irscope/runtime"
)

// No device here has CUDA graphs, and sessions run a machine at the same time. So storage is allocated for each run, and what could be
// replayed is called: the results are the same.

// getCachedAlloc(vm, f, index) returns what f allocates.
func getCachedAlloc(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	f := a.fn(1)
	a.int(2)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	return f.Call(s, nil)
}

// runOrCapture(vm, f, arguments, index[, shape]) calls f. A recording would be found by the index and the shape.
func runOrCapture(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	f, t := a.fn(1), a.tuple(2)
	a.int(3)
	if len(args) > 4 {
		a.shape(4)
	}
	if a.err != nil {
		return runtime.Null(), a.err
	}
	return f.Call(s, t.Fields)
}
