package vm

import (
	"fmt"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Codes of match_shape and match_prim_value (MatchShapeCode of TVM).
const (
	MatchAssertEqualToImm  = 0 // the dimension is the operand
	MatchStoreToHeap       = 1 // heap[operand] = the dimension
	MatchNoOp              = 2
	MatchAssertEqualToLoad = 3 // the dimension is heap[operand]
)

// Codes of make_shape and make_prim_value (MakeShapeCode of TVM).
const (
	MakeUseImm    = 0 // the operand itself
	MakeLoadShape = 1 // heap[operand]
)

// shapeHeap is the heap argument of a builtin: an int64 vector in device memory, so that
// shape functions, which are kernels, can compute on it; or None.
type shapeHeap []byte

// at returns the memory from slot reg on.
func (h shapeHeap) at(reg int64) ([]byte, error) {
	if reg < 0 || reg >= int64(len(h)/8) {
		return nil, fmt.Errorf("slot %d is out of range: the shape heap has %d", reg, len(h)/8)
	}
	return h[reg*8:], nil
}

func heapArg(s *runtime.Session, v runtime.Value) (shapeHeap, error) {
	if v.IsNull() {
		return nil, nil
	}
	t, ok := v.AsTensor()
	if !ok || t.DType() != dtype.Int64T {
		return nil, fmt.Errorf("the shape heap is %v, expected an int64 tensor or None", v)
	}
	return t.Bytes(s), nil
}

// match applies one code to a dimension or number v, which messages call what.
func (h shapeHeap) match(code, operand, v int64, ctx, what string) error {
	switch code {
	case MatchNoOp:
		return nil
	case MatchAssertEqualToImm:
		if v != operand {
			return check("RuntimeError", ctx, "match_cast error, %s mismatch to specified constant: got %d, expected %d", what, v, operand)
		}
		return nil
	case MatchStoreToHeap, MatchAssertEqualToLoad:
	default:
		return fmt.Errorf("unknown match code %d", code)
	}
	slot, err := h.at(operand)
	if err != nil {
		return err
	}
	if code == MatchStoreToHeap {
		putInt64(slot, v)
		return nil
	}
	if want := getInt64(slot); v != want {
		return check("RuntimeError", ctx, "match_cast error, %s mismatch to a previous populated value: got %d, expected %d", what, v, want)
	}
	return nil
}

// make applies one code of make_shape.
func (h shapeHeap) make(code, operand int64) (int64, error) {
	switch code {
	case MakeUseImm:
		return operand, nil
	case MakeLoadShape:
		slot, err := h.at(operand)
		if err != nil {
			return 0, err
		}
		return getInt64(slot), nil
	}
	return 0, fmt.Errorf("unknown make code %d", code)
}

func matchPrimValue(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	v, code, operand, ctx := a.int(0), a.int(2), a.int(3), a.context(4)
	heap, err := heapArg(s, a.value(1))
	if a.err != nil || err != nil {
		return runtime.Null(), first(a.err, err)
	}
	return runtime.Null(), heap.match(code, operand, v, ctx, "PrimValue")
}

func matchShape(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	n := a.count(2, 2*int64(len(args)))
	ctx := a.context(3 + 2*int(n))
	dims, ok := a.value(0).AsShape()
	if t, isTensor := a.value(0).AsTensor(); isTensor {
		dims, ok = t.Shape(), true
	}
	heap, err := heapArg(s, a.value(1))
	if a.err != nil || err != nil {
		return runtime.Null(), first(a.err, err)
	}
	if !ok {
		return runtime.Null(), check("TypeError", ctx, "expect a Tensor or Shape but get %v", a.value(0).Kind())
	}
	if int64(len(dims)) != n {
		return runtime.Null(), check("RuntimeError", ctx, "match_cast shape size mismatch: got %d dimensions, %s, expected %d", len(dims), tensor.ShapeString(dims), n)
	}
	for i, d := range dims {
		code, operand := a.int(3+2*i), a.int(4+2*i)
		if a.err != nil {
			return runtime.Null(), a.err
		}
		if d < 0 || d > abi.MaxExtent {
			return runtime.Null(), check("RuntimeError", ctx, "shape[%d] is %d, expected an extent of 0 to %d", i, d, abi.MaxExtent)
		}
		// The name of the dimension is made only for an error.
		if code == MatchAssertEqualToImm && d == operand || code == MatchNoOp {
			continue
		}
		if err := heap.match(code, operand, d, ctx, fmt.Sprintf("shape[%d]", i)); err != nil {
			return runtime.Null(), err
		}
	}
	return runtime.Null(), nil
}

func makePrimValue(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	code, operand := a.int(1), a.int(2)
	heap, err := heapArg(s, a.value(0))
	if a.err != nil || err != nil {
		return runtime.Null(), first(a.err, err)
	}
	v, err := heap.make(code, operand)
	return runtime.Int(v), err
}

func makeShape(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	a := arguments{args: args}
	n := a.count(1, 2*int64(len(args)))
	heap, err := heapArg(s, a.value(0))
	if a.err != nil || err != nil {
		return runtime.Null(), first(a.err, err)
	}
	dims := make([]int64, n)
	for i := range dims {
		code, operand := a.int(2+2*i), a.int(3+2*i)
		if a.err != nil {
			return runtime.Null(), a.err
		}
		if dims[i], err = heap.make(code, operand); err != nil {
			return runtime.Null(), err
		}
	}
	return runtime.Shape(dims), nil
}
