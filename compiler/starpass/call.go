package starpass

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// ModuleValue returns a module as scripts see it; nil is None.
func ModuleValue(m *ir.Module) starlark.Value {
	if m == nil {
		return starlark.None
	}
	return &Module{m: m}
}

// CallOptions says which function of a script to call, and with what.
type CallOptions struct {
	// Context is what passes run under that the function calls; its context.Context cancels the script.
	Context *pass.Context
	// Function is the name of a variable of the top level that holds a function.
	Function string
	// Module is the module at work, where mutators look up the functions that are called; nil for none.
	Module *ir.Module
	// Args are the values that the function may ask for, by the names of its parameters. A parameter that has a default need not be
	// among them.
	Args starlark.StringDict
}

// Call runs the top level of the script and then one of its functions, and returns what that returns. The function gets those values
// that its parameters name, in any order. Values that it is given must not be changed by the script: freeze them.
func (s *Script) Call(o CallOptions) (out starlark.Value, err error) {
	err = s.with(o, func(r *run, fn *starlark.Function) error {
		var args []starlark.Tuple
		for i := range fn.NumParams() {
			name, _ := fn.Param(i)
			if v, ok := o.Args[name]; ok {
				args = append(args, starlark.Tuple{starlark.String(name), v})
			}
		}
		out, err = starlark.Call(r.thread, fn, nil, args)
		if err != nil && r.stopped != nil {
			err = &cause{r.stopped, err}
		}
		return err
	})
	return out, err
}

// Callable runs the top level of the script and says whether Call could call the function: that it is there, and asks for nothing but
// what Args holds. The values do not matter.
func (s *Script) Callable(o CallOptions) error {
	return s.with(o, func(*run, *starlark.Function) error { return nil })
}

// with calls f with the function that is asked for, after a run of the top level.
func (s *Script) with(o CallOptions, f func(*run, *starlark.Function) error) error {
	r := newRun(o.Context.Context(), s.name, s.limits, nil)
	return located(guarded(s.name, func() error {
		return r.under(o.Context, o.Module, nil, func() error {
			globals, err := s.start(r, o.Module)
			if err != nil {
				return err
			}
			fn, ok := globals[o.Function].(*starlark.Function)
			if !ok {
				return fmt.Errorf("%s: there is no function %s", s.name, o.Function)
			}
			if err := fits(fn, o.Args); err != nil {
				return err
			}
			return f(r, fn)
		})
	}))
}

// fits tells whether a function asks for nothing but what there is.
func fits(fn *starlark.Function, args starlark.StringDict) error {
	for i := range fn.NumParams() {
		name, pos := fn.Param(i)
		if _, ok := args[name]; ok || fn.ParamDefault(i) != nil {
			continue
		}
		if fn.HasVarargs() && i == fn.NumParams()-1 || fn.HasKwargs() {
			continue
		}
		known := args.Keys()
		slices.Sort(known)
		return &Error{Pos: pos.String(), Err: fmt.Errorf("%s asks for %s; it can have %s", fn.Name(), name, strings.Join(known, ", "))}
	}
	return nil
}
