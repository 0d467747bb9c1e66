package wasm

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// Library is a compiled module.
type Library struct {
	Bytes   []byte   // the WebAssembly module
	Kernels []Kernel // in the order of the functions that were given
}

// Kernel is one function of a library.
type Kernel struct {
	Name         string // name in the IR module
	Symbol       string // name of the export; empty for a private function
	Packed       bool   // has the packed signature
	Instructions int
	Bytes        int // size of its code in the module

	fn *wasmbin.Func
}

// Text prints the kernel in the text format of WebAssembly. It is made anew at each call.
func (k Kernel) Text() string { return k.fn.Text() }

// Exports lists the names of the exported functions.
func (l *Library) Exports() []string {
	var names []string
	for _, k := range l.Kernels {
		if k.Symbol != "" {
			names = append(names, k.Symbol)
		}
	}
	return names
}

// Func is a function to compile, with its name in its module.
type Func struct {
	Name string
	Prim *tir.PrimFunc
}

// Build generates one module for all PrimFuncs of mod, which must be lowered; functions of the
// graph level are passed over. Functions with a global_symbol are exported under it. The same
// input gives the same bytes. Errors name the function and the node.
func Build(ctx context.Context, mod *ir.Module, t target.Target) (*Library, error) {
	var funcs []Func
	for gv, f := range mod.Funcs() {
		if p, ok := f.(*tir.PrimFunc); ok {
			funcs = append(funcs, Func{gv.Name, p})
		}
	}
	return BuildFuncs(ctx, funcs, t)
}

// BuildFuncs is Build for a list of functions.
func BuildFuncs(ctx context.Context, funcs []Func, t target.Target) (*Library, error) {
	if t.IsZero() || t.Kind().Name != "wasm" {
		return nil, fmt.Errorf("code generator wasm cannot serve target %q", t)
	}
	m := newModule(t)
	for _, f := range funcs {
		if err := m.declare(f.Name, f.Prim); err != nil {
			return nil, err
		}
	}
	order, err := m.callOrder()
	if err != nil {
		return nil, err
	}
	for _, fn := range order {
		if err := m.generate(ctx, fn); err != nil {
			return nil, err
		}
	}
	lib := &Library{}
	for _, fn := range m.list {
		if fn.symbol != "" {
			m.bin.ExportFunc(fn.symbol, fn.f.Ref())
		}
		lib.Kernels = append(lib.Kernels, Kernel{Name: fn.name, Symbol: fn.symbol, Packed: fn.kernel, Instructions: fn.f.Len(), fn: fn.f})
	}
	if len(m.data.bytes) > 0 {
		m.bin.AddDataAt(m.base, m.data.bytes)
	}
	if len(m.errors.list) > 0 {
		table, err := abi.EncodeMessages(m.errors.list)
		if err != nil {
			return nil, fmt.Errorf("target wasm: %w", err)
		}
		m.bin.AddCustom(abi.MessageSection, table)
	}
	lib.Bytes, err = m.bin.Encode()
	if err != nil {
		return nil, fmt.Errorf("target wasm: %w", err)
	}
	for i := range lib.Kernels {
		lib.Kernels[i].Bytes = lib.Kernels[i].fn.Size()
	}
	return lib, nil
}
