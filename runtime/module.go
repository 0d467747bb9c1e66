package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/irscope/irscope/runtime/abi"
)

// Module is a kernel module loaded onto a device.
type Module struct {
	dev     *Device
	code    *compiledCode
	env     api.Module
	mod     api.Module
	data    uint32 // address of the data segments, 0 where there are none
	kernels map[string]*Kernel
	names   []string
}

// Load compiles a kernel module, or finds it compiled, and instantiates it on d. What it
// imports and exports must be as package abi says.
func (d *Device) Load(ctx context.Context, wasm []byte) (*Module, error) {
	code, err := d.engine.acquire(ctx, wasm)
	if err != nil {
		return nil, err
	}
	m := &Module{dev: d, code: code, kernels: map[string]*Kernel{}}
	s, err := d.Begin(ctx)
	if err != nil {
		d.engine.release(code)
		return nil, fmt.Errorf("loading a kernel module: %w", err)
	}
	defer s.End()
	if err := m.instantiate(); err != nil {
		return nil, errors.Join(fmt.Errorf("loading a kernel module: %w", err), m.unload())
	}
	d.mu.Lock()
	d.modules[m] = struct{}{}
	d.mu.Unlock()
	return m, nil
}

func (m *Module) instantiate() error {
	d := m.dev
	if o := m.code.out; o.memory || o.table || o.start {
		return errors.New("it defines a memory, a table or a start function, which kernel modules may not")
	}
	funcs, err := checkImports(m.code)
	if err != nil {
		return err
	}
	if m.code.out.data > 0 {
		if m.data, err = d.alloc(m.code.out.data); err != nil {
			return err
		}
	}
	envBytes, err := envModule(funcs, m.data)
	if err != nil {
		return err
	}
	env, err := d.engine.acquire(d.ctx, envBytes)
	if err != nil {
		return err
	}
	defer d.engine.release(env)
	ctx := experimental.WithImportResolver(d.ctx, func(name string) api.Module {
		switch name {
		case memModule:
			return d.memMod
		case hostModule:
			return d.host
		}
		return nil
	})
	d.mu.Lock() // instances share the memory that an allocation may grow
	m.env, err = d.engine.rt.InstantiateModule(ctx, env.mod, anonymous())
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("instantiating its imports: %w", err)
	}
	ctx = experimental.WithImportResolver(d.ctx, func(name string) api.Module {
		if name == abi.ImportModule {
			return m.env
		}
		return nil
	})
	d.mu.Lock() // data segments are copied through the memory that an allocation may grow
	m.mod, err = d.engine.rt.InstantiateModule(ctx, m.code.mod, anonymous())
	d.mu.Unlock()
	if err != nil {
		return err
	}
	want := abi.Kernel()
	for name, def := range m.code.mod.ExportedFunctions() {
		if !slices.Equal(def.ParamTypes(), valTypes(want.Params)) || !slices.Equal(def.ResultTypes(), valTypes(want.Results)) {
			return fmt.Errorf("export %q is no kernel: it must take four i32 and return one", name)
		}
		m.kernels[name] = &Kernel{mod: m, name: name}
		m.names = append(m.names, name)
	}
	slices.Sort(m.names)
	return nil
}

// checkImports returns the names of the functions that a module imports.
func checkImports(c *compiledCode) ([]string, error) {
	var names []string
	for _, f := range c.mod.ImportedFunctions() {
		module, name, _ := f.Import()
		sig, ok := abi.Import(name)
		if module != abi.ImportModule || !ok {
			return nil, fmt.Errorf("import %s.%s is not offered: kernels import from %s what package abi names", module, name, abi.ImportModule)
		}
		if !slices.Equal(f.ParamTypes(), valTypes(sig.Params)) || !slices.Equal(f.ResultTypes(), valTypes(sig.Results)) {
			return nil, fmt.Errorf("import %s has the wrong signature", name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, mem := range c.mod.ImportedMemories() {
		if module, name, _ := mem.Import(); module != abi.ImportModule || name != abi.ImportMemory {
			return nil, fmt.Errorf("import of memory %s.%s, expected %s.%s", module, name, abi.ImportModule, abi.ImportMemory)
		}
		if mem.Min() > abi.MemoryMinPages {
			return nil, fmt.Errorf("the imported memory asks for %d pages, at most %d are guaranteed", mem.Min(), abi.MemoryMinPages)
		}
	}
	return names, nil
}

// Names lists the kernels, sorted.
func (m *Module) Names() []string { return m.names }

// Kernel returns the kernel called name, nil where there is none.
func (m *Module) Kernel(name string) *Kernel { return m.kernels[name] }

// Close unloads the module; it waits for the running session. Its kernels must not be
// called afterwards.
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
	var errs []error
	for _, inst := range []api.Module{m.mod, m.env} {
		if inst != nil {
			errs = append(errs, inst.Close(m.dev.ctx))
		}
	}
	m.mod = nil
	if m.data != 0 {
		m.dev.free(m.data)
	}
	m.dev.engine.release(m.code)
	return errors.Join(errs...)
}
