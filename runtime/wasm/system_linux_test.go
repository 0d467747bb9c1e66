package wasm

import (
	"context"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
)

// resident is the physical memory of this process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc/self/statm: ", err)
	}
	n, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return n * os.Getpagesize()
}

// TestMemoryReturnsToSystem touches 64 MiB of device memory and watches the process give
// them back, by Trim and by Close.
func TestMemoryReturnsToSystem(t *testing.T) {
	const size = 64 << 20
	one := []byte{1, 0, 0, 0}
	for name, back := range map[string]func(*runtime.Device, *runtime.Tensor) error{
		"Trim":  func(d *runtime.Device, x *runtime.Tensor) error { x.Release(); d.Trim(); return nil },
		"Close": func(d *runtime.Device, _ *runtime.Tensor) error { return d.Close() },
	} {
		d := newDevice(t, runtime.DeviceOptions{})
		before := resident(t)
		x, err := d.UploadSplat(dtype.Int32T, []int64{size / 4}, one)
		if err != nil {
			t.Fatal(err)
		}
		full := resident(t)
		if full-before < size*9/10 {
			t.Fatalf("%s: touching %d bytes took %d", name, size, full-before)
		}
		if err := back(d, x); err != nil {
			t.Fatal(err)
		}
		if after := resident(t); full-after < size*9/10 {
			t.Errorf("%s: %d of %d bytes came back", name, full-after, size)
		}
	}
}

// TestCancelLeavesNoGoroutines cancels many runs and counts goroutines.
func TestCancelLeavesNoGoroutines(t *testing.T) {
	d := newDevice(t, runtime.DeviceOptions{})
	m := load(t, d, kerneltest.Basic())
	before := goruntime.NumGoroutine()
	for range 50 {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Microsecond)
		if _, err := m.Kernel("spin").Run(ctx); err == nil {
			t.Error("spin returned without an error")
		}
		cancel()
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); goruntime.Gosched() {
		if goruntime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
}
