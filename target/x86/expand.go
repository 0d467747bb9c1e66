package x86

import (
	"fmt"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native/asm"
)

// usesScratch reports whether an instruction needs registers of the emitter in any case, and of which class.
func usesScratch(i *inst) (class int, uses bool) {
	switch code(i.op) {
	case pCompare32, pCompare64, pHalfOf32:
		return vectors, true
	case cTileLoad, cTileStore:
		return generals, true
	}
	switch fnOf(i.op) {
	case lower.DivS, lower.DivU, lower.RemS, lower.RemU:
		return generals, true
	}
	return 0, false
}

// plain writes an instruction of the processor on vectors and floats.
func (e *emitter) plain(i *inst) {
	o, w := asm.Op(code(i.op)), widthOf(i.op)
	d := e.target(i.dst)
	two := i.args[1] != none || i.mem != noMem && i.args[0] != none
	switch x := (asm.Inst{Op: o, W: w, Reg: d, Imm: int64(int8(i.Imm)), Spread: i.spread}); {
	case o == asm.VMOVDS, o == asm.VMOVQS, o == asm.VPEXTRB, o == asm.VPEXTRD, o == asm.VPEXTRQ, o == asm.VCVTPS2PH,
		o == asm.VPMOVWB, o == asm.VPMOVDB, o == asm.VPMOVDW: // to a register in rm
		x.Reg = e.register(i.args[0], 0)
		e.with(x, operand{reg: d})
	case o == asm.VPSRLQ, o == asm.VPSLLQ, o == asm.VPSLLD, o == asm.VPSRLD, o == asm.VPSRAD:
		x.Reg, x.V = 0, d
		e.with(x, operand{reg: e.register(i.args[0], 0)})
	case two:
		x.V = e.register(i.args[0], 0)
		e.with(x, e.last(i, 1))
	default:
		e.with(x, e.last(i, 0))
	}
	e.done(i.dst, d)
}

// vec3 writes an instruction with the first argument in the field V and the last in rm.
func (e *emitter) vec3(i *inst, o asm.Op, d uint8, imm int64) {
	e.with(asm.Inst{Op: o, W: widthOf(i.op), Reg: d, V: e.register(i.args[0], 0), Imm: imm, Spread: i.spread}, e.last(i, 1))
}

// pick is the instruction for AVX-512, or that for AVX2.
func (e *emitter) pick(evex, vex asm.Op) asm.Op {
	if e.evex {
		return evex
	}
	return vex
}

// expand writes an instruction that is several, or has several forms.
func (e *emitter) expand(i *inst) {
	d := e.target(i.dst)
	w := widthOf(i.op)
	switch c := code(i.op); c {
	case pVAnd:
		e.vec3(i, e.pick(asm.VPANDD, asm.VPAND), d, 0)
	case pVOr:
		e.vec3(i, e.pick(asm.VPORD, asm.VPOR), d, 0)
	case pVXor:
		e.vec3(i, e.pick(asm.VPXORD, asm.VPXOR), d, 0)
	case pVEq:
		e.maskOf(i, d, [4]asm.Op{asm.VPCMPEQB, asm.VPCMPEQW, asm.VPCMPEQD, asm.VPCMPEQQ}[i.Imm], maskCompares[i.Imm], 0, false)
	case pVGt:
		e.maskOf(i, d, [4]asm.Op{asm.VPCMPGTB, asm.VPCMPGTW, asm.VPCMPGTD, asm.VPCMPGTQ}[i.Imm], maskCompares[i.Imm], 6, false)
	case pVCompare32:
		e.maskOf(i, d, asm.VCMPPS, asm.VCMPPSK, i.Imm, true)
	case pVCompare64:
		e.maskOf(i, d, asm.VCMPPD, asm.VCMPPDK, i.Imm, true)
	case pCompare32:
		e.compareFloats(i, d, asm.VCMPSS, asm.VCMPPSK)
	case pCompare64:
		e.compareFloats(i, d, asm.VCMPSD, asm.VCMPPDK)
	case pBlend:
		e.blend(i, d)
	case pVMajority:
		e.majority(i, d)
	case pFMA32, pFMA64, pVFMA32, pVFMA64:
		e.fma(i, d)
	case pVDot, pPick:
		e.dot(i, d)
	case pRound32, pRound64:
		a := e.register(i.args[0], 0)
		x := asm.Inst{Op: [2]asm.Op{asm.VROUNDSS, asm.VROUNDSD}[c-pRound32], Reg: d, V: a, Imm: i.Imm}
		if e.evex {
			x = asm.Inst{Op: [2]asm.Op{asm.VRNDSCALEPS, asm.VRNDSCALEPD}[c-pRound32], W: asm.X, Reg: d, Imm: i.Imm}
		}
		e.with(x, operand{reg: a})
	case pVRound32:
		e.with(asm.Inst{Op: e.pick(asm.VRNDSCALEPS, asm.VROUNDPS), W: w, Reg: d, Imm: i.Imm}, operand{reg: e.register(i.args[0], 0)})
	case pVRound64:
		e.with(asm.Inst{Op: e.pick(asm.VRNDSCALEPD, asm.VROUNDPD), W: w, Reg: d, Imm: i.Imm}, operand{reg: e.register(i.args[0], 0)})
	case pSplat:
		o := asm.VMOVD
		if i.Imm == 3 {
			o = asm.VMOVQ
		}
		e.with(asm.Inst{Op: o, Reg: d}, operand{reg: e.register(i.args[0], 0)})
		e.with(asm.Inst{Op: [4]asm.Op{asm.VPBROADCASTB, asm.VPBROADCASTW, asm.VPBROADCASTD, asm.VPBROADCASTQ}[i.Imm], W: w, Reg: d}, operand{reg: d})
	case pJoin:
		o := e.pick(asm.VINSERTF32X4, asm.VINSERTI128)
		if w == asm.Z {
			o = asm.VINSERTF64X4
		}
		e.vec3(i, o, d, 1)
	case pHigh:
		o := e.pick(asm.VEXTRACTF32X4, asm.VEXTRACTI128)
		if w == asm.Y {
			o = asm.VEXTRACTF64X4
		}
		x := asm.Inst{Op: o, W: 2 * w, Reg: e.register(i.args[0], 0), Imm: 1}
		e.with(x, operand{reg: d})
	case pAllTrue:
		e.allTrue(i, d, w)
	case pHalfTo32:
		e.with(asm.Inst{Op: asm.VMOVD, Reg: d}, e.where(i.args[0]))
		e.with(asm.Inst{Op: asm.VCVTPH2PS, W: asm.X, Reg: d}, operand{reg: d})
	case pHalfOf32:
		s := e.scratchReg(true, 1)
		e.with(asm.Inst{Op: asm.VCVTPS2PH, W: asm.X, Reg: e.register(i.args[0], 0)}, operand{reg: s})
		e.with(asm.Inst{Op: asm.VMOVDS, Reg: s}, operand{reg: d})
		e.with(asm.Inst{Op: asm.MOVZXW, Reg: d}, operand{reg: d})
	case pPopcount, pClz:
		o := [2]asm.Op{asm.POPCNT, asm.LZCNT}[c-pPopcount]
		e.with(asm.Inst{Op: o, W: intWidth(i.op), Reg: d}, e.last(i, 0))
	case pWord:
		e.move(d, e.memory(i), tI32)
	default:
		panic(fmt.Sprintf("x86: instruction %d is unknown to the emitter", c))
	}
	e.done(i.dst, d)
}

// maskReg is the only mask register in use: AVX-512 compares to it, and lanes of ones are made of it at once.
const maskReg = 1

// maskCompares compare integers of 8, 16, 32 and 64 bits to a mask register.
var maskCompares = [4]asm.Op{asm.VPCMPB, asm.VPCMPW, asm.VPCMPD, asm.VPCMPQ}

// maskOf writes a comparison of vectors as lanes of ones and zeros.
func (e *emitter) maskOf(i *inst, d uint8, vex, evex asm.Op, how int64, immediate bool) {
	w := widthOf(i.op)
	if !e.evex {
		if !immediate {
			how = 0
		}
		e.vec3(i, vex, d, how)
		return
	}
	e.with(asm.Inst{Op: evex, W: w, Reg: maskReg, V: e.register(i.args[0], 0), Imm: how}, e.last(i, 1))
	e.with(asm.Inst{Op: maskLanes[evex], W: w, Reg: d}, operand{reg: maskReg})
}

// maskLanes makes lanes of a mask, by what compared to it. It does not read its target, as an instruction under the mask would: comparisons of different vectors would wait for each other.
var maskLanes = map[asm.Op]asm.Op{
	asm.VPCMPB: asm.VPMOVM2B, asm.VPCMPW: asm.VPMOVM2W, asm.VPCMPD: asm.VPMOVM2D, asm.VPCMPQ: asm.VPMOVM2Q, asm.VCMPPSK: asm.VPMOVM2D, asm.VCMPPDK: asm.VPMOVM2Q,
}

// compareFloats compares scalars to 0 or 1.
func (e *emitter) compareFloats(i *inst, d uint8, vex, evex asm.Op) {
	a, b := e.register(i.args[0], 0), e.register(i.args[1], 1)
	if e.evex {
		e.with(asm.Inst{Op: evex, W: asm.X, Reg: maskReg, V: a, Imm: i.Imm}, operand{reg: b})
		e.with(asm.Inst{Op: asm.KMOVBS, Reg: d}, operand{reg: maskReg})
	} else {
		s := e.scratchReg(true, 0)
		e.with(asm.Inst{Op: vex, Reg: s, V: a, Imm: i.Imm}, operand{reg: b})
		e.with(asm.Inst{Op: asm.VMOVDS, Reg: s}, operand{reg: d})
	}
	e.with(asm.Inst{Op: asm.ANDI8, W: 4, Imm: 1}, operand{reg: d})
}

// blend takes the first argument where the third has ones, else the second. The instruction of AVX-512 is any function of three bits, one of which is the
// target's: its table follows from which argument that is.
func (e *emitter) blend(i *inst, d uint8) {
	w := widthOf(i.op)
	a, b, m := e.where(i.args[0]), e.where(i.args[1]), e.where(i.args[2])
	if !e.evex {
		e.with(asm.Inst{Op: asm.VPBLENDVB, W: w, Reg: d, V: e.register(i.args[1], 0), Imm: int64(e.register(i.args[2], 1))}, a)
		return
	}
	t := typeOfWidth(w)
	in := func(o operand) bool { return !o.inMem && o.reg == d }
	var table int64 // bit 4*target + 2*V + rm
	var v vreg
	var rm operand
	switch {
	case in(a): // a, m, b
		table, v, rm = 0b11100010-256, i.args[2], b // m ? a : b
	case in(b): // b, m, a
		table, v, rm = 0b10111000-256, i.args[2], a
	default: // m, a, b
		e.move(d, m, t)
		table, v, rm = 0b11001010-256, i.args[0], b
	}
	e.with(asm.Inst{Op: asm.VPTERNLOGD, W: w, Reg: d, V: e.register(v, 1), Imm: table}, rm)
}

// majority takes the bits that two of its arguments have. They may be exchanged: one that is in the target stays there.
func (e *emitter) majority(i *inst, d uint8) {
	const table = 0b11101000 - 256
	w, first, second, last := widthOf(i.op), i.args[0], i.args[1], e.last(i, 2)
	in := func(o operand) bool { return !o.inMem && o.reg == d }
	switch {
	case in(e.where(first)):
	case in(e.where(second)):
		first, second = second, first
	case in(last):
		last = e.where(first)
	default:
		e.move(d, e.where(first), typeOfWidth(w))
	}
	e.with(asm.Inst{Op: asm.VPTERNLOGD, W: w, Reg: d, V: e.register(second, 1), Imm: table}, last)
}

// allTrue is 1 where all lanes of a mask are ones.
func (e *emitter) allTrue(i *inst, d uint8, w asm.Width) {
	a := e.register(i.args[0], 0)
	lanes := int(w) * 8 / int(i.Imm)
	if e.evex {
		o := asm.VPTESTMD
		if i.Imm == 64 {
			o = asm.VPTESTMQ
		}
		e.with(asm.Inst{Op: o, W: w, Reg: maskReg, V: a}, operand{reg: a})
		e.with(asm.Inst{Op: asm.KMOVWS, Reg: d}, operand{reg: maskReg})
	} else {
		o := asm.VMOVMSKPS
		if i.Imm == 64 {
			o = asm.VMOVMSKPD
		}
		e.with(asm.Inst{Op: o, W: w, Reg: d}, operand{reg: a})
	}
	all := int64(1)<<lanes - 1
	e.with(asm.Inst{Op: immediate([3]asm.Op{0, asm.CMPI8, asm.CMPI}, all), W: 4, Imm: all}, operand{reg: d})
	e.c.Emit(asm.Inst{Op: asm.MOVI32, Reg: d})
	e.c.Emit(asm.Inst{Op: asm.SET, RM: d, Cond: asm.Equal})
}
