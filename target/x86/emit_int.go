package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native/asm"
)

// twoAddress are the instructions that compute into their first operand, with a register or memory, an immediate of 8 bits, or one of 32.
var twoAddress = map[lower.Fn][3]asm.Op{
	lower.Add: {asm.ADD, asm.ADDI8, asm.ADDI}, lower.Sub: {asm.SUB, asm.SUBI8, asm.SUBI}, lower.And: {asm.AND, asm.ANDI8, asm.ANDI},
	lower.Or: {asm.OR, asm.ORI8, asm.ORI}, lower.Xor: {asm.XOR, asm.XORI8, asm.XORI},
}

// immediate picks the short form of an instruction where the immediate fits.
func immediate(ops [3]asm.Op, v int64) asm.Op {
	if v >= math.MinInt8 && v <= math.MaxInt8 {
		return ops[1]
	}
	return ops[2]
}

// integer writes an integer function.
func (e *emitter) integer(i *inst) {
	fn, w := fnOf(i.op), intWidth(i.op)
	if fn == lower.DivS || fn == lower.DivU || fn == lower.RemS || fn == lower.RemU {
		e.divide(i, fn, w)
		return
	}
	d := e.target(i.dst)
	a := e.where(i.args[0])
	t := tI32
	if w == 8 {
		t = tI64
	}
	switch fn {
	case lower.Wrap:
		e.move(d, a, tI32)
	case lower.ExtendU: // also in its own register, where the upper half is still that of what was wrapped
		e.with(asm.Inst{Op: asm.MOV, W: 4, Reg: d}, a)
	case lower.ExtendS:
		e.with(asm.Inst{Op: asm.MOVSXD, Reg: d}, a)
	case lower.Extend8S:
		e.with(asm.Inst{Op: asm.MOVSXB, W: 4, Reg: d}, a)
	case lower.Extend16S:
		e.with(asm.Inst{Op: asm.MOVSXW, W: 4, Reg: d}, a)
	case lower.Shl, lower.ShrS, lower.ShrU:
		e.shift(i, fn, w, d, a, t)
	case lower.Mul:
		e.multiply(i, w, d, a, t)
	default:
		e.twoAddress(i, fn, w, d, a, t)
	}
	e.done(i.dst, d)
}

func (e *emitter) twoAddress(i *inst, fn lower.Fn, w asm.Width, d uint8, a operand, t lower.Type) {
	ops := twoAddress[fn]
	if i.imm {
		v := i.Imm
		if fn == lower.Sub && v != math.MinInt32 {
			fn, v = lower.Add, -v
			ops = twoAddress[fn]
		}
		if fn == lower.Add && !a.inMem && a.reg != d {
			e.c.Emit(asm.Inst{Op: asm.LEA, W: w, Reg: d, InMem: true, Mem: asm.At(asm.Reg(a.reg), int32(v))})
			return
		}
		e.move(d, a, t)
		e.with(asm.Inst{Op: immediate(ops, v), W: w, Imm: v}, operand{reg: d})
		return
	}
	var b operand
	if i.mem != noMem {
		b = e.memory(i)
	} else {
		b = e.where(i.args[1])
	}
	inA, inB := !a.inMem && a.reg == d, !b.inMem && b.reg == d
	switch {
	case inA:
	case inB && fn == lower.Sub:
		e.with(asm.Inst{Op: asm.NEG, W: w}, b)
		ops, b = twoAddress[lower.Add], a
	case inB:
		b = a
	case fn == lower.Add && !a.inMem && !b.inMem:
		e.c.Emit(asm.Inst{Op: asm.LEA, W: w, Reg: d, InMem: true, Mem: asm.Mem{Base: asm.Reg(a.reg), Index: asm.Reg(b.reg), Scale: 1}})
		return
	default:
		e.move(d, a, t)
	}
	e.with(asm.Inst{Op: ops[0], W: w, Reg: d}, b)
}

func (e *emitter) multiply(i *inst, w asm.Width, d uint8, a operand, t lower.Type) {
	if i.imm {
		e.with(asm.Inst{Op: immediate([3]asm.Op{0, asm.IMULI8, asm.IMULI}, i.Imm), W: w, Reg: d, Imm: i.Imm}, a)
		return
	}
	b := operand{}
	if i.mem != noMem {
		b = e.memory(i)
	} else {
		b = e.where(i.args[1])
	}
	if !b.inMem && b.reg == d {
		a, b = b, a
	}
	e.move(d, a, t)
	e.with(asm.Inst{Op: asm.IMUL, W: w, Reg: d}, b)
}

func (e *emitter) shift(i *inst, fn lower.Fn, w asm.Width, d uint8, a operand, t lower.Type) {
	if i.imm {
		e.move(d, a, t)
		o := map[lower.Fn]asm.Op{lower.Shl: asm.SHLI, lower.ShrS: asm.SARI, lower.ShrU: asm.SHRI}[fn]
		if n := i.Imm & int64(8*w-1); n != 0 {
			e.with(asm.Inst{Op: o, W: w, Imm: n}, operand{reg: d})
		}
		return
	}
	ops := map[lower.Fn][2]asm.Op{lower.Shl: {asm.SHLXD, asm.SHLXQ}, lower.ShrS: {asm.SARXD, asm.SARXQ}, lower.ShrU: {asm.SHRXD, asm.SHRXQ}}[fn]
	e.with(asm.Inst{Op: ops[w/8], Reg: d, V: e.register(i.args[1], 1)}, a)
}

// divide writes a division, by the registers that the instruction has for it, which are the emitter's. The lowest number by -1 traps there: the quotient of a
// division by -1 is the negation, and the remainder is 0.
func (e *emitter) divide(i *inst, fn lower.Fn, w asm.Width) {
	t := tI32
	if w == 8 {
		t = tI64
	}
	rax, rdx := uint8(asm.RAX), uint8(asm.RDX)
	b := e.where(i.args[1])
	e.move(rax, e.where(i.args[0]), t)
	result := rax
	if fn == lower.RemS || fn == lower.RemU {
		result = rdx
	}
	if fn == lower.DivU || fn == lower.RemU {
		e.c.Emit(asm.Inst{Op: asm.XOR, W: 4, Reg: rdx, RM: rdx})
		e.with(asm.Inst{Op: asm.DIV, W: w}, b)
	} else {
		special, end := e.c.Label(), e.c.Label()
		e.with(asm.Inst{Op: asm.CMPI8, W: w, Imm: -1}, b)
		e.c.JumpIf(asm.Equal, special)
		if w == 8 {
			e.c.Emit(asm.Inst{Op: asm.CQO})
		} else {
			e.c.Emit(asm.Inst{Op: asm.CDQ})
		}
		e.with(asm.Inst{Op: asm.IDIV, W: w}, b)
		e.c.Bind(end)
		e.late = append(e.late, func() {
			e.c.Bind(special)
			e.c.Emit(asm.Inst{Op: asm.NEG, W: w, RM: rax})
			e.c.Emit(asm.Inst{Op: asm.XOR, W: 4, Reg: rdx, RM: rdx})
			e.c.Jump(end)
		})
	}
	if o := e.where(i.dst); !o.inMem {
		e.move(o.reg, operand{reg: result}, t)
	} else {
		e.save(o.mem, result, t)
	}
}
