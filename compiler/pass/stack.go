package pass

import (
	"context"
	"errors"
	"slices"
)

// Stack is TVM's stack of entered contexts, owned by one goroutine. The zero value is ready:
// its current context is a default one, made on first use.
type Stack struct {
	entered []*Context
	global  *Context
}

// Current returns the innermost entered context, or the stack's default context.
func (s *Stack) Current() *Context {
	if n := len(s.entered); n > 0 {
		return s.entered[n-1]
	}
	if s.global == nil {
		// A context without options cannot fail.
		s.global, _ = NewContext(context.Background())
	}
	return s.global
}

// Enter enters the instruments of c in order and then makes it current. If one fails, those
// entered before it are left again in reverse order, c loses its instruments and does not
// become current.
func (s *Stack) Enter(c *Context) error {
	if err := c.enterInstruments(); err != nil {
		return err
	}
	s.entered = append(s.entered, c)
	return nil
}

// Exit makes the context before current again and then leaves the instruments of the one
// that was, in order. If one fails, the others are not left and the context loses its
// instruments.
func (s *Stack) Exit() error {
	n := len(s.entered)
	if n == 0 {
		return errors.New("there is no pass context to exit: none was entered")
	}
	c := s.entered[n-1]
	s.entered = s.entered[:n-1]
	return c.exitInstruments()
}

// With enters c, calls f and leaves c again, also when f fails or panics. It returns the
// errors of both.
func (s *Stack) With(c *Context, f func(*Context) error) (err error) {
	if err := s.Enter(c); err != nil {
		return err
	}
	defer func() {
		if xerr := s.Exit(); xerr != nil {
			err = errors.Join(err, xerr)
		}
	}()
	return f(c)
}

// OverrideInstruments leaves the instruments of c, replaces them by list, and enters those.
// If either fails, c ends without instruments.
func (c *Context) OverrideInstruments(list ...*Instrument) error {
	if err := c.exitInstruments(); err != nil {
		return err
	}
	c.instruments = slices.Clone(list)
	return c.enterInstruments()
}

// Watched returns a copy of c that list watches, too, behind the instruments of c: it leaves those of before, which watched an earlier copy,
// and enters those of list. The instruments of c itself are neither left nor entered.
func (c *Context) Watched(before, list []*Instrument) (*Context, error) {
	watching := &Context{instruments: slices.Clone(before)}
	if err := watching.OverrideInstruments(list...); err != nil {
		return nil, err
	}
	out := *c
	out.instruments = slices.Concat(c.instruments, list)
	return &out, nil
}

func (c *Context) enterInstruments() error {
	for i, in := range c.instruments {
		if in.EnterPassCtx == nil {
			continue
		}
		err := guarded(in, func(in *Instrument) error { return in.EnterPassCtx() })
		if err == nil {
			continue
		}
		err = &InstrumentError{Instrument: in.Name, Callback: "enter_pass_ctx", Err: err}
		for j := i - 1; j >= 0; j-- {
			if prev := c.instruments[j]; prev.ExitPassCtx != nil {
				if xerr := guarded(prev, func(in *Instrument) error { return in.ExitPassCtx() }); xerr != nil {
					err = errors.Join(err, &InstrumentError{Instrument: prev.Name, Callback: "exit_pass_ctx", Err: xerr})
				}
			}
		}
		c.instruments = nil
		return err
	}
	return nil
}

func (c *Context) exitInstruments() error {
	for _, in := range c.instruments {
		if in.ExitPassCtx == nil {
			continue
		}
		if err := guarded(in, func(in *Instrument) error { return in.ExitPassCtx() }); err != nil {
			c.instruments = nil
			return &InstrumentError{Instrument: in.Name, Callback: "exit_pass_ctx", Err: err}
		}
	}
	return nil
}
