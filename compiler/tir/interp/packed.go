package interp

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/tensor"
)

const (
	dlTensorSize = abi.DLTensorSize // the distance of DLTensors in an array of them
	cellSize     = abi.CellSize
)

func ptrTo(b []byte) unsafe.Pointer { return unsafe.Pointer(&b[0]) }

// callPacked runs a function of the packed calling convention: self, args, num_args, result. It returns
// what the function left in the result.
func (m *machine) callPacked(f *function, args []any) (any, error) {
	cells := make([]byte, cellSize*max(1, len(args)))
	for k, a := range args {
		if err := m.cell(cells[k*cellSize:], a); err != nil {
			return nil, fmt.Errorf("%s: argument %d: %w", f.name, k, err)
		}
	}
	result := make([]byte, cellSize)
	fr := m.newFrame(f)
	fr.setPointer(1, m.add(&region{data: cells}))
	fr.i[f.params[2].n] = int64(len(args))
	fr.setPointer(3, m.add(&region{data: result}))
	f.body(fr)
	if fr.has && fr.retI != 0 {
		return nil, fmt.Errorf("%s returned error code %d", f.name, fr.retI)
	}
	switch index := binary.LittleEndian.Uint32(result); index {
	case abi.TypeNone, abi.TypeInt, abi.TypeBool, abi.TypeFloat:
		return m.unpack(fr, result), nil
	default:
		return nil, fmt.Errorf("%s: result has type index %d, expected none or a number", f.name, index)
	}
}

// cell writes argument a as a TVMFFIAny.
func (m *machine) cell(b []byte, a any) error {
	put := func(typeIndex uint32, v uint64) {
		binary.LittleEndian.PutUint32(b, typeIndex)
		binary.LittleEndian.PutUint64(b[8:], v)
	}
	switch x := a.(type) {
	case nil:
		put(abi.TypeNone, 0)
	case *tensor.Tensor:
		put(abi.TypeDLTensorPtr, uint64(m.tensor(x)))
	case float64:
		put(abi.TypeFloat, math.Float64bits(x))
	case bool:
		put(abi.TypeBool, uint64(truth(x)))
	default:
		n, ok := toInt(a)
		if !ok {
			return fmt.Errorf("got a %T, expected a tensor, int64, float64 or bool", a)
		}
		put(abi.TypeInt, uint64(n))
	}
	return nil
}

// memory compiles the intrinsics on pointers, packed values and foreign functions.
func (c *compiler) memory(e *tir.Call, name string) (value, bool) {
	switch name {
	case tir.OpIsNullPtr.Name:
		h := c.int(e.Args[0])
		return value{i: func(fr *frame) int64 { return truth(h(fr) == 0) }}, true
	case tir.OpAddressOf.Name:
		l, ok := e.Args[0].(*tir.BufferLoad)
		if !ok {
			c.fail("address_of needs a buffer element, not a %T", e.Args[0])
		}
		slot, at := c.lookup(l.Buffer.Data).n, c.offset(l.Buffer, l.Indices, false)
		width := int64(l.Buffer.DType.Bytes())
		return value{i: func(fr *frame) int64 { return fr.i[slot] + at(fr)*width }}, true
	case tir.OpAccessPtr.Name:
		h, off := c.int(e.Args[1]), c.int(e.Args[2])
		width := int64(e.Args[0].DType().Bytes())
		return value{i: func(fr *frame) int64 { return h(fr) + off(fr)*width }}, true
	case tir.OpStructGet.Name:
		return c.structGet(e), true
	case tir.OpStructSet.Name:
		return c.structSet(e), true
	case tir.OpStackAlloca.Name:
		return c.stackAlloca(e), true
	case tir.OpStackMakeShape.Name:
		return c.makeShape(e), true
	case tir.OpStackMakeArray.Name:
		return c.makeArray(e), true
	case tir.OpAllocWorkspace.Name:
		n := c.int(e.Args[2])
		return value{i: func(fr *frame) int64 { return fr.m.alloc(fr, n(fr)) }}, true
	case tir.OpFreeWorkspace.Name:
		h := c.int(e.Args[2])
		return value{i: func(fr *frame) int64 {
			p := h(fr)
			fr.m.region(fr, p, "the workspace to free")
			fr.m.release(p)
			return 0
		}}, true
	case tir.OpThrowLastError.Name:
		return value{i: func(fr *frame) int64 { fr.fail("an error was thrown by a callee"); return 0 }}, true
	case tir.OpCallExtern.Name, tir.OpCallPureExtern.Name, tir.OpCallPacked.Name, tir.OpCallCPacked.Name:
		return c.extern(e), true
	case tir.OpCallPackedLowered.Name, tir.OpCallCPackedLowered.Name:
		return c.externLowered(e), true
	}
	return value{}, false
}
