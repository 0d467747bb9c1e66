package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/runtime/abi"
)

// Module is a kernel module loaded onto a device.
type Module struct {
	dev     *Device
	code    Code
	lib     Library // nil once unloaded
	kernels map[string]*Kernel
	names   []string
}

// Load translates a kernel module of the given format, or finds it translated, and puts it on
// the device.
func (d *Device) Load(ctx context.Context, format string, code []byte) (*Module, error) {
	l, err := d.engine.loader(format)
	if err != nil {
		return nil, err
	}
	if bits := l.PtrBits(); bits != 0 && bits != abi.PtrBits {
		return nil, fmt.Errorf("kernel modules of format %q read pointers of %d bits, but the descriptors on this device have %d", format, bits, abi.PtrBits)
	}
	c, err := l.Prepare(ctx, code)
	if err != nil {
		return nil, err
	}
	s, err := d.Begin(ctx)
	if err != nil {
		c.Release()
		return nil, fmt.Errorf("loading a kernel module: %w", err)
	}
	defer s.End()
	lib, err := c.Load(s)
	if err != nil {
		c.Release()
		return nil, fmt.Errorf("loading a kernel module: %w", err)
	}
	m := &Module{dev: d, code: c, lib: lib, kernels: map[string]*Kernel{}, names: lib.Names()}
	for _, name := range m.names {
		m.kernels[name] = &Kernel{mod: m, name: name, entry: lib.Entry(name)}
	}
	d.mu.Lock()
	d.modules[m] = struct{}{}
	d.mu.Unlock()
	return m, nil
}

// Names lists the kernels, sorted.
func (m *Module) Names() []string { return m.names }

// Kernel returns the kernel called name, nil where there is none.
func (m *Module) Kernel(name string) *Kernel { return m.kernels[name] }

// Close unloads the module; it waits for the running session. Its kernels must not be
// called afterwards. A second Close does nothing.
func (m *Module) Close() error {
	d := m.dev
	<-d.turn
	defer func() { d.turn <- struct{}{} }()
	d.mu.Lock()
	_, loaded := d.modules[m]
	delete(d.modules, m)
	d.mu.Unlock()
	if !loaded {
		return nil
	}
	return m.unload()
}

// unload frees what the module holds; the caller has the turn.
func (m *Module) unload() error {
	err := m.lib.Close()
	m.lib = nil
	m.code.Release()
	return err
}

// Kernel is a generated function of a loaded module.
type Kernel struct {
	mod   *Module
	name  string
	entry Entry
}

// Name is the symbol that the module has the kernel under.
func (k *Kernel) Name() string { return k.name }

// Run calls the kernel in a session of its own.
func (k *Kernel) Run(ctx context.Context, args ...Value) (Value, error) {
	s, err := k.mod.dev.Begin(ctx)
	if err != nil {
		return Value{}, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	defer s.End()
	return k.Call(s, args)
}

// Call runs the kernel. Arguments are ints, bools, floats, None and tensors of the session's
// device; the result is None or a number. An error is a *KernelError that the kernel raised, a
// trap, or wraps ErrStopped.
func (k *Kernel) Call(s *Session, args []Value) (Value, error) {
	if s.dev != k.mod.dev {
		return Value{}, fmt.Errorf("kernel %s: the session is on another device", k.name)
	}
	if len(args) > abi.MaxArgs {
		return Value{}, fmt.Errorf("kernel %s: got %d arguments, expected at most %d", k.name, len(args), abi.MaxArgs)
	}
	if k.mod.lib == nil {
		return Value{}, fmt.Errorf("kernel %s: module %w", k.name, ErrClosed)
	}
	v, err := k.entry.Call(s, args)
	if err != nil {
		return Value{}, k.failed(err)
	}
	return v, nil
}

// failed names the kernel in an error of its loader.
func (k *Kernel) failed(err error) error {
	var raised *KernelError
	if errors.As(err, &raised) {
		raised.Kernel = k.name
		return raised
	}
	return fmt.Errorf("kernel %s: %w", k.name, err)
}
