package x86

import (
	"math"
	"strings"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// What the Imm of a multiplication with a sum says of signs.
const (
	fmaPlus     = iota // x*y + z
	fmaNegative        // z - x*y
	fmaMinus           // x*y - z
)

// summandLast is added to them where the summand, a constant, is the last argument, and the factors are the first ones.
const summandLast = 4

// fmaOps are the instructions by signs and by which operand the result replaces: 132 the first factor, with the second in memory, 213 a factor, 231 the summand.
var fmaOps = map[op][3][3]asm.Op{
	pFMA32: {
		{asm.VFMADD132SS, asm.VFMADD213SS, asm.VFMADD231SS},
		{asm.VFNMADD132SS, asm.VFNMADD213SS, asm.VFNMADD231SS},
		{asm.VFMSUB132SS, asm.VFMSUB213SS, asm.VFMSUB231SS},
	},
	pFMA64: {
		{asm.VFMADD132SD, asm.VFMADD213SD, asm.VFMADD231SD},
		{asm.VFNMADD132SD, asm.VFNMADD213SD, asm.VFNMADD231SD},
		{asm.VFMSUB132SD, asm.VFMSUB213SD, asm.VFMSUB231SD},
	},
	pVFMA32: {
		{asm.VFMADD132PS, asm.VFMADD213PS, asm.VFMADD231PS},
		{asm.VFNMADD132PS, asm.VFNMADD213PS, asm.VFNMADD231PS},
		{asm.VFMSUB132PS, asm.VFMSUB213PS, asm.VFMSUB231PS},
	},
	pVFMA64: {
		{asm.VFMADD132PD, asm.VFMADD213PD, asm.VFMADD231PD},
		{asm.VFNMADD132PD, asm.VFNMADD213PD, asm.VFNMADD231PD},
		{asm.VFMSUB132PD, asm.VFMSUB213PD, asm.VFMSUB231PD},
	},
}

// isFMA reports whether an instruction multiplies and adds: its first argument in linear code is the summand, or the last one (summandLast).
func isFMA(o op) bool {
	switch code(o) {
	case pFMA32, pFMA64, pVFMA32, pVFMA64:
		return true
	}
	return false
}

// mulAdd is x*y + z, rounded once. Products with -1, as tir.ContractFMA writes differences, become the signs of the instruction.
func (g *gen) mulAdd(x, y, z *node, d dtype.DType, packed bool) *node {
	c, signs := [4]op{pFMA32, pVFMA32, pFMA64, pVFMA64}[floatForm(d, packed)], uint64(fmaPlus)
	if n := g.negation(x, d); n != nil {
		x, signs = n, fmaNegative
	} else if n := g.negation(y, d); n != nil {
		y, signs = n, fmaNegative
	} else if n := g.negation(z, d); n != nil {
		z, signs = n, fmaMinus
	}
	if packed {
		return g.vop(c, signs, x, y, z)
	}
	return g.imm(c, signs, x, y, z)
}

// negation returns what n is the product of with -1, nil if it is none.
func (g *gen) negation(n *node, d dtype.DType) *node {
	switch code(n.Op) {
	case op(asm.VMULSS), op(asm.VMULPS), op(asm.VMULSD), op(asm.VMULPD):
		switch {
		case g.isMinusOne(n.Args[1], d):
			return n.Args[0]
		case g.isMinusOne(n.Args[0], d):
			return n.Args[1]
		}
	case op(asm.VBROADCASTSS), op(asm.VBROADCASTSD):
		if x := g.negation(n.Args[0], d); x != nil {
			return g.op(n.Op, x)
		}
	}
	return nil
}

// isMinusOne reports whether n is -1, in all lanes.
func (g *gen) isMinusOne(n *node, d dtype.DType) bool {
	bits := uint64(math.Float32bits(-1))
	if d.Bits == 64 {
		bits = math.Float64bits(-1)
	}
	switch code(n.Op) {
	case pConstF32, pConstF64:
		return n.Imm == bits
	case pConstV:
		data := g.pool[n.Imm]
		one := bytesOfWord(bits, int(d.Bits)/8)
		return data == strings.Repeat(one, len(data)/len(one))
	}
	return false
}

// fma writes summand + x*y, or what its signs make of it: the form of the instruction is that whose target is an argument that need not be kept.
func (e *emitter) fma(i *inst, d uint8) {
	forms := fmaOps[code(i.op)][i.Imm&^summandLast]
	t := e.l.g.types[i.dst]
	if i.Imm&summandLast != 0 {
		x, y := e.where(i.args[0]), i.args[1]
		if o := e.where(y); !o.inMem && o.reg == d {
			x, y = o, i.args[0]
		}
		e.move(d, x, t)
		e.with(asm.Inst{Op: forms[1], W: widthOf(i.op), Reg: d, V: e.register(y, 1)}, e.last(i, 2))
		return
	}
	z, x := e.where(i.args[0]), e.where(i.args[1])
	var y operand
	if i.mem != noMem {
		y = e.memory(i)
	} else {
		y = e.where(i.args[2])
	}
	in := func(o operand) bool { return !o.inMem && o.reg == d }
	out := asm.Inst{W: widthOf(i.op), Reg: d, Spread: i.spread}
	switch {
	case in(z):
		out.Op, out.V = forms[2], e.register(i.args[1], 1)
		e.with(out, y)
	case in(x) && y.inMem:
		out.Op, out.V = forms[0], e.register(i.args[0], 1)
		e.with(out, y)
	case in(x):
		out.Op, out.V = forms[1], y.reg
		e.with(out, z)
	case in(y):
		out.Op, out.V = forms[1], e.register(i.args[1], 1)
		e.with(out, z)
	default:
		e.move(d, z, t)
		out.Op, out.V = forms[2], e.register(i.args[1], 1)
		e.with(out, y)
	}
}
