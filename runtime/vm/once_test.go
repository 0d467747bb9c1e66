package vm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
)

// packed is main(x) = x + weights(), where weights() = c + c runs once. Both read d, and weights reads c alone.
func packed(b *Builder) {
	shape := b.Shape([]int64{3})
	b.DeclareFunction("weights", VMFunc)
	b.EmitFunction("main", 1, []string{"x"})
	b.EmitCall("weights", nil, 1)
	alloc(b, shape, 100, 101)
	b.EmitCall("add", []Arg{Register(0), Register(1), Register(101)}, VoidReg)
	alloc(b, shape, 102, 103)
	b.EmitCall("add", []Arg{Register(101), b.Tensor(vec(0, 0, 1)), Register(103)}, VoidReg)
	b.EmitRet(Register(103))
	b.EndFunction("main")
	b.EmitFunction("weights", 0, nil)
	b.RunOnce()
	b.EmitCall("count", nil, VoidReg)
	c := b.Tensor(vec(1, 2, 3))
	alloc(b, shape, 100, 101)
	b.EmitCall("add", []Arg{c, c, Register(101)}, VoidReg)
	alloc(b, shape, 102, 103)
	b.EmitCall("add", []Arg{Register(101), b.Tensor(vec(0, 0, 1)), Register(103)}, VoidReg)
	b.EmitRet(Register(103))
	b.EndFunction("weights")
}

// counter is a packed function that counts its calls, and fails if it is told to.
func counter(calls *int, err error) Options {
	return Options{Funcs: []runtime.Func{runtime.NewFunc("count", func(*runtime.Session, []runtime.Value) (runtime.Value, error) {
		*calls++
		return runtime.Null(), err
	})}}
}

func TestRunOnce(t *testing.T) {
	calls := 0
	m := machine(t, counter(&calls, nil), packed)
	if calls != 1 {
		t.Fatalf("loading ran weights %d times", calls)
	}
	for range 3 {
		out, err := m.Run(context.Background(), "main", vec(10, 20, 30))
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Floats(); !slices.Equal(got, []float64{12, 24, 38}) {
			t.Errorf("got %v", got)
		}
	}
	if out, err := m.Run(context.Background(), "weights"); err != nil || !slices.Equal(out[0].Floats(), []float64{2, 4, 7}) {
		t.Errorf("weights: %v %v", out, err)
	}
	if calls != 1 {
		t.Errorf("weights ran %d times", calls)
	}
	if p := m.Prepared(); len(p) != 1 || p[0].Func != "weights" || p[0].Took <= 0 {
		t.Errorf("prepared %v", p)
	}
	for i, c := range m.exec.Consts {
		onDevice := m.consts[i].Kind() != runtime.KindNull
		if want := c.Tensor == nil || c.Tensor.Floats()[0] == 0; onDevice != want {
			t.Errorf("constant %d, %v: on the device %t", i, c, onDevice)
		}
	}
}

// TestRunOnceFails closes what was loaded when a function that runs once fails.
func TestRunOnceFails(t *testing.T) {
	d := device(t)
	warm, err := d.NewTensor(dtype.Int8T, []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	warm.Release()
	used, calls, bad := d.Stats().Used, 0, errors.New("no")
	_, err = Load(context.Background(), d, build(t, packed), modules(kerneltest.Basic()), counter(&calls, bad))
	if !errors.Is(err, bad) || !strings.Contains(err.Error(), "running weights, which runs when the program is loaded") {
		t.Errorf("%v", err)
	}
	if got := d.Stats().Used; got != used {
		t.Errorf("%d bytes are left on the device", got-used)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err = Load(ctx, d, build(t, packed), modules(kerneltest.Basic()), counter(&calls, nil)); !errors.Is(err, runtime.ErrStopped) {
		t.Errorf("a load that was canceled: %v", err)
	}
}

// TestRunOnceIsStored reads a function that runs once back as one, and programs that do not know them refuse the kind.
func TestRunOnceIsStored(t *testing.T) {
	e := build(t, packed)
	d, err := Decode(encode(e))
	if err != nil {
		t.Fatal(err)
	}
	if f := d.Func("weights"); !f.Once || d.Func("main").Once || d.AsText() != e.AsText() || !strings.Contains(d.AsText(), "@weights: // runs once") {
		t.Errorf("read back:\n%s", d.AsText())
	}
}

func TestRunOnceIsChecked(t *testing.T) {
	e := *build(t, addTwice)
	e.Funcs = slices.Clone(e.Funcs)
	e.Func("main").Once = true
	if err := e.Validate(); err == nil || err.Error() != "function main runs once, so it must be bytecode without arguments, but it is a vm_func with 1" {
		t.Errorf("%v", err)
	}
	b := NewBuilder()
	b.RunOnce()
	if _, err := b.Build(); err == nil {
		t.Error("RunOnce outside of a function was accepted")
	}
}
