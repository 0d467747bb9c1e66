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
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/compiler/topi/topitest"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/wasm"
)

// runKernel lowers f by the loop pipeline without the disabled passes, generates code, runs it and returns the arguments
// as it left them.
func runKernel(t *testing.T, d *runtime.Device, f *tir.PrimFunc, args []any, disabled ...string) []any {
	t.Helper()
	ctx := context.Background()
	tg := target.Default()
	c, err := pass.NewContext(ctx, pass.WithTarget(tg), pass.DisablePass(disabled...))
	if err != nil {
		t.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir")
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Run(lower, ir.NewModule().With("kernel", f))
	if err != nil {
		t.Fatal(err)
	}
	if err := tirpass.CheckLowered("kernel", m.Lookup("kernel").(*tir.PrimFunc)); err != nil {
		t.Fatal(err)
	}
	lib, err := wasm.Build(ctx, m, tg)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := d.Load(ctx, lib.Format, lib.Bytes)
	if err != nil {
		t.Fatal(err)
	}
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

// TestKernels compares generated code with the interpreter's run of the unlowered kernel.
func TestKernels(t *testing.T) {
	d := newDevice(t)
	for name, k := range topitest.Kernels(t) {
		t.Run(name, func(t *testing.T) {
			f, args := topitest.Function(t, k)
			want, err := tirtest.Run(f, args, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := topitest.Apart(runKernel(t, d, f, args), want, 1e-5); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRandomKernels does so for random functions, bit for bit, with all passes and with a
// random part of the optional ones.
func TestRandomKernels(t *testing.T) {
	d := newDevice(t)
	lower, err := pipeline.Lookup("tir")
	if err != nil {
		t.Fatal(err)
	}
	seed.Each(t, 150, func(t *testing.T, r *rand.Rand) {
		f, args := tirtest.Function(r)
		want, err := tirtest.Run(f, args, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := tirtest.Differ(runKernel(t, d, f, args), want); diff != "" {
			t.Error(diff)
		}
		var off []string
		for _, p := range lower.Children {
			if !p.Lowering && r.IntN(3) == 0 {
				off = append(off, p.Name)
			}
		}
		if diff := tirtest.Differ(runKernel(t, d, f, args, off...), want); diff != "" {
			t.Errorf("without %v: %s", off, diff)
		}
	})
}
