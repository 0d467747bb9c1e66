package vm

import (
	"context"
	"fmt"
	"time"

	"github.com/irscope/irscope/runtime"
)

// Functions that run once bring constants, the weights of a model, into the form that kernels read: they take no arguments, so every call
// gives the same. They run when the program is loaded, and what they return stays on the device beside the constants. A constant that only
// they read is on the device no longer than the call that reads it, so that packed weights do not take twice their memory.

// kept is the result of a function that runs once.
type kept struct {
	done  bool
	value runtime.Value
}

// late is an argument that is uploaded for one call.
type late struct {
	arg      int
	constant int64
}

// Prepared is what a function that runs once cost when the program was loaded.
type Prepared struct {
	Func string
	Took time.Duration
}

// Prepared lists the functions that ran when the program was loaded, in the order in which they did.
func (m *Machine) Prepared() []Prepared { return m.prepared }

// lasting reports of each constant whether it stays on a device: those that functions read which run at any time.
func (e *Executable) lasting() []bool {
	stays, once := make([]bool, len(e.Consts)), make([]bool, len(e.Consts))
	for _, f := range e.Funcs {
		if f.Kind != VMFunc {
			continue
		}
		read := stays
		if f.Once {
			read = once
		}
		for pc := f.Start; pc < f.End; pc++ {
			in, err := e.Instr(pc)
			if err != nil {
				continue // Validate reports it
			}
			for _, a := range in.Args {
				if a.Kind() == ArgConst {
					read[a.Value()] = true
				}
			}
		}
	}
	for i, c := range e.Consts {
		stays[i] = stays[i] || !once[i] || c.Tensor == nil
	}
	return stays
}

// runOnce runs the functions that run once, and keeps what they return.
func (m *Machine) runOnce(ctx context.Context) error {
	for i, f := range m.exec.Funcs {
		if !f.Once {
			continue
		}
		start := time.Now()
		v, err := m.invokeIndex(ctx, i)
		if err != nil {
			return fmt.Errorf("running %s, which runs when the program is loaded: %w", f.Name, err)
		}
		if m.kept == nil {
			m.kept = make([]kept, len(m.exec.Funcs))
		}
		m.kept[i] = kept{done: true, value: v}
		m.prepared = append(m.prepared, Prepared{Func: f.Name, Took: time.Since(start)})
	}
	return nil
}

// invokeIndex runs a function without arguments in a session of its own.
func (m *Machine) invokeIndex(ctx context.Context, index int) (runtime.Value, error) {
	s, err := m.dev.Begin(ctx)
	if err != nil {
		return runtime.Value{}, err
	}
	defer s.End()
	m.depth = 0
	return m.call(s, index, nil)
}

// uploadLate puts constants into arguments, which the caller releases, also if it fails.
func (m *Machine) uploadLate(list []late, args []runtime.Value) error {
	for _, l := range list {
		v, err := m.upload(m.exec.Consts[l.constant])
		if err != nil {
			return fmt.Errorf("constant %d: %w", l.constant, err)
		}
		args[l.arg] = v
	}
	return nil
}
