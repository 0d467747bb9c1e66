package runtime

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
)

// fakes are the functions of the modules of these tests.
func fakes() map[string]GoFunc {
	return map[string]GoFunc{
		"one":   func(*Session, []Value) (Value, error) { return Int(1), nil },
		"raise": func(*Session, []Value) (Value, error) { return Int(1), &KernelError{Kind: "ValueError", Message: "no"} },
		"fail":  func(*Session, []Value) (Value, error) { return Int(1), errors.New("it failed") },
		"spin": func(s *Session, _ []Value) (Value, error) {
			for !s.Stopped() {
			}
			return Value{}, s.Err()
		},
		// cells reads its arguments back as a kernel in memory would, and returns the second.
		"cells": func(s *Session, args []Value) (Value, error) {
			if err := s.PutArgs(args); err != nil {
				return Value{}, err
			}
			mem := s.Device().Memory()
			copy(mem[abi.ResultAddr:], mem[abi.ArgsAddr+abi.CellSize:abi.ArgsAddr+2*abi.CellSize])
			return s.Result()
		},
		"handle": func(s *Session, _ []Value) (Value, error) {
			if err := s.PutArgs(nil); err != nil {
				return Value{}, err
			}
			s.Device().Memory()[abi.ResultAddr] = abi.TypeTensor
			return s.Result()
		},
	}
}

func fakeDevice(t *testing.T, l *fakeLoader) (*Engine, *Device) {
	t.Helper()
	e := NewEngine(l)
	d, err := e.NewDevice(DeviceOptions{MaxBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, d
}

// TestLoaderLifeCycle follows modules of a loader from their preparation to the end of the engine.
func TestLoaderLifeCycle(t *testing.T) {
	ctx := context.Background()
	l := &fakeLoader{funcs: fakes(), attached: &fakeAttachment{}}
	e, d := fakeDevice(t, l)
	if _, err := d.NewStorage(3 << 20); err != nil {
		t.Fatal(err)
	}
	a, err := d.Load(ctx, "fake", []byte("one raise"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Load(ctx, "fake", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.attached.grown; len(got) != 1 || got[0] < 3<<20 {
		t.Errorf("the attachment was told %v, want once what is in use", got)
	}
	if _, err := d.NewStorage(5 << 20); err != nil || len(l.attached.grown) < 2 {
		t.Errorf("%v: growth to %v", err, l.attached.grown)
	}
	for _, bad := range []struct{ format, code, want string }{
		{"fake", "", "an empty module"},
		{"fake", "none", "loading a kernel module: no function none"},
		{"wasm", "one", `no loader for kernel modules of format "wasm": there are loaders for fake`},
	} {
		if _, err := d.Load(ctx, bad.format, []byte(bad.code)); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if l.prepared.Load() != 2 || l.loaded.Load() != 2 {
		t.Errorf("%d prepared, %d loaded, want 2 and 2", l.prepared.Load(), l.loaded.Load())
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil || l.loaded.Load() != 1 || l.prepared.Load() != 1 {
		t.Errorf("after Close: %v, %d loaded, %d prepared", err, l.loaded.Load(), l.prepared.Load())
	}
	if _, err := b.Kernel("one").Run(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("a kernel of a closed module: %v", err)
	}
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Error(err)
	}
	if l.loaded.Load() != 0 || l.prepared.Load() != 0 || l.closed.Load() != 2 || l.attached.closed != 1 || l.end.Load() != 1 {
		t.Errorf("after the engine's Close: %d loaded, %d prepared, %d libraries, %d attachments and %d loaders closed",
			l.loaded.Load(), l.prepared.Load(), l.closed.Load(), l.attached.closed, l.end.Load())
	}
	if _, err := a.Kernel("one").Run(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("a kernel of a closed device: %v", err)
	}
	if _, err := e.NewDevice(DeviceOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a device of a closed engine: %v", err)
	}
	if _, err := d.Load(ctx, "fake", []byte("one")); !errors.Is(err, ErrClosed) || l.prepared.Load() != 0 {
		t.Errorf("a module on a closed device: %v, %d left", err, l.prepared.Load())
	}
}

func TestLoaderRefusals(t *testing.T) {
	ctx := context.Background()
	_, wide := fakeDevice(t, &fakeLoader{bits: 64, funcs: fakes()})
	if _, err := wide.Load(ctx, "fake", []byte("one")); err == nil || !strings.Contains(err.Error(), "pointers of 64 bits") {
		t.Errorf("wide pointers: %v", err)
	}
	l := &fakeLoader{funcs: fakes(), attached: &fakeAttachment{refuse: 4 << 20}}
	_, d := fakeDevice(t, l)
	if _, err := d.Load(ctx, "fake", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.NewStorage(8 << 20); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("an attachment that refuses memory: %v", err)
	}
	late := &fakeLoader{funcs: fakes(), attached: &fakeAttachment{refuse: 1 << 20}}
	_, d = fakeDevice(t, late)
	if _, err := d.NewStorage(8 << 20); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(ctx, "fake", []byte("one")); err == nil || late.attached.closed != 1 || late.prepared.Load() != 0 {
		t.Errorf("an attachment that comes too late: %v, closed %d times", err, late.attached.closed)
	}
	defer func() {
		if recover() == nil {
			t.Error("an engine with two loaders of one format")
		}
	}()
	NewEngine(l, late)
}

func TestKernelCall(t *testing.T) {
	ctx := context.Background()
	e, d := fakeDevice(t, &fakeLoader{funcs: fakes()})
	m, err := d.Load(ctx, "fake", []byte("one raise fail spin cells handle"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := e.NewDevice(DeviceOptions{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.NewTensor(dtype.Int8T, []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.NewTensor(dtype.Int8T, []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []Value{Int(-3), Bool(true), Float(2.5), Null()} {
		if got, err := m.Kernel("cells").Run(ctx, TensorValue(x), v); err != nil || got != v {
			t.Errorf("cells of %v: %v, %v", v, got, err)
		}
	}
	for _, c := range []struct {
		kernel string
		args   []Value
		want   string
	}{
		{"raise", nil, "kernel raise: ValueError: no"},
		{"fail", nil, "kernel fail: it failed"},
		{"one", []Value{String("x")}, "kernel one: argument 0 is a str, expected a tensor or a number"},
		{"one", []Value{Int(1), TensorValue(foreign)}, "kernel one: argument 1, int8[1], is on another device"},
		{"one", make([]Value, abi.MaxArgs+1), "kernel one: got 1025 arguments, expected at most 1024"},
		{"handle", nil, "kernel handle: result has type index 70, expected none or a number"},
	} {
		if v, err := m.Kernel(c.kernel).Run(ctx, c.args...); err == nil || err.Error() != c.want || !v.IsNull() {
			t.Errorf("%s: %v, %v, want %s", c.kernel, v, err, c.want)
		}
	}
	s, err := other.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	if _, err := m.Kernel("one").Call(s, nil); err == nil || !strings.Contains(err.Error(), "another device") {
		t.Errorf("a session on another device: %v", err)
	}
}

// TestCancelAndCloseOfAnyLoader cancels calls, and closes the engine under goroutines that load,
// call and unload.
func TestCancelAndCloseOfAnyLoader(t *testing.T) {
	l := &fakeLoader{funcs: fakes()}
	e, d := fakeDevice(t, l)
	m, err := d.Load(context.Background(), "fake", []byte("spin one"))
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the visitor left")
	ctx, cancel := context.WithCancelCause(context.Background())
	go cancel(cause)
	if _, err := m.Kernel("spin").Run(ctx); !errors.Is(err, ErrStopped) || !errors.Is(err, cause) {
		t.Errorf("spin: %v", err)
	}
	if _, err := m.Kernel("one").Run(context.Background()); err != nil {
		t.Errorf("after a canceled run: %v", err)
	}
	var wg sync.WaitGroup
	started := make(chan struct{}, 4)
	for range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				if i == 1 {
					started <- struct{}{}
				}
				m, err := d.Load(context.Background(), "fake", []byte("one"))
				if err == nil {
					_, err = m.Kernel("one").Run(context.Background())
					err = errors.Join(err, m.Close())
				}
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
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
	if l.loaded.Load() != 0 || l.prepared.Load() != 0 {
		t.Errorf("%d libraries and %d codes are left", l.loaded.Load(), l.prepared.Load())
	}
}
