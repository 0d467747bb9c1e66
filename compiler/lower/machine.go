package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Op is an instruction of a target. Its numbers belong to the target.
type Op uint16

// Type is the type of a register or a value, numbered by the target; 0 is none.
type Type uint8

// Reg is a register or local of the function, numbered by the target.
type Reg int

// Ref is a function or global of the target's module, numbered by the target.
type Ref uint64

// Fn is what an instruction computes, as far as the middle end acts on it. Integers are two's
// complement and wrap; a condition is 0 or not.
type Fn uint8

// The functions. Other is any that only the target knows: pure, computed again from the same operands
// where that is shorter.
const (
	Other  Fn = iota
	Const     // of any type; the bits stand in the node
	Get       // reads a register
	Set       // identifies what must not be shared
	Call      // of a function without effects
	Select    // the first operand where the third is not 0, else the second
	Add
	Sub
	Mul
	DivS
	DivU
	RemS
	RemU
	And
	Or
	Xor
	Shl
	ShrS
	ShrU
	Eqz
	Eq
	Ne
	LtS
	LtU
	GtS
	GtU
	LeS
	LeU
	GeS
	GeU
	Wrap      // 64 bits to the lower 32
	ExtendS   // 32 bits to 64
	ExtendU   // the same without sign
	Extend8S  // the lower 8 bits, with their sign
	Extend16S // the lower 16 bits, with their sign
	NumFns    // the number of functions
)

// Info describes an instruction.
type Info struct {
	Fn     Fn
	Bits   uint8 // of the operands of an integer function
	Result Type  // 0 where it is that of the first operand
	Cheap  bool  // takes so few cycles that it may run where its value may not be needed
	Bool   bool  // the result is 0 or 1
}

// Machine is what the middle end knows of a target.
type Machine struct {
	Info func(Op) Info
	// Op is the instruction that computes fn on integers of 32 or 64 bits; for Get, Set, Call and
	// Select bits is 0.
	Op func(fn Fn, bits int) Op
	// Fold computes a conversion or the like of a constant; nil leaves it. It is asked for unary
	// instructions that are Other.
	Fold func(b *Builder, op Op, x *Node) *Node
	// Int, Float and Vector are the types of integers and of floats of 32 or 64 bits, and of vectors of so many bits.
	Int, Float, Vector func(bits int) Type

	// Transpose makes parts of as many rows of lanes of 32 bits as a part has lanes: part j has lane j of all rows. The rows have n lanes, four or as many as a part. It is nil where there
	// are no instructions.
	Transpose func(rows []*Node, n int) []*Node
	// Opposite brings lanes of two parts of 32 bits each that are so many lanes apart into the same place of two parts: of groups of twice as many lanes, those in front to x and those behind to y. Used one
	// after the other for 8, 4, 2 and 1, on what was made of two parts before, it combines all lanes of sixteen parts, or of a power of two of them, in each of the parts' groups of four lanes one of
	// every fourth. It is nil where parts do not have sixteen such lanes, or there are no instructions.
	Opposite func(a, b *Node, apart int) (x, y *Node)
	// Pick makes a part of lanes of 32 bits of others, which are as wide: lane i is lane lanes[i] of all of them one after the other. It is nil where there are no instructions, and
	// returns nil where single lanes take fewer.
	Pick func(parts []*Node, lanes []int) *Node
	// PicksMany is the least number of lanes from which on Pick takes an instruction for two parts, and one for each further part: then it pays to read fewer vectors, and to pick lanes from more of
	// them. 0 is none.
	PicksMany int
	// MaxOfNumbers is the maximum of parts of floats, of which none is NaN, in fewer instructions than where one may be; the positive zero is the larger one. It is nil where there are no such
	// instructions.
	MaxOfNumbers func(a, b *Node, d dtype.DType) *Node

	// Tiles are registers for whole matrices; nil where there are none.
	Tiles *Tiles

	Pointer Pointer

	// DivOverflows says that DivS of the least number by -1 ends the program.
	DivOverflows bool

	// Reach is how many nodes there may be between two uses of what was read into a register for floats or vectors: where there are more, it is read again. 0 is any number.
	Reach int

	// Vectors is the largest number of vectors for which an allocation is kept in variables; a larger one goes to memory, as most of it would. 0 is any number up to maxSlots.
	Vectors int

	// Quiet is how many operations a loop may run without a poll; 0 means about a million.
	Quiet float64
}

// Pointer says how the target addresses memory.
type Pointer struct {
	Bits int // of an address: 32 or 64
	// MaxOffset is the largest constant that a load or store adds to an address, without wrapping;
	// 0 if there is none.
	MaxOffset int64
	// Below is the number of bytes that lie before any address that a pointer may hold: as much may
	// be taken off one without wrapping.
	Below int64
}

// Translator is what the middle end asks of the generator whose function it builds.
type Translator interface {
	// Scalar translates a scalar integer expression.
	Scalar(e tir.Expr) *Node
	// Lanes translates a vector integer expression, lane by lane.
	Lanes(e tir.Expr) []*Node
	// BindLet gives a variable its value.
	BindLet(v *tir.Var, e tir.Expr)
	// Fail ends the translation with an error about what; it does not return.
	Fail(what, format string, args ...any)
}
