package asm

// Reg is a general register.
type Reg uint8

// General registers by number.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Vec is a vector register, 0 to 31; those from 16 exist in AVX-512 only.
type Vec uint8

// Mask is a mask register of AVX-512, k0 to k7. Number 0 does not mask.
type Mask uint8

// Width is the size of an operation in bytes: 1 to 8 for general registers, X, Y and Z for vectors.
type Width uint8

// Widths of vectors.
const (
	X Width = 16
	Y Width = 32
	Z Width = 64
)

// Mem is the memory at [Base + Index*Scale + Disp], without an index where Scale is 0. RIP: at Disp from the end of the instruction.
type Mem struct {
	Base, Index Reg
	Scale       uint8
	RIP         bool
	Disp        int32
}

// At is the memory at an offset from a register.
func At(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// Cond is a condition of jumps, moves and sets, by its number in opcodes.
type Cond uint8

// Conditions: of unsigned comparisons, of equality, of the parity flag (unordered floats), of signed comparisons.
const (
	Below     Cond = 2
	AboveEq   Cond = 3
	Equal     Cond = 4
	NotEqual  Cond = 5
	BelowEq   Cond = 6
	Above     Cond = 7
	Negative  Cond = 8
	Positive  Cond = 9
	Parity    Cond = 10
	NotParity Cond = 11
	Less      Cond = 12
	GreaterEq Cond = 13
	LessEq    Cond = 14
	Greater   Cond = 15
)

// Inst is an instruction. What of the fields means anything is said by the table's row of Op.
type Inst struct {
	Op Op
	// W is 0 where the form has one width only.
	W Width
	// Reg, V and RM are the registers of the operands in the fields of the encoding that bear these names: general registers, vectors
	// or masks by number. RM counts only where there is no memory operand.
	Reg, V, RM uint8
	// Mem is the operand in memory, where InMem says that there is one.
	Mem   Mem
	InMem bool
	// Mask names the mask register of AVX-512, 0 for none; Zeroing makes masked lanes zero and not what they were. Spread: one element of
	// memory stands for all.
	Mask    Mask
	Zeroing bool
	Spread  bool
	Cond    Cond
	// Imm is the immediate operand; of jumps it is the distance from the end of the instruction.
	Imm int64
}
