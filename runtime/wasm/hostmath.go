package wasm

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/hostmath"
)

// mathFunc is the host function that serves the import name.
func mathFunc(name string) (api.GoModuleFunc, error) {
	f := hostmath.ByName(name)
	if f == nil {
		return nil, fmt.Errorf("no host function serves the import %s", name)
	}
	return func(_ context.Context, _ api.Module, st []uint64) {
		y := uint64(0)
		if len(st) > 1 {
			y = st[1]
		}
		st[0] = f(st[0], y)
	}, nil
}

// hostImports instantiates the module of host functions of d: math and the services of
// hostservice.go.
func (d *device) hostImports(ctx context.Context) error {
	b := d.loader.rt.NewHostModuleBuilder(hostModule)
	add := func(name string, sig abi.Signature, f api.GoModuleFunc) {
		b.NewFunctionBuilder().WithGoModuleFunction(f, valTypes(sig.Params), valTypes(sig.Results)).Export(name)
	}
	for _, name := range abi.MathNames() {
		sig, _ := abi.Math(name)
		f, err := mathFunc(name)
		if err != nil {
			return err
		}
		add(name, sig, f)
	}
	for name, f := range map[string]api.GoModuleFunc{
		abi.ImportAllocWorkspace: d.hostAllocWorkspace,
		abi.ImportFreeWorkspace:  d.hostFreeWorkspace,
		abi.ImportSetError:       d.hostSetError,
		abi.ImportPoll:           d.hostPoll,
		abi.ImportBudget:         d.hostBudget,
		abi.ImportStopped:        d.hostStopped,
		abi.ImportRaise:          d.hostRaise,
	} {
		sig, _ := abi.Import(name)
		add(name, sig, f)
	}
	code, err := b.Compile(ctx)
	if err == nil {
		d.hostCode = code
		d.host, err = d.loader.rt.InstantiateModule(ctx, code, anonymous())
	}
	if err != nil {
		return fmt.Errorf("making the host functions of a device: %w", err)
	}
	return nil
}

func valTypes(ts []abi.ValType) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		out[i] = api.ValueType(t)
	}
	return out
}

// anonymous is the configuration of every instance: names would clash between devices.
func anonymous() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions()
}
