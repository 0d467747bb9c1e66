package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
)

func (e *emitter) control(i *inst) {
	switch code(i.op) {
	case cLabel, cPoll, cRequest:
		defer func() { e.masks = masks{} }()
	}
	frame := func(at int32) operand { return operand{inMem: true, mem: asm.At(native.Box.Frame, at)} }
	switch code(i.op) {
	case cLabel:
		e.c.Bind(e.labels[i.target])
	case cJump:
		e.c.Jump(e.labels[i.target])
	case cJumpIf:
		e.c.JumpIf(i.cond, e.labels[i.target])
	case cMove:
		d := e.target(i.dst)
		e.move(d, e.where(i.args[0]), e.l.g.types[i.dst])
		e.done(i.dst, d)
	case cConst:
		d := e.target(i.dst)
		e.konst(d, i.Imm, e.l.g.types[i.dst])
		e.done(i.dst, d)
	case cCompare:
		e.compare(i)
	case cTest:
		r := e.register(i.args[0], 0)
		e.c.Emit(asm.Inst{Op: asm.TEST, W: intWidth(i.op), Reg: r, RM: r})
	case cFloatFlag:
		o := asm.VUCOMISS
		if wide(i.op) {
			o = asm.VUCOMISD
		}
		a := e.register(i.args[0], 0)
		b := operand{}
		if i.mem != noMem {
			b = e.memory(i)
		} else {
			b = e.where(i.args[1])
		}
		e.with(asm.Inst{Op: o, Reg: a}, b)
	case cSet:
		d := e.target(i.dst)
		e.c.Emit(asm.Inst{Op: asm.MOVI32, Reg: d})
		e.c.Emit(asm.Inst{Op: asm.SET, RM: d, Cond: i.cond})
		e.done(i.dst, d)
	case cMoveIf:
		e.moveIf(i)
	case cSelect:
		e.choose(i)
	case cStoreWord:
		if i.imm {
			e.with(asm.Inst{Op: asm.MOVI, W: 8, Imm: i.Imm}, frame(i.disp))
			return
		}
		t := e.l.g.types[i.args[0]]
		if !isVector(t) {
			t = tI64
		}
		e.save(asm.At(native.Box.Frame, i.disp), e.register(i.args[0], 0), t)
	case cReturn:
		e.ret(i)
	case cPoll:
		e.poll(i)
	case cRequest:
		e.request(i)
	case cTileZero, cTileLoad, cTileStore, cTileAdd:
		e.tile(i)
	}
}

// konst puts a constant into a register without changing the flags.
func (e *emitter) konst(d uint8, v int64, t lower.Type) {
	switch {
	case t == tI32 || v >= 0 && v <= math.MaxInt32:
		e.c.Emit(asm.Inst{Op: asm.MOVI32, Reg: d, Imm: int64(int32(v))})
	case v == int64(int32(v)):
		e.with(asm.Inst{Op: asm.MOVI, W: 8, Imm: v}, operand{reg: d})
	default:
		e.c.Emit(asm.Inst{Op: asm.MOVABS, Reg: d, Imm: v})
	}
}

func (e *emitter) compare(i *inst) {
	w := intWidth(i.op)
	if i.imm {
		e.with(asm.Inst{Op: immediate([3]asm.Op{0, asm.CMPI8, asm.CMPI}, i.Imm), W: w, Imm: i.Imm}, e.where(i.args[0]))
		return
	}
	b := operand{}
	if i.mem != noMem {
		b = e.memory(i)
	} else {
		b = e.where(i.args[1])
	}
	e.with(asm.Inst{Op: asm.CMP, W: w, Reg: e.register(i.args[0], 0)}, b)
}

// moveIf chooses between integers by flags, which only moves may stand behind.
func (e *emitter) moveIf(i *inst) {
	w := intWidth(i.op)
	d := e.target(i.dst)
	a, b, cond := e.where(i.args[0]), e.where(i.args[1]), i.cond
	if !a.inMem && a.reg == d {
		a, b, cond = b, a, opposite(cond)
	}
	e.move(d, b, e.l.g.types[i.dst])
	e.with(asm.Inst{Op: asm.CMOV, W: w, Reg: d, Cond: cond}, a)
	e.done(i.dst, d)
}

// choose chooses between values in vector registers by a jump.
func (e *emitter) choose(i *inst) {
	t := e.l.g.types[i.dst]
	d := e.target(i.dst)
	a, b, cond := e.where(i.args[0]), e.where(i.args[1]), i.cond
	if !a.inMem && a.reg == d {
		a, b, cond = b, a, opposite(cond)
	}
	end := e.c.Label()
	e.move(d, b, t)
	e.c.JumpIf(opposite(cond), end)
	e.move(d, a, t)
	e.c.Bind(end)
	e.done(i.dst, d)
}

func (e *emitter) ret(i *inst) {
	switch {
	case !i.imm:
		e.move(uint8(asm.RAX), e.where(i.args[0]), tI32)
	case i.Imm == 0:
		e.c.Emit(asm.Inst{Op: asm.XOR, W: 4, Reg: uint8(asm.RAX), RM: uint8(asm.RAX)})
	default:
		e.konst(uint8(asm.RAX), i.Imm, tI32)
	}
	e.release()
	e.c.Emit(asm.Inst{Op: asm.RET})
}

// leave keeps what is alive in the frame and returns with a status, to go on behind it: entered again, the code loads the same.
func (e *emitter) leave(status int64, alive []vreg) {
	for _, v := range alive {
		e.save(asm.At(native.Box.Frame, e.a.slot[v]), uint8(e.a.reg[v]), e.l.g.types[v])
	}
	entry := len(e.mod.entries)
	e.with(asm.Inst{Op: asm.MOVMI, Imm: int64(entry)}, operand{inMem: true, mem: asm.At(native.Box.Frame, native.EntryAt)})
	e.konst(uint8(asm.RAX), status, tI32)
	e.release()
	e.c.Emit(asm.Inst{Op: asm.RET})
	e.mod.entries = append(e.mod.entries, e.c.Here())
	e.prologue()
	for _, v := range alive {
		e.move(uint8(e.a.reg[v]), operand{inMem: true, mem: asm.At(native.Box.Frame, e.a.slot[v])}, e.l.g.types[v])
	}
}

// answer is the host's to the last request.
var answer = operand{inMem: true, mem: asm.At(native.Box.Frame, native.AnswerAt)}

// poll takes its cost off the budget; where that is used up, code behind the function's asks whether to go on.
func (e *emitter) poll(i *inst) {
	over, back := e.c.Label(), e.c.Label()
	o := immediate([3]asm.Op{0, asm.SUBI8, asm.SUBI}, i.Imm)
	e.with(asm.Inst{Op: o, W: 4, Imm: i.Imm}, operand{inMem: true, mem: asm.At(native.Box.Frame, native.BudgetAt)})
	e.c.JumpIf(asm.Negative, over)
	e.c.Bind(back)
	alive := e.a.alive[e.at]
	e.late = append(e.late, func() {
		e.c.Bind(over)
		e.leave(native.StatusPoll, alive)
		e.c.Jump(back)
	})
}

// request asks something of the host, whose operands stand in the frame already.
func (e *emitter) request(i *inst) {
	e.leave(i.Imm, e.a.alive[e.at])
	d := e.target(i.dst)
	e.move(d, answer, e.l.g.types[i.dst])
	e.done(i.dst, d)
}
