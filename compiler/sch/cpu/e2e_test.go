package cpu_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/sch/cpu"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	loader "github.com/irscope/irscope/runtime/wasm"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/wasm"
)

// compiled is a kernel on a device.
type compiled struct {
	kernel                         *runtime.Kernel
	dev                            *runtime.Device
	schedule, lower, codegen, load time.Duration
	lib                            *codegen.Library
}

func compile(t testing.TB, f *tir.PrimFunc) *compiled {
	t.Helper()
	tgt, err := target.Parse("wasm")
	if err != nil {
		t.Fatal(err)
	}
	out := &compiled{}
	start := time.Now()
	lap := func(d *time.Duration) { *d = time.Since(start); start = time.Now() }
	g, err := cpu.MachineOf(target.Default()).Schedule(f, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	lap(&out.schedule)
	c, err := pass.NewContext(context.Background(), pass.WithTarget(tgt))
	if err != nil {
		t.Fatal(err)
	}
	lower, err := pipeline.Lookup("tir", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	m := ir.NewModule().With("kernel", g)
	if os.Getenv("TRACE") != "" {
		for _, p := range lower.Children {
			if m, err = c.Run(p, m); err != nil {
				t.Fatal(err)
			}
			fmt.Println("=====", p.Name)
			fmt.Println(script.Module(m, script.Options{}).Source)
		}
	} else if m, err = c.Run(lower, m); err != nil {
		t.Fatal(err)
	}
	lap(&out.lower)
	out.lib, err = wasm.Build(context.Background(), m, tgt)
	if err != nil {
		t.Fatalf("%v\n%s", err, script.Module(m, script.Options{}).Source)
	}
	lap(&out.codegen)
	e := runtime.NewEngine(loader.NewLoader(loader.Options{}))
	t.Cleanup(func() { e.Close() })
	if out.dev, err = e.NewDevice(runtime.DeviceOptions{}); err != nil {
		t.Fatal(err)
	}
	mod, err := out.dev.Load(context.Background(), out.lib.Format, out.lib.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	lap(&out.load)
	out.kernel = mod.Kernel("kernel")
	return out
}

func (c *compiled) upload(t testing.TB, args []any) ([]runtime.Value, []*runtime.Tensor) {
	var vals []runtime.Value
	var devs []*runtime.Tensor
	for _, a := range args {
		x, err := c.dev.Upload(a.(*tensor.Tensor))
		if err != nil {
			t.Fatal(err)
		}
		vals, devs = append(vals, runtime.TensorValue(x)), append(devs, x)
	}
	return vals, devs
}

// TestScheduledKernelsOnWasm compares compiled kernels with the interpreter's run of the
// unscheduled functions.
func TestScheduledKernelsOnWasm(t *testing.T) {
	for name, k := range kernels() {
		t.Run(name, func(t *testing.T) {
			f := create(t, k)
			want := run(t, f, k.arguments(t))
			compare(t, want, compile(t, f).run(t, k.arguments(t)))
		})
	}
}

// run runs the kernel and returns its last argument.
func (c *compiled) run(t testing.TB, args []any) *tensor.Tensor {
	t.Helper()
	vals, devs := c.upload(t, args)
	if _, err := c.kernel.Run(context.Background(), vals...); err != nil {
		t.Fatal(err)
	}
	got := args[len(args)-1].(*tensor.Tensor)
	if err := devs[len(devs)-1].Read(got.Data); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestMachines schedules kernels for machines with wider and narrower vectors and compares the interpreter's runs.
func TestMachines(t *testing.T) {
	for _, m := range []cpu.Machine{
		{Lanes: 8, Registers: 32},
		{Lanes: 2, Registers: 8},
		{Lanes: 16, Registers: 32, L1: 1 << 10, L2: 4 << 10, Spreads: true, Embeds: true},
		{Lanes: 8, Registers: 16, L1: 512, L2: 1 << 10, Spreads: true},
	} {
		for name, k := range kernels() {
			f := create(t, k)
			g, err := m.Schedule(f, nil, nil)
			if err != nil {
				t.Errorf("%s for %+v: %v", name, m, err)
				continue
			}
			compare(t, run(t, f, k.arguments(t)), run(t, g, k.arguments(t)))
		}
	}
}
