package vm

import (
	"fmt"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// FuncKind says what an entry of the function table is.
type FuncKind int32

// The kinds of functions; the numbers are TVM's.
const (
	PackedFunc FuncKind = 0 // a kernel, builtin or registered function, found by name
	VMFunc     FuncKind = 1 // bytecode of this executable
)

// String spells the kind as the disassembler does.
func (k FuncKind) String() string {
	switch k {
	case PackedFunc:
		return "packed_func"
	case VMFunc:
		return "vm_func"
	}
	return fmt.Sprintf("func kind %d", int32(k))
}

// FuncInfo is an entry of the function table. All but Kind and Name are for bytecode.
type FuncInfo struct {
	Kind             FuncKind
	Name             string
	Start, End       int64 // instructions [Start, End)
	NumArgs          int64 // passed in registers 0 to NumArgs-1
	RegisterFileSize int64
	ParamNames       []string // NumArgs names, or none
	// Once says that the function runs when the program is loaded; calls of it give what it gave then. It has no arguments.
	Once bool
}

// ConstKind says what a constant is.
type ConstKind uint8

// The kinds of constants.
const (
	ConstTensor ConstKind = iota
	ConstSplat            // a tensor whose elements are all equal
	ConstShape
	ConstString
	ConstInt
	ConstFloat
	ConstDType
)

// Const is an entry of the constant pool. Tensor data is shared, never written.
type Const struct {
	Kind   ConstKind
	Tensor *tensor.Tensor // of a splat: type and shape, and one element as data
	Shape  []int64
	Str    string
	Int    int64
	Float  float64
	DType  dtype.DType
}

// Bytes is the memory that the constant takes on a device.
func (c Const) Bytes() int64 {
	if c.Tensor == nil {
		return 0
	}
	n, err := tensor.ByteSize(c.Tensor.DType, c.Tensor.Shape)
	if err != nil {
		return 0 // Validate reports it
	}
	return n
}

// Executable is a compiled program: functions, constants and bytecode. Instruction i lies
// at InstrData[InstrOffset[i]]. It is immutable once built and shared by machines.
type Executable struct {
	Funcs       []FuncInfo
	Consts      []Const
	InstrOffset []int64
	InstrData   []int64
}

// maxRegisters bounds the frame of one function.
const maxRegisters = 1 << 20

// Func returns the table entry called name, nil where there is none.
func (e *Executable) Func(name string) *FuncInfo {
	for i := range e.Funcs {
		if e.Funcs[i].Name == name {
			return &e.Funcs[i]
		}
	}
	return nil
}

// Packed lists the names of the functions that must be found elsewhere: kernels,
// builtins and registered functions, in the order of the table.
func (e *Executable) Packed() []string {
	var names []string
	for _, f := range e.Funcs {
		if f.Kind == PackedFunc {
			names = append(names, f.Name)
		}
	}
	return names
}
