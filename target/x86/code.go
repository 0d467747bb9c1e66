package x86

import (
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/native/asm"
)

// vreg is a virtual register: an index of the generator's types, as lower.Reg is one.
type vreg int32

const none vreg = -1

// place says what the operand in memory of an instruction is.
type place uint8

const (
	noMem    place = iota
	boxMem         // the device's memory at index + disp
	frameMem       // the frame at disp
	constMem       // entry disp of the pool of constants
)

// inst is an instruction of linear code. Its operand in memory stands behind args, in the place of the last argument; of stores it is the target.
type inst struct {
	op     op
	dst    vreg
	args   [3]vreg
	mem    place
	spread bool // one element of memory in all lanes
	imm    bool // Imm is the last argument
	index  vreg // none for an address that Disp is
	disp   int32
	Imm    int64
	cond   asm.Cond
	target int32    // label
	tile   uint8    // that it is on
	depth  int8     // loops around it
	at     tir.Stmt // that it is for; nil for none
}

// linear is the code of a function before registers are allocated.
type linear struct {
	g      *gen
	code   []inst
	labels int32
	depth  int8
	at     tir.Stmt       // that instructions are for
	notes  map[int]string // by instruction: what the text says there
}

func (l *linear) label() int32 { l.labels++; return l.labels - 1 }

func (l *linear) bind(n int32) { l.control(cLabel, 0, n) }

// add appends an instruction; registers that are not set are none.
func (l *linear) add(i inst) {
	i.depth, i.at = l.depth, l.at
	l.code = append(l.code, i)
}

// emit appends an instruction without an operand in memory.
func (l *linear) emit(o op, dst vreg, args ...vreg) {
	i := inst{op: o, dst: dst, index: none, args: [3]vreg{none, none, none}}
	copy(i.args[:], args)
	l.add(i)
}

// control appends an instruction that names a label.
func (l *linear) control(o op, cond asm.Cond, target int32, args ...vreg) {
	i := inst{op: o, dst: none, index: none, args: [3]vreg{none, none, none}, cond: cond, target: target}
	copy(i.args[:], args)
	l.add(i)
}

func (l *linear) note(format string, args ...any) {
	l.notes[len(l.code)] = fmt.Sprintf(format, args...)
}

// temp makes a virtual register.
func (l *linear) temp(t lower.Type) vreg { return vreg(l.g.newReg("", t)) }

// opposite is the condition that holds where c does not.
func opposite(c asm.Cond) asm.Cond { return c ^ 1 }
