package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// manager is a value that a with statement enters.
type manager interface {
	starlark.Value
	// enter returns what stands behind as, and what leaves it: that gets the error that goes past it, nil for none, and returns its own.
	enter(t *starlark.Thread) (as starlark.Value, exit func(error) error, err error)
}

// maxManagers bounds the managers that are entered at one time.
const maxManagers = 1000

// enterBuiltin is (enter)(manager).
func enterBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	if len(r.managers) >= maxManagers {
		return nil, &LimitError{fmt.Sprintf("more than %d contexts are entered in each other", maxManagers)}
	}
	var as starlark.Value
	var exit func(error) error
	var err error
	switch m := args[0].(type) {
	case manager:
		as, exit, err = m.enter(t)
	default:
		return nil, fmt.Errorf("with: %s cannot be entered: expected a PassContext, a Target, a scope of a BlockBuilder, or an object with __enter__ and __exit__", describe(m))
	}
	if err != nil {
		return nil, err
	}
	r.managers = append(r.managers, exit)
	return as, nil
}

// exitBuiltin is (exit)(n, value): it leaves the innermost n managers and returns value.
func exitBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	n, err := starlark.AsInt32(args[0])
	if err != nil {
		return nil, err
	}
	return args[1], r.unwind(len(r.managers)-n, nil)
}

// unwind leaves the managers that were entered since there were depth of them, the innermost first, because of an error or, where it is
// nil, in the course of things. It returns the error, joined with those of leaving.
func (r *run) unwind(depth int, err error) error {
	for len(r.managers) > depth {
		exit := r.managers[len(r.managers)-1]
		r.managers = r.managers[:len(r.managers)-1]
		if xerr := exit(err); xerr != nil && !errors.Is(xerr, err) {
			err = errors.Join(err, xerr)
		}
	}
	return err
}

// enter calls __enter__; __exit__ is called when it is left. What that returns does not matter: it cannot keep an error from going on.
func (v *Instance) enter(t *starlark.Thread) (starlark.Value, func(error) error, error) {
	enter, exit := v.member(v.class.order, "__enter__"), v.member(v.class.order, "__exit__")
	if enter == nil || exit == nil {
		return nil, nil, fmt.Errorf("with: the class %s has no __enter__ and __exit__", v.class.name)
	}
	as, err := starlark.Call(t, enter, nil, nil)
	return as, func(err error) error {
		args := starlark.Tuple{starlark.None, starlark.None, starlark.None}
		if err != nil {
			exc := exceptionOf(err)
			args[0], args[1] = exc.class, exc
		}
		_, xerr := starlark.Call(t, exit, args, nil)
		return xerr
	}, err
}

var _ manager = (*Context)(nil)

// enter makes the context current and enters its instruments.
func (v *Context) enter(t *starlark.Thread) (starlark.Value, func(error) error, error) {
	r := runOf(t)
	if err := r.stack.Enter(v.c); err != nil {
		return nil, nil, err
	}
	outer := r.cur
	r.cur = v.c
	return v, func(error) error {
		r.cur = outer
		return r.stack.Exit()
	}, nil
}
