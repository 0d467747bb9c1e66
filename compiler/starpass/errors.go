package starpass

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// PanicError is a fault of the compiler that a script ran into outside of a pass.
type PanicError struct {
	What  string
	Value any
	Stack string // of the goroutine
}

// Error names the script and what the compiler panicked with.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%s: the compiler panicked: %v", e.What, e.Value)
}

// Error is the failure of a script: what went wrong, and where.
type Error struct {
	Pos string // file:line:col of the innermost call in the script, "" if unknown
	Err error
}

// Error writes the place and the message.
func (e *Error) Error() string {
	if e.Pos == "" {
		return e.Err.Error()
	}
	return e.Pos + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// located gives an error of the interpreter the place of its innermost call. Errors that have
// one keep it.
func located(err error) error {
	if err == nil {
		return nil
	}
	var have *Error
	var le *LimitError
	if errors.As(err, &have) {
		return err
	}
	e := innermost(err)
	if e == nil {
		return err
	}
	pos := ""
	for i := range len(e.CallStack) {
		if p := e.CallStack.At(i).Pos; p.Filename() != "<builtin>" {
			pos = p.String()
			break
		}
	}
	if errors.As(err, &le) { // the interpreter's wording of a canceled thread adds nothing
		return &Error{Pos: pos, Err: &cause{le, e}}
	}
	return &Error{Pos: pos, Err: err}
}

// cause shows one error and keeps another one for its stack.
type cause struct {
	error
	stack error
}

func (c *cause) Unwrap() []error { return []error{c.error, c.stack} }

// innermost returns the error of the interpreter at the bottom of err: the one with the whole
// stack.
func innermost(err error) *starlark.EvalError {
	var found *starlark.EvalError
	for {
		var e *starlark.EvalError
		if !errors.As(err, &e) {
			return found
		}
		found, err = e, e.Unwrap()
		if err == nil {
			return found
		}
	}
}

// maxTrace is the number of calls that Trace shows of each end of a long stack.
const maxTrace = 12

// Trace returns the calls of the script that were active when err happened, one a line with
// file:line:col, the outermost first; "" if err is not from a script. Of a long stack the
// middle is left out.
func Trace(err error) string {
	e := innermost(err)
	if e == nil {
		return ""
	}
	var lines []string
	for _, f := range e.CallStack {
		if strings.HasPrefix(f.Name, "(") { // a block under try, or what takes the place of syntax
			continue
		}
		if f.Pos.Filename() != "<builtin>" {
			lines = append(lines, fmt.Sprintf("  %s: in %s\n", f.Pos, f.Name))
		} else if f.Name[0] >= 'a' && f.Name[0] <= 'z' || f.Name[0] >= 'A' && f.Name[0] <= 'Z' { // no guard
			lines = append(lines, fmt.Sprintf("  in %s\n", f.Name))
		}
	}
	if n := len(lines) - 2*maxTrace; n > 1 {
		lines = slices.Concat(lines[:maxTrace], []string{fmt.Sprintf("  (%d more calls)\n", n)}, lines[len(lines)-maxTrace:])
	}
	return "Traceback (most recent call last):\n" + strings.Join(lines, "")
}
