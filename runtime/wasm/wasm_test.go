package wasm

import (
	"context"
	"errors"
	"math"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
)

func newDevice(t testing.TB, opts runtime.DeviceOptions) *runtime.Device {
	t.Helper()
	d, _ := newDeviceOf(t, opts)
	return d
}

// newDeviceOf returns a device and the loader of its engine.
func newDeviceOf(t testing.TB, opts runtime.DeviceOptions) (*runtime.Device, *Loader) {
	t.Helper()
	l := NewLoader(Options{})
	e := runtime.NewEngine(l)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	d, err := e.NewDevice(opts)
	if err != nil {
		t.Fatal(err)
	}
	return d, l
}

func load(t testing.TB, d *runtime.Device, wasm []byte) *runtime.Module {
	t.Helper()
	m, err := d.Load(context.Background(), Format, wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func upload(t testing.TB, d *runtime.Device, vals ...float32) *runtime.Tensor {
	t.Helper()
	x, err := d.Upload(tensor.MustOf([]int64{int64(len(vals))}, vals))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func download(t testing.TB, x *runtime.Tensor) []float64 {
	t.Helper()
	h, err := x.Download()
	if err != nil {
		t.Fatal(err)
	}
	return h.Floats()
}

func TestKernelAddsTensors(t *testing.T) {
	d := newDevice(t, runtime.DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	a, b, out := upload(t, d, 1, 2, 3), upload(t, d, 10, 20, 30), upload(t, d, 0, 0, 0)
	res, err := m.Kernel("add").Run(context.Background(), runtime.TensorValue(a), runtime.TensorValue(b), runtime.TensorValue(out))
	if err != nil || !res.IsNull() {
		t.Fatal(res, err)
	}
	if got := download(t, out); !slices.Equal(got, []float64{11, 22, 33}) {
		t.Errorf("got %v", got)
	}
	if got := m.Names(); !slices.IsSorted(got) || len(got) != 9 {
		t.Errorf("Names() = %v", got)
	}
	if m.Kernel("none") != nil {
		t.Error("a kernel called none")
	}
}

func TestKernelResult(t *testing.T) {
	d := newDevice(t, runtime.DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	res, err := m.Kernel("next").Run(context.Background(), runtime.Int(math.MaxInt32))
	if n, ok := res.AsInt(); err != nil || !ok || n != 1<<31 {
		t.Errorf("next = %v, %v", res, err)
	}
}

func TestKernelErrors(t *testing.T) {
	ctx := context.Background()
	d := newDevice(t, runtime.DeviceOptions{MaxBytes: 16 << 20})
	m, svc := load(t, d, kerneltest.Basic()), load(t, d, kerneltest.Services())
	var ke *runtime.KernelError
	_, err := svc.Kernel("raise").Run(ctx)
	if !errors.As(err, &ke) || ke.Kind != "TypeError" || ke.Message != "bad argument" || ke.Kernel != "raise" {
		t.Errorf("raise: %v", err)
	}
	if _, err := m.Kernel("trap").Run(ctx); err == nil || !strings.Contains(err.Error(), "kernel trap: wasm error: unreachable") {
		t.Errorf("trap: %v", err)
	}
	if _, err := m.Kernel("wild").Run(ctx); err == nil || !strings.Contains(err.Error(), "out of bounds memory access") {
		t.Errorf("wild: %v", err)
	}
	if _, err := m.Kernel("nop").Run(ctx, runtime.String("x")); err == nil || !strings.Contains(err.Error(), "argument 0 is a str") {
		t.Errorf("string argument: %v", err)
	}
	if _, err := m.Kernel("nop").Run(ctx, make([]runtime.Value, abi.MaxArgs+1)...); err == nil {
		t.Error("too many arguments")
	}
	if _, err := m.Kernel("nop").Run(ctx, make([]runtime.Value, abi.MaxArgs)...); err != nil {
		t.Error(err)
	}
	other := newDevice(t, runtime.DeviceOptions{MaxBytes: 1 << 20})
	if _, err := m.Kernel("nop").Run(ctx, runtime.TensorValue(upload(t, other, 1))); err == nil || !strings.Contains(err.Error(), "another device") {
		t.Errorf("foreign tensor: %v", err)
	}
	// A kernel that trapped can be called again.
	if _, err := m.Kernel("nop").Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestWorkspaces(t *testing.T) {
	ctx := context.Background()
	d := newDevice(t, runtime.DeviceOptions{MaxBytes: 16 << 20})
	m := load(t, d, kerneltest.Services())
	before := d.Stats().Used
	for _, free := range []int64{1, 0} {
		if _, err := m.Kernel("work").Run(ctx, runtime.Int(1<<20), runtime.Int(free)); err != nil {
			t.Fatal(err)
		}
		if s := d.Stats(); s.Used != before || s.Peak < before+1<<20 {
			t.Errorf("free=%d: %d bytes in use after, %d before, peak %d", free, s.Used, before, s.Peak)
		}
	}
	_, err := m.Kernel("work").Run(ctx, runtime.Int(1<<40), runtime.Int(1))
	if !errors.Is(err, runtime.ErrDeviceMemory) || !strings.Contains(err.Error(), "no workspace of 1099511627776 bytes") {
		t.Errorf("huge workspace: %v", err)
	}
	out := upload(t, d, 0)
	if _, err := m.Kernel("exp1").Run(ctx, runtime.TensorValue(out)); err != nil {
		t.Fatal(err)
	}
	if got := download(t, out)[0]; math.Abs(got-math.E) > 1e-6 {
		t.Errorf("expf(1) = %v", got)
	}
}

func TestCancelStopsKernel(t *testing.T) {
	d := newDevice(t, runtime.DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	cause := errors.New("the visitor left")
	for i := range 20 {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Millisecond, func() { cancel(cause) })
		kernel := []string{"spin", "vandal"}[i%2] // one overwrites all that a store can reach
		if _, err := m.Kernel(kernel).Run(ctx); !errors.Is(err, runtime.ErrStopped) || !errors.Is(err, cause) {
			t.Fatalf("%s: %v", kernel, err)
		}
		// The flag is down again for the next session.
		if _, err := m.Kernel("nop").Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKernelsCannotPretend calls kernels that return codes and name messages as they like.
func TestKernelsCannotPretend(t *testing.T) {
	ctx := context.Background()
	d := newDevice(t, runtime.DeviceOptions{MaxBytes: 64 << 20})
	svc := load(t, d, kerneltest.Services())
	for _, code := range []int64{abi.ErrRaised, abi.ErrStopped, 1, math.MinInt32} {
		if _, err := svc.Kernel("code").Run(ctx, runtime.Int(code)); err == nil || errors.Is(err, runtime.ErrStopped) || !strings.Contains(err.Error(), "without a message") {
			t.Errorf("code %d: %v", code, err)
		}
	}
	for id, want := range map[int64]string{
		0: "kernel raiseid: ValueError: too large", 1: "kernel raiseid: IndexError: out (-7 < 4)",
		2: "kernel raiseid: RuntimeError: error 2, which its module does not list", -1: "kernel raiseid: RuntimeError: error 4294967295, which its module does not list",
	} {
		if _, err := svc.Kernel("raiseid").Run(ctx, runtime.Int(id), runtime.Int(-7)); err == nil || err.Error() != want {
			t.Errorf("message %d: %v, want %s", id, err, want)
		}
	}
	if _, err := svc.Kernel("hoard").Run(ctx); !errors.Is(err, runtime.ErrDeviceMemory) || !strings.Contains(err.Error(), "more than 65536 workspaces") {
		t.Errorf("hoard: %v", err)
	}
}

// TestMemoryDoesNotMove grows the memory after a module was closed, which makes wazero
// forget the allocator.
func TestMemoryDoesNotMove(t *testing.T) {
	d, d1 := newDeviceOf(t, runtime.DeviceOptions{})
	m1, m2 := load(t, d, kerneltest.Basic()), load(t, d, kerneltest.Services())
	if err := m2.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m2.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	base := &d.Memory()[0]
	big, err := d.NewTensor(dtype.Float32T, []int64{64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	on, err := d1.device(s)
	s.End()
	if err != nil {
		t.Fatal(err)
	}
	view, ok := on.wmem.Read(0, uint32(on.wmem.Size()))
	if !ok || &view[0] != base {
		t.Fatal("the memory moved")
	}
	a, b, out := upload(t, d, 1), upload(t, d, 2), upload(t, d, 0)
	if _, err := m1.Kernel("add").Run(context.Background(), runtime.TensorValue(a), runtime.TensorValue(b), runtime.TensorValue(out)); err != nil {
		t.Fatal(err)
	}
	if got := download(t, out); got[0] != 3 {
		t.Errorf("1 + 2 = %v", got)
	}
	big.Release()
	d.Trim()
	if _, err := m2.Kernel("raise").Run(context.Background()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("kernel of a closed module: %v", err)
	}
}

func TestCloseRefusesUse(t *testing.T) {
	d := newDevice(t, runtime.DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	x := upload(t, d, 1)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Download(); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("Download: %v", err)
	}
	if _, err := d.NewTensor(dtype.Int8T, []int64{1}); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("NewTensor: %v", err)
	}
	if _, err := m.Kernel("nop").Run(context.Background()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("Run: %v", err)
	}
	x.Release()
	d.Trim()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	d, l := newDeviceOf(t, runtime.DeviceOptions{})
	header := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	bad := map[string][]byte{
		"empty":       nil,
		"text":        []byte("(module)"),
		"truncated":   kerneltest.Basic()[:100],
		"long":        append(append([]byte{}, header...), 11, 0xff, 0xff, 0xff, 0xff, 0x0f),
		"memory":      memoryModule(1, 2),
		"fixed data":  append(append([]byte{}, header...), 11, 7, 1, 0, 0x41, 0, 0x0b, 1, 'x'),
		"other types": kerneltest.Assemble(nil, nil, kerneltest.Kernel{Name: "f", Body: kerneltest.Nop.Body[:0]}),
	}
	used := d.Stats().Used
	for name, wasm := range bad {
		if _, err := d.Load(context.Background(), Format, wasm); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
	if got := d.Stats().Used; got != used {
		t.Errorf("failed loads leak %d bytes", got-used)
	}
	if _, err := d.Load(context.Background(), "elf", nil); err == nil || !strings.Contains(err.Error(), `no loader for kernel modules of format "elf"`) {
		t.Errorf("another format: %v", err)
	}
	if all, _ := l.CachedModules(); all > 2 {
		t.Errorf("%d modules are cached", all)
	}
}

// TestCancelDuringGarbageCollection cancels a spinning kernel while collections are about
// to start, which halt the goroutine that cancels until the kernel comes by in Go.
func TestCancelDuringGarbageCollection(t *testing.T) {
	d := newDevice(t, runtime.DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
				goruntime.GC()
			}
		}
	})
	for range 30 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		if _, err := m.Kernel("spin").Run(ctx); !errors.Is(err, runtime.ErrStopped) {
			t.Error(err)
		}
		cancel()
	}
	close(quit)
	wg.Wait()
}
