package starpass

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass/dialect"
)

// exceptionBases are the exceptions of Python and TVM that scripts may name, with what they derive from.
var exceptionBases = [][2]string{
	{"BaseException", ""},
	{"Exception", "BaseException"},
	{"ArithmeticError", "Exception"},
	{"ZeroDivisionError", "ArithmeticError"},
	{"AssertionError", "Exception"},
	{"AttributeError", "Exception"},
	{"LookupError", "Exception"},
	{"IndexError", "LookupError"},
	{"KeyError", "LookupError"},
	{"NameError", "Exception"},
	{"RuntimeError", "Exception"},
	{"NotImplementedError", "RuntimeError"},
	{"TVMError", "RuntimeError"},
	{"InternalError", "TVMError"},
	{"StopIteration", "Exception"},
	{"TypeError", "Exception"},
	{"ValueError", "Exception"},
}

// exceptions returns the classes of exceptions by name. They are frozen.
var exceptions = sync.OnceValue(func() map[string]*Class {
	out := map[string]*Class{}
	for _, e := range exceptionBases {
		c := &Class{name: e[0], members: map[string]starlark.Value{}, frozen: true}
		c.order = []*Class{c}
		if base := out[e[1]]; base != nil {
			c.order = append(c.order, base.order...)
		} else {
			c.native = exceptionNative{}
		}
		out[e[0]] = c
	}
	return out
})

// exceptionNative gives exceptions their arguments.
type exceptionNative struct{}

func (exceptionNative) attrs() []string { return []string{"__init__", "args"} }

func (exceptionNative) attr(self *Instance, name string) starlark.Value {
	switch name {
	case "__init__":
		return builtin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(kwargs) > 0 {
				return nil, fmt.Errorf("%s takes no arguments by name", self.class.name)
			}
			return starlark.None, self.SetField("args", args)
		})
	case "args":
		return starlark.Tuple{}
	}
	return nil
}

// message is what an exception says.
func (v *Instance) message() string {
	args, _ := v.fields["args"].(starlark.Tuple)
	if len(args) == 1 {
		if s, ok := starlark.AsString(args[0]); ok {
			return s
		}
	}
	if len(args) == 0 {
		return ""
	}
	if deep(args, maxDeep+1, true) > maxDeep {
		return "(the arguments are too large)"
	}
	if len(args) == 1 {
		return args[0].String()
	}
	return args.String()
}

// raised is the error of an exception.
type raised struct{ exc *Instance }

// Error is the class of the exception and its message.
func (e *raised) Error() string {
	if msg := e.exc.message(); msg != "" {
		return e.exc.class.name + ": " + msg
	}
	return e.exc.class.name
}

// raiseBuiltin is (raise)(exception or None, cause or None).
func raiseBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	what := args[0]
	if what == starlark.None {
		if n := len(r.handling); n > 0 {
			return nil, r.handling[n-1]
		}
		return nil, errors.New("raise: no error is being handled here: name one")
	}
	if c, ok := what.(*Class); ok {
		var err error
		if what, err = starlark.Call(t, c, nil, nil); err != nil {
			return nil, err
		}
	}
	exc, ok := what.(*Instance)
	if !ok || !exc.class.derives(exceptions()["BaseException"]) {
		return nil, fmt.Errorf("raise: expected an exception, got %s", describe(what))
	}
	return nil, &raised{exc: exc}
}

// assertBuiltin is (assert)(message).
func assertBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	exc := &Instance{class: exceptions()["AssertionError"], fields: map[string]starlark.Value{}}
	if args[0] != starlark.None {
		exc.fields["args"] = starlark.Tuple{args[0]}
	}
	return nil, &raised{exc: exc}
}

// tryBuiltin is (try)(body, handlers, else, finally): it calls body, and where that fails the first handler whose types the error is of.
func tryBuiltin(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r := runOf(t)
	depth := len(r.managers)
	out, err := starlark.Call(t, args[0], nil, nil)
	switch {
	case err == nil && out == starlark.None && args[2] != starlark.None:
		out, err = starlark.Call(t, args[2], nil, nil)
	case err != nil:
		err = r.unwind(depth, err)
		if !r.catchable(err) {
			return nil, err
		}
		exc := exceptionOf(err)
		for x := range starlark.Elements(args[1].(*starlark.List)) {
			h := x.(starlark.Tuple)
			ok := h[0] == starlark.None
			if !ok {
				var wrong error
				if ok, wrong = isOf(exc, h[0]); wrong != nil {
					return nil, fmt.Errorf("except: %w", wrong)
				}
			}
			if ok {
				r.handling = append(r.handling, err)
				out, err = starlark.Call(t, h[1], starlark.Tuple{exc}, nil)
				r.handling = r.handling[:len(r.handling)-1]
				break
			}
		}
	}
	if args[3] == starlark.None || err != nil && !r.catchable(err) {
		return out, err
	}
	err = r.unwind(depth, err)
	last, ferr := starlark.Call(t, args[3], nil, nil)
	if ferr != nil {
		return nil, ferr
	}
	if last != starlark.None {
		return last, nil
	}
	return out, err
}

// catchable tells whether a script may go on after an error: not where a limit was met, the run was canceled, or the compiler is at fault.
func (r *run) catchable(err error) bool {
	var le *LimitError
	var pe *PanicError
	var stop *budget.Stop
	var failed *pass.Error
	return r.stopped == nil && r.ctx.Err() == nil && !errors.As(err, &le) && !errors.As(err, &pe) && !errors.As(err, &stop) &&
		!(errors.As(err, &failed) && failed.Stack != "")
}

// builtinErrors tells the errors of the interpreter apart by what they say.
var builtinErrors = sync.OnceValue(func() []struct {
	says *regexp.Regexp
	name string
} {
	type row = struct {
		says *regexp.Regexp
		name string
	}
	return []row{
		{regexp.MustCompile(`^key .* not in `), "KeyError"},
		{regexp.MustCompile(`has no function|missing key`), "KeyError"},
		{regexp.MustCompile(`index .* out of range`), "IndexError"},
		{regexp.MustCompile(`has no \.\w+ field or method`), "AttributeError"},
		{regexp.MustCompile(`division by zero|modulo by zero`), "ZeroDivisionError"},
		{regexp.MustCompile(`referenced before assignment`), "NameError"},
		{regexp.MustCompile(`invalid literal|not in list|value not found`), "ValueError"},
		{regexp.MustCompile(`unknown binary op|missing argument|unexpected keyword|accepts \w+ (positional )?argument|invalid call of non-function`), "TypeError"},
	}
})

// exceptionOf returns the exception that an error is to a script.
func exceptionOf(err error) *Instance {
	var r *raised
	if errors.As(err, &r) {
		return r.exc
	}
	text := err.Error()
	if e := innermost(err); e != nil {
		text = e.Error()
	}
	name := "TVMError"
	for _, b := range builtinErrors() {
		if b.says.MatchString(text) {
			name = b.name
			break
		}
	}
	return &Instance{class: exceptions()[name], fields: map[string]starlark.Value{"args": starlark.Tuple{starlark.String(strings.TrimPrefix(text, "fail: "))}}}
}

// signal is what a block under try returns where it ends in a return, break or continue.
type signal struct {
	kind  string
	value starlark.Value
}

func (s *signal) String() string              { return s.kind }
func (*signal) Type() string                  { return "signal" }
func (s *signal) Freeze()                     { s.value.Freeze() }
func (*signal) Truth() starlark.Bool          { return true }
func (*signal) Hash() (uint32, error)         { return 0, errors.New("a signal cannot be a key") }
func (s *signal) held(f func(starlark.Value)) { f(s.value) }

// control returns the functions by which trees of package dialect leave blocks under try.
func control() starlark.StringDict {
	return starlark.StringDict{
		dialect.Raise: builtin("raise", raiseBuiltin), dialect.Assert: builtin("assert", assertBuiltin), dialect.Try: builtin(dialect.Try, tryBuiltin),
		dialect.Signal: builtin(dialect.Signal, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return &signal{string(args[0].(starlark.String)), args[1]}, nil
		}),
		dialect.Signaled: builtin(dialect.Signaled, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			s, ok := args[0].(*signal)
			return starlark.Bool(ok && s.kind == string(args[1].(starlark.String))), nil
		}),
		dialect.Signals: builtin(dialect.Signals, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return args[0].(*signal).value, nil
		}),
		dialect.Cell: builtin(dialect.Cell, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			v, ok, err := args[0].(*starlark.Dict).Get(args[1])
			if err == nil && !ok {
				err = fmt.Errorf("variable %s referenced before assignment", string(args[1].(starlark.String)))
			}
			return v, err
		}),
	}
}
