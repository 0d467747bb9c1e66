package graphrun

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// MaxSteps bounds the loop iterations and calls in one kernel where options name no bound, and maxDepth the calls of Relax functions
// inside each other: what a wrong pass makes of a small program may not end.
const (
	MaxSteps = 1 << 24
	maxDepth = 1000
)

// Options bounds a run and says how kernels run. The zero value is good for small programs.
type Options struct {
	// Kernel runs the PrimFunc fn of m, which is called name, on args; it writes its results to them. Nil interprets it,
	// in at most MaxSteps steps.
	Kernel func(ctx context.Context, m *ir.Module, name string, fn *tir.PrimFunc, args []Value) (Value, error)
	// Operator computes a call of an operator, given its arguments, into a tensor of the type of its result, whose elements are not
	// numbers yet. It returns false for an operator that it does not know. Nil knows none.
	Operator func(c *relax.Call, args []Value, out *tensor.Tensor) (bool, error)
	// MaxBytes bounds the memory that the graph allocates, all allocations counted; 0 is no bound. An allocation beyond it is
	// an error that wraps interp.ErrMemory.
	MaxBytes int64
}

// Unsupported is the error of a program that graphrun cannot run though nothing need be wrong with it.
type Unsupported struct {
	// Operator is the name of an operator without a meaning of its own, "" for anything else.
	Operator string
	// What says what cannot be run.
	What string
}

// Error returns What.
func (u *Unsupported) Error() string { return u.What }

// unsupported returns an *Unsupported error.
func unsupported(format string, args ...any) error {
	return &Unsupported{What: fmt.Sprintf(format, args...)}
}

// Run is Options.Run with the zero value.
func Run(ctx context.Context, m *ir.Module, name string, args ...Value) (Value, error) {
	return Options{}.Run(ctx, m, name, args...)
}

// Run calls the Relax function called name and returns its result. Arguments are not copied: a program that writes to its
// parameters changes them. A program that is not well typed is an error, like any other failure of its calls.
func (o Options) Run(ctx context.Context, m *ir.Module, name string, args ...Value) (v Value, err error) {
	if o.Kernel == nil {
		o.Kernel = interpreted(map[*tir.PrimFunc]*interp.Program{})
	}
	defer func() {
		// A call whose arguments are not of the types that its callee takes is found by a conversion that panics.
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("%s: the program is not well formed: %v", name, r)
		}
	}()
	r := &runner{ctx: ctx, mod: m, opts: o}
	return r.call(name, args)
}

// interpreted returns a Kernel that interprets, and keeps what it compiled.
func interpreted(programs map[*tir.PrimFunc]*interp.Program) func(context.Context, *ir.Module, string, *tir.PrimFunc, []Value) (Value, error) {
	return func(ctx context.Context, m *ir.Module, name string, fn *tir.PrimFunc, args []Value) (Value, error) {
		p := programs[fn]
		if p == nil {
			var err error
			if p, err = interp.Compile(fn, &interp.Options{Name: name, Lookup: interp.ModuleLookup(m), MaxSteps: MaxSteps}); err != nil {
				return nil, err
			}
			programs[fn] = p
		}
		return p.Call(ctx, args)
	}
}
