package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// RunOptions says how to run a whole script.
type RunOptions struct {
	// Context is what passes run under; its context.Context cancels the script.
	Context *pass.Context
	// Module is the input, nil if there is none: the variable mod, and the argument of main.
	Module *ir.Module
	// Passes are the names of passes that the script exports, to be run in order on the input
	// in place of main.
	Passes []string
	// Build makes the programs of tvm.compile; where it is nil scripts cannot compile.
	Build BuildFunc
}

// Run runs the top level of the script and then its function main, or the passes that are
// named, and returns the module that comes of it; nil if main returns None or there is none.
// What the script prints goes to the writer of its limits.
func (s *Script) Run(o RunOptions) (out *ir.Module, err error) {
	r := newRun(o.Context.Context(), s.name, s.limits, nil)
	r.build = o.Build
	err = guarded(s.name, func() error {
		c := r.knowing(o.Context)
		return r.under(c, o.Module, nil, func() error {
			globals, err := s.start(r, o.Module)
			if err != nil {
				return err
			}
			if len(o.Passes) > 0 {
				out, err = s.passes(r, globals, o)
			} else {
				out, err = s.main(r, globals, o.Module)
			}
			return err
		})
	})
	return out, located(err)
}

func (s *Script) main(r *run, globals starlark.StringDict, mod *ir.Module) (*ir.Module, error) {
	v := globals["main"]
	if v == nil {
		return nil, nil
	}
	fn, ok := v.(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("%s: main is %s, expected a function", s.name, describe(v))
	}
	var arg starlark.Value = starlark.None
	if mod != nil {
		arg = &Module{m: mod}
	}
	res, err := r.call(fn, arg)
	if err != nil {
		return nil, err
	}
	switch res := res.(type) {
	case starlark.NoneType:
		return nil, nil
	case *Module:
		if mod == nil {
			mod = ir.NewModule()
		}
		out, err := settle(mod, res.m)
		if err != nil {
			return nil, fmt.Errorf("%s: main: %w", s.name, err)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: main returned %s, expected an IRModule or None", s.name, describe(res))
}

// UnknownPassError is a name that no pass of the script has.
type UnknownPassError struct {
	Script, Name string
	Known        []string
}

// Error names the passes that there are.
func (e *UnknownPassError) Error() string {
	msg := fmt.Sprintf("%s has no pass %q", e.Script, e.Name)
	if near := nearestOf(e.Name, e.Known); near != "" {
		return msg + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(e.Known) == 0 {
		return msg + ": no variable of its top level holds a pass"
	}
	return fmt.Sprintf("%s; it has %q", msg, e.Known)
}

// ErrNoInput is the error of running passes without a module.
var ErrNoInput = errors.New("there is no input module to run the passes on")

// passes runs the named passes on the input. A pass goes by its name or by that of a variable.
func (s *Script) passes(r *run, globals starlark.StringDict, o RunOptions) (*ir.Module, error) {
	if o.Module == nil {
		return nil, ErrNoInput
	}
	if err := s.instances(r, globals); err != nil {
		return nil, err
	}
	var known []string
	byName := map[string]*Pass{}
	for _, v := range s.order {
		if p, ok := globals[v].(*Pass); ok {
			byName[v] = p
			known = append(known, v)
		}
	}
	for _, v := range known {
		if p := byName[v]; byName[p.name] == nil {
			byName[p.name] = p
		}
	}
	m := o.Module
	for _, name := range o.Passes {
		p := byName[name]
		if p == nil {
			return nil, &UnknownPassError{Script: s.name, Name: name, Known: known}
		}
		var err error
		if m, err = r.cur.Run(p.bind(r), m); err != nil {
			return nil, err
		}
	}
	return m, nil
}
