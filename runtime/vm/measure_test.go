package vm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// pause is a packed function that takes at least d.
func pause(name string, d time.Duration) runtime.Func {
	return runtime.NewFunc(name, func(*runtime.Session, []runtime.Value) (runtime.Value, error) {
		for start := time.Now(); time.Since(start) < d; {
		}
		return runtime.Null(), nil
	})
}

func measure(t *testing.T, m *Machine, name string, opts MeasureOptions, in ...*tensor.Tensor) *Measurement {
	t.Helper()
	got, err := m.Measure(context.Background(), name, in, opts)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestMeasureAddsUp: sites, copies and machine are the whole of every run, and nothing is counted twice where calls
// nest.
func TestMeasureAddsUp(t *testing.T) {
	const slow, fast = 3 * time.Millisecond, time.Millisecond
	m := machine(t, Options{Funcs: []runtime.Func{pause("slow", slow), pause("fast", fast)}}, func(b *Builder) {
		b.EmitFunction("inner", 1, nil)
		b.EmitCall("fast", nil, VoidReg)
		b.EmitRet(Register(0))
		b.EndFunction("inner")
		b.EmitFunction("between", 1, nil)
		b.EmitCall("inner", []Arg{Register(0)}, 1)
		b.EmitRet(Register(1))
		b.EndFunction("between")
		b.EmitFunction("main", 1, nil)
		b.EmitCall("slow", nil, VoidReg)
		b.EmitCall("inner", []Arg{Register(0)}, 1)
		b.EmitCall("inner", []Arg{Register(0)}, 2)
		b.EmitCall("vm.builtin.make_closure", []Arg{b.Function("between")}, 3)
		b.EmitCall("vm.builtin.invoke_closure", []Arg{VM(), Register(3), Register(0)}, 4)
		b.EmitRet(Register(4))
		b.EndFunction("main")
	})
	got := measure(t, m, "main", MeasureOptions{Repeat: 4}, vec(1, 2, 3))
	var names []string
	for i, s := range got.Sites {
		names = append(names, s.In+"/"+s.Callee)
		if len(got.Times[i]) != 4 {
			t.Errorf("%s has %d times", s.Callee, len(got.Times[i]))
		}
	}
	if want := []string{"main/slow", "inner/fast", "main/vm.builtin.make_closure", "main/vm.builtin.invoke_closure"}; !slices.Equal(names, want) {
		t.Fatalf("sites %q, want %q", names, want)
	}
	if len(got.Calls) != 6 || got.Calls[2].Site != 1 {
		t.Errorf("calls %v", got.Calls)
	}
	for r, whole := range got.Whole {
		sum := got.Copies[r] + got.Machine[r]
		for i := range got.Sites {
			sum += got.Times[i][r]
		}
		if sum != whole || got.Machine[r] < 0 || got.Copies[r] <= 0 {
			t.Errorf("run %d: parts of %d ns, whole %d ns, machine %d, copies %d", r, sum, whole, got.Machine[r], got.Copies[r])
		}
		// The closure's own time is without the call inside of it.
		if got.Times[0][r] < slow.Nanoseconds() || got.Times[1][r] < 3*fast.Nanoseconds() || got.Times[3][r] >= fast.Nanoseconds() {
			t.Errorf("run %d: slow %d, fast %d, closure %d", r, got.Times[0][r], got.Times[1][r], got.Times[3][r])
		}
	}
}

// TestMeasureEnds: by time, by its context, and without a trace of itself on the machine.
func TestMeasureEnds(t *testing.T) {
	m := machine(t, Options{Funcs: []runtime.Func{pause("slow", 2*time.Millisecond)}}, func(b *Builder) {
		b.EmitFunction("main", 1, nil)
		b.EmitCall("slow", nil, VoidReg)
		b.EmitRet(Register(0))
		b.EndFunction("main")
	})
	hooked := 0
	m.SetHook(&Hook{After: func(*Call) { hooked++ }})
	got := measure(t, m, "main", MeasureOptions{Repeat: 1000, For: 20 * time.Millisecond, Warmup: 1}, vec(1))
	if n := len(got.Whole); n < 1 || n > 12 {
		t.Errorf("%d runs of 2 ms in 20 ms", n)
	}
	if got := measure(t, m, "main", MeasureOptions{For: 1}, vec(1)); len(got.Whole) != 1 {
		t.Errorf("%d runs, want the one that there always is", len(got.Whole))
	}
	if hooked != 0 {
		t.Errorf("the hook of the machine saw %d calls of the measurement", hooked)
	}
	if _, err := m.Run(context.Background(), "main", vec(1)); err != nil || hooked != 1 {
		t.Errorf("%v; the hook saw %d calls of the run afterwards", err, hooked)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := m.Measure(ctx, "main", []*tensor.Tensor{vec(1)}, MeasureOptions{Repeat: 1 << 30}); !errors.Is(err, runtime.ErrStopped) {
		t.Errorf("err = %v", err)
	}
	if _, err := m.Measure(context.Background(), "none", nil, MeasureOptions{}); err == nil {
		t.Error("measured a function that is not there")
	}
}

// TestPlan follows storages and tensors through a run: one storage is used twice, one tensor has a view, one is returned.
func TestPlan(t *testing.T) {
	m := machine(t, Options{}, func(b *Builder) {
		b.EmitFunction("main", 1, nil)
		shape, wide := b.Shape([]int64{3}), b.Shape([]int64{100})
		b.EmitCall("vm.builtin.alloc_storage", []Arg{VM(), wide, b.Int(0), b.DType(dtype.Float32T), b.String("global")}, 1)
		b.EmitCall("vm.builtin.alloc_tensor", []Arg{Register(1), b.Int(64), shape, b.DType(dtype.Float32T)}, 2)
		b.EmitCall("add", []Arg{Register(0), Register(0), Register(2)}, VoidReg) // step 0
		alloc(b, shape, 3, 4)
		b.EmitCall("vm.builtin.reshape", []Arg{Register(2), shape}, 5)
		b.EmitCall("vm.builtin.null_value", nil, 2)
		b.EmitCall("add", []Arg{Register(5), Register(5), Register(4)}, VoidReg) // step 1
		b.EmitCall("vm.builtin.null_value", nil, 5)
		b.EmitCall("vm.builtin.alloc_tensor", []Arg{Register(1), b.Int(0), shape, b.DType(dtype.Float32T)}, 6)
		b.EmitCall("vm.builtin.reshape", []Arg{Register(4), shape}, 9)
		b.EmitCall("add", []Arg{Register(9), Register(0), Register(6)}, VoidReg) // step 2
		b.EmitCall("vm.builtin.null_value", nil, 4)
		b.EmitCall("vm.builtin.null_value", nil, 9)
		b.EmitCall("vm.builtin.null_value", nil, 3)
		alloc(b, shape, 7, 8)
		b.EmitCall("add", []Arg{Register(6), Register(6), Register(8)}, VoidReg) // step 3
		b.EmitRet(Register(8))
		b.EndFunction("main")
	})
	p := measure(t, m, "main", MeasureOptions{}, vec(1, 2, 3)).Plan
	type span struct {
		offset, bytes int64
		from, to      int
	}
	var storages []span
	for _, s := range p.Storages {
		storages = append(storages, span{s.Offset, s.Bytes, s.From, s.To})
	}
	// 400 bytes are 448 in units of 64; the third storage takes the place of the second, which is free again.
	if want := []span{{0, 448, 0, 3}, {448, 64, 1, 2}, {448, 64, 3, 3}}; !slices.Equal(storages, want) {
		t.Errorf("storages %v, want %v", storages, want)
	}
	type use struct{ storage, from, to, maker, last int }
	var tensors []use
	for _, x := range p.Tensors {
		tensors = append(tensors, use{x.Storage, x.From, x.To, x.Maker, x.LastUse})
	}
	if want := []use{{0, 0, 1, 0, 1}, {1, 1, 2, 1, 2}, {0, 2, 3, 2, 3}, {2, 3, 3, 3, 3}}; !slices.Equal(tensors, want) {
		t.Errorf("tensors %v, want %v", tensors, want)
	}
	if p.Tensors[0].Offset != 64 || p.Tensors[0].Bytes != 12 {
		t.Errorf("the first tensor is %+v", p.Tensors[0])
	}
	if p.Steps != 4 || p.Peak != 512 || p.PeakFrom != 1 || p.PeakTo != 3 || p.Extent != 512 {
		t.Errorf("steps %d, peak %d in %d to %d, extent %d", p.Steps, p.Peak, p.PeakFrom, p.PeakTo, p.Extent)
	}
}
