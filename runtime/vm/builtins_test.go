package vm

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// bench is a machine with a session, in which builtins are called one by one.
type bench struct {
	t *testing.T
	m *Machine
	s *runtime.Session
}

func newBench(t *testing.T, opts Options) bench {
	t.Helper()
	m := machine(t, opts, addTwice)
	s, err := m.Device().Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.End)
	return bench{t, m, s}
}

func (b bench) call(name string, args ...runtime.Value) (runtime.Value, error) {
	f := b.m.builtins()[name]
	if f == nil {
		b.t.Fatalf("there is no %s", name)
	}
	v, err := f(b.s, args)
	b.t.Cleanup(v.Release)
	return v, err
}

// says compares the whole error of a call; empty stands for success.
func (b bench) says(want, name string, args ...runtime.Value) {
	b.t.Helper()
	got := ""
	if _, err := b.call(name, args...); err != nil {
		got = err.Error()
	}
	if got != want {
		b.t.Errorf("%s%v: %q, want %q", name, args, got, want)
	}
}

func (b bench) upload(h *tensor.Tensor) runtime.Value {
	b.t.Helper()
	t, err := b.m.Device().Upload(h)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(t.Release)
	return runtime.TensorValue(t)
}

// heap is a shape heap that holds values.
func (b bench) heap(values ...int64) runtime.Value {
	return b.upload(tensor.MustOf([]int64{int64(len(values))}, values))
}

func (b bench) read(v runtime.Value) *tensor.Tensor {
	b.t.Helper()
	t, ok := v.AsTensor()
	if !ok {
		b.t.Fatalf("%v is not a tensor", v)
	}
	return &tensor.Tensor{DType: t.DType(), Shape: t.Shape(), Data: slices.Clone(t.Bytes(b.s))}
}

// TestArguments leaves out each argument of each builtin, and passes something of another kind for it.
func TestArguments(t *testing.T) {
	b := newBench(t, Options{})
	i, x, heap := runtime.Int, b.upload(vec(1)), b.heap(1, 2)
	st, err := b.m.Device().NewStorage(64)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Release)
	tup := runtime.TupleValue(i(1))
	t.Cleanup(tup.Release)
	id := runtime.NewFunc("id", func(*runtime.Session, []runtime.Value) (runtime.Value, error) { return runtime.Null(), nil })
	shape, f, str := runtime.Shape([]int64{1}), runtime.FuncValue(id), runtime.String("")
	f32 := runtime.DType(dtype.Float32T)
	const (
		integer, dims, text, typ, tens, tuple, fn, storage = "an int", "a Shape", "a str", "a DataType", "a Tensor", "a Tuple", "a Function", "a Storage"

		any  = "a value"
		none = "" // not checked here
		opt  = "?"
	)
	for _, c := range []struct {
		name  string
		args  []runtime.Value
		kinds []string
	}{
		{"alloc_shape_heap", []runtime.Value{i(0), i(1)}, []string{none, integer}},
		{"match_prim_value", []runtime.Value{i(1), heap, i(MatchNoOp), i(0), str}, []string{integer, none, integer, integer, opt}},
		{"match_shape", []runtime.Value{x, heap, i(1), i(MatchNoOp), i(0), str}, []string{none, none, integer, integer, integer, opt}},
		{"make_prim_value", []runtime.Value{heap, i(MakeUseImm), i(1)}, []string{none, integer, integer}},
		{"make_shape", []runtime.Value{heap, i(1), i(MakeUseImm), i(1)}, []string{none, integer, integer, integer}},
		{"check_tensor_info", []runtime.Value{x, i(1), f32, str}, []string{none, integer, typ, opt}},
		{"check_shape_info", []runtime.Value{shape, i(1), str}, []string{any, integer, opt}},
		{"check_prim_value_info", []runtime.Value{i(1), runtime.DType(dtype.Int64T), str}, []string{any, typ, opt}},
		{"check_tuple_info", []runtime.Value{tup, i(1), str}, []string{any, integer, opt}},
		{"check_func_info", []runtime.Value{f, str}, []string{any, opt}},
		{"alloc_storage", []runtime.Value{i(0), shape, i(0), f32, runtime.String("global")}, []string{none, dims, integer, typ, opt + "str"}},
		{"alloc_tensor", []runtime.Value{runtime.StorageValue(st), i(0), shape, f32}, []string{storage, integer, dims, typ}},
		{"make_closure", []runtime.Value{f, i(1)}, []string{fn, opt + "any"}},
		{"invoke_closure", []runtime.Value{i(0), f, i(1)}, []string{none, fn, opt + "any"}},
		{"call_tir_dyn", []runtime.Value{f, shape}, []string{fn, dims}},
		{"shape_of", []runtime.Value{x}, []string{tens}},
		{"copy", []runtime.Value{x}, []string{any}},
		{"reshape", []runtime.Value{x, shape}, []string{tens, dims}},
		{"to_device", []runtime.Value{x, i(1), i(0)}, []string{tens, integer, integer}},
		{"read_if_cond", []runtime.Value{i(1)}, []string{tens}},
		{"tuple_getitem", []runtime.Value{tup, i(0)}, []string{tuple, integer}},
		{"tuple_reset_item", []runtime.Value{tup, i(0)}, []string{tuple, integer}},
		{"tensor_to_shape", []runtime.Value{heap}, []string{tens}},
		{"ensure_zero_offset", []runtime.Value{x}, []string{any}},
		{"relax.run.shape_to_tensor", []runtime.Value{shape}, []string{dims}},
		{"runtime.TVMTensorCreateView", []runtime.Value{x, shape, f32, i(0)}, []string{tens, dims, typ, integer}},
	} {
		name := c.name
		if !strings.Contains(name, ".") {
			name = "vm.builtin." + name
		}
		for k, kind := range c.kinds {
			if kind == none {
				continue
			}
			wrong := slices.Clone(c.args)
			wrong[k] = runtime.ContextValue(nil)
			refused := fmt.Sprintf("argument %d is VM context of kind VM context, expected ", k)
			missing := fmt.Sprintf("argument %d is missing, expected ", k)
			switch kind {
			case opt: // a string, None or nothing
				b.says(refused+"a str", name, wrong...)
				wrong[k] = runtime.Null()
				b.says("", name, wrong...)
				if name != "vm.builtin.check_tensor_info" { // the type is taken for the context there
					b.says("", name, c.args[:k]...)
				}
			case opt + "str":
				b.says(refused+"a str", name, wrong...)
				b.says("", name, c.args[:k]...)
			case opt + "any":
				b.says("", name, wrong...)
				b.says("", name, c.args[:k]...)
			case any:
				b.says(missing+kind, name, c.args[:k]...)
			default:
				b.says(refused+kind, name, wrong...)
				if name == "vm.builtin.match_shape" && k == 2 || name == "vm.builtin.check_tensor_info" && k == 2 || name == "vm.builtin.call_tir_dyn" {
					continue // what follows decides how arguments are read
				}
				b.says(missing+kind, name, c.args[:k]...)
			}
		}
		b.says("", name, c.args...)
	}
	b.says("argument 0 is missing, expected a Function", "vm.builtin.call_tir_dyn")
	b.says("argument 2 is missing, expected an int", "vm.builtin.match_shape", x, heap)
	b.says("", "vm.builtin.null_value")
}

// TestBuiltinLimits gives numbers their largest legal value and one beyond.
func TestBuiltinLimits(t *testing.T) {
	b := newBench(t, Options{})
	i, null := runtime.Int, runtime.Null()
	x, heap := b.upload(vec(1, 2)), b.heap(10, 20)
	b.says("", "vm.builtin.alloc_shape_heap", null, i(1<<20))
	b.says("argument 1 is 1048577, expected 0 to 1048576", "vm.builtin.alloc_shape_heap", null, i(1<<20+1))
	b.says("", "vm.builtin.alloc_shape_heap", null, i(0))
	b.says("argument 1 is -1, expected 0 to 1048576", "vm.builtin.alloc_shape_heap", null, i(-1))

	b.says("argument 2 is 7, expected 0 to 6", "vm.builtin.match_shape", x, null, i(7))
	b.says("argument 3 is missing, expected an int", "vm.builtin.match_shape", runtime.Shape(make([]int64, 6)), null, i(6))
	b.says("argument 1 is 5, expected 0 to 4", "vm.builtin.make_shape", null, i(5))
	b.says("argument 2 is missing, expected an int", "vm.builtin.make_shape", null, i(4))
	b.says("", "vm.builtin.match_shape", runtime.Shape(nil), null, i(0))

	// The dimensions themselves.
	match := func(want string, dim, code, operand int64) {
		t.Helper()
		b.says(want, "vm.builtin.match_shape", runtime.Shape([]int64{dim}), heap, i(1), i(code), i(operand), runtime.String(" here "))
	}
	for code := int64(MatchAssertEqualToImm); code <= MatchAssertEqualToLoad; code++ {
		match("RuntimeError: here shape[0] is -1, expected an extent of 0 to 2147483647", -1, code, 0)
		match("RuntimeError: here shape[0] is 2147483648, expected an extent of 0 to 2147483647", 1<<31, code, 0)
	}
	match("", 0, MatchNoOp, 5)
	match("", 1<<31-1, MatchNoOp, -5)
	match("", 4, MatchAssertEqualToImm, 4)
	match("RuntimeError: here match_cast error, shape[0] mismatch to specified constant: got 4, expected 0", 4, MatchAssertEqualToImm, 0)
	match("", 20, MatchAssertEqualToLoad, 1)
	match("RuntimeError: here match_cast error, shape[0] mismatch to a previous populated value: got 20, expected 10", 20, MatchAssertEqualToLoad, 0)
	match("slot 2 is out of range: the shape heap has 2", 20, MatchAssertEqualToLoad, 2)
	match("slot -1 is out of range: the shape heap has 2", 20, MatchAssertEqualToLoad, -1)
	match("slot 2 is out of range: the shape heap has 2", 20, MatchStoreToHeap, 2)
	match("slot -1 is out of range: the shape heap has 2", 20, MatchStoreToHeap, -1)
	match("unknown match code 4", 20, 4, 0)
	match("unknown match code -1", 20, -1, 0)
	if got := b.read(heap).Ints(); !slices.Equal(got, []int64{10, 20}) {
		t.Errorf("a match that failed or stores nothing changed the heap: %v", got)
	}
	match("", 7, MatchStoreToHeap, 1)
	if got := b.read(heap).Ints(); !slices.Equal(got, []int64{10, 7}) {
		t.Errorf("after heap[1] = 7: %v", got)
	}
	match("", 0, MatchStoreToHeap, 0)
	if got := b.read(heap).Ints(); !slices.Equal(got, []int64{0, 7}) {
		t.Errorf("after heap[0] = 0: %v", got)
	}
	b.says("TypeError: expect a Tensor or Shape but get int", "vm.builtin.match_shape", i(3), heap, i(0))
	b.says("RuntimeError: match_cast shape size mismatch: got 1 dimensions, [2], expected 0", "vm.builtin.match_shape", x, heap, i(0))
	b.says("RuntimeError: match_cast error, shape[1] mismatch to specified constant: got 3, expected 4",
		"vm.builtin.match_shape", runtime.Shape([]int64{2, 3}), null, i(2), i(0), i(2), i(0), i(4))

	// Numbers.
	prim := func(want string, v, code, operand int64) {
		t.Helper()
		b.says(want, "vm.builtin.match_prim_value", i(v), heap, i(code), i(operand), runtime.String("there"))
	}
	prim("", -9, MatchNoOp, 50)
	prim("", -9, MatchAssertEqualToImm, -9)
	prim("RuntimeError: there match_cast error, PrimValue mismatch to specified constant: got -9, expected 9", -9, MatchAssertEqualToImm, 9)
	prim("", -9, MatchStoreToHeap, 1)
	prim("", -9, MatchAssertEqualToLoad, 1)
	prim("RuntimeError: there match_cast error, PrimValue mismatch to a previous populated value: got 8, expected -9", 8, MatchAssertEqualToLoad, 1)
	prim("unknown match code 4", 1, 4, 0)

	for _, c := range []struct{ code, operand, want int64 }{{MakeUseImm, -4, -4}, {MakeLoadShape, 0, 0}, {MakeLoadShape, 1, -9}} {
		if v, err := b.call("vm.builtin.make_prim_value", heap, i(c.code), i(c.operand)); err != nil || v.Kind() != runtime.KindInt || v.String() != fmt.Sprint(c.want) {
			t.Errorf("make_prim_value %+v: %v %v", c, v, err)
		}
		if v, err := b.call("vm.builtin.make_shape", heap, i(2), i(MakeUseImm), i(6), i(c.code), i(c.operand)); err != nil || v.String() != fmt.Sprintf("[6, %d]", c.want) {
			t.Errorf("make_shape %+v: %v %v", c, v, err)
		}
	}
	for code, want := range map[int64]string{MakeLoadShape: "slot 2 is out of range: the shape heap has 2", 2: "unknown make code 2", -1: "unknown make code -1"} {
		b.says(want, "vm.builtin.make_prim_value", heap, i(code), i(2))
		b.says(want, "vm.builtin.make_shape", heap, i(1), i(code), i(2))
	}
	b.says("slot 0 is out of range: the shape heap has 0", "vm.builtin.make_shape", null, i(1), i(MakeLoadShape), i(0))
	narrow := b.upload(tensor.MustOf([]int64{2}, []int32{1, 2}))
	for _, bad := range []struct {
		v    runtime.Value
		text string
	}{{narrow, "int32[2]"}, {i(3), "3"}, {runtime.Shape([]int64{1}), "[1]"}} {
		want := "the shape heap is " + bad.text + ", expected an int64 tensor or None"
		b.says(want, "vm.builtin.match_shape", x, bad.v, i(1), i(MatchNoOp), i(0))
		b.says(want, "vm.builtin.match_prim_value", i(1), bad.v, i(MatchNoOp), i(0))
		b.says(want, "vm.builtin.make_shape", bad.v, i(1), i(MakeUseImm), i(0))
		b.says(want, "vm.builtin.make_prim_value", bad.v, i(MakeUseImm), i(0))
	}

	// A new heap is zero, even where memory was used before.
	dirty := func() runtime.Value {
		v, err := b.m.builtins()["vm.builtin.alloc_shape_heap"](b.s, []runtime.Value{null, i(8)})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := dirty()
	used, _ := v.AsTensor()
	for k := range used.Bytes(b.s) {
		used.Bytes(b.s)[k] = 0xff
	}
	v.Release()
	v = dirty()
	defer v.Release()
	if got := b.read(v); !slices.Equal(got.Ints(), make([]int64, 8)) || got.DType != dtype.Int64T {
		t.Errorf("a new shape heap holds %v %v", got, got.Ints())
	}
}

// TestMemoryBuiltins covers storages, tensors, views and devices.
func TestMemoryBuiltins(t *testing.T) {
	b := newBench(t, Options{})
	i, null, u8 := runtime.Int, runtime.Null(), runtime.DType(dtype.UInt8T)
	store := func(want string, dims []int64, index int64, more ...runtime.Value) {
		t.Helper()
		b.says(want, "vm.builtin.alloc_storage", append([]runtime.Value{null, runtime.Shape(dims), i(index), u8}, more...)...)
	}
	store("", []int64{5}, 0)
	store("", []int64{5}, -1)
	store("", []int64{0}, 0)
	store("device index 1: this machine has one device, 0", []int64{5}, 1)
	store("device index -2: this machine has one device, 0", []int64{5}, -2)
	store("", []int64{5}, 0, runtime.String(""))
	store("", []int64{5}, 0, runtime.String("global"))
	store(`memory scope "local": this device has global memory only`, []int64{5}, 0, runtime.String("local"))
	if _, err := b.call("vm.builtin.alloc_storage", null, runtime.Shape([]int64{-1}), i(0), u8); err == nil {
		t.Error("a storage of -1 bytes was made")
	}
	v, err := b.call("vm.builtin.alloc_storage", null, runtime.Shape([]int64{3, 4}), i(0), runtime.DType(dtype.Float64T))
	if err != nil || v.String() != "storage[96]" {
		t.Errorf("a storage of 3 x 4 float64: %v %v", v, err)
	}
	b.says("", "vm.builtin.alloc_tensor", v, i(90), runtime.Shape([]int64{6}), u8)
	b.says("a tensor uint8[6] of 6 bytes at offset 91 does not fit a storage of 96 bytes", "vm.builtin.alloc_tensor", v, i(91), runtime.Shape([]int64{6}), u8)

	x := b.upload(vec(1, 2, 3, 4))
	view, err := b.call("vm.builtin.reshape", x, runtime.Shape([]int64{2, 2}))
	if err != nil || view.String() != "float32[2, 2]" || !slices.Equal(b.read(view).Floats(), []float64{1, 2, 3, 4}) {
		t.Errorf("reshape: %v %v", view, err)
	}
	words, err := b.call("runtime.TVMTensorCreateView", x, runtime.Shape([]int64{3}), runtime.DType(dtype.Int32T), i(4))
	if err != nil || words.String() != "int32[3]" || !slices.Equal(b.read(words).Floats(), []float64{0x40000000, 0x40400000, 0x40800000}) {
		t.Errorf("a view of the bits: %v %v", words, err)
	}
	for _, offset := range []int64{-1, 5, 17, math.MinInt64, math.MaxInt64} {
		b.says(fmt.Sprintf("cannot view float32[4] from byte %d on as int32[3]: it has 16 bytes", offset), "runtime.TVMTensorCreateView", x, runtime.Shape([]int64{3}), runtime.DType(dtype.Int32T), i(offset))
	}
	b.says("", "runtime.TVMTensorCreateView", x, runtime.Shape([]int64{0}), runtime.DType(dtype.Int32T), i(16))
	if v, err := b.call("vm.builtin.shape_of", view); err != nil || v.String() != "[2, 2]" {
		t.Errorf("shape_of: %v %v", v, err)
	}
	b.says("", "vm.builtin.to_device", x, i(1), i(0), runtime.String("global"))
	b.says("no device of type 1 with id 1: this machine has type 1, id 0", "vm.builtin.to_device", x, i(1), i(1))
	b.says("no device of type 2 with id 0: this machine has type 1, id 0", "vm.builtin.to_device", x, i(2), i(0))

	tup, err := b.call("vm.builtin.make_tuple", i(5), runtime.Bool(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vm.builtin.tuple_getitem", "vm.builtin.tuple_reset_item"} {
		b.says("field 2 is out of range: the tuple has 2", name, tup, i(2))
		b.says("field -1 is out of range: the tuple has 2", name, tup, i(-1))
	}
	if v, err := b.call("vm.builtin.tuple_getitem", tup, i(1)); err != nil || v.String() != "true" {
		t.Errorf("field 1: %v %v", v, err)
	}
	b.says("", "vm.builtin.tuple_reset_item", tup, i(1))
	if tup.String() != "(5, None)" {
		t.Errorf("after reset of field 1: %v", tup)
	}

	for _, c := range []struct {
		h    *tensor.Tensor
		want string
	}{
		{tensor.MustOf([]int64{3}, []int32{4, -1, 6}), "[4, -1, 6]"},
		{tensor.MustOf([]int64{0}, []int64{}), "[]"},
		{tensor.MustOf([]int64{1, 2}, []int64{1, 2}), "tensor_to_shape of int64[1, 2], expected a vector of signed integers"},
		{tensor.MustOf(nil, []int64{1}), "tensor_to_shape of int64[], expected a vector of signed integers"},
		{tensor.MustOf([]int64{1}, []uint8{1}), "tensor_to_shape of uint8[1], expected a vector of signed integers"},
		{vec(1), "tensor_to_shape of float32[1], expected a vector of signed integers"},
	} {
		got := ""
		if v, err := b.call("vm.builtin.tensor_to_shape", b.upload(c.h)); err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if got != c.want {
			t.Errorf("tensor_to_shape: %s, want %s", got, c.want)
		}
	}
	v, err = b.call("relax.run.shape_to_tensor", runtime.Shape([]int64{1 << 40, -2, 3}))
	if err != nil || v.String() != "int64[3]" || !slices.Equal(b.read(v).Ints(), []int64{1 << 40, -2, 3}) {
		t.Errorf("shape_to_tensor: %v %v", v, err)
	}
}

// TestCondition reads conditions of every kind.
func TestCondition(t *testing.T) {
	b := newBench(t, Options{})
	lanes := &tensor.Tensor{DType: dtype.DType{Code: dtype.Int, Bits: 8, Lanes: 2}, Shape: nil, Data: []byte{0, 1}}
	for _, c := range []struct {
		v    runtime.Value
		want string
	}{
		{runtime.Int(0), "false"},
		{runtime.Int(-3), "true"},
		{runtime.Bool(true), "true"},
		{b.upload(tensor.MustOf(nil, []bool{true})), "true"},
		{b.upload(tensor.MustOf(nil, []bool{false})), "false"},
		{b.upload(tensor.MustOf([]int64{1, 1}, []int64{1 << 40})), "true"},
		{b.upload(tensor.MustOf([]int64{1}, []uint16{0})), "false"},
		{b.upload(tensor.MustOf([]int64{1}, []uint16{256})), "true"},
		{b.upload(tensor.MustOf([]int64{2}, []int32{1, 0})), "the condition is int32[2], expected one bool or integer"},
		{b.upload(tensor.MustOf([]int64{0}, []int32{})), "the condition is int32[0], expected one bool or integer"},
		{b.upload(vec(1)), "the condition is float32[1], expected one bool or integer"},
		{b.upload(lanes), "the condition is int8x2[], expected one bool or integer"},
		{runtime.Float(1), "argument 0 is 1 of kind float, expected a Tensor"},
	} {
		got := ""
		if v, err := b.call("vm.builtin.read_if_cond", c.v); err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if got != c.want {
			t.Errorf("read_if_cond of %v: %s, want %s", c.v, got, c.want)
		}
	}
}

// TestPrimValueInfo is the whole table of kinds of numbers and types of parameters.
func TestPrimValueInfo(t *testing.T) {
	b := newBench(t, Options{})
	values := []runtime.Value{runtime.Int(1), runtime.Bool(true), runtime.Float(1), runtime.String("1"), runtime.Null()}
	for dt, ok := range map[string]string{"bool": "11000", "int64": "11000", "int8": "11000", "uint32": "11000", "float32": "11100", "float16": "11100", "void": "11100"} {
		typ := dtype.Void
		if dt != "void" {
			typ = dtype.MustParse(dt)
		}
		for k, v := range values {
			want := ""
			if ok[k] == '0' {
				want = fmt.Sprintf("TypeError: x expected dtype %v, but received %v", typ, v.Kind())
			}
			b.says(want, "vm.builtin.check_prim_value_info", v, runtime.DType(typ), runtime.String("x"))
		}
	}
	b.says("TypeError: unsupported dtype handle", "vm.builtin.check_prim_value_info", runtime.Int(1), runtime.DType(dtype.DType{Code: dtype.Handle, Bits: 64, Lanes: 1}))
	x := b.upload(vec(1, 2))
	b.says("ValueError: expect Tensor with ndim 0 but get 1, shape [2]", "vm.builtin.check_tensor_info", x, runtime.Int(0))
	b.says("ValueError: y expect Tensor with ndim 2 but get 1, shape [2]", "vm.builtin.check_tensor_info", x, runtime.Int(2), runtime.String("y"))
	b.says("ValueError: expect Tensor with dtype float16 but get float32", "vm.builtin.check_tensor_info", x, runtime.Int(1), runtime.DType(dtype.Float16T), runtime.Null())
	b.says("ValueError: expect a Tuple with 0 elements, but get a Tuple with 1 elements", "vm.builtin.check_tuple_info", runtime.TupleValue(runtime.Int(1)), runtime.Int(0))
}

// TestPrintAndAssert covers the formats, the output and what they do with values that they cannot write.
func TestPrintAndAssert(t *testing.T) {
	var out strings.Builder
	b := newBench(t, Options{Output: &out})
	str := runtime.String
	tup := runtime.TupleValue(runtime.Bool(false), runtime.Bool(true), runtime.Null(), str("s"), b.upload(vec(1, 2)))
	t.Cleanup(tup.Release)
	prints := func(want string, args ...runtime.Value) {
		t.Helper()
		out.Reset()
		b.says("", "relax.run.print", args...)
		if out.String() != want {
			t.Errorf("print%v writes %q, want %q", args, out.String(), want)
		}
	}
	prints("\n")
	prints("\n", str(""))
	prints("1 [2, 3] 0.5\n", str(""), runtime.Int(1), runtime.Shape([]int64{2, 3}), runtime.Float(0.5))
	prints("1-2\n", str("{}-{}"), runtime.Int(1), runtime.Int(2))
	prints("(False, True, None, s, [1. 2.])\n", str("{}"), tup)
	b.says("the format is 1, expected a string", "relax.run.print", runtime.Int(1))
	out.Reset()
	b.says(`format "{}": there is no value 0: 0 are given`, "relax.run.print", str("{}"))
	if out.String() != "" {
		t.Errorf("a print that failed wrote %q", out.String())
	}

	b.says("", "relax.run.assert_op", runtime.Bool(true), runtime.Int(3))
	b.says("", "relax.run.assert_op", runtime.Int(2))
	b.says("AssertionError: Assertion Failed", "relax.run.assert_op", runtime.Bool(false))
	b.says("AssertionError: Assertion Failed", "relax.run.assert_op", runtime.Bool(false), str(""))
	b.says("AssertionError: 1, 2", "relax.run.assert_op", runtime.Bool(false), str(""), runtime.Int(1), runtime.Int(2))
	b.says("AssertionError: got 1", "relax.run.assert_op", b.upload(tensor.MustOf(nil, []bool{false})), str("got {}"), runtime.Int(1))
	b.says("the format is 3, expected a string", "relax.run.assert_op", runtime.Bool(false), runtime.Int(3))
	b.says("the condition is float32[1], expected one bool or integer", "relax.run.assert_op", b.upload(vec(0)))
	b.says("argument 0 is missing, expected a value", "relax.run.assert_op")

	silent := newBench(t, Options{})
	silent.says("", "relax.run.print", str("{}"), runtime.Int(1))
	silent.says("the format is 1, expected a string", "relax.run.print", runtime.Int(1))
	broken := newBench(t, Options{Output: brokenWriter{}})
	broken.says("printing: io: read/write on closed pipe", "relax.run.print", str("x"))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestBuiltinsAreListed(t *testing.T) {
	names := Builtins()
	if !slices.IsSorted(names) || len(names) != len((&Machine{}).builtins()) {
		t.Errorf("Builtins() = %v", names)
	}
	for _, want := range []string{"relax.run.print", "vm.builtin.alloc_storage", "vm.builtin.tuple_reset_item"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not listed", want)
		}
	}
}
