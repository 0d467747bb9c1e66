package x86

import (
	"github.com/irscope/irscope/runtime/native/asm"
)

// MulPairs multiplies lanes of 16 bits and adds neighbors. What the instruction adds has 31 bits, so that it is exact.
func (g *gen) MulPairs(x, y *node) *node { return g.vins(asm.VPMADDWD, x, y) }

// DotBytes adds products of bytes to lanes of 32 bits, modulo 2^32, where the target has VNNI.
func (g *gen) DotBytes(x, y, acc *node) *node {
	if !g.mod.machine.Features.VNNI {
		return nil
	}
	return g.vop(pVDot, 0, x, y, acc)
}

// addDot is the sum of two vectors of 32-bit lanes where one is the sum of products that start from zero: they can start from the other. nil where neither is.
func (g *gen) addDot(x, y *node) *node {
	for range 2 {
		if code(x.Op) == pVDot && g.isZero(x.Args[2]) {
			return g.vop(pVDot, 0, x.Args[0], x.Args[1], y)
		}
		x, y = y, x
	}
	return nil
}

// isZero reports whether n is a vector of zeros.
func (g *gen) isZero(n *node) bool {
	if code(n.Op) != pConstV {
		return false
	}
	for _, b := range []byte(g.pool[n.Imm]) {
		if b != 0 {
			return false
		}
	}
	return true
}

// inTarget reports whether an instruction reads its first argument in its target.
func inTarget(o op) bool { return code(o) == pVDot || code(o) == pPick }

// dot writes sum + the products of x and y, or lanes of x and y by the numbers in the first argument: the instruction has that in its target, which must not be x or y then.
func (e *emitter) dot(i *inst, d uint8) {
	first, x, y := e.where(i.args[0]), e.register(i.args[1], 1), operand{}
	if i.mem != noMem {
		y = e.memory(i)
	} else {
		y = e.where(i.args[2])
	}
	e.move(d, first, e.l.g.types[i.dst])
	o := asm.VPDPBUSD
	if code(i.op) == pPick {
		o = asm.VPERMI2PS
	}
	e.with(asm.Inst{Op: o, W: widthOf(i.op), Reg: d, V: x, Spread: i.spread}, y)
}
