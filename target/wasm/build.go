package wasm

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// kind is the name of the targets that the generator serves.
const kind = "wasm"

// format is the format of the modules, and the language that their kernels are printed in is WAT.
const (
	format   = "wasm"
	language = "wat"
)

// Build generates one module for all PrimFuncs of mod; functions of the graph level are passed over.
func Build(ctx context.Context, mod *ir.Module, t target.Target) (*codegen.Library, error) {
	return BuildFuncs(ctx, codegen.Funcs(mod), t)
}

// BuildFuncs is the codegen.Build of WebAssembly.
func BuildFuncs(ctx context.Context, funcs []codegen.Func, t target.Target) (*codegen.Library, error) {
	if t.IsZero() || t.Kind().Name != kind {
		return nil, fmt.Errorf("code generator wasm cannot generate code for target %q", t)
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
	lib := &codegen.Library{Format: format}
	for _, fn := range m.list {
		if fn.symbol != "" {
			m.bin.ExportFunc(fn.symbol, fn.f.Ref())
		}
		lib.Kernels = append(lib.Kernels, codegen.Kernel{Name: fn.name, Symbol: fn.symbol, Language: language, Text: fn.f.Text, Lines: fn.lines})
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
	for i, fn := range m.list {
		lib.Kernels[i].Bytes = fn.f.Size()
	}
	return lib, nil
}
