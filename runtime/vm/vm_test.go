package vm

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/wasm"
)

func device(t testing.TB) *runtime.Device {
	t.Helper()
	e := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	d, err := e.NewDevice(runtime.DeviceOptions{MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func build(t testing.TB, f func(b *Builder)) *Executable {
	t.Helper()
	b := NewBuilder()
	f(b)
	e, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// machine loads what f builds; at the end of the test nothing but what the machine
// started with may be left on the device.
func machine(t testing.TB, opts Options, f func(b *Builder)) *Machine {
	t.Helper()
	d := device(t)
	m, err := Load(context.Background(), d, build(t, f), modules(kerneltest.Basic()), opts)
	if err != nil {
		t.Fatal(err)
	}
	// Descriptors come in pages, which stay: make the first one now.
	warm, err := d.NewTensor(dtype.Int8T, []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	warm.Release()
	used := d.Stats().Used
	t.Cleanup(func() {
		if got := d.Stats().Used; got != used {
			t.Errorf("%d bytes are left on the device", got-used)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func vec(vals ...float32) *tensor.Tensor { return tensor.MustOf([]int64{int64(len(vals))}, vals) }

// alloc emits a storage in register st and a float32 tensor of shape in register dst.
func alloc(b *Builder, shape Arg, st, dst Reg) {
	b.EmitCall("vm.builtin.alloc_storage", []Arg{VM(), shape, b.Int(0), b.DType(dtype.Float32T), b.String("global")}, st)
	b.EmitCall("vm.builtin.alloc_tensor", []Arg{Register(st), b.Int(0), shape, b.DType(dtype.Float32T)}, dst)
}

// addTwice is main(x) = (x + c) + (x + c) for vectors of three, with a killed temporary.
func addTwice(b *Builder) {
	b.EmitFunction("main", 1, []string{"x"})
	shape := b.Shape([]int64{3})
	alloc(b, shape, 100, 101)
	b.EmitCall("add", []Arg{Register(0), b.Tensor(vec(1, 2, 3)), Register(101)}, VoidReg)
	alloc(b, shape, 102, 103)
	b.EmitCall("add", []Arg{Register(101), Register(101), Register(103)}, VoidReg)
	b.EmitCall("vm.builtin.null_value", nil, 101)
	b.EmitRet(Register(103))
	b.EndFunction("main")
}

func TestRun(t *testing.T) {
	m := machine(t, Options{}, addTwice)
	for range 3 {
		out, err := m.Run(context.Background(), "main", vec(10, 20, 30))
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Floats(); len(out) != 1 || !slices.Equal(got, []float64{22, 44, 66}) {
			t.Errorf("got %v", got)
		}
	}
}

func TestAsText(t *testing.T) {
	const want = `@main:
  call  vm.builtin.alloc_storage in: %vm, c[0], i0, c[1], c[2] dst: %1
  call  vm.builtin.alloc_tensor in: %1, i0, c[0], c[1] dst: %2
  call  add              in: %0, c[3], %2 dst: %void
  call  vm.builtin.alloc_storage in: %vm, c[0], i0, c[1], c[2] dst: %3
  call  vm.builtin.alloc_tensor in: %3, i0, c[0], c[1] dst: %4
  call  add              in: %2, %2, %4   dst: %void
  call  vm.builtin.null_value in:              dst: %2
  ret   %4

@vm.builtin.alloc_storage packed_func;

@vm.builtin.alloc_tensor packed_func;

@add packed_func;

@vm.builtin.null_value packed_func;

`
	e := build(t, addTwice)
	if got := e.AsText(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := e.Stats(); !strings.Contains(got, `Constant pool (# 4): [shapetuple[3], float32, "global", [3]]`) {
		t.Error(got)
	}
}

func TestBuilderErrors(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(b *Builder)
		want string
	}{
		"never written": {func(b *Builder) {
			b.EmitFunction("f", 0, nil)
			b.EmitRet(Register(7))
			b.EndFunction("f")
		}, "register %7 is read but never written"},
		"no end":   {func(b *Builder) { b.EmitFunction("f", 0, nil) }, "was not ended"},
		"no ret":   {func(b *Builder) { b.EmitFunction("f", 1, nil); b.EmitGoto(1); b.EndFunction("f") }, "jump by 1"},
		"empty":    {func(b *Builder) { b.EmitFunction("f", 1, nil); b.EndFunction("f") }, "was EndFunction called?"},
		"twice":    {func(b *Builder) { identity(b, "f"); identity(b, "f") }, "defined twice"},
		"declared": {func(b *Builder) { b.DeclareFunction("f", VMFunc) }, "declared but not emitted"},
		"kinds":    {func(b *Builder) { b.DeclareFunction("f", PackedFunc); b.DeclareFunction("f", VMFunc) }, "now as vm_func"},
		"ret const": {func(b *Builder) {
			b.EmitFunction("f", 0, nil)
			b.EmitRet(b.Int(1))
			b.EndFunction("f")
		}, "ret needs a register"},
		"names": {func(b *Builder) {
			b.EmitFunction("f", 1, []string{"a", "b"})
			b.EmitRet(Register(0))
			b.EndFunction("f")
		}, "2 parameter names"},
		"outside":  {func(b *Builder) { b.EmitRet(Register(0)) }, "outside of a function"},
		"constant": {func(b *Builder) { b.Tensor(&tensor.Tensor{DType: dtype.Float32T, Shape: []int64{2}}) }, "holds 0 bytes, expected 8"},
		"unknown":  {func(b *Builder) { b.Function("g") }, "g was not declared"},
	} {
		b := NewBuilder()
		c.f(b)
		if _, err := b.Build(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func identity(b *Builder, name string) {
	b.EmitFunction(name, 1, nil)
	b.EmitRet(Register(0))
	b.EndFunction(name)
}

func TestConstantsAreShared(t *testing.T) {
	b := NewBuilder()
	for _, c := range []func() Arg{
		func() Arg { return b.Tensor(vec(1, 2)) },
		func() Arg { return b.Shape([]int64{1}) },
		func() Arg { return b.Float(0.5) },
	} {
		if x, y := c(), c(); x != y {
			t.Errorf("equal constants are not shared: %v and %v", x, y)
		}
	}
	if b.Tensor(vec(1, 2)) == b.Tensor(tensor.MustOf([]int64{2, 1}, []float32{1, 2})) ||
		b.String("float32") == b.DType(dtype.Float32T) || b.Float(0) == b.Float(1) {
		t.Error("different constants are shared")
	}
	if b.Int(5).Kind() != ArgImm || b.Int(-5).Value() != -5 || b.Int(1<<60).Kind() != ArgConst {
		t.Error("integers are not immediates where they fit")
	}
}

// shaped is main(x): n = dim 0 of x goes to the shape heap, a shape function computes
// 2n, and the result is the shape (n, 2n) and whether n is 3.
func shaped(b *Builder) {
	b.EmitFunction("main", 1, []string{"x"})
	b.EmitCall("vm.builtin.alloc_shape_heap", []Arg{VM(), b.Int(2)}, 1)
	ctx := b.String(`ErrorContext(fn=main, loc=param[0], param=x, annotation=R.Tensor((n,), dtype="float32")) `)
	b.EmitCall("vm.builtin.check_tensor_info", []Arg{Register(0), b.Int(1), b.DType(dtype.Float32T), ctx}, VoidReg)
	b.EmitCall("vm.builtin.match_shape", []Arg{Register(0), Register(1), b.Int(1), b.Int(MatchStoreToHeap), b.Int(0), ctx}, VoidReg)
	b.EmitCall("twice", []Arg{Register(1)}, VoidReg)
	b.EmitCall("vm.builtin.make_shape", []Arg{
		Register(1), b.Int(3), b.Int(MakeLoadShape), b.Int(0), b.Int(MakeLoadShape), b.Int(1), b.Int(MakeUseImm), b.Int(7),
	}, 2)
	b.EmitCall("vm.builtin.match_shape", []Arg{
		Register(2), Register(1), b.Int(3),
		b.Int(MatchAssertEqualToLoad), b.Int(0), b.Int(MatchNoOp), b.Int(0), b.Int(MatchAssertEqualToImm), b.Int(7), ctx,
	}, VoidReg)
	b.EmitCall("vm.builtin.make_prim_value", []Arg{Register(1), b.Int(MakeLoadShape), b.Int(1)}, 3)
	b.EmitCall("next", []Arg{Register(3)}, 3)
	b.EmitCall("vm.builtin.make_tuple", []Arg{Register(2), Register(3)}, 4)
	b.EmitRet(Register(4))
	b.EndFunction("main")
}

func TestShapeHeap(t *testing.T) {
	m := machine(t, Options{}, shaped)
	for n := int64(1); n < 4; n++ {
		out, err := m.Run(context.Background(), "main", tensor.MustNew(dtype.Float32T, n))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out[0].Ints(), []int64{n, 2 * n, 7}) || out[1].Int(0) != 2*n+1 {
			t.Errorf("n=%d: %v %v", n, out[0].Ints(), out[1].Ints())
		}
	}
	var ce *CheckError
	_, err := m.Run(context.Background(), "main", tensor.MustNew(dtype.Float32T, 1, 1))
	if !errors.As(err, &ce) || ce.Kind != "ValueError" || !strings.Contains(err.Error(), "param=x") || !strings.Contains(err.Error(), "expect Tensor with ndim 1 but get 2") {
		t.Errorf("two dimensions: %v", err)
	}
	if _, err = m.Run(context.Background(), "main", tensor.MustNew(dtype.Int64T, 1)); !errors.As(err, &ce) || !strings.Contains(err.Error(), "expect Tensor with dtype float32 but get int64") {
		t.Errorf("int64: %v", err)
	}
	if _, err = m.Run(context.Background(), "main"); err == nil || !strings.Contains(err.Error(), "takes 1 arguments (x), got 0") {
		t.Errorf("no arguments: %v", err)
	}
	if _, err = m.Run(context.Background(), "other"); err == nil || !strings.Contains(err.Error(), "there are main") {
		t.Errorf("unknown function: %v", err)
	}
	var call *CallError
	if _, err = m.Invoke(context.Background(), "main", runtime.Int(3)); !errors.As(err, &call) || call.Func != "main" || call.Callee != "vm.builtin.check_tensor_info" || call.Instr != 1 {
		t.Errorf("a number as tensor: %v", err)
	}
}

// TestForgedShapes lets a kernel compute shapes that no tensor can have: storages, tensors and
// views of them are refused, and nothing is left behind.
func TestForgedShapes(t *testing.T) {
	uses := map[string]func(b *Builder, shape Arg){
		"storage": func(b *Builder, shape Arg) { alloc(b, shape, 4, 5) },
		"tensor": func(b *Builder, shape Arg) {
			b.EmitCall("vm.builtin.alloc_storage", []Arg{VM(), b.Shape([]int64{16}), b.Int(0), b.DType(dtype.Float32T), b.String("global")}, 4)
			b.EmitCall("vm.builtin.alloc_tensor", []Arg{Register(4), b.Int(0), shape, b.DType(dtype.Float32T)}, 5)
		},
		"view": func(b *Builder, shape Arg) {
			b.EmitCall("vm.builtin.reshape", []Arg{b.Tensor(vec(1, 2, 3)), shape}, 5)
		},
	}
	for name, use := range uses {
		m := machine(t, Options{}, func(b *Builder) {
			b.EmitFunction("main", 1, []string{"n"})
			b.EmitCall("vm.builtin.alloc_shape_heap", []Arg{VM(), b.Int(2)}, 1)
			b.EmitCall("vm.builtin.match_prim_value", []Arg{Register(0), Register(1), b.Int(MatchStoreToHeap), b.Int(0), b.String("")}, VoidReg)
			b.EmitCall("twice", []Arg{Register(1)}, VoidReg)
			b.EmitCall("vm.builtin.make_shape", []Arg{Register(1), b.Int(2), b.Int(MakeUseImm), b.Int(4), b.Int(MakeLoadShape), b.Int(1)}, 2)
			use(b, Register(2))
			b.EmitRet(Register(5))
			b.EndFunction("main")
		})
		for _, n := range []int64{-1, 1 << 62, 1 << 61, 1 << 30, math.MinInt64 / 2} {
			if _, err := m.Invoke(context.Background(), "main", runtime.Int(n)); err == nil || !strings.Contains(err.Error(), "main, instruction") {
				t.Errorf("%s of %d: %v", name, n, err)
			}
		}
	}
}

// TestChecks calls each check with what it accepts and what it refuses.
func TestChecks(t *testing.T) {
	m := machine(t, Options{}, addTwice)
	s, err := m.Device().Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	x, err := m.Device().Upload(vec(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Release()
	tup := runtime.TupleValue(runtime.Int(1))
	defer tup.Release()
	ctx := runtime.String("ErrorContext(here) ")
	i := runtime.Int
	for _, c := range []struct {
		name string
		args []runtime.Value
		want string // of the error; empty for success
	}{
		{"check_shape_info", []runtime.Value{runtime.Shape([]int64{1, 2}), i(2), ctx}, ""},
		{"check_shape_info", []runtime.Value{runtime.Shape([]int64{1, 2}), i(-1), ctx}, ""},
		{"check_shape_info", []runtime.Value{runtime.Shape([]int64{1, 2}), i(3), ctx}, "ValueError: ErrorContext(here) expect Shape with ndim 3 but get 2"},
		{"check_shape_info", []runtime.Value{i(1), i(3), ctx}, "TypeError: ErrorContext(here) expect a Shape but get int"},
		{"check_tuple_info", []runtime.Value{tup, i(1), ctx}, ""},
		{"check_tuple_info", []runtime.Value{tup, i(2), ctx}, "ValueError: ErrorContext(here) expect a Tuple with 2 elements, but get a Tuple with 1 elements"},
		{"check_tuple_info", []runtime.Value{i(1), i(2), ctx}, "expect a Tuple but get int"},
		{"check_func_info", []runtime.Value{runtime.FuncValue(m.funcs[0]), ctx}, ""},
		{"check_func_info", []runtime.Value{i(1), ctx}, "expect a Function but get int"},
		{"check_prim_value_info", []runtime.Value{i(1), runtime.DType(dtype.Int64T), ctx}, ""},
		{"check_prim_value_info", []runtime.Value{runtime.Float(1), runtime.DType(dtype.Float32T), ctx}, ""},
		{"check_prim_value_info", []runtime.Value{runtime.Float(1), runtime.DType(dtype.Int64T), ctx}, "expected dtype int64, but received float"},
		{"check_prim_value_info", []runtime.Value{tup, runtime.DType(dtype.BoolT), ctx}, "expected dtype bool, but received Tuple"},
		{"check_tensor_info", []runtime.Value{runtime.TensorValue(x), i(1), ctx}, ""},
		{"check_tensor_info", []runtime.Value{runtime.TensorValue(x), i(-1), runtime.DType(dtype.Void), ctx}, ""},
		{"check_tensor_info", []runtime.Value{runtime.Null(), i(1), ctx}, "expect a Tensor but get None"},
		{"match_prim_value", []runtime.Value{i(4), runtime.Null(), i(MatchAssertEqualToImm), i(4), ctx}, ""},
		{"match_prim_value", []runtime.Value{i(4), runtime.Null(), i(MatchAssertEqualToImm), i(5), ctx}, "PrimValue mismatch to specified constant: got 4, expected 5"},
		{"match_prim_value", []runtime.Value{i(4), runtime.Null(), i(MatchStoreToHeap), i(0), ctx}, "slot 0 is out of range: the shape heap has 0"},
		{"match_prim_value", []runtime.Value{i(4), runtime.Null(), i(9), i(0), ctx}, "unknown match code 9"},
		{"match_prim_value", []runtime.Value{i(4), i(4), i(0), i(4), ctx}, "the shape heap is 4"},
		{"match_shape", []runtime.Value{runtime.TensorValue(x), runtime.Null(), i(1), i(0), i(3), ctx}, "shape[0] mismatch to specified constant: got 2, expected 3"},
		{"match_shape", []runtime.Value{runtime.TensorValue(x), runtime.Null(), i(2), i(0), i(2), i(0), i(2), ctx}, "match_cast shape size mismatch"},
		{"match_shape", []runtime.Value{runtime.Shape([]int64{1 << 31}), runtime.Null(), i(1), i(MatchNoOp), i(0), ctx}, "shape[0] is 2147483648, expected an extent of 0 to 2147483647"},
		{"match_shape", []runtime.Value{runtime.Shape([]int64{4, -1}), runtime.Null(), i(2), i(MatchNoOp), i(0), i(MatchNoOp), i(0), ctx}, "shape[1] is -1, expected"},
		{"match_shape", []runtime.Value{runtime.Shape([]int64{1<<31 - 1}), runtime.Null(), i(1), i(MatchNoOp), i(0), ctx}, ""},
		{"match_shape", []runtime.Value{runtime.TensorValue(x), runtime.Null(), i(1 << 40)}, "argument 2 is 1099511627776"},
		{"make_shape", []runtime.Value{runtime.Null(), i(-1)}, "argument 1 is -1"},
		{"make_shape", []runtime.Value{runtime.Null(), i(1), i(5), i(5)}, "unknown make code 5"},
		{"alloc_shape_heap", []runtime.Value{runtime.Null(), i(1 << 40)}, "argument 1"},
		{"alloc_tensor", []runtime.Value{i(1), i(0), runtime.Shape(nil), runtime.DType(dtype.Int8T)}, "argument 0 is 1 of kind int, expected a Storage"},
		{"alloc_storage", []runtime.Value{runtime.Null(), runtime.Shape([]int64{1}), i(3), runtime.DType(dtype.UInt8T), runtime.String("global")}, "device index 3"},
		{"alloc_storage", []runtime.Value{runtime.Null(), runtime.Shape([]int64{1}), i(0), runtime.DType(dtype.UInt8T), runtime.String("shared")}, `memory scope "shared"`},
		{"alloc_storage", []runtime.Value{runtime.Null(), runtime.Shape([]int64{1 << 30}), i(0), runtime.DType(dtype.UInt8T)}, "out of device memory"},
		{"reshape", []runtime.Value{runtime.TensorValue(x), runtime.Shape([]int64{3})}, "cannot view float32[2] as float32[3]"},
		{"to_device", []runtime.Value{runtime.TensorValue(x), i(2), i(0)}, "no device of type 2"},
		{"read_if_cond", []runtime.Value{runtime.TensorValue(x)}, "expected one bool or integer"},
		{"tensor_to_shape", []runtime.Value{runtime.TensorValue(x)}, "expected a vector of signed integers"},
		{"tuple_getitem", []runtime.Value{tup, i(1)}, "field 1 is out of range: the tuple has 1"},
		{"tuple_getitem", []runtime.Value{tup}, "argument 1 is missing"},
		{"call_tir_dyn", []runtime.Value{}, "missing"},
		{"invoke_closure", []runtime.Value{runtime.Null(), i(1)}, "expected a Function"},
	} {
		v, err := m.builtins()["vm.builtin."+c.name](s, c.args)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s%v: %v, want %q", c.name, c.args, err, c.want)
		}
		v.Release()
	}
	for name, f := range m.builtins() {
		if _, err := f(s, nil); err == nil && !slices.Contains([]string{"vm.builtin.null_value", "vm.builtin.make_tuple", "relax.run.print"}, name) {
			t.Errorf("%s accepts no arguments", name)
		}
	}
}

// control covers if, goto, tuples, closures, reshape, copy and dynamic calls.
func control(b *Builder) {
	b.EmitFunction("pick", 2, nil) // pick(cond, x) = cond ? (x,) : (x reshaped to [1, 3],)
	b.EmitCall("vm.builtin.read_if_cond", []Arg{Register(0)}, 2)
	cond := b.EmitIf(Register(2), 2)
	b.EmitCall("vm.builtin.copy", []Arg{Register(1)}, 3)
	end := b.EmitGoto(1)
	b.SetOffset(cond, b.NumInstr()-cond)
	b.EmitCall("vm.builtin.reshape", []Arg{Register(1), b.Shape([]int64{1, 3})}, 4)
	b.EmitCall("vm.builtin.copy", []Arg{Register(4)}, 3)
	b.SetOffset(end, b.NumInstr()-end)
	b.EmitCall("vm.builtin.make_tuple", []Arg{Register(3)}, 5)
	b.EmitRet(Register(5))
	b.EndFunction("pick")

	b.EmitFunction("main", 2, nil) // main(x, cond) = closure(pick, x)(cond)[0], set by call_tir_dyn
	b.EmitCall("vm.builtin.make_closure", []Arg{b.Function("pick"), Register(0)}, 2)
	b.EmitCall("vm.builtin.invoke_closure", []Arg{VM(), Register(2), Register(1)}, 3)
	b.EmitCall("vm.builtin.tuple_getitem", []Arg{Register(3), b.Int(0)}, 4)
	b.EmitCall("vm.builtin.tuple_reset_item", []Arg{Register(3), b.Int(0)}, VoidReg)
	b.EmitCall("vm.builtin.call_tir_dyn", []Arg{b.DeclareFunction("fill", PackedFunc), Register(4), b.Shape([]int64{1065353216})}, VoidReg)
	b.EmitCall("vm.builtin.shape_of", []Arg{Register(4)}, 5)
	b.EmitCall("vm.builtin.to_device", []Arg{Register(4), b.Int(1), b.Int(0), b.String("global")}, 4)
	b.EmitCall("vm.builtin.make_tuple", []Arg{Register(4), Register(5), Void()}, 6)
	b.EmitCall("vm.builtin.make_tuple", []Arg{Register(4), Register(5)}, 6)
	b.EmitRet(Register(6))
	b.EndFunction("main")
}

func TestControlFlow(t *testing.T) {
	m := machine(t, Options{}, control)
	for cond, want := range map[bool][]int64{true: {3}, false: {1, 3}} {
		out, err := m.Run(context.Background(), "main", vec(5, 6, 7), tensor.MustOf(nil, []bool{cond}))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out[0].Shape, want) || !slices.Equal(out[1].Ints(), want) {
			t.Errorf("%v: %v with shape %v, want %v", cond, out[0], out[1].Ints(), want)
		}
		if !slices.Equal(out[0].Floats(), []float64{1, 6, 7}) { // 1065353216 are the bits of 1.0
			t.Errorf("%v: %v", cond, out[0].Floats())
		}
	}
}

func TestRecursionLimit(t *testing.T) {
	m := machine(t, Options{MaxDepth: 50}, func(b *Builder) {
		b.EmitFunction("f", 1, nil)
		b.EmitCall("f", []Arg{Register(0)}, 1)
		b.EmitCall("vm.builtin.copy", []Arg{Register(1)}, 1)
		b.EmitRet(Register(1))
		b.EndFunction("f")
		addTwice(b)
	})
	if _, err := m.Run(context.Background(), "f", vec(1)); !errors.Is(err, ErrDepth) || len(err.Error()) > 300 {
		t.Errorf("endless recursion: %v", err)
	}
	if _, err := m.Run(context.Background(), "main", vec(1, 2, 3)); err != nil {
		t.Errorf("the machine is unusable afterwards: %v", err)
	}
}

func TestCancel(t *testing.T) {
	m := machine(t, Options{MaxDepth: 30}, func(b *Builder) {
		b.EmitFunction("spins", 1, nil)
		b.EmitCall("spin", nil, 1)
		b.EmitRet(Register(1))
		b.EndFunction("spins")
		b.EmitFunction("tree", 1, nil) // 2^30 calls
		b.EmitCall("tree", []Arg{Register(0)}, 1)
		b.EmitCall("tree", []Arg{Register(0)}, 1)
		b.EmitRet(Register(1))
		b.EndFunction("tree")
	})
	// tree fails at its depth at once: let the error pass by skipping the deepest calls.
	m.SetHook(&Hook{Before: func(c *Call) (bool, error) { return c.Depth == 30, nil }})
	for _, f := range []string{"spins", "tree"} {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		start := time.Now()
		_, err := m.Run(ctx, f, vec(1))
		cancel()
		if !errors.Is(err, runtime.ErrStopped) || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
			t.Errorf("%s: %v after %v", f, err, time.Since(start))
		}
	}
}

func TestHooks(t *testing.T) {
	m := machine(t, Options{}, addTwice)
	calls := map[string]int{}
	m.SetHook(&Hook{After: func(c *Call) {
		calls[c.Func]++
		if c.Kernel != (c.Func == "add") {
			t.Errorf("%+v", c)
		}
	}})
	if _, err := m.Run(context.Background(), "main", vec(1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if calls["add"] != 2 || calls["vm.builtin.alloc_tensor"] != 2 || calls["vm.builtin.null_value"] != 1 {
		t.Errorf("%v", calls)
	}
	var log []string
	stop := errors.New("seen enough")
	m.SetHook(&Hook{
		Before: func(c *Call) (bool, error) {
			log = append(log, c.Func)
			if len(log) == 5 {
				return false, stop
			}
			return c.Func == "add", nil
		},
		After: func(c *Call) { log = append(log, "after "+c.Func) },
	})
	if _, err := m.Run(context.Background(), "main", vec(1, 2, 3)); !errors.Is(err, stop) {
		t.Errorf("err = %v", err)
	}
	want := []string{"vm.builtin.alloc_storage", "after vm.builtin.alloc_storage", "vm.builtin.alloc_tensor", "after vm.builtin.alloc_tensor", "add"}
	if !slices.Equal(log, want) {
		t.Errorf("log is %v", log)
	}
	m.SetHook(nil)
	if _, err := m.Run(context.Background(), "main", vec(1, 2, 3)); err != nil {
		t.Error(err)
	}
}

func TestLinkErrors(t *testing.T) {
	d := device(t)
	e := build(t, func(b *Builder) {
		b.EmitFunction("main", 0, nil)
		b.EmitCall("vm.builtin.attention_kv_cache", nil, 0)
		b.EmitCall("my.op", nil, 0)
		b.EmitRet(Register(0))
		b.EndFunction("main")
	})
	if _, err := Load(context.Background(), d, e, nil, Options{}); err == nil || !strings.Contains(err.Error(), "no kernel, builtin or registered function is called my.op, vm.builtin.attention_kv_cache") {
		t.Errorf("Load: %v", err)
	}
	if got := e.Packed(); len(got) != 2 {
		t.Errorf("Packed() = %v", got)
	}
	if _, err := Load(context.Background(), d, &Executable{InstrData: []int64{1}}, nil, Options{}); err == nil {
		t.Error("an invalid executable was loaded")
	}
	if _, err := Load(context.Background(), d, e, modules([]byte{1, 2, 3}), Options{}); err == nil || !strings.Contains(err.Error(), "kernel module 0") {
		t.Errorf("bad kernels: %v", err)
	}
}

func TestGoFunctionsAndPrint(t *testing.T) {
	var out bytes.Buffer
	double := runtime.NewFunc("my.double", func(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
		n, _ := args[0].AsInt()
		return runtime.Int(2 * n), nil
	})
	m := machine(t, Options{Funcs: []runtime.Func{double}, Output: &out}, func(b *Builder) {
		b.EmitFunction("main", 1, nil)
		b.EmitCall("my.double", []Arg{Register(0)}, 1)
		b.EmitCall("relax.run.print", []Arg{b.String("twice is {}"), Register(1)}, VoidReg)
		b.EmitCall("relax.run.shape_to_tensor", []Arg{b.Shape([]int64{4, 5})}, 2)
		b.EmitCall("vm.builtin.tensor_to_shape", []Arg{Register(2)}, 2)
		b.EmitCall("relax.run.assert_op", []Arg{Register(1), b.String("{} is zero"), Register(1)}, VoidReg)
		b.EmitRet(Register(2))
		b.EndFunction("main")
	})
	v, err := m.Invoke(context.Background(), "main", runtime.Int(21))
	if err != nil {
		t.Fatal(err)
	}
	if dims, _ := v.AsShape(); !slices.Equal(dims, []int64{4, 5}) || out.String() != "twice is 42\n" {
		t.Errorf("%v, printed %q", v, out.String())
	}
	if _, err := m.Invoke(context.Background(), "main", runtime.Int(0)); err == nil || !strings.Contains(err.Error(), "AssertionError: 0 is zero") {
		t.Errorf("assert: %v", err)
	}
}

func TestSplatConstant(t *testing.T) {
	m := machine(t, Options{}, func(b *Builder) {
		b.EmitFunction("main", 0, nil)
		b.EmitCall("vm.builtin.copy", []Arg{b.Splat(dtype.Float32T, []int64{2, 2}, vec(0.5).Data)}, 0)
		b.EmitRet(Register(0))
		b.EndFunction("main")
	})
	out, err := m.Run(context.Background(), "main")
	if err != nil || !slices.Equal(out[0].Floats(), []float64{0.5, 0.5, 0.5, 0.5}) {
		t.Errorf("%v %v", out, err)
	}
}

func TestCloseMachine(t *testing.T) {
	d := device(t)
	e := build(t, addTwice)
	m1, err := Load(context.Background(), d, e, modules(kerneltest.Basic()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m2, err := Load(context.Background(), d, e, modules(kerneltest.Basic()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	ran := make(chan struct{}, 4)
	for range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				if _, err := m1.Run(context.Background(), "main", vec(1, 2, 3)); err != nil {
					if !errors.Is(err, runtime.ErrClosed) {
						t.Error(err)
					}
					return
				}
				if i == 0 {
					ran <- struct{}{}
				}
			}
		})
	}
	for range 4 {
		<-ran
	}
	if err := m1.Close(); err != nil {
		t.Error(err)
	}
	if err := m1.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	// The other machine on the device goes on.
	if _, err := m2.Run(context.Background(), "main", vec(1, 2, 3)); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := m2.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m2.Run(context.Background(), "main", vec(1, 2, 3)); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// modules describes one module of kernels.
func modules(code []byte) []runtime.Binary {
	return []runtime.Binary{{Kind: "wasm", Format: wasm.Format, Bytes: code}}
}
