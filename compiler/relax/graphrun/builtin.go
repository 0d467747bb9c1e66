package graphrun

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// builtin runs a function of the runtime. Printing prints nothing.
func (f *frame) builtin(name string, args []Value) (Value, error) {
	switch name {
	case "vm.builtin.copy", "vm.builtin.to_device", "vm.builtin.ensure_zero_offset":
		return args[0], nil
	case "vm.builtin.make_closure":
		return &Closure{fn: args[0].(*ir.GlobalVar), captured: args[1:]}, nil
	case "vm.builtin.invoke_closure":
		return f.invoke(args[0], args[1:])
	case "vm.builtin.cuda_graph.get_cached_alloc":
		return f.invoke(args[0], nil)
	case "vm.builtin.cuda_graph.run_or_capture":
		return f.invoke(args[0], args[1].(Tuple))
	case "vm.builtin.call_tir_dyn":
		return f.dynamic(args[0], args[1:])
	case "relax.run.print":
		return nil, nil
	case "relax.run.assert_op":
		if !truth(args[0]) {
			return nil, fmt.Errorf("assertion failed: %v", args[1:])
		}
		return nil, nil
	case "relax.run.shape_to_tensor":
		s := args[0].(Shape)
		t, err := tensor.New(dtype.Int64T, []int64{int64(len(s))})
		for i := range s {
			t.SetInt(i, s[i])
		}
		return t, err
	case "vm.builtin.reshape":
		t := args[0].(*tensor.Tensor)
		return tensor.FromBytes(t.DType, args[1].(Shape), t.Data)
	case "runtime.TVMTensorCreateView":
		t := args[0].(*tensor.Tensor)
		shape, dt, offset := Shape(t.Shape), t.DType, int64(0) // where an argument is an empty tuple
		if s, ok := args[1].(Shape); ok {
			shape = s
		}
		if d, ok := args[2].(dtype.DType); ok {
			dt = d
		}
		if n, ok := args[3].(int64); ok {
			offset = n
		}
		n, err := tensor.ByteSize(dt, shape)
		if err == nil && (offset < 0 || offset > int64(len(t.Data)) || n > int64(len(t.Data))-offset) {
			err = fmt.Errorf("cannot view %d bytes from byte %d on as %v%s", len(t.Data), offset, dt, tensor.ShapeString(shape))
		}
		if err != nil {
			return nil, err
		}
		return tensor.FromBytes(dt, shape, t.Data[offset:offset+n])
	case "vm.builtin.shape_of":
		return Shape(slices.Clone(args[0].(*tensor.Tensor).Shape)), nil
	case "vm.builtin.tensor_to_shape":
		return Shape(args[0].(*tensor.Tensor).Ints()), nil
	case "vm.builtin.alloc_shape_heap":
		return tensor.New(dtype.Int64T, []int64{args[0].(int64)})
	case "vm.builtin.check_tensor_info", "vm.builtin.check_shape_info", "vm.builtin.check_tuple_info", "vm.builtin.check_prim_value_info", "vm.builtin.check_func_info":
		return nil, checkInfo(name, args)
	case "vm.builtin.match_shape":
		return nil, matchShape(args)
	case "vm.builtin.match_prim_value":
		n, ok := args[0].(int64)
		if !ok {
			return nil, fmt.Errorf("match_prim_value of a %T", args[0])
		}
		heap, _ := args[1].(*tensor.Tensor)
		return nil, matchExtent(heap, n, args[2].(int64), args[3].(int64), "the value")
	case "vm.builtin.make_shape":
		heap, _ := args[0].(*tensor.Tensor)
		out := make(Shape, args[1].(int64))
		for i := range out {
			out[i] = fromHeap(heap, args[2+2*i].(int64), args[3+2*i].(int64))
		}
		return out, nil
	case "vm.builtin.make_prim_value":
		heap, _ := args[0].(*tensor.Tensor)
		return fromHeap(heap, args[1].(int64), args[2].(int64)), nil
	}
	if _, ok := f.mod.Lookup(name).(*tir.PrimFunc); ok { // which an external generator compiled
		return f.kernel(name, args)
	}
	return nil, unsupported("the function %s of the runtime cannot be run by the interpreter", name)
}

func fromHeap(heap *tensor.Tensor, code, operand int64) int64 {
	if code == 0 {
		return operand
	}
	return heap.Int(int(operand))
}

func checkInfo(name string, args []Value) error {
	ndim, ok := args[1].(int64)
	switch v := args[0].(type) {
	case *tensor.Tensor:
		if name == "vm.builtin.check_tensor_info" && (ndim < 0 || int(ndim) == len(v.Shape)) && args[2] == v.DType {
			return nil
		}
	case Shape:
		if name == "vm.builtin.check_shape_info" && (ndim < 0 || int(ndim) == len(v)) {
			return nil
		}
	case Tuple:
		if name == "vm.builtin.check_tuple_info" && int(ndim) == len(v) {
			return nil
		}
	case int64:
		if name == "vm.builtin.check_prim_value_info" && !ok {
			return nil
		}
	case *Closure, *ir.GlobalVar, Func:
		if name == "vm.builtin.check_func_info" {
			return nil
		}
	}
	return fmt.Errorf("%s fails: %v", name, args)
}

// matchShape follows the codes of TVM's match_shape: 0 equals a number, 1 stores, 2 does
// nothing, 3 equals what is stored.
func matchShape(args []Value) error {
	var have []int64
	switch v := args[0].(type) {
	case *tensor.Tensor:
		have = v.Shape
	case Shape:
		have = v
	default:
		return fmt.Errorf("match_shape of a %T", args[0])
	}
	heap, _ := args[1].(*tensor.Tensor)
	if int(args[2].(int64)) != len(have) {
		return fmt.Errorf("match_shape: %v has not %d dimensions", have, args[2])
	}
	for i, n := range have {
		if err := matchExtent(heap, n, args[3+2*i].(int64), args[4+2*i].(int64), fmt.Sprintf("extent %d", i)); err != nil {
			return err
		}
	}
	return nil
}

// matchExtent follows one code of match_shape.
func matchExtent(heap *tensor.Tensor, n, code, operand int64, what string) error {
	want := n
	switch code {
	case 0:
		want = operand
	case 1:
		heap.SetInt(int(operand), n)
	case 3:
		want = heap.Int(int(operand))
	}
	if n != want {
		return fmt.Errorf("match_shape: %s is %d, not %d", what, n, want)
	}
	return nil
}

// Tensors returns the tensors of a value, those of nested tuples included.
func Tensors(v Value) []*tensor.Tensor {
	switch v := v.(type) {
	case *tensor.Tensor:
		return []*tensor.Tensor{v}
	case Tuple:
		var out []*tensor.Tensor
		for _, x := range v {
			out = append(out, Tensors(x)...)
		}
		return out
	}
	return nil
}

// Inputs returns random arguments for the parameters of f, with symbolic extents of n. They
// lie in small intervals, so that sums of products stay exact enough to compare.
func Inputs(f *relax.Function, n int64, seed uint64) ([]Value, error) {
	var out []Value
	fr := &frame{}
	for i, p := range f.Params {
		v, err := fr.input(p.SInfo, n, seed+uint64(i))
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		out = append(out, v)
	}
	return out, nil
}
