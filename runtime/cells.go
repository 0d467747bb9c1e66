package runtime

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/irscope/irscope/runtime/abi"
)

// PutArgs writes the arguments of a call to the argument area of the device and clears the
// result, for loaders whose kernels read the packed convention of package abi in memory. Nothing of
// it needs memory from Go.
func (s *Session) PutArgs(args []Value) error {
	d := s.dev
	cells := d.mem[abi.ArgsAddr : abi.ArgsAddr+abi.MaxArgs*abi.CellSize]
	for i := range args {
		a := &args[i]
		var index uint32
		value := a.bits
		switch a.kind {
		case KindTensor:
			t := a.ref.(*Tensor)
			if t.dev != d {
				return elsewhere(i, t)
			}
			index, value = abi.TypeDLTensorPtr, uint64(t.desc)
		case KindInt:
			index = abi.TypeInt
		case KindBool:
			index = abi.TypeBool
		case KindFloat:
			index = abi.TypeFloat
		case KindNull:
			index = abi.TypeNone
		default:
			return badArgument(i, a)
		}
		c := cells[i*abi.CellSize : i*abi.CellSize+abi.CellSize]
		binary.LittleEndian.PutUint64(c, uint64(index))
		binary.LittleEndian.PutUint64(c[abi.CellValue:], value)
	}
	clear(d.mem[abi.ResultAddr : abi.ResultAddr+abi.CellSize])
	return nil
}

func elsewhere(i int, t *Tensor) error {
	return fmt.Errorf("argument %d, %v, is on another device", i, t)
}

func badArgument(i int, a *Value) error {
	return fmt.Errorf("argument %d is a %v, expected a tensor or a number", i, a.kind)
}

// CheckArgs reports what PutArgs would refuse, for loaders that hand values on by themselves.
func (s *Session) CheckArgs(args []Value) error {
	for i := range args {
		switch a := &args[i]; a.kind {
		case KindTensor:
			if t := a.ref.(*Tensor); t.dev != s.dev {
				return elsewhere(i, t)
			}
		case KindInt, KindBool, KindFloat, KindNull:
		default:
			return badArgument(i, a)
		}
	}
	return nil
}

// Result reads the result that a kernel wrote after PutArgs. What a kernel writes is checked:
// None and numbers are all that it may return.
func (s *Session) Result() (Value, error) {
	cell := s.dev.mem[abi.ResultAddr : abi.ResultAddr+abi.CellSize]
	bits := binary.LittleEndian.Uint64(cell[abi.CellValue:])
	switch index := binary.LittleEndian.Uint32(cell); index {
	case abi.TypeNone:
		return Value{}, nil
	case abi.TypeInt:
		return Int(int64(bits)), nil
	case abi.TypeBool:
		return Bool(bits != 0), nil
	case abi.TypeFloat:
		return Float(math.Float64frombits(bits)), nil
	default:
		return Value{}, fmt.Errorf("result has type index %d, expected none or a number", index)
	}
}
