package wasm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
)

// library is a kernel module on a device.
type library struct {
	dev     *device
	code    *code
	env     api.Module
	mod     api.Module
	data    uint32 // address of the data segments, 0 where there are none
	kernels map[string]*kernel
	names   []string
}

// Load instantiates the module on the device of s. What it imports and exports must be as
// package abi says.
func (c *code) Load(s *runtime.Session) (runtime.Library, error) {
	d, err := c.loader.device(s)
	if err != nil {
		return nil, err
	}
	m := &library{dev: d, code: c, kernels: map[string]*kernel{}}
	if err := m.instantiate(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *library) instantiate() error {
	d := m.dev
	if o := m.code.out; o.memory || o.table || o.start {
		return errors.New("it defines a memory, a table or a start function, which kernel modules must not do")
	}
	funcs, err := checkImports(m.code)
	if err != nil {
		return err
	}
	if m.code.out.data > 0 {
		if m.data, err = d.dev.Alloc(m.code.out.data); err != nil {
			return err
		}
	}
	envBytes, err := envModule(funcs, m.data)
	if err != nil {
		return err
	}
	env, err := d.loader.acquire(d.ctx, envBytes)
	if err != nil {
		return err
	}
	defer env.Release()
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
	m.env, err = d.loader.rt.InstantiateModule(ctx, env.mod, anonymous())
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
	m.mod, err = d.loader.rt.InstantiateModule(ctx, m.code.mod, anonymous())
	d.mu.Unlock()
	if err != nil {
		return err
	}
	want := abi.Kernel()
	for name, def := range m.code.mod.ExportedFunctions() {
		if !slices.Equal(def.ParamTypes(), valTypes(want.Params)) || !slices.Equal(def.ResultTypes(), valTypes(want.Results)) {
			return fmt.Errorf("export %q is not a kernel: a kernel takes four i32 values and returns one", name)
		}
		m.kernels[name] = &kernel{lib: m, name: name}
		m.names = append(m.names, name)
	}
	slices.Sort(m.names)
	return nil
}

// checkImports returns the names of the functions that a module imports.
func checkImports(c *code) ([]string, error) {
	var names []string
	for _, f := range c.mod.ImportedFunctions() {
		module, name, _ := f.Import()
		sig, ok := abi.Import(name)
		if module != abi.ImportModule || !ok {
			return nil, fmt.Errorf("import %s.%s does not exist: kernels import from %s what package abi names", module, name, abi.ImportModule)
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
			return nil, fmt.Errorf("the imported memory needs %d pages, but only %d are guaranteed", mem.Min(), abi.MemoryMinPages)
		}
	}
	return names, nil
}

// Names implements runtime.Library.
func (m *library) Names() []string { return m.names }

// Entry implements runtime.Library.
func (m *library) Entry(name string) runtime.Entry {
	if k := m.kernels[name]; k != nil {
		return k
	}
	return nil
}

// Close implements runtime.Library.
func (m *library) Close() error {
	var errs []error
	for _, inst := range []api.Module{m.mod, m.env} {
		if inst != nil {
			errs = append(errs, inst.Close(m.dev.ctx))
		}
	}
	if m.data != 0 {
		m.dev.dev.Free(m.data)
	}
	return errors.Join(errs...)
}
