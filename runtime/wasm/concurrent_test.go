package wasm

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
)

// TestManyDevices runs one engine with several devices and several goroutines for each,
// which load, upload, call and unload at the same time.
func TestManyDevices(t *testing.T) {
	l := NewLoader(Options{})
	e := runtime.NewEngine(l)
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	var wg sync.WaitGroup
	for range 3 {
		d, err := e.NewDevice(runtime.DeviceOptions{MaxBytes: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for g := range 4 {
			wg.Go(func() {
				for i := range 10 {
					if err := addOnce(d, float32(g*100+i)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if all, idle := l.CachedModules(); all == 0 || idle > all {
		t.Errorf("%d modules cached, %d idle", all, idle)
	}
}

func addOnce(d *runtime.Device, v float32) error {
	ctx := context.Background()
	m, err := d.Load(ctx, Format, kerneltest.Basic())
	if err != nil {
		return err
	}
	defer m.Close()
	vals := make([]float32, 4096)
	for i := range vals {
		vals[i] = v
	}
	var ts [3]*runtime.Tensor
	for i := range ts {
		if ts[i], err = d.Upload(mustTensor(vals)); err != nil {
			return err
		}
		defer ts[i].Release()
	}
	if _, err := m.Kernel("add").Run(ctx, runtime.TensorValue(ts[0]), runtime.TensorValue(ts[1]), runtime.TensorValue(ts[2])); err != nil {
		return err
	}
	h, err := ts[2].Download()
	if err != nil {
		return err
	}
	if got := h.Float(4095); got != float64(2*v) {
		return fmt.Errorf("%v + %v = %v", v, v, got)
	}
	return nil
}

// TestCloseWhileWorking closes a device under goroutines that use it: they get errors,
// never a fault.
func TestCloseWhileWorking(t *testing.T) {
	for range 5 {
		e := runtime.NewEngine(NewLoader(Options{}))
		d, err := e.NewDevice(runtime.DeviceOptions{MaxBytes: 32 << 20})
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan struct{}, 4)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := 0; ; i++ {
					if err := addOnce(d, 1); err != nil {
						if i == 0 {
							started <- struct{}{}
						}
						return
					}
					if i == 0 {
						started <- struct{}{}
					}
				}
			})
		}
		for range 4 {
			<-started
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}
