package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
)

// fails compares the whole text of an error.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// returns is main() = the value of a constant, for each given one in a tuple.
func returns(args func(b *Builder) []Arg) func(b *Builder) {
	return func(b *Builder) {
		b.EmitFunction("main", 0, nil)
		b.EmitCall("vm.builtin.make_tuple", args(b), 0)
		b.EmitRet(Register(0))
		b.EndFunction("main")
	}
}

// TestDownload returns every kind of value to the host.
func TestDownload(t *testing.T) {
	m := machine(t, Options{}, returns(func(b *Builder) []Arg {
		return []Arg{b.Int(-3), b.Int(1 << 60), b.Float(0.25), b.Shape([]int64{4, 5}), b.Tensor(vec(1, 2)), b.Shape(nil)}
	}))
	out, err := m.Run(context.Background(), "main")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"int64[] -3", "int64[] 1152921504606846976", "float64[] 0.25", "int64[2] [4 5]", "float32[2] [1. 2.]", "int64[0] []"}
	for i, h := range out {
		if got := fmt.Sprint(h, " ", h.NumPy()); i >= len(want) || got != want[i] {
			t.Errorf("result %d is %s, want %v", i, got, want)
		}
	}
	for v, want := range map[bool]int64{true: 1, false: 0} {
		if out, err := Download(nil, runtime.Bool(v)); err != nil || len(out) != 1 || out[0].DType != dtype.BoolT || out[0].Int(0) != want {
			t.Errorf("%t: %v %v", v, out, err)
		}
	}
	_, err = Download(nil, runtime.TupleValue(runtime.Int(1), runtime.TupleValue(runtime.String("x"))))
	fails(t, err, "field 1: field 0: a str is not a tensor")

	m = machine(t, Options{}, returns(func(b *Builder) []Arg { return []Arg{b.Int(1), Void()} }))
	_, err = m.Run(context.Background(), "main")
	fails(t, err, "running main: result: field 1: a None is not a tensor")
}

// TestRunErrors: inputs that do not fit, a context that is over, another device.
func TestRunErrors(t *testing.T) {
	m := machine(t, Options{}, func(b *Builder) {
		addTwice(b)
		b.EmitFunction("unnamed", 2, nil)
		b.EmitRet(Register(1))
		b.EndFunction("unnamed")
		b.EmitFunction("nothing", 0, nil)
		b.EmitRet(Void())
		b.EndFunction("nothing")
	})
	ctx := context.Background()
	_, err := m.Run(ctx, "main", vec(1, 2, 3), vec(1))
	fails(t, err, "running main: function main takes 1 arguments (x), got 2")
	_, err = m.Run(ctx, "unnamed", vec(1))
	fails(t, err, "running unnamed: function unnamed takes 2 arguments, got 1")
	_, err = m.Run(ctx, "add", vec(1))
	fails(t, err, "running add: there is no such function; there are main, unnamed, nothing")
	_, err = m.Run(ctx, "nothing")
	fails(t, err, "running nothing: result: a None is not a tensor")
	if v, err := m.Invoke(ctx, "nothing"); err != nil || !v.IsNull() {
		t.Errorf("ret %%void: %v %v", v, err)
	}
	if _, err = m.Run(ctx, "main", vec(1, 2, 3), tensor.MustNew(dtype.Int8T, 65<<20)); err == nil || !strings.HasPrefix(err.Error(), "running main: input 1: ") {
		t.Errorf("an input larger than the device: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	for name, f := range map[string]func() error{
		"Run":    func() error { _, err := m.Run(over, "main", vec(1, 2, 3)); return err },
		"Invoke": func() error { _, err := m.Invoke(over, "nothing"); return err },
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := device(t).Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	_, err = m.InvokeIn(s, "main", runtime.Null())
	fails(t, err, "running main: the session is on another device")
}

// TestErrorPlaces: an error names the innermost function, the instruction counted from its start, and the callee.
func TestErrorPlaces(t *testing.T) {
	m := machine(t, Options{}, func(b *Builder) {
		identity(b, "id")
		b.EmitFunction("inner", 1, nil)
		b.EmitCall("vm.builtin.copy", []Arg{Register(0)}, 1)
		cond := b.EmitIf(Register(1), 2)
		b.EmitRet(Register(1))
		b.EmitRet(Register(0))
		b.EndFunction("inner")
		b.EmitFunction("outer", 1, nil)
		b.EmitCall("id", []Arg{Register(0)}, 1)
		b.EmitCall("inner", []Arg{Register(1)}, 1)
		b.EmitCall("vm.builtin.shape_of", []Arg{Register(1)}, 1)
		b.EmitRet(Register(1))
		b.EndFunction("outer")
		if cond != 2 {
			t.Errorf("the if is instruction %d", cond)
		}
	})
	_, err := m.Invoke(context.Background(), "outer", runtime.Float(0.5))
	fails(t, err, "running outer: inner, instruction 1, call of if: the condition is a float, expected an int or bool")
	_, err = m.Invoke(context.Background(), "outer", runtime.Int(5))
	fails(t, err, "running outer: outer, instruction 2, call of vm.builtin.shape_of: argument 0 is 5 of kind int, expected a Tensor")
}

// TestDepth: MaxDepth functions may stand within each other, not one more; each run begins anew.
func TestDepth(t *testing.T) {
	chain := func(n int) func(b *Builder) {
		return func(b *Builder) {
			for i := range n {
				b.EmitFunction(fmt.Sprintf("f%d", i), 1, nil)
				b.EmitCall("vm.builtin.copy", []Arg{Register(0)}, 1)
				if i > 0 {
					b.EmitCall(fmt.Sprintf("f%d", i-1), []Arg{Register(1)}, 1)
				}
				b.EmitRet(Register(1))
				b.EndFunction(fmt.Sprintf("f%d", i))
			}
		}
	}
	m := machine(t, Options{MaxDepth: 4}, chain(5))
	for range 3 {
		if v, err := m.Invoke(context.Background(), "f3", runtime.Int(7)); err != nil || v.String() != "7" {
			t.Errorf("%v %v", v, err)
		}
		_, err := m.Invoke(context.Background(), "f4", runtime.Int(7))
		fails(t, err, "running f4: f1, instruction 1, call of f0: function f0 at depth 4: recursion limit reached")
	}
	m = machine(t, Options{}, chain(1001))
	if _, err := m.Invoke(context.Background(), "f999", runtime.Int(7)); err != nil {
		t.Error(err)
	}
	if _, err := m.Invoke(context.Background(), "f1000", runtime.Int(7)); !errors.Is(err, ErrDepth) {
		t.Errorf("1,001 functions within each other: %v", err)
	}
}

// TestFramesAreReused: frames of other sizes follow each other, nothing of one is seen in the next, and none stays.
func TestFramesAreReused(t *testing.T) {
	m := machine(t, Options{}, func(b *Builder) {
		identity(b, "small")
		b.EmitFunction("large", 1, nil)
		for r := range Reg(40) {
			b.EmitCall("vm.builtin.copy", []Arg{Register(0)}, 100+r)
		}
		b.EmitCall("vm.builtin.make_tuple", []Arg{Register(100), Register(120), Register(139)}, 140)
		b.EmitCall("vm.builtin.tuple_getitem", []Arg{Register(140), b.Int(2)}, 141)
		b.EmitRet(Register(141))
		b.EndFunction("large")
		b.EmitFunction("main", 1, nil)
		for range 3 {
			b.EmitCall("small", []Arg{Register(0)}, 1)
			b.EmitCall("large", []Arg{Register(1)}, 1)
		}
		b.EmitRet(Register(1))
		b.EndFunction("main")
	})
	for range 3 {
		if out, err := m.Run(context.Background(), "main", vec(1, 2)); err != nil || !slices.Equal(out[0].Floats(), []float64{1, 2}) {
			t.Errorf("%v %v", out, err)
		}
	}
	if n := len(m.frames); n != 2 {
		t.Errorf("%d frames are kept, want 2: as many as functions stood within each other", n)
	}
	for _, fr := range m.frames {
		for _, v := range slices.Concat(fr.regs[:cap(fr.regs)], fr.args[:cap(fr.args)]) {
			if !v.IsNull() {
				t.Errorf("an unused frame refers to %v", v)
			}
		}
	}
}

// countedFunc counts its references.
type countedFunc struct {
	refs int
	got  []string
}

func (f *countedFunc) Name() string { return "counted" }
func (f *countedFunc) Retain()      { f.refs++ }
func (f *countedFunc) Release()     { f.refs-- }
func (f *countedFunc) Call(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	f.got = nil
	for _, a := range args {
		f.got = append(f.got, a.String())
	}
	return runtime.Null(), nil
}

// TestClosures: what a closure captures comes after its arguments, and lives as long as the last reference to it.
func TestClosures(t *testing.T) {
	b := newBench(t, Options{})
	f := &countedFunc{refs: 1}
	x, err := b.m.Device().Upload(vec(1))
	if err != nil {
		t.Fatal(err)
	}
	used := b.m.Device().Stats().Used
	make1 := b.m.builtins()["vm.builtin.make_closure"]
	c, err := make1(b.s, []runtime.Value{runtime.FuncValue(f), runtime.TensorValue(x), runtime.Int(2)})
	if err != nil || c.String() != "function counted" || f.refs != 2 {
		t.Fatalf("%v %v, %d references", c, err, f.refs)
	}
	x.Release()
	c.Retain()
	c.Release()
	if got := b.m.Device().Stats().Used; got != used || f.refs != 2 {
		t.Errorf("a closure that is referred to lost %d bytes and has %d references", used-got, f.refs)
	}
	b.says("", "vm.builtin.invoke_closure", runtime.Null(), c, runtime.String("a"), runtime.Int(1))
	if want := []string{`"a"`, "1", "float32[1]", "2"}; !slices.Equal(f.got, want) {
		t.Errorf("called with %v, want %v", f.got, want)
	}
	c.Release()
	if got := b.m.Device().Stats().Used; got >= used || f.refs != 1 {
		t.Errorf("a closure that is gone keeps %d bytes, and %d references", got, f.refs)
	}
	b.says("", "vm.builtin.call_tir_dyn", runtime.FuncValue(f), runtime.Float(0.5), runtime.Int(3), runtime.Shape([]int64{7, 8}))
	if want := []string{"0.5", "3", "7", "8"}; !slices.Equal(f.got, want) {
		t.Errorf("called with %v, want %v", f.got, want)
	}
}

// TestHookSees: a hook is told everything about a call.
func TestHookSees(t *testing.T) {
	wait := runtime.NewFunc("wait", func(*runtime.Session, []runtime.Value) (runtime.Value, error) {
		start := time.Now()
		for time.Since(start) < time.Millisecond {
		}
		return runtime.Int(9), errors.New("over")
	})
	m := machine(t, Options{Funcs: []runtime.Func{wait}}, func(b *Builder) {
		b.EmitFunction("inner", 2, nil)
		b.EmitCall("wait", []Arg{Register(1), b.Int(4)}, 2)
		b.EmitRet(Register(2))
		b.EndFunction("inner")
		b.EmitFunction("main", 1, nil)
		b.EmitCall("inner", []Arg{b.Int(1), b.Int(2)}, 1)
		b.EmitRet(Register(1))
		b.EndFunction("main")
	})
	var log []string
	m.SetHook(&Hook{
		Before: func(c *Call) (bool, error) {
			log = append(log, fmt.Sprint("before ", c.Func, c.Args, c.Depth, c.Kernel, c.Session.Device() == m.Device()))
			return false, nil
		},
		After: func(c *Call) {
			log = append(log, fmt.Sprint("after ", c.Func, c.Args, c.Depth, c.Err != nil, c.Elapsed >= time.Millisecond))
		},
	})
	if _, err := m.Invoke(context.Background(), "main", runtime.Null()); err == nil {
		t.Error("the error was lost")
	}
	want := []string{"before inner[1 2] 1 false true", "before wait[2 4] 2 false true", "after wait[2 4] 2 true true", "after inner[1 2] 1 true true"}
	if !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
	if m.Executable().Func("inner") == nil {
		t.Error("Executable() is another one")
	}
}

// TestLoadErrors names what cannot be found, and what does not fit.
func TestLoadErrors(t *testing.T) {
	d := device(t)
	calls := func(n int) *Executable {
		return build(t, func(b *Builder) {
			b.EmitFunction("main", 1, nil)
			for i := range n {
				b.EmitCall(fmt.Sprintf("k%d", n-i), nil, 1)
			}
			b.EmitRet(Register(0))
			b.EndFunction("main")
		})
	}
	const head = "loading a VM executable: no kernel, builtin or registered function is called "
	for n, want := range map[int]string{
		1: "k1", 2: "k1, k2", 8: "k1, k2, k3, k4, k5, k6, k7, k8", 9: "k1, k2, k3, k4, k5, k6, k7, k8 and 1 more",
		12: "k1, k10, k11, k12, k2, k3, k4, k5 and 4 more",
	} {
		_, err := Load(context.Background(), d, calls(n), modules(kerneltest.Basic()), Options{})
		fails(t, err, head+want)
	}
	_, err := Load(context.Background(), d, &Executable{InstrOffset: []int64{1}}, nil, Options{})
	fails(t, err, "loading a VM executable: instruction 0 starts at word 1, expected 0")
	for _, e := range []*Executable{
		build(t, func(b *Builder) { b.Int(1 << 60); b.Splat(dtype.Float32T, []int64{1 << 28}, vec(1).Data) }),
		build(t, func(b *Builder) { b.Int(1 << 60); b.Tensor(tensor.MustNew(dtype.Int8T, 65<<20)) }),
	} {
		if _, err := Load(context.Background(), d, e, nil, Options{}); !errors.Is(err, runtime.ErrDeviceMemory) || !strings.HasPrefix(err.Error(), "loading a VM executable: constant 1: ") {
			t.Errorf("constants larger than the device: %v", err)
		}
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	e := build(t, func(b *Builder) { b.Tensor(vec(1)) })
	if _, err := Load(over, d, e, nil, Options{}); !errors.Is(err, runtime.ErrStopped) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "uploading constants") {
		t.Errorf("a context that is over: %v", err)
	}
	// What failed to load left nothing, and what is closed leaves nothing.
	used := d.Stats().Used
	m, err := Load(context.Background(), d, build(t, func(b *Builder) { addTwice(b); b.Tensor(tensor.MustNew(dtype.Int8T, 1<<20)) }), modules(kerneltest.Basic()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Stats().Used; got < used+1<<20 {
		t.Errorf("%d bytes are in use with a constant of 1 MiB, %d before", got, used)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if got := d.Stats().Used; got >= used+1<<16 {
		t.Errorf("%d bytes are left after Close, %d before", got, used)
	}
}
