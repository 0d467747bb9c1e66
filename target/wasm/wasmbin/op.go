package wasmbin

import "sync"

// Op is an instruction. Its number is the opcode byte, with the prefix byte (0xfc, 0xfd) in
// the high half for the instructions that have one.
type Op uint16

// opComment is a line of the printed text; it encodes to nothing.
const opComment Op = 0xff00

// immKind says which immediates follow an opcode.
type immKind uint8

const (
	immNone     immKind = iota
	immBlock            // block type
	immLabel            // label depth
	immCall             // function index
	immLocal            // local index
	immGlobal           // global index
	immMem              // alignment and offset
	immMemLane          // alignment, offset and lane
	immLane             // lane
	immShuffle          // 16 lanes
	immI32              // signed LEB128
	immI64              // signed LEB128
	immF32              // 4 bytes
	immF64              // 8 bytes
	immV128             // 16 bytes
	immZero             // one memory index, always 0
	immZeroZero         // two memory indices, always 0
	immSpecial          // none; typed by the builder
)

// opInfo describes an instruction: pops and push are letters (i i32, l i64, f f32, d f64,
// v v128, ? any), natural is the number of bytes that a memory instruction touches.
type opInfo struct {
	op      Op
	name    string
	pops    string
	push    string
	imm     immKind
	natural int
}

// opTable finds the description of an instruction by prefix and opcode byte.
type opTable [3][256]opInfo

// ops is made when it is needed first: every start of a program that can generate code would pay for it.
var ops = sync.OnceValue(func() *opTable {
	t := new(opTable)
	for _, list := range [][]opInfo{scalarOps(), simdOps()} {
		for _, info := range list {
			t[prefixRow(info.op)][byte(info.op)] = info
		}
	}
	return t
})

func prefixRow(op Op) int {
	switch op >> 8 {
	case 0xfc:
		return 1
	case 0xfd:
		return 2
	}
	return 0
}

// info returns the description of op; its name is empty where op is no instruction.
func (op Op) info() *opInfo { return &ops()[prefixRow(op)][byte(op)] }

// String is the name of the instruction in the text format, such as "f32x4.add".
func (op Op) String() string {
	if n := op.info().name; n != "" {
		return n
	}
	return "invalid"
}

// AccessBytes is the number of bytes that a load or store touches in memory, 0 for other
// instructions.
func (op Op) AccessBytes() int { return op.info().natural }

// HasLane reports whether op is an extract_lane or replace_lane.
func (op Op) HasLane() bool { return op.info().imm == immLane }

// Result is the type that op leaves on the stack, None for no value or one that depends on
// the operands.
func (op Op) Result() ValType {
	if p := op.info().push; p != "" {
		return valTypeOf(p[0])
	}
	return None
}

// NumOperands is the number of values that op takes from the stack; a call and a return take
// those of their signature, which this does not count.
func (op Op) NumOperands() int { return len(op.info().pops) }

// EachOp calls f for every instruction whose operands and result are fixed, except constants,
// in the order of the opcodes.
func EachOp(f func(op Op, pops []ValType, push ValType)) {
	table := ops()
	for row := range table {
		for i := range table[row] {
			info := &table[row][i]
			switch info.imm {
			case immNone, immMem, immMemLane, immLane, immShuffle, immZero, immZeroZero:
			default:
				continue
			}
			if info.name == "" {
				continue
			}
			var pops []ValType
			for j := range len(info.pops) {
				pops = append(pops, valTypeOf(info.pops[j]))
			}
			f(info.op, pops, info.op.Result())
		}
	}
}
