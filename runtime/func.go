package runtime

import "fmt"

// Func is a packed function: a kernel, a function in Go, or a closure of a virtual
// machine.
type Func interface {
	// Name is the name that messages and profiles show.
	Name() string

	// Call runs the function within s. Arguments are borrowed and must not be kept
	// without Retain; the caller owns the result.
	Call(s *Session, args []Value) (Value, error)
}

// GoFunc is a packed function in Go.
type GoFunc func(s *Session, args []Value) (Value, error)

type goFunc struct {
	name string
	call GoFunc
}

// NewFunc names a function in Go, which makes it a Func.
func NewFunc(name string, f GoFunc) Func { return &goFunc{name, f} }

// NewFuncN is NewFunc for a function of n arguments: a call with another number of them is an error, and f is not
// called.
func NewFuncN(name string, n int, f GoFunc) Func {
	return NewFunc(name, func(s *Session, args []Value) (Value, error) {
		if len(args) != n {
			return Value{}, fmt.Errorf("packed function %s takes %d arguments, got %d", name, n, len(args))
		}
		return f(s, args)
	})
}

func (f *goFunc) Name() string { return f.name }

func (f *goFunc) Call(s *Session, args []Value) (Value, error) { return f.call(s, args) }
