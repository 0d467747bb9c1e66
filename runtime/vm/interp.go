package vm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/irscope/irscope/runtime"
)

// ErrDepth is wrapped by the error of a run whose functions call each other too deep.
var ErrDepth = errors.New("recursion limit reached")

// CallError says where a run failed: the innermost call, and the function it stands in.
type CallError struct {
	Func   string // function of the executable
	Instr  int64  // instruction, from the start of Func
	Callee string
	Err    error
}

// Error names function, instruction and callee before the cause.
func (e *CallError) Error() string {
	return fmt.Sprintf("%s, instruction %d, call of %s: %v", e.Func, e.Instr, e.Callee, e.Err)
}

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

// frame is what one running function holds.
type frame struct {
	regs []runtime.Value
	args []runtime.Value // of the call in progress
}

// function is a function of the executable as a runtime.Func.
type function struct {
	m     *Machine
	index int
}

// Name is the name in the function table.
func (f *function) Name() string { return f.m.exec.Funcs[f.index].Name }

// Call interprets the function.
func (f *function) Call(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	return f.m.call(s, f.index, args)
}

// Invoke runs the function called name in a session of its own. Tensor arguments are
// borrowed; the caller releases the result.
func (m *Machine) Invoke(ctx context.Context, name string, args ...runtime.Value) (runtime.Value, error) {
	s, err := m.dev.Begin(ctx)
	if err != nil {
		return runtime.Value{}, fmt.Errorf("running %s: %w", name, err)
	}
	defer s.End()
	return m.InvokeIn(s, name, args...)
}

// InvokeIn is Invoke within a session on the machine's device.
func (m *Machine) InvokeIn(s *runtime.Session, name string, args ...runtime.Value) (runtime.Value, error) {
	if s.Device() != m.dev {
		return runtime.Value{}, fmt.Errorf("running %s: the session is on another device", name)
	}
	if m.closed.Load() {
		return runtime.Value{}, fmt.Errorf("running %s: machine %w", name, runtime.ErrClosed)
	}
	for i := range m.exec.Funcs {
		if m.exec.Funcs[i].Name != name || m.exec.Funcs[i].Kind != VMFunc {
			continue
		}
		m.depth, m.turns = 0, 0
		v, err := m.call(s, i, args)
		if err != nil {
			return runtime.Value{}, fmt.Errorf("running %s: %w", name, err)
		}
		return v, nil
	}
	var known []string
	for _, f := range m.exec.Funcs {
		if f.Kind == VMFunc {
			known = append(known, f.Name)
		}
	}
	return runtime.Value{}, fmt.Errorf("running %s: there is no such function; there are %s", name, strings.Join(known, ", "))
}

// call interprets function index; the caller owns the result.
func (m *Machine) call(s *runtime.Session, index int, args []runtime.Value) (runtime.Value, error) {
	f := &m.exec.Funcs[index]
	if int64(len(args)) != f.NumArgs {
		names := ""
		if len(f.ParamNames) > 0 {
			names = " (" + strings.Join(f.ParamNames, ", ") + ")"
		}
		return runtime.Value{}, fmt.Errorf("function %s takes %d arguments%s, got %d", f.Name, f.NumArgs, names, len(args))
	}
	if m.kept != nil && m.kept[index].done {
		v := m.kept[index].value
		v.Retain()
		return v, nil
	}
	if m.depth >= m.opts.MaxDepth {
		return runtime.Value{}, fmt.Errorf("function %s at depth %d: %w", f.Name, m.depth, ErrDepth)
	}
	m.depth++
	fr := m.push(int(f.RegisterFileSize))
	for i, a := range args {
		a.Retain()
		fr.regs[i] = a
	}
	v, err := m.loop(s, f, fr)
	m.pop(fr)
	m.depth--
	return v, err
}

func (m *Machine) push(regs int) *frame {
	fr := &frame{}
	if n := len(m.frames); n > 0 {
		fr, m.frames = m.frames[n-1], m.frames[:n-1]
	}
	if cap(fr.regs) < regs {
		fr.regs = make([]runtime.Value, regs)
	}
	fr.regs = fr.regs[:regs]
	return fr
}

// pop releases what the registers hold and keeps the frame for the next call.
func (m *Machine) pop(fr *frame) {
	for i := range fr.regs {
		fr.regs[i].Release()
	}
	clear(fr.regs)
	clear(fr.args[:cap(fr.args)])
	m.frames = append(m.frames, fr)
}

func (m *Machine) loop(s *runtime.Session, f *FuncInfo, fr *frame) (runtime.Value, error) {
	hook := m.hook.Load()
	for pc := f.Start; ; {
		c := &m.code[pc]
		switch c.op {
		case OpCall:
			if cap(fr.args) < len(c.args) {
				fr.args = make([]runtime.Value, len(c.args))
			}
			args := fr.args[:len(c.args)]
			for i := range c.args {
				if r := c.args[i].reg; r >= 0 {
					args[i] = fr.regs[r]
				} else {
					args[i] = c.args[i].val
				}
			}
			err := s.Err()
			if err == nil && c.late != nil {
				err = m.uploadLate(c.late, args)
			}
			var v runtime.Value
			if err == nil && c.again {
				err = m.again(fr, f, args)
			} else if err == nil {
				if hook == nil {
					v, err = m.funcs[c.fn].Call(s, args)
				} else {
					v, err = m.hooked(hook, s, pc, c.fn, args)
				}
			}
			for _, l := range c.late {
				args[l.arg].Release()
				args[l.arg] = runtime.Null()
			}
			if err != nil {
				var inner *CallError
				if errors.As(err, &inner) {
					return runtime.Value{}, err
				}
				return runtime.Value{}, &CallError{Func: f.Name, Instr: pc - f.Start, Callee: m.exec.Funcs[c.fn].Name, Err: err}
			}
			if c.again {
				pc = f.Start
				continue
			}
			if c.dst >= 0 {
				old := fr.regs[c.dst]
				fr.regs[c.dst] = v
				old.Release()
			} else {
				v.Release()
			}
			pc++
		case OpRet:
			if c.reg < 0 {
				return runtime.Null(), nil
			}
			v := fr.regs[c.reg]
			fr.regs[c.reg] = runtime.Null() // the reference goes to the caller
			return v, nil
		case OpGoto:
			pc += int64(c.offset)
		case OpIf:
			cond, ok := fr.regs[c.reg].AsInt()
			if !ok {
				return runtime.Value{}, &CallError{f.Name, pc - f.Start, "if", fmt.Errorf("the condition is a %v, expected an int or bool", fr.regs[c.reg].Kind())}
			}
			if cond != 0 {
				pc++
			} else {
				pc += int64(c.offset)
			}
		}
	}
}

// hooked makes the call at pc with the hook around it.
func (m *Machine) hooked(h *Hook, s *runtime.Session, pc int64, fn int32, args []runtime.Value) (runtime.Value, error) {
	f := m.funcs[fn]
	_, kernel := f.(*runtime.Kernel)
	c := &Call{Func: f.Name(), Kernel: kernel, PC: pc, Args: args, Depth: m.depth, Session: s}
	if h.Before != nil {
		skip, err := h.Before(c)
		if err != nil || skip {
			return runtime.Null(), err
		}
	}
	start := time.Now()
	c.Result, c.Err = f.Call(s, args)
	c.Elapsed = time.Since(start)
	if h.After != nil {
		h.After(c)
	}
	return c.Result, c.Err
}
