package runtime

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

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
)

func newDevice(t testing.TB, opts DeviceOptions) *Device {
	t.Helper()
	e := NewEngine(EngineOptions{})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	d, err := e.NewDevice(opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func load(t testing.TB, d *Device, wasm []byte) *Module {
	t.Helper()
	m, err := d.Load(context.Background(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func upload(t testing.TB, d *Device, vals ...float32) *Tensor {
	t.Helper()
	x, err := d.Upload(tensor.MustOf([]int64{int64(len(vals))}, vals))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func download(t testing.TB, x *Tensor) []float64 {
	t.Helper()
	h, err := x.Download()
	if err != nil {
		t.Fatal(err)
	}
	return h.Floats()
}

func TestKernelAddsTensors(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	a, b, out := upload(t, d, 1, 2, 3), upload(t, d, 10, 20, 30), upload(t, d, 0, 0, 0)
	res, err := m.Kernel("add").Run(context.Background(), TensorValue(a), TensorValue(b), TensorValue(out))
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
	d := newDevice(t, DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	res, err := m.Kernel("next").Run(context.Background(), Int(math.MaxInt32))
	if n, ok := res.AsInt(); err != nil || !ok || n != 1<<31 {
		t.Errorf("next = %v, %v", res, err)
	}
}

func TestKernelErrors(t *testing.T) {
	ctx := context.Background()
	d := newDevice(t, DeviceOptions{MaxBytes: 16 << 20})
	m, svc := load(t, d, kerneltest.Basic()), load(t, d, kerneltest.Services())
	var ke *KernelError
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
	if _, err := m.Kernel("nop").Run(ctx, String("x")); err == nil || !strings.Contains(err.Error(), "argument 0 is a str") {
		t.Errorf("string argument: %v", err)
	}
	if _, err := m.Kernel("nop").Run(ctx, make([]Value, abi.MaxArgs+1)...); err == nil {
		t.Error("too many arguments")
	}
	if _, err := m.Kernel("nop").Run(ctx, make([]Value, abi.MaxArgs)...); err != nil {
		t.Error(err)
	}
	other := newDevice(t, DeviceOptions{MaxBytes: 1 << 20})
	if _, err := m.Kernel("nop").Run(ctx, TensorValue(upload(t, other, 1))); err == nil || !strings.Contains(err.Error(), "another device") {
		t.Errorf("foreign tensor: %v", err)
	}
	// A kernel that trapped can be called again.
	if _, err := m.Kernel("nop").Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestWorkspaces(t *testing.T) {
	ctx := context.Background()
	d := newDevice(t, DeviceOptions{MaxBytes: 16 << 20})
	m := load(t, d, kerneltest.Services())
	before := d.Stats().Used
	for _, free := range []int64{1, 0} {
		if _, err := m.Kernel("work").Run(ctx, Int(1<<20), Int(free)); err != nil {
			t.Fatal(err)
		}
		if s := d.Stats(); s.Used != before || s.Peak < before+1<<20 {
			t.Errorf("free=%d: %d bytes in use after, %d before, peak %d", free, s.Used, before, s.Peak)
		}
	}
	_, err := m.Kernel("work").Run(ctx, Int(1<<40), Int(1))
	if !errors.Is(err, ErrDeviceMemory) || !strings.Contains(err.Error(), "no workspace of 1099511627776 bytes") {
		t.Errorf("huge workspace: %v", err)
	}
	out := upload(t, d, 0)
	if _, err := m.Kernel("exp1").Run(ctx, TensorValue(out)); err != nil {
		t.Fatal(err)
	}
	if got := download(t, out)[0]; math.Abs(got-math.E) > 1e-6 {
		t.Errorf("expf(1) = %v", got)
	}
}

func TestCancelStopsKernel(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	cause := errors.New("the visitor left")
	for i := range 20 {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Millisecond, func() { cancel(cause) })
		kernel := []string{"spin", "vandal"}[i%2] // one overwrites all that a store can reach
		if _, err := m.Kernel(kernel).Run(ctx); !errors.Is(err, ErrStopped) || !errors.Is(err, cause) {
			t.Fatalf("%s: %v", kernel, err)
		}
		// The flag is down again for the next session.
		if _, err := m.Kernel("nop").Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if d.stop.Load() {
			t.Fatal("the stop flag is still set")
		}
	}
}

// TestKernelsCannotPretend calls kernels that return codes and name messages as they like.
func TestKernelsCannotPretend(t *testing.T) {
	ctx := context.Background()
	d := newDevice(t, DeviceOptions{MaxBytes: 64 << 20})
	svc := load(t, d, kerneltest.Services())
	for _, code := range []int64{abi.ErrRaised, abi.ErrStopped, 1, math.MinInt32} {
		if _, err := svc.Kernel("code").Run(ctx, Int(code)); err == nil || errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "no message") {
			t.Errorf("code %d: %v", code, err)
		}
	}
	for id, want := range map[int64]string{
		0: "kernel raiseid: ValueError: too large", 1: "kernel raiseid: IndexError: out (-7 < 4)",
		2: "kernel raiseid: RuntimeError: error 2, which its module does not list", -1: "kernel raiseid: RuntimeError: error 4294967295, which its module does not list",
	} {
		if _, err := svc.Kernel("raiseid").Run(ctx, Int(id), Int(-7)); err == nil || err.Error() != want {
			t.Errorf("message %d: %v, want %s", id, err, want)
		}
	}
	if _, err := svc.Kernel("hoard").Run(ctx); !errors.Is(err, ErrDeviceMemory) || !strings.Contains(err.Error(), "more than 65536 workspaces") {
		t.Errorf("hoard: %v", err)
	}
}

func TestSessionsTakeTurns(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	s, err := d.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := d.Begin(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second Begin: %v", err)
	}
	s.End()
	s.End()
	s, err = d.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s.End()
	if _, err := d.Begin(ctx); !errors.Is(err, ErrStopped) {
		t.Errorf("Begin with a done context: %v", err)
	}
}

func TestDeviceMemoryLimit(t *testing.T) {
	d := newDevice(t, DeviceOptions{MaxBytes: 2 << 20})
	if _, err := d.NewTensor(dtype.Float32T, []int64{1 << 20}); !errors.Is(err, ErrDeviceMemory) {
		t.Errorf("4 MiB on 2: %v", err)
	}
	if _, err := d.NewTensor(dtype.Float32T, []int64{1 << 40}); !errors.Is(err, tensor.ErrTooLarge) {
		t.Errorf("4 TiB: %v", err)
	}
	full := newDevice(t, DeviceOptions{})
	var n int
	for ; ; n++ {
		if _, err := full.NewStorage(512 << 20); err != nil {
			if !errors.Is(err, ErrDeviceMemory) {
				t.Error(err)
			}
			break
		}
	}
	if limit := full.Stats().Limit; limit == MaxDeviceBytes && n != 7 {
		t.Errorf("%d storages of 512 MiB fit in 4 GiB", n)
	}
	if _, err := full.engine.NewDevice(DeviceOptions{MaxBytes: 1}); err == nil {
		t.Error("a device of one byte")
	}
}

// TestMemoryDoesNotMove grows the memory after a module was closed, which makes wazero
// forget the allocator.
func TestMemoryDoesNotMove(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	m1, m2 := load(t, d, kerneltest.Basic()), load(t, d, kerneltest.Services())
	if err := m2.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m2.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	base := &d.mem[0]
	big, err := d.NewTensor(dtype.Float32T, []int64{64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	view, ok := d.wmem.Read(0, uint32(d.wmem.Size()))
	if !ok || &view[0] != base {
		t.Fatal("the memory moved")
	}
	a, b, out := upload(t, d, 1), upload(t, d, 2), upload(t, d, 0)
	if _, err := m1.Kernel("add").Run(context.Background(), TensorValue(a), TensorValue(b), TensorValue(out)); err != nil {
		t.Fatal(err)
	}
	if got := download(t, out); got[0] != 3 {
		t.Errorf("1 + 2 = %v", got)
	}
	big.Release()
	d.Trim()
	if _, err := m2.Kernel("raise").Run(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("kernel of a closed module: %v", err)
	}
}

func TestReferencesFreeMemory(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	s, err := d.NewStorage(1024)
	if err != nil {
		t.Fatal(err)
	}
	used := d.Stats().Used
	x, err := s.NewTensor(512, []int64{4, 32}, dtype.Float32T)
	if err != nil {
		t.Fatal(err)
	}
	base := d.Stats().Used // with the page of descriptors
	s.Release()
	v, err := x.View([]int64{128}, dtype.Float32T)
	if err != nil {
		t.Fatal(err)
	}
	tup := TupleValue(TensorValue(x), Int(1))
	x.Release()
	if d.Stats().Used != base {
		t.Error("memory was freed while a view and a tuple use it")
	}
	v.Release()
	tup.Release()
	if got := d.Stats().Used; got != base-1024 || used < 1024 {
		t.Errorf("%d bytes in use, want %d", got, base-1024)
	}
	for _, c := range []struct {
		offset int64
		shape  []int64
	}{{-1, []int64{1}}, {1024, []int64{1}}, {math.MaxInt64, []int64{1}}, {0, []int64{257}}} {
		s, _ := d.NewStorage(1024)
		if _, err := s.NewTensor(c.offset, c.shape, dtype.Float32T); err == nil {
			t.Errorf("a tensor %v at %d fits 1024 bytes", c.shape, c.offset)
		}
		s.Release()
	}
	wide := make([]int64, 40)
	for i := range wide {
		wide[i] = 1
	}
	w, err := d.NewTensor(dtype.Int8T, wide)
	if err != nil {
		t.Fatal(err)
	}
	w.Release()
	if got := d.Stats().Used; got != base-1024 {
		t.Errorf("40 dimensions leave %d bytes", got-(base-1024))
	}
}

func TestUploadSplat(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	one := tensor.MustOf(nil, []float32{0.02})
	x, err := d.UploadSplat(dtype.Float32T, []int64{3, 5}, one.Data)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range download(t, x) {
		if v != one.Float(0) {
			t.Fatalf("element %d is %v", i, v)
		}
	}
	if _, err := d.UploadSplat(dtype.Float32T, []int64{3}, []byte{1}); err == nil {
		t.Error("one byte as a float32")
	}
}

func TestCloseRefusesUse(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	x := upload(t, d, 1)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Download(); !errors.Is(err, ErrClosed) {
		t.Errorf("Download: %v", err)
	}
	if _, err := d.NewTensor(dtype.Int8T, []int64{1}); !errors.Is(err, ErrClosed) {
		t.Errorf("NewTensor: %v", err)
	}
	if _, err := m.Kernel("nop").Run(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("Run: %v", err)
	}
	x.Release()
	d.Trim()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestLoadRefuses(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
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
		if _, err := d.Load(context.Background(), wasm); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
	if got := d.Stats().Used; got != used {
		t.Errorf("failed loads leak %d bytes", got-used)
	}
	if all, _ := d.engine.CachedModules(); all > 2 {
		t.Errorf("%d modules are cached", all)
	}
}

// TestCancelDuringGarbageCollection cancels a spinning kernel while collections are about
// to start, which halt the goroutine that cancels until the kernel comes by in Go.
func TestCancelDuringGarbageCollection(t *testing.T) {
	d := newDevice(t, DeviceOptions{})
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
		if _, err := m.Kernel("spin").Run(ctx); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
		cancel()
	}
	close(quit)
	wg.Wait()
}
