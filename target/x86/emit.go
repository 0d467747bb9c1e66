package x86

import (
	"strings"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
)

// emitter writes the instructions of a function as bytes.
type emitter struct {
	c       *asm.Code
	l       *linear
	a       *allocation
	mod     *module
	evex    bool // AVX-512: instructions without an EVEX form are not used
	vectors int  // registers
	labels  []asm.Label
	consts  []asm.Label
	late    []func() // code behind the function's
	masks   masks
	at      int32 // number of the instruction under way
}

// operand is a register or a piece of memory.
type operand struct {
	reg   uint8
	inMem bool
	mem   asm.Mem
	rip   bool // the constant of mem.Disp
}

// scratchReg is a register of the emitter.
func (e *emitter) scratchReg(vector bool, k int) uint8 {
	if vector {
		return uint8(e.vectors - 1 - k)
	}
	return uint8(generalPool[k])
}

func (e *emitter) isVector(v vreg) bool { return isVector(e.l.g.types[v]) }

// where is a virtual register as an operand.
func (e *emitter) where(v vreg) operand {
	if r := e.a.reg[v]; r != inFrame {
		return operand{reg: uint8(r)}
	}
	return operand{inMem: true, mem: asm.At(native.Box.Frame, e.a.slot[v])}
}

// register is a virtual register in a register, loaded into one of the emitter's where it is in the frame.
func (e *emitter) register(v vreg, k int) uint8 {
	o := e.where(v)
	if !o.inMem {
		return o.reg
	}
	r := e.scratchReg(e.isVector(v), k)
	e.move(r, o, e.l.g.types[v])
	return r
}

// target is the register to compute a virtual register in; done stores it where that is not its own.
func (e *emitter) target(v vreg) uint8 {
	if o := e.where(v); !o.inMem {
		return o.reg
	}
	return e.scratchReg(e.isVector(v), 0)
}

func (e *emitter) done(v vreg, r uint8) {
	if o := e.where(v); o.inMem {
		e.save(o.mem, r, e.l.g.types[v])
	}
}

// move loads or moves to a register.
func (e *emitter) move(r uint8, from operand, t lower.Type) {
	if !from.inMem && from.reg == r {
		return
	}
	i := asm.Inst{Reg: r}
	switch {
	case !isVector(t):
		i.Op, i.W = asm.MOV, asm.Width(bytesOf(t))
	case !from.inMem:
		i.Op, i.W = asm.VMOVAPS, asm.Width(max(16, bytesOf(t)))
	case t == tF32:
		i.Op = asm.VMOVSS
	case t == tF64:
		i.Op = asm.VMOVSD
	default:
		i.Op, i.W = asm.VMOVUPS, asm.Width(bytesOf(t))
	}
	e.with(i, from)
}

// save stores a register to the frame.
func (e *emitter) save(m asm.Mem, r uint8, t lower.Type) {
	i := asm.Inst{Reg: r, InMem: true, Mem: m}
	switch {
	case !isVector(t):
		i.Op, i.W = asm.MOVS, asm.Width(bytesOf(t))
	case t == tF32:
		i.Op = asm.VMOVSSS
	case t == tF64:
		i.Op = asm.VMOVSDS
	default:
		i.Op, i.W = asm.VMOVUPSS, asm.Width(bytesOf(t))
	}
	e.c.Emit(i)
}

// with emits an instruction with an operand in the field rm.
func (e *emitter) with(i asm.Inst, o operand) {
	if !i.Op.Sized() {
		i.W = 0
	}
	switch {
	case o.rip:
		if i.W == asm.Z && !i.Spread && i.Op.SpreadsWords() && e.uniform(o.mem.Disp) {
			i.Spread = true
		}
		if i.Spread {
			e.c.EmitAt(i, e.c.Constant([]byte(e.l.g.pool[o.mem.Disp][:4])))
			return
		}
		e.c.EmitAt(i, e.constant(o.mem.Disp))
	case o.inMem:
		i.InMem, i.Mem = true, o.mem
		e.c.Emit(i)
	default:
		i.RM = o.reg
		e.c.Emit(i)
	}
}

// uniform reports whether a constant has the same 32 bits in all lanes. An instruction spreads them from memory, of which two words are loaded in a cycle, but only one vector of 512 bits.
func (e *emitter) uniform(id int32) bool {
	data := e.l.g.pool[id]
	return len(data) > 4 && data[4:] == data[:len(data)-4]
}

// constant is the label of an entry of the pool.
func (e *emitter) constant(id int32) asm.Label {
	for len(e.consts) <= int(id) {
		e.consts = append(e.consts, -1)
	}
	if e.consts[id] < 0 {
		e.consts[id] = e.c.Constant([]byte(e.l.g.pool[id]))
	}
	return e.consts[id]
}

// memory is the operand in memory of an instruction; an index that is in the frame is loaded into the emitter's second general register.
func (e *emitter) memory(i *inst) operand {
	switch i.mem {
	case boxMem:
		return operand{inMem: true, mem: asm.Mem{Base: native.Box.Base, Index: asm.Reg(e.register(i.index, 1)), Scale: 1, Disp: i.disp}}
	case frameMem:
		return operand{inMem: true, mem: asm.At(native.Box.Frame, i.disp)}
	}
	return operand{rip: true, inMem: true, mem: asm.Mem{Disp: i.disp}}
}

// last is the last argument of an instruction, number k if it is a register: in memory, or in the frame where the instruction reads as much there as was saved.
func (e *emitter) last(i *inst, k int) operand {
	if i.mem != noMem {
		return e.memory(i)
	}
	v := i.args[k]
	o := e.where(v)
	if o.inMem && memorySize(i.op) != bytesOf(e.l.g.types[v]) {
		return operand{reg: e.register(v, 1)}
	}
	return o
}

// prologue loads what every entry needs.
func (e *emitter) prologue() {
	e.c.Emit(asm.Inst{Op: asm.MOV, W: 8, Reg: uint8(native.Box.Base), InMem: true, Mem: asm.At(native.Box.Frame, native.Box.BaseAt)})
	e.shape()
}

// function writes a function.
func (e *emitter) function() {
	for range e.l.labels {
		e.labels = append(e.labels, e.c.Label())
	}
	e.c.Align(16)
	e.mod.entries = append(e.mod.entries, e.c.Here())
	e.mod.origins.Note(e.c.Len(), nil)
	e.prologue()
	for k := range e.l.code {
		e.at = int32(k)
		e.mod.origins.Note(e.c.Len(), e.l.code[k].at)
		if s := e.l.notes[k]; s != "" {
			e.mod.marks = append(e.mod.marks, mark{e.c.Len(), s})
		}
		e.inst(&e.l.code[k])
	}
	e.mod.origins.Note(e.c.Len(), nil)
	for _, f := range e.late {
		f()
	}
}

func (e *emitter) inst(i *inst) {
	switch c := code(i.op); {
	case isLoad(i.op):
		e.load(i)
	case isStore(i.op):
		e.store(i)
	case fnOf(i.op) != lower.Other:
		e.integer(i)
	case c >= cLabel:
		e.control(i)
	case c < pseudo:
		e.plain(i)
	default:
		e.expand(i)
	}
}

var loads = map[op]asm.Op{
	pLoad8U: asm.MOVZXB, pLoad8S: asm.MOVSXB, pLoad16U: asm.MOVZXW, pLoad16S: asm.MOVSXW, pLoad: asm.MOV,
	pLoadF32: asm.VMOVSS, pLoadF64: asm.VMOVSD, pLoadV: asm.VMOVUPS, pLoadV4: asm.VMOVSS, pLoadV8: asm.VMOVSD,
}

var stores = map[op]asm.Op{
	pStore8: asm.MOVSB, pStore16: asm.MOVSW, pStore: asm.MOVS,
	pStoreF32: asm.VMOVSSS, pStoreF64: asm.VMOVSDS, pStoreV: asm.VMOVUPSS, pStoreV4: asm.VMOVSSS, pStoreV8: asm.VMOVSDS,
}

// intWidth is the width of an instruction on general registers.
func intWidth(o op) asm.Width {
	if wide(o) {
		return 8
	}
	return 4
}

func (e *emitter) load(i *inst) {
	d := e.target(i.dst)
	if c := code(i.op); c >= pLoadM8 && c <= pLoadM64 {
		e.masked(i, maskedMem[c-pLoadM8], d, i.args[0], true)
		e.done(i.dst, d)
		return
	}
	if i.mem == constMem && strings.Trim(e.l.g.pool[i.disp], "\x00") == "" { // clears the whole register
		e.with(asm.Inst{Op: asm.VXORPS, W: asm.X, Reg: d, V: d}, operand{reg: d})
		e.done(i.dst, d)
		return
	}
	w := intWidth(i.op)
	if e.isVector(i.dst) {
		w = widthOf(i.op)
	}
	load := asm.Inst{Op: loads[code(i.op)], W: w, Reg: d}
	if i.mem == constMem && w == asm.Z && e.uniform(i.disp) {
		e.c.EmitAt(asm.Inst{Op: asm.VBROADCASTSS, W: w, Reg: d}, e.c.Constant([]byte(e.l.g.pool[i.disp][:4])))
	} else {
		e.with(load, e.memory(i))
	}
	e.done(i.dst, d)
}

func (e *emitter) store(i *inst) {
	if c := code(i.op); c >= pStoreM8 && c <= pStoreM64 {
		e.masked(i, maskedMem[c-pStoreM8], e.register(i.args[0], 0), i.args[1], false)
		return
	}
	m := e.memory(i)
	if i.imm {
		e.with(asm.Inst{Op: asm.MOVMI, Imm: i.Imm}, m)
		return
	}
	w := intWidth(i.op)
	if e.isVector(i.args[0]) {
		w = widthOf(i.op)
	}
	e.with(asm.Inst{Op: stores[code(i.op)], W: w, Reg: e.register(i.args[0], 0)}, m)
}
