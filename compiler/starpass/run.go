package starpass

import (
	"context"
	"errors"
	"runtime/debug"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/sch"
)

// run is one execution of code of a script: it owns the thread and what is current for it.
// It is used by one goroutine.
type run struct {
	meter
	// cur is the context that passes called by the script run under; nil while the top level
	// of an exported script runs.
	cur   *pass.Context
	stack pass.Stack
	// mod is the module that the running pass works on: where mutators look up the functions
	// that are called.
	mod *ir.Module
	// reads says what the running pass declared to read; nil where it reads all.
	reads *reads
	name  string // of the script
	// handlers counts the handlers of mutators that are being called, and rewrites what was reported
	// of the running pass.
	handlers, rewrites int
	// managers leave what with statements entered, the innermost last, and handling are the errors that handlers are at work on.
	managers []func(error) error
	handling []error
	// patterns are the PatternContexts that with statements entered, the innermost last.
	patterns []*PatternContext
	// owned are the contexts that the script made itself.
	owned map[*pass.Context]bool
	// host is the context that the script runs under before it overrides the instruments of that.
	host     *pass.Context
	watching []*pass.Instrument
	tvm      starlark.Value
	made     map[string]*Pass // passes that the script made, by name
	// operators are those that the script registered, by name, and failed is what functions of the script said where the pass that called them
	// cannot tell.
	operators map[string]*op.Op
	// intrins are the tensor intrinsics that it registered.
	intrins map[string]*sch.TensorIntrin
	failed  error
	// heights are those of nodes that were looked at.
	heights map[ir.Node]int
	// rules are those of operators of Relay, and loose says that a rule is at work whose calls take operands that are not yet in their layouts.
	rules relayRules
	loose bool
	// graphs says that the script made functions of Relay, whose nodes have no order.
	graphs bool
	// registered are the fusion patterns that the script registered.
	registered []starlark.Tuple
	// build makes programs, of which so many were made.
	build    BuildFunc
	programs int
	// sch is the schedule that steps work on, and each is told of the instructions of the schedules that the script makes; nil is nobody.
	sch  *Schedule
	each func(p *Primitive, do func() error) error
}

const runKey = "run"

func newRun(ctx context.Context, name string, limits Limits, cur *pass.Context) *run {
	r := &run{meter: meter{limits: limits, ctx: ctx, thread: &starlark.Thread{Name: name}}, cur: cur, name: name}
	r.thread.SetLocal(runKey, r)
	r.watch()
	return r
}

// runOf returns the run that a thread belongs to.
func runOf(t *starlark.Thread) *run { return t.Local(runKey).(*run) }

// call calls a function of the script with as many of args as it takes: trailing ones may be
// left out of its parameters.
func (r *run) call(fn starlark.Callable, args ...starlark.Value) (starlark.Value, error) {
	switch f := fn.(type) {
	case *starlark.Function:
		if n := f.NumParams() - f.NumKwonlyParams() - btoi(f.HasKwargs()); n < len(args) && !f.HasVarargs() {
			args = args[:n]
		}
	case *Method:
		if n := f.fn.NumParams() - f.fn.NumKwonlyParams() - btoi(f.fn.HasKwargs()) - 1; n < len(args) && !f.fn.HasVarargs() {
			args = args[:max(n, 0)]
		}
	case *Walker, *Pass:
		args = args[:min(1, len(args))]
	}
	depth := len(r.managers)
	v, err := starlark.Call(r.thread, fn, args, nil)
	if err != nil {
		err = r.unwind(depth, err)
	}
	if err != nil && r.stopped != nil {
		err = errors.Join(r.stopped, err)
	}
	return v, err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// under calls f with c as the current context and m as the module at work.
func (r *run) under(c *pass.Context, m *ir.Module, declared *reads, f func() error) error {
	cur, mod, old, handlers := r.cur, r.mod, r.reads, r.handlers
	r.cur, r.mod, r.reads, r.handlers = c, m, declared, 0
	defer func() { r.cur, r.mod, r.reads, r.handlers = cur, mod, old, handlers }()
	return f()
}

// guarded calls f; a panic becomes an error. It is for code outside of passes, whose panics
// the pass runner recovers.
func guarded(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{What: what, Value: p, Stack: string(debug.Stack())}
		}
	}()
	return f()
}
