package wasm

import (
	"context"
	"testing"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
)

func mustTensor(vals []float32) *tensor.Tensor {
	return tensor.MustOf([]int64{int64(len(vals))}, vals)
}

// BenchmarkKernelCall measures a packed call of an empty kernel with three tensors.
func BenchmarkKernelCall(b *testing.B) {
	d := newDevice(b, runtime.DeviceOptions{})
	k := load(b, d, kerneltest.Basic()).Kernel("nop")
	x := runtime.TensorValue(upload(b, d, 1))
	args := []runtime.Value{x, x, x}
	s, err := d.Begin(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer s.End()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Call(s, args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpload measures copies of 4 MiB to the device.
func BenchmarkUpload(b *testing.B) {
	d := newDevice(b, runtime.DeviceOptions{})
	h := tensor.MustNew(dtype.Float32T, 1<<20)
	b.SetBytes(int64(len(h.Data)))
	b.ReportAllocs()
	for b.Loop() {
		t, err := d.Upload(h)
		if err != nil {
			b.Fatal(err)
		}
		t.Release()
	}
}

// BenchmarkSession measures taking and leaving a turn with a context that can be canceled.
func BenchmarkSession(b *testing.B) {
	d := newDevice(b, runtime.DeviceOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		s, err := d.Begin(ctx)
		if err != nil {
			b.Fatal(err)
		}
		s.End()
	}
}

// BenchmarkNewDevice measures a device from birth to death, a loaded module included.
func BenchmarkNewDevice(b *testing.B) {
	e := runtime.NewEngine(NewLoader(Options{}))
	defer e.Close()
	wasm := kerneltest.Basic()
	b.ReportAllocs()
	for b.Loop() {
		d, err := e.NewDevice(runtime.DeviceOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.Load(context.Background(), Format, wasm); err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
