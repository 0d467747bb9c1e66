package vm

import (
	"fmt"
	"strconv"
)

// Reg is the number of a register in the frame of a function.
type Reg = int64

// Special registers, which no frame holds.
const (
	beginSpecial Reg = 1 << 54

	// VoidReg reads as None and swallows what is written to it.
	VoidReg = beginSpecial
	// VMReg reads as the machine itself, for builtins that need it.
	VMReg = beginSpecial + 1
)

// Opcode is the first word of an instruction.
type Opcode int64

// The instructions.
const (
	OpCall Opcode = 1 // dst, function, count, arguments...
	OpRet  Opcode = 2 // result
	OpGoto Opcode = 3 // offset
	OpIf   Opcode = 4 // condition, offset of the false branch
)

// ArgKind says how the value of an argument is read.
type ArgKind uint8

// The kinds of arguments.
const (
	ArgReg   ArgKind = 0
	ArgImm   ArgKind = 1
	ArgConst ArgKind = 2
	ArgFunc  ArgKind = 3
)

const (
	valueBits = 56
	valueMask = 1<<valueBits - 1
	maxImm    = 1<<(valueBits-1) - 1
)

// Arg is an argument word: a register, an immediate integer, or the index of a constant
// or function.
type Arg int64

func makeArg(k ArgKind, v int64) Arg { return Arg(int64(k)<<valueBits | v&valueMask) }

// Register is the argument that reads register r.
func Register(r Reg) Arg { return makeArg(ArgReg, r) }

// Void is the argument that is None.
func Void() Arg { return Register(VoidReg) }

// VM is the argument that is the machine.
func VM() Arg { return Register(VMReg) }

// Kind says what a is.
func (a Arg) Kind() ArgKind { return ArgKind(uint64(a) >> valueBits) }

// Value is the register, integer or index in a.
func (a Arg) Value() int64 { return int64(a) << 8 >> 8 }

// Instr is a decoded instruction.
type Instr struct {
	Op     Opcode
	Dst    Reg   // Call
	Func   int64 // Call
	Args   []Arg // Call
	Reg    Reg   // Ret: the result, If: the condition
	Offset int64 // Goto, If: distance to the next instruction
}

// words is the number of words of instruction i.
func (e *Executable) words(i int64) (int64, error) {
	if i < 0 || i >= int64(len(e.InstrOffset)) {
		return 0, fmt.Errorf("instruction %d of %d", i, len(e.InstrOffset))
	}
	off := e.InstrOffset[i]
	if off < 0 || off >= int64(len(e.InstrData)) {
		return 0, fmt.Errorf("instruction %d starts at word %d, but the code has %d", i, off, len(e.InstrData))
	}
	w := e.InstrData[off:]
	var size int64
	switch Opcode(w[0]) {
	case OpCall:
		size = 4
	case OpRet, OpGoto:
		size = 2
	case OpIf:
		size = 3
	default:
		return 0, fmt.Errorf("instruction %d has the unknown opcode %d", i, w[0])
	}
	if int64(len(w)) < size {
		return 0, fmt.Errorf("instruction %d is truncated", i)
	}
	if size == 4 {
		if n := w[3]; n < 0 || n > int64(len(w))-size {
			return 0, fmt.Errorf("instruction %d: its %d arguments extend beyond the end of the code", i, n)
		}
		size += w[3]
	}
	return size, nil
}

// Instr decodes instruction i. It reports indices and counts that point outside of the
// executable; registers and functions are checked by Validate.
func (e *Executable) Instr(i int64) (Instr, error) {
	n, err := e.words(i)
	if err != nil {
		return Instr{}, err
	}
	w := e.InstrData[e.InstrOffset[i]:][:n]
	in := Instr{Op: Opcode(w[0])}
	switch in.Op {
	case OpCall:
		in.Dst, in.Func = w[1], w[2]
		in.Args = make([]Arg, w[3])
		for k := range in.Args {
			in.Args[k] = Arg(w[4+k])
		}
	case OpRet:
		in.Reg = w[1]
	case OpGoto:
		in.Offset = w[1]
	case OpIf:
		in.Reg, in.Offset = w[1], w[2]
	}
	return in, nil
}

func regName(r Reg) string {
	switch r {
	case VoidReg:
		return "%void"
	case VMReg:
		return "%vm"
	}
	return "%" + strconv.FormatInt(r, 10)
}
