package runtime

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func newDevice(t testing.TB, opts DeviceOptions) *Device {
	t.Helper()
	e := NewEngine(&fakeLoader{})
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

func download(t testing.TB, x *Tensor) []float64 {
	t.Helper()
	h, err := x.Download()
	if err != nil {
		t.Fatal(err)
	}
	return h.Floats()
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
	if limit := full.Stats().Limit; limit == maxDeviceBytes && n != 7 {
		t.Errorf("%d storages of 512 MiB fit in 4 GiB", n)
	}
	if _, err := full.engine.NewDevice(DeviceOptions{MaxBytes: 1}); err == nil {
		t.Error("a device of one byte")
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
