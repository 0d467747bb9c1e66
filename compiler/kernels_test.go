package compiler_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// targets are those whose kernels the tests compare: the default one of each kind that this machine executes.
func targets(t *testing.T) []target.Target {
	var out []target.Target
	for _, k := range target.CodeKinds() {
		tg, err := compiler.ForMachine(target.Of(k.Name))
		if err != nil {
			t.Logf("without %s: %v", k.Name, err)
			continue
		}
		out = append(out, tg)
	}
	return out
}

// runKernel lowers f for tg by the loop pipeline without the disabled passes, generates code, runs it and returns the
// arguments as it left them.
func runKernel(t *testing.T, d *runtime.Device, tg target.Target, f *tir.PrimFunc, args []any, disabled ...string) []any {
	t.Helper()
	ctx := context.Background()
	c, err := pass.NewContext(ctx, pass.WithTarget(tg), pass.DisablePass(disabled...))
	if err != nil {
		t.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir", tg)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Run(lower, ir.NewModule().With("kernel", f))
	if err != nil {
		t.Fatal(err)
	}
	res := &compiler.Result{Module: m}
	if err := compiler.Codegen(ctx, tg, res, m); err != nil {
		t.Fatal(err)
	}
	kind := tg.Kind().Name
	for _, r := range res.Refused {
		t.Logf("%s: %s", kind, r.Reason)
		kind = r.By
	}
	if mods := res.Artifact.Modules; len(mods) != 1 || mods[0].Kind != kind || len(mods[0].Symbols) != 1 || mods[0].Symbols[0] != "kernel" {
		t.Fatalf("the modules for %s are %+v", tg, mods)
	}
	mod, err := d.Load(ctx, res.Artifact.Modules[0].Format, res.Artifact.Modules[0].Bytes)
	if err != nil {
		t.Fatal(err)
	}
	defer mod.Close()
	vals, devs, out := make([]runtime.Value, len(args)), make([]*runtime.Tensor, len(args)), make([]any, len(args))
	for i, a := range args {
		x := a.(*tensor.Tensor).Clone()
		if devs[i], err = d.Upload(x); err != nil {
			t.Fatal(err)
		}
		defer devs[i].Release()
		vals[i], out[i] = runtime.TensorValue(devs[i]), x
	}
	if _, err := mod.Kernel("kernel").Run(ctx, vals...); err != nil {
		t.Fatal(err)
	}
	for i := range devs {
		if err := devs[i].Read(out[i].(*tensor.Tensor).Data); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func newDevice(t *testing.T) *runtime.Device {
	t.Helper()
	e := compiler.NewEngine()
	t.Cleanup(func() { e.Close() })
	d, err := e.NewDevice(runtime.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestKernels compares generated code for every target with the interpreter's run of the unlowered kernel.
func TestKernels(t *testing.T) {
	d := newDevice(t)
	for name, k := range topitest.Kernels(t) {
		t.Run(name, func(t *testing.T) {
			f, args := topitest.Function(t, k)
			want, err := tirtest.Run(f, args, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tg := range targets(t) {
				if diff := topitest.Apart(runKernel(t, d, tg, f, args), want, 1e-5); diff != "" {
					t.Errorf("%s: %s", tg, diff)
				}
			}
		})
	}
}

// TestRandomKernels does so for random functions, bit for bit, with all passes and with a
// random part of the optional ones.
func TestRandomKernels(t *testing.T) {
	d := newDevice(t)
	lower, err := pipeline.Lookup("tir", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Function(r)
		want, err := tirtest.Run(f, args, nil)
		if err != nil {
			t.Fatal(err)
		}
		var off []string
		for _, p := range lower.Children {
			if !p.Lowering && r.IntN(3) == 0 {
				off = append(off, p.Name)
			}
		}
		for _, tg := range targets(t) {
			for _, without := range [][]string{nil, off} {
				if diff := tirtest.Differ(runKernel(t, d, tg, f, args, without...), want); diff != "" {
					t.Errorf("%s without %v: %s", tg, without, diff)
				}
			}
		}
	})
}
