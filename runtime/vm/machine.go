package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/irscope/irscope/runtime"
)

// Options configures a Machine; the zero value is fine.
type Options struct {
	// Funcs are packed functions in Go that the executable calls by name. They come
	// before kernels and builtins of the same name.
	Funcs []runtime.Func

	// MaxDepth bounds how deep functions of the executable call each other; 0 means 1000.
	MaxDepth int
	// MaxTurns bounds how often, in one run, functions of the executable begin anew by calling themselves in the place of returning; 0
	// means ten million.
	MaxTurns int

	// Output receives what relax.run.print prints; nil drops it.
	Output io.Writer
}

// Machine runs an executable on a device. The constants of the executable are uploaded
// when it is loaded and stay on the device until Close. Its methods may be called by many
// goroutines; runs on one device take turns.
type Machine struct {
	dev     *runtime.Device
	exec    *Executable
	opts    Options
	modules []*runtime.Module
	consts  []runtime.Value
	funcs   []runtime.Func // by index into the function table
	code    []code         // by instruction
	hook    atomic.Pointer[Hook]
	once    sync.Once
	closed  atomic.Bool

	passedOver []error // why modules were not loaded whose kernels others have
	kept       []kept  // by index into the function table, of those that run once
	prepared   []Prepared

	// What follows belongs to the running session.
	depth  int
	turns  int      // how often functions began anew in the run
	frames []*frame // unused ones
}

// code is an instruction made ready to run.
type code struct {
	op     Opcode
	dst    int32 // register, -1 for none
	reg    int32 // register of ret and if, -1 for None
	fn     int32
	offset int32
	args   []operand
	late   []late // constants that are uploaded for this call alone
	again  bool   // a call of the function by itself whose result it returns
}

// operand is an argument: a register, or a value known since loading where reg is -1.
type operand struct {
	reg int32
	val runtime.Value
}

// Load makes a machine: it loads the kernel modules onto dev, finds every packed function
// that the executable names, and uploads the constants. Close the machine when done.
func Load(ctx context.Context, dev *runtime.Device, exec *Executable, kernels []runtime.Binary, opts Options) (*Machine, error) {
	if err := exec.Validate(); err != nil {
		return nil, fmt.Errorf("loading a VM executable: %w", err)
	}
	if opts.MaxDepth == 0 {
		opts.MaxDepth = 1000
	}
	if opts.MaxTurns == 0 {
		opts.MaxTurns = 10_000_000
	}
	m := &Machine{dev: dev, exec: exec, opts: opts}
	if err := m.load(ctx, kernels); err != nil {
		return nil, errors.Join(fmt.Errorf("loading a VM executable: %w", err), m.Close())
	}
	return m, nil
}

func (m *Machine) load(ctx context.Context, kernels []runtime.Binary) error {
	for i, k := range kernels {
		if m.hasAll(k.Symbols) {
			continue // a twin for machines that cannot execute an earlier module
		}
		mod, err := m.dev.Load(ctx, k.Format, k.Bytes)
		if errors.Is(err, runtime.ErrUnsupported) && haveAll(kernels[i+1:], k.Symbols) {
			m.passedOver = append(m.passedOver, fmt.Errorf("kernel module %d: %w", i, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("kernel module %d: %w", i, err)
		}
		m.modules = append(m.modules, mod)
		if k.Symbols != nil && !slices.Equal(k.Symbols, mod.Names()) {
			return fmt.Errorf("kernel module %d has the kernels %v, expected %v", i, mod.Names(), k.Symbols)
		}
	}
	if err := m.link(); err != nil {
		return err
	}
	stays := m.exec.lasting()
	for i, c := range m.exec.Consts {
		if ctx.Err() != nil {
			return fmt.Errorf("uploading constants: %w: %w", runtime.ErrStopped, context.Cause(ctx))
		}
		if !stays[i] {
			m.consts = append(m.consts, runtime.Null())
			continue
		}
		v, err := m.upload(c)
		if err != nil {
			return fmt.Errorf("constant %d: %w", i, err)
		}
		m.consts = append(m.consts, v)
	}
	if err := m.prepare(stays); err != nil {
		return err
	}
	return m.runOnce(ctx)
}

// hasAll reports whether modules that are loaded have all of some kernels, of which there is one at least.
func (m *Machine) hasAll(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return m.Kernel(n) == nil })
}

// haveAll reports whether modules say that they have all of some kernels.
func haveAll(modules []runtime.Binary, names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool {
		return !slices.ContainsFunc(modules, func(b runtime.Binary) bool {
			_, has := slices.BinarySearch(b.Symbols, n)
			return has
		})
	})
}

// PassedOver says why modules were not loaded that this machine cannot execute: others have their kernels.
func (m *Machine) PassedOver() []error { return m.passedOver }

// link fills the function table.
func (m *Machine) link() error {
	registered := map[string]runtime.Func{}
	for _, f := range m.opts.Funcs {
		registered[f.Name()] = f
	}
	builtins := m.builtins()
	var missing []string
	for i, f := range m.exec.Funcs {
		var fn runtime.Func
		if f.Kind == VMFunc {
			fn = &function{m, i}
		} else if r := registered[f.Name]; r != nil {
			fn = r
		} else if k := m.Kernel(f.Name); k != nil {
			fn = k
		} else if b := builtins[f.Name]; b != nil {
			fn = runtime.NewFunc(f.Name, b)
		} else {
			missing = append(missing, f.Name)
		}
		m.funcs = append(m.funcs, fn)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		more := ""
		if len(missing) > 8 {
			missing, more = missing[:8], fmt.Sprintf(" and %d more", len(missing)-8)
		}
		return fmt.Errorf("no kernel, builtin or registered function is called %s%s", strings.Join(missing, ", "), more)
	}
	return nil
}

// Kernels lists the kernels that are loaded, sorted, those that the executable does not call
// included.
func (m *Machine) Kernels() []string {
	var names []string
	for _, mod := range m.modules {
		names = append(names, mod.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Kernel returns the kernel of that name, nil where there is none.
func (m *Machine) Kernel(name string) *runtime.Kernel {
	for _, mod := range m.modules {
		if k := mod.Kernel(name); k != nil {
			return k
		}
	}
	return nil
}

// upload turns a constant into a value; tensors go to the device.
func (m *Machine) upload(c Const) (runtime.Value, error) {
	switch c.Kind {
	case ConstTensor:
		t, err := m.dev.Upload(c.Tensor)
		if err != nil {
			return runtime.Value{}, err
		}
		return runtime.TensorValue(t), nil
	case ConstSplat:
		t, err := m.dev.UploadSplat(c.Tensor.DType, c.Tensor.Shape, c.Tensor.Data)
		if err != nil {
			return runtime.Value{}, err
		}
		return runtime.TensorValue(t), nil
	case ConstShape:
		return runtime.Shape(c.Shape), nil
	case ConstString:
		return runtime.String(c.Str), nil
	case ConstInt:
		return runtime.Int(c.Int), nil
	case ConstFloat:
		return runtime.Float(c.Float), nil
	}
	return runtime.DType(c.DType), nil
}

// prepare decodes the instructions and resolves constants, functions and immediates.
func (m *Machine) prepare(stays []bool) error {
	reg := func(r Reg) int32 {
		if r >= beginSpecial {
			return -1
		}
		return int32(r)
	}
	m.code = make([]code, len(m.exec.InstrOffset))
	for _, f := range m.exec.Funcs {
		if f.Kind != VMFunc {
			continue
		}
		for pc := f.Start; pc < f.End; pc++ {
			in, err := m.exec.Instr(pc)
			if err != nil {
				return err
			}
			c := code{op: in.Op, dst: reg(in.Dst), reg: reg(in.Reg), fn: int32(in.Func), offset: int32(in.Offset)}
			c.args = make([]operand, len(in.Args))
			for i, a := range in.Args {
				c.args[i] = m.operand(a)
				if a.Kind() == ArgConst && !stays[a.Value()] {
					c.late = append(c.late, late{arg: i, constant: a.Value()})
				}
			}
			m.code[pc] = c
		}
		m.repeats(f)
	}
	return nil
}

func (m *Machine) operand(a Arg) operand {
	v := a.Value()
	switch a.Kind() {
	case ArgImm:
		return operand{-1, runtime.Int(v)}
	case ArgConst:
		return operand{-1, m.consts[v]}
	case ArgFunc:
		return operand{-1, runtime.FuncValue(m.funcs[v])}
	}
	switch v {
	case VoidReg:
		return operand{-1, runtime.Null()}
	case VMReg:
		return operand{-1, runtime.ContextValue(m)}
	}
	return operand{reg: int32(v)}
}

// Device is the device that the machine runs on.
func (m *Machine) Device() *runtime.Device { return m.dev }

// Executable is what the machine runs.
func (m *Machine) Executable() *Executable { return m.exec }

// SetHook installs h for the runs that begin afterwards; nil removes it.
func (m *Machine) SetHook(h *Hook) { m.hook.Store(h) }

// Close frees the constants and unloads the kernels; it waits for the run in progress on
// the device. Runs that begin afterwards fail with runtime.ErrClosed. A second Close does
// nothing.
func (m *Machine) Close() error {
	var errs []error
	m.once.Do(func() {
		// A device that was closed first took everything with it: there is no session then.
		s, err := m.dev.Begin(context.Background())
		m.closed.Store(true)
		for _, v := range m.consts {
			v.Release()
		}
		for _, k := range m.kept {
			k.value.Release()
		}
		if err == nil {
			s.End()
		}
		for _, mod := range m.modules {
			errs = append(errs, mod.Close())
		}
		m.dev.Trim()
	})
	return errors.Join(errs...)
}
