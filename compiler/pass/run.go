package pass

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
)

// Run runs p on m under c and returns the module that it made, which is m itself if p
// changed nothing or an instrument kept it from running.
//
// A pass that is run directly is not filtered by level or name; a Sequential filters its
// children. A pass may run others on the Context that it was handed: they become its
// children. Every error but that of an instrument is an *Error that names the pass.
func (c *Context) Run(p *Pass, m *ir.Module) (*ir.Module, error) {
	n := c.root
	if c.step != nil {
		n = &c.step.children
	}
	if c.step == nil && *n == 0 {
		c.warnUnknownNames(p)
	}
	*n++
	return c.runStep(p, m, &Step{Pass: p, Parent: c.step, ID: strconv.Itoa(*n)})
}

// runStep asks the instruments, runs the body between their callbacks and measures it.
func (c *Context) runStep(p *Pass, m *ir.Module, s *Step) (*ir.Module, error) {
	if err := c.Err(); err != nil {
		return nil, &Error{Step: s, Err: fmt.Errorf("stopped before it began: %w", err)}
	}
	s.Input = m
	if !slices.Contains(c.Required, p.Name) {
		run, veto, err := c.shouldRun(m, s)
		if err != nil {
			return nil, err
		}
		if !run {
			return m, c.skipped(m, s, SkipReason{SkipVeto, "vetoed by instrument " + veto})
		}
	}
	err := c.instrumented(s, func(in *Instrument) error { return call(in.RunBeforePass, m, s) }, "run_before_pass")
	if err != nil {
		return nil, err
	}
	check := c.immutabilityCheck(m)
	start := time.Now()
	out, err := c.body(p, m, s)
	s.Duration = time.Since(start) - s.excluded
	s.Self = s.Duration - s.nested
	if s.Parent != nil {
		s.Parent.nested += s.Duration
	}
	if err == nil {
		err = check(p)
	}
	if need := c.unmet(p, m, out, s, err); need != nil {
		err = need
	}
	if err != nil {
		var pe *Error
		var ie *InstrumentError
		if !errors.As(err, &pe) && !errors.As(err, &ie) {
			err = &Error{Step: s, Func: s.function, Err: err}
		}
		nerr := c.notify(s, "pass_failed", func(in *Instrument) {
			if in.PassFailed != nil {
				in.PassFailed(m, s, err)
			}
		})
		if nerr != nil {
			err = errors.Join(err, nerr)
		}
		return nil, err
	}
	c.done(p)
	if p.Kind != Sequential { // its children have noted what they did
		c.forms.ran(p, m, out)
	}
	err = c.instrumented(s, func(in *Instrument) error { return call(in.RunAfterPass, out, s) }, "run_after_pass")
	if err != nil {
		return nil, err
	}
	return out, nil
}

func call(f func(*ir.Module, *Step) error, m *ir.Module, s *Step) error {
	if f == nil {
		return nil
	}
	return f(m, s)
}

// instrumented calls f for each instrument until one fails. The time is kept off the passes
// around s.
func (c *Context) instrumented(s *Step, f func(*Instrument) error, callback string) error {
	if len(c.instruments) == 0 {
		return nil
	}
	start := time.Now()
	defer func() { exclude(s, time.Since(start)) }()
	for _, in := range c.instruments {
		if err := guarded(in, f); err != nil {
			return &InstrumentError{Instrument: in.Name, Callback: callback, Pass: s.Pass.Name, Err: err}
		}
	}
	return nil
}

// guarded calls f for in; a panic becomes an error, so that it is not blamed on the pass.
func guarded(in *Instrument, f func(*Instrument) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panicked: %v", r)
		}
	}()
	return f(in)
}

// notify calls f, which cannot fail but by a panic, for every instrument.
func (c *Context) notify(s *Step, callback string, f func(*Instrument)) error {
	return c.instrumented(s, func(in *Instrument) error { f(in); return nil }, callback)
}

func exclude(s *Step, d time.Duration) {
	for p := s.Parent; p != nil; p = p.Parent {
		p.excluded += d
	}
}

// shouldRun asks all instruments, whatever the others said; the name is of the first that
// said no.
func (c *Context) shouldRun(m *ir.Module, s *Step) (run bool, veto string, err error) {
	run = true
	err = c.instrumented(s, func(in *Instrument) error {
		if in.ShouldRun == nil {
			return nil
		}
		ok, err := in.ShouldRun(m, s)
		if err == nil && !ok && run {
			run, veto = false, in.Name
		}
		return err
	}, "should_run")
	return run, veto, err
}

func (c *Context) skipped(m *ir.Module, s *Step, r SkipReason) error {
	s.Input = m
	return c.notify(s, "pass_skipped", func(in *Instrument) {
		if in.PassSkipped != nil {
			in.PassSkipped(m, s, r)
		}
	})
}

// unmet returns an error where p changed a function of m that has not what p needs, or panicked at one.
func (c *Context) unmet(p *Pass, m, out *ir.Module, s *Step, err error) error {
	var failed *Error
	if err != nil && (!errors.As(err, &failed) || failed.Stack == "" || failed.Step != s) {
		return nil // the pass says itself what is wrong
	}
	if need, function := c.forms.unmet(p, m, out); need != nil {
		return &Error{Step: s, Func: function, Err: need}
	}
	return nil
}

// body runs p itself. It is the one place where a panic of a pass becomes an error.
func (c *Context) body(p *Pass, m *ir.Module, s *Step) (out *ir.Module, err error) {
	inner := *c
	inner.step, inner.budget = s, budget.New(c.ctx, 0)
	defer func() {
		r := recover()
		if stop, ok := r.(*budget.Stop); ok {
			out, err = nil, &Error{Step: s, Func: s.function, Err: stop}
		} else if r != nil {
			e, ok := r.(error)
			if !ok {
				e = fmt.Errorf("%v", r)
			}
			out, err = nil, &Error{Step: s, Func: s.function, Err: e, Stack: string(debug.Stack())}
		}
	}()
	if p.Kind == Sequential {
		return inner.runChildren(p, m, s)
	}
	if p.Run == nil {
		return nil, errors.New("the pass has no body: set Run")
	}
	out, err = p.Run(&inner, m)
	if err == nil && out == nil {
		err = errors.New("the pass returned no module")
	}
	return out, err
}

func (c *Context) runChildren(p *Pass, m *ir.Module, parent *Step) (*ir.Module, error) {
	ids := p.ChildIDs()
	for i, child := range p.Children {
		s := &Step{Pass: child, Parent: parent, ID: ids[i]}
		if ok, reason := c.PassEnabled(child); !ok {
			if err := c.skipped(m, s, reason); err != nil {
				return nil, err
			}
			continue
		}
		for j, name := range child.Required {
			req := c.lookup(name)
			if req == nil {
				return nil, &UnknownPassError{Name: name, Where: "required by " + child.Name, Near: c.nearest(name)}
			}
			var err error
			m, err = c.runStep(req, m, &Step{
				Pass: req, Parent: parent, ID: fmt.Sprintf("%sr%d", ids[i], j+1), RequiredBy: child.Name,
			})
			if err != nil {
				return nil, err
			}
		}
		var err error
		if m, err = c.runStep(child, m, s); err != nil {
			return nil, err
		}
	}
	return m, nil
}
