package lower

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Generator is what a [Walker] asks of the generator of a target: the instructions that the middle end does not know, and the host that kernels call.
type Generator interface {
	// Native is how many lanes of a vector of type d a register holds, 0 if such vectors are kept as scalars. mask is the width of the lanes of bools.
	// Lanes that are fewer than the narrowest register has may be the lower ones of such a register, whose other lanes mean nothing.
	Native(d dtype.DType, mask int) int
	// SplatPart, PackPart, Extract and Replace make a part of lanes of d out of scalars, take a lane out of a packed vector, as a bool is 0 or 1, and put
	// one into a part.
	SplatPart(d dtype.DType, x *Node, lanes int) *Node
	PackPart(d dtype.DType, xs []*Node) *Node
	Extract(v Value, i int) *Node
	Replace(d dtype.DType, lanes int, part *Node, i int, x *Node) *Node
	// Halves are the lower and the upper half of the lanes of a part, whose register has four lanes at least; nil where they are not taken in one instruction.
	Halves(part Value) (lo, hi *Node)
	// ResizeMask brings a mask to lanes of other bits.
	ResizeMask(v Value, bits int) Value
	// PartBits computes And, Or and Xor of parts, Eqz: the opposite of all bits, and Select: the first where the third has ones, else the second.
	PartBits(fn Fn, parts ...*Node) *Node
	// AllTrue is whether all lanes of a mask hold; nil where there is no instruction.
	AllTrue(mask Value) *Node
	// VectorBinary, VectorShift and VectorCast compute on packed vectors; ok is false where there are no instructions. Counts of shifts are modulo the width.
	VectorBinary(op tir.BinaryOp, a, b Value) (v Value, ok bool)
	// VectorPick takes lanes of a where they are less than those of b for OpMin, or larger for OpMax, and otherwise those of b, of floats.
	VectorPick(op tir.BinaryOp, a, b Value) (v Value, ok bool)
	VectorShift(left bool, d dtype.DType, a, count Value) (v Value, ok bool)
	VectorCast(v Value, to dtype.DType) (out Value, ok bool)
	// MulPairs multiplies parts of integers of 16 bits with signs, and adds the products of neighbors: lanes of 32 bits. DotBytes adds the products of the four bytes of lanes of
	// 32 bits, without signs in x and with signs in y, to acc; nil where there is no instruction.
	MulPairs(x, y *Node) *Node
	DotBytes(x, y, acc *Node) *Node

	// Float is a constant float32 or float64.
	Float(d dtype.DType, v float64) *Node
	// FloatBinary computes, or compares, two scalars of type float32 or float64.
	FloatBinary(op tir.BinaryOp, a, b *Node, d dtype.DType, what string) *Node
	// Convert converts a scalar from or to floats of 32 and 64 bits; integers of 8 and 16 bits may be left out of their range.
	Convert(x *Node, from, to dtype.DType) *Node
	// FromSmall widens a float of 16 bits to float32, and ToSmall rounds a number of any type to one of 16 bits.
	FromSmall(x *Node, d dtype.DType) *Node
	ToSmall(x *Node, from, to dtype.DType, what string) *Node
	// Reinterpret moves the bits of a scalar between integers and floats of one size.
	Reinterpret(x *Node, to Type) *Node
	// CountBits counts the ones, or the leading zeros, of an integer.
	CountBits(zeros bool, x *Node) *Node
	// Math computes an intrinsic of float32 or float64, on scalars or on parts of packed vectors, for which it may return nil.
	Math(name string, x []*Node, d dtype.DType, packed bool, what string) *Node

	// ScalarMem is how a scalar of type d is loaded and stored, and PartMem a part of so many bits. LaneMem are the instructions that load a lane to the
	// lowest one of a vector and clear the others, that load one into a vector, and that store one; 0 where there are none.
	ScalarMem(d dtype.DType) (load, store Op)
	PartMem(bits int) (load, store Op)
	LaneMem(bits int) (first, load, store Op)
	// MaskedMem is how a part is loaded, with zeros elsewhere, and stored where a mask with as many lanes holds; 0 where there are no instructions.
	MaskedMem(lanes, bits int) (load, store Op)
	// Stack is the address of bytes that nothing else uses while the kernel runs; nil where that is too much.
	Stack(bytes int64) *Node
	// Data is the address of constants, and String that of a string that ends in a zero.
	Data(b *ir.Blob) *Node
	String(s string) *Node
	// Field is what the calling convention says of the field of a struct by its number.
	Field(number int64) (f Field, ok bool)

	// Fork writes a loop that surely has turns so that they run side by side, with loop for the turns from lo to end; false where it does not.
	Fork(s *tir.For, lo, end *Node, loop func(lo, end *Node)) bool
	// Poll takes a cost in simple operations off the budget. The middle end says where: a kernel that does not come by can neither be canceled nor
	// interrupted, and a collection waits for it.
	Poll(cost float64)
	// Raise leaves the function with the error of an assertion. bound is the index, and the extent, that it checks, where that is known.
	Raise(s *tir.AssertStmt, bound []tir.Expr)
	// NoMemory leaves the function: Workspace, which asks the host for memory, returned 0.
	NoMemory()
	Workspace(size *Node, elem dtype.DType) *Node
	FreeWorkspace(ptr *Node)
	// Intrinsic translates other calls; name is empty for those of functions of the module. ok is false where it does not know the intrinsic.
	Intrinsic(name string, e *tir.Call, what string) (v Value, ok bool)
}

// Field is a field of a struct in an array of them.
type Field struct {
	Name    string
	Offset  int64
	Size    int   // in bytes
	Struct  int64 // size of the struct
	Address bool  // it stands for the address of the struct
}
