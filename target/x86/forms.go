package x86

import (
	"github.com/irscope/irscope/runtime/native/asm"
)

// memorySize is how many bytes the last argument of an instruction is in memory, 0 where it must be a register.
func memorySize(o op) int {
	w := int(widthOf(o))
	switch c := code(o); c {
	case op(asm.VADDSS), op(asm.VSUBSS), op(asm.VMULSS), op(asm.VDIVSS), op(asm.VMINSS), op(asm.VMAXSS), op(asm.VSQRTSS), op(asm.VCVTSS2SD),
		op(asm.VBROADCASTSS), op(asm.VMOVD), op(asm.VPINSRD), op(asm.VCVTSI2SSD), op(asm.VCVTSI2SDD), pFMA32:
		return 4
	case op(asm.VADDSD), op(asm.VSUBSD), op(asm.VMULSD), op(asm.VDIVSD), op(asm.VMINSD), op(asm.VMAXSD), op(asm.VSQRTSD), op(asm.VCVTSD2SS),
		op(asm.VBROADCASTSD), op(asm.VPINSRQ), op(asm.VCVTSI2SSQ), op(asm.VCVTSI2SDQ), pFMA64:
		return 8
	case op(asm.VCVTTSD2SIQ), op(asm.VCVTTSD2SID):
		return 8
	case op(asm.VCVTDQ2PD), op(asm.VCVTPS2PD), op(asm.VCVTPH2PS), op(asm.VPMOVSXBW), op(asm.VPMOVZXBW), op(asm.VPMOVSXWD), op(asm.VPMOVZXWD), op(asm.VPMOVSXDQ), op(asm.VPMOVZXDQ), pJoin:
		return w / 2
	case op(asm.VPMOVSXBD), op(asm.VPMOVZXBD):
		return w / 4
	case op(asm.VMOVQ), op(asm.VMOVDS), op(asm.VMOVQS), op(asm.VPEXTRB), op(asm.VPEXTRD), op(asm.VPEXTRQ), op(asm.VPINSRB), op(asm.VPINSRW), op(asm.VCVTPS2PH), op(asm.VPMOVWB), op(asm.VPMOVDB), op(asm.VPMOVDW), op(asm.VPSRLQ), op(asm.VPSLLQ),
		op(asm.VPSLLD), op(asm.VPSRLD), op(asm.VPSRAD):
		return 0
	case pVFMA32, pVFMA64, pVDot, pPick, pVCompare32, pVCompare64, pVAnd, pVOr, pVXor, pVEq, pVGt, pVMajority:
		return w
	case pPopcount, pClz:
		if wide(o) {
			return 8
		}
		return 4
	default:
		if c < pseudo {
			return w
		}
	}
	return 0
}

// spreadSize is the size of an element that AVX-512 may spread to all lanes of the last argument, 0 where it may not.
func spreadSize(o op) int {
	switch code(o) {
	case op(asm.VADDPS), op(asm.VSUBPS), op(asm.VMULPS), op(asm.VDIVPS), op(asm.VMINPS), op(asm.VMAXPS), op(asm.VRANGEPS), op(asm.VSCALEFPS), pVFMA32:
		return 4
	case op(asm.VADDPD), op(asm.VSUBPD), op(asm.VMULPD), op(asm.VDIVPD), op(asm.VMINPD), op(asm.VMAXPD), op(asm.VRANGEPD), op(asm.VSCALEFPD), pVFMA64:
		return 8
	}
	return 0
}

// commutes reports whether an instruction may exchange its two arguments.
func commutes(o op) bool {
	switch code(o) {
	case op(asm.VADDPS), op(asm.VMULPS), op(asm.VADDPD), op(asm.VMULPD), op(asm.VADDSS), op(asm.VMULSS), op(asm.VADDSD), op(asm.VMULSD),
		op(asm.VPADDD), op(asm.VPADDQ), op(asm.VPMULLD), op(asm.VPMINSD), op(asm.VPMAXSD), op(asm.VPMINUD), op(asm.VPMAXUD), op(asm.VRANGEPS), op(asm.VRANGEPD), pVAnd, pVOr, pVXor, pVEq:
		return true
	}
	return false
}
