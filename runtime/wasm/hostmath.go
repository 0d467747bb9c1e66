package wasm

import (
	"context"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/irscope/irscope/runtime/abi"
)

// unaryMath and binaryMath serve abi.Math with Go's math package. The float32 forms are
// computed in float64 and rounded once.
func unaryMath(name string) func(float64) float64 {
	switch name {
	case "exp":
		return math.Exp
	case "exp2":
		return math.Exp2
	case "exp10":
		return func(x float64) float64 { return math.Pow(10, x) }
	case "log":
		return math.Log
	case "log2":
		return math.Log2
	case "log10":
		return math.Log10
	case "log1p":
		return math.Log1p
	case "tanh":
		return math.Tanh
	case "sinh":
		return math.Sinh
	case "cosh":
		return math.Cosh
	case "sin":
		return math.Sin
	case "cos":
		return math.Cos
	case "tan":
		return math.Tan
	case "asin":
		return math.Asin
	case "acos":
		return math.Acos
	case "atan":
		return math.Atan
	case "asinh":
		return math.Asinh
	case "acosh":
		return math.Acosh
	case "atanh":
		return math.Atanh
	case "erf":
		return math.Erf
	case "cbrt":
		return math.Cbrt
	case "round":
		return math.Round
	}
	return nil
}

func binaryMath(name string) func(x, y float64) float64 {
	switch name {
	case "pow":
		return math.Pow
	case "atan2":
		return math.Atan2
	case "hypot":
		return math.Hypot
	case "fmod":
		return math.Mod
	case "copysign":
		return math.Copysign
	case "nextafter":
		return math.Nextafter
	case "nextafterf":
		return func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }
	}
	return nil
}

// mathFunc is the host function that serves the import name.
func mathFunc(name string, sig abi.Signature) (api.GoModuleFunc, error) {
	single := sig.Results[0] == abi.F32
	base := name
	if single {
		base = name[:len(name)-1]
	}
	if f := unaryMath(base); f != nil {
		if single {
			return func(_ context.Context, _ api.Module, st []uint64) {
				st[0] = api.EncodeF32(float32(f(float64(api.DecodeF32(st[0])))))
			}, nil
		}
		return func(_ context.Context, _ api.Module, st []uint64) {
			st[0] = api.EncodeF64(f(api.DecodeF64(st[0])))
		}, nil
	}
	f := binaryMath(name)
	if f == nil {
		f = binaryMath(base)
	}
	switch {
	case base == "ldexp" && single:
		return func(_ context.Context, _ api.Module, st []uint64) {
			st[0] = api.EncodeF32(float32(math.Ldexp(float64(api.DecodeF32(st[0])), int(api.DecodeI32(st[1])))))
		}, nil
	case base == "ldexp":
		return func(_ context.Context, _ api.Module, st []uint64) {
			st[0] = api.EncodeF64(math.Ldexp(api.DecodeF64(st[0]), int(api.DecodeI32(st[1]))))
		}, nil
	case f != nil && single:
		return func(_ context.Context, _ api.Module, st []uint64) {
			st[0] = api.EncodeF32(float32(f(float64(api.DecodeF32(st[0])), float64(api.DecodeF32(st[1])))))
		}, nil
	case f != nil:
		return func(_ context.Context, _ api.Module, st []uint64) {
			st[0] = api.EncodeF64(f(api.DecodeF64(st[0]), api.DecodeF64(st[1])))
		}, nil
	}
	return nil, fmt.Errorf("no host function serves the import %s", name)
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
		f, err := mathFunc(name, sig)
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
