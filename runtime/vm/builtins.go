package vm

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// maxShapeHeap bounds the number of symbolic values of one function.
const maxShapeHeap = 1 << 20

// builtins lists the functions that lowered Relax code calls by name (src/runtime/vm/
// builtin.cc of TVM v0.23).
func (m *Machine) builtins() map[string]runtime.GoFunc {
	return map[string]runtime.GoFunc{
		"vm.builtin.alloc_shape_heap":            m.allocShapeHeap,
		"vm.builtin.match_prim_value":            matchPrimValue,
		"vm.builtin.match_shape":                 matchShape,
		"vm.builtin.make_prim_value":             makePrimValue,
		"vm.builtin.make_shape":                  makeShape,
		"vm.builtin.check_tensor_info":           checkTensorInfo,
		"vm.builtin.check_shape_info":            checkShapeInfo,
		"vm.builtin.check_prim_value_info":       checkPrimValueInfo,
		"vm.builtin.check_tuple_info":            checkTupleInfo,
		"vm.builtin.check_func_info":             checkFuncInfo,
		"vm.builtin.alloc_storage":               m.allocStorage,
		"vm.builtin.alloc_tensor":                allocTensor,
		"vm.builtin.make_closure":                makeClosure,
		"vm.builtin.invoke_closure":              invokeClosure,
		"vm.builtin.call_tir_dyn":                callTIRDyn,
		"vm.builtin.cuda_graph.get_cached_alloc": getCachedAlloc,
		"vm.builtin.cuda_graph.run_or_capture":   runOrCapture,
		"vm.builtin.shape_of":                    shapeOf,
		"vm.builtin.copy":                        copyValue,
		"vm.builtin.reshape":                     reshape,
		"vm.builtin.null_value":                  nullValue,
		"vm.builtin.to_device":                   toDevice,
		"vm.builtin.read_if_cond":                readIfCond,
		"vm.builtin.tuple_getitem":               tupleGetItem,
		"vm.builtin.tuple_reset_item":            tupleResetItem,
		"vm.builtin.make_tuple":                  makeTuple,
		"vm.builtin.tensor_to_shape":             tensorToShape,
		"vm.builtin.ensure_zero_offset":          copyValue, // views carry their offset in the data pointer
		"runtime.TVMTensorCreateView":            createView,
		"relax.run.shape_to_tensor":              m.shapeToTensor,
		"relax.run.assert_op":                    assertOp,
		"relax.run.print":                        m.print,
	}
}

// Builtins lists the names of the functions that every machine offers, sorted.
func Builtins() []string {
	var names []string
	for n := range (&Machine{}).builtins() {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// allocShapeHeap(vm, size) makes a zeroed int64 vector in device memory.
func (m *Machine) allocShapeHeap(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	n := a.count(1, maxShapeHeap)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	t, err := m.dev.NewTensor(dtype.Int64T, []int64{n})
	if err != nil {
		return runtime.Null(), err
	}
	clear(t.Bytes(s))
	return runtime.TensorValue(t), nil
}

// allocStorage(vm, shape, device_index, dtype, scope) allocates bytes for tensors.
func (m *Machine) allocStorage(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	dims, index, dt, scope := a.shape(1), a.int(2), a.dtype(3), "global"
	if len(args) > 4 {
		scope = a.string(4)
	}
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if index != 0 && index != -1 {
		return runtime.Null(), fmt.Errorf("device index %d: this machine has one device, 0", index)
	}
	if scope != "global" && scope != "" {
		return runtime.Null(), fmt.Errorf("memory scope %q: this device has global memory only", scope)
	}
	size, err := tensor.ByteSize(dt, dims)
	if err != nil {
		return runtime.Null(), err
	}
	st, err := m.dev.NewStorage(uint64(size))
	if err != nil {
		return runtime.Null(), err
	}
	return runtime.StorageValue(st), nil
}

// allocTensor(storage, offset, shape, dtype[, scope]) makes a tensor in a storage.
func allocTensor(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	st, offset, dims, dt := a.storage(0), a.int(1), a.shape(2), a.dtype(3)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	t, err := st.NewTensor(offset, dims, dt)
	if err != nil {
		return runtime.Null(), err
	}
	return runtime.TensorValue(t), nil
}

// callTIRDyn(f, tensors..., shape) calls a kernel with the dimensions of shape as ints.
func callTIRDyn(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	f, dims := a.fn(0), a.shape(len(args)-1)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	all := make([]runtime.Value, 0, len(args)-2+len(dims))
	all = append(all, args[1:len(args)-1]...)
	for _, d := range dims {
		all = append(all, runtime.Int(d))
	}
	return f.Call(s, all)
}

func shapeOf(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t := a.tensor(0)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	return runtime.Shape(t.Shape()), nil
}

func copyValue(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v := a.value(0)
	v.Retain()
	return v, a.err
}

// reshape(tensor, shape) makes a view.
func reshape(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t, dims := a.tensor(0), a.shape(1)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	v, err := t.View(dims, t.DType())
	if err != nil {
		return runtime.Null(), err
	}
	return runtime.TensorValue(v), nil
}

// createView(tensor, shape, dtype, offset) makes a view of another type, of a part that begins at an offset in bytes.
func createView(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t, dims, dt, offset := a.tensor(0), a.shape(1), a.dtype(2), a.int(3)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	v, err := t.ViewAt(offset, dims, dt)
	if err != nil {
		return runtime.Null(), err
	}
	return runtime.TensorValue(v), nil
}

// nullValue() is None; kill_object writes it over a register, which releases its value.
func nullValue(*runtime.Session, []runtime.Value) (runtime.Value, error) { return runtime.Null(), nil }

// toDevice(tensor, device_type, device_id[, scope]) finds the tensor on the one device.
func toDevice(_ *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t, kind, id := a.tensor(0), a.int(1), a.int(2)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if kind != 1 || id != 0 {
		return runtime.Null(), fmt.Errorf("no device of type %d with id %d: this machine has type 1, id 0", kind, id)
	}
	t.Retain()
	return runtime.TensorValue(t), nil
}

// readIfCond(cond) reads a bool, or the only element of an integer or bool tensor.
func readIfCond(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	if v, ok := a.at(0).AsInt(); ok {
		return runtime.Bool(v != 0), nil
	}
	t := a.tensor(0)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if dt := t.DType(); !dt.IsBool() && !dt.IsInteger() || !dt.IsScalar() || t.ByteSize() != uint64(dt.Bytes()) {
		return runtime.Null(), fmt.Errorf("the condition is %v, expected one bool or integer", t)
	}
	for _, b := range t.Bytes(s) {
		if b != 0 {
			return runtime.Bool(true), nil
		}
	}
	return runtime.Bool(false), nil
}

// tensorToShape(tensor) reads an integer vector as a shape.
func tensorToShape(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	t := a.tensor(0)
	if a.err != nil {
		return runtime.Null(), a.err
	}
	if len(t.Shape()) != 1 || !t.DType().IsInt() {
		return runtime.Null(), fmt.Errorf("tensor_to_shape of %v, expected a vector of signed integers", t)
	}
	h := &tensor.Tensor{DType: t.DType(), Shape: t.Shape(), Data: t.Bytes(s)}
	return runtime.Shape(h.Ints()), nil
}
