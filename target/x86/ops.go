package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/native/asm"
)

// op is an instruction of the graph and of linear code: a code and a width. Codes below pseudo are instructions of the processor that are
// written as they are: the last argument may be in memory, an immediate stands in Imm. The others are expanded by the emitter.
type op = lower.Op

const (
	codeBits = 10
	pseudo   = 640
)

// code is op without its width.
func code(o op) op { return o & (1<<codeBits - 1) }

// widthOf is the width of an instruction on vectors.
func widthOf(o op) asm.Width { return asm.X << (o >> codeBits) }

// wide reports whether an instruction on general registers has 64 bits.
func wide(o op) bool { return o>>codeBits != 0 }

// vec is an instruction on vectors of a width.
func vec(c op, w asm.Width) op {
	switch w {
	case asm.Y:
		return c | 1<<codeBits
	case asm.Z:
		return c | 2<<codeBits
	}
	return c
}

// ins is an instruction of the processor on vectors of a width.
func ins(o asm.Op, w asm.Width) op { return vec(op(o), w) }

// sized is an instruction on general registers of 32 or 64 bits.
func sized(c op, bits int) op {
	if bits == 64 {
		return c | 1<<codeBits
	}
	return c
}

// The codes of other instructions. Those of integers are pFn plus their lower.Fn.
const (
	pFn         op = pseudo + iota
	pConstF32      = pFn + op(lower.NumFns) + iota
	pConstF64      // the bits stand in Imm
	pConstV        // entry Imm of the pool of constants
	pWord          // the 32-bit word of the frame at Imm
	pLowF32        // the lowest lane or lanes of a vector
	pLowF64        //
	pLowX          //
	pLowY          //
	pHigh          // the upper half of a vector of twice the width
	pJoin          // two halves
	pCompare32     // comparison number Imm of two float32: 0 or 1
	pCompare64     // of float64
	pVCompare32    // of vectors of float32: lanes of ones where it holds
	pVCompare64    //
	pVEq           // of vectors of integers of 8<<Imm bits
	pVGt           // signed
	pVAnd          // bits
	pVOr           //
	pVXor          //
	pVAndNot       // not the first and the second
	pBlend         // the first where the third has ones, else the second
	pVMajority     // the bits that two of the three arguments have, of AVX-512
	pRound32       // in mode Imm
	pRound64       //
	pVRound32      //
	pVRound64      //
	pFMA32         // first*second + third, rounded once
	pFMA64         //
	pVFMA32        //
	pVFMA64        //
	pVDot          // the products of four bytes each of the first, without signs, and of the second, with signs, added to the third
	pPick          // lanes of 32 bits of the second and the third by the numbers in the first, of AVX-512
	pSplat         // an integer in all lanes of 8<<Imm bits
	pAllTrue       // whether all lanes of Imm bits of a mask are ones
	pHalfTo32      // bits of a float16 to float32
	pHalfOf32      // and back, rounded
	pPopcount      //
	pClz           //

	pLoad8U
	pLoad8S
	pLoad16U
	pLoad16S
	pLoad // 32 or 64 bits
	pLoadF32
	pLoadF64
	pLoadV  // a vector
	pLoadM8 // a vector where a mask has ones, with lanes of 8 bits
	pLoadM16
	pLoadM32
	pLoadM64
	pLoadV4 // 4 bytes to the lowest lanes
	pLoadV8 // 8 bytes
	pStore8
	pStore16
	pStore // 32 or 64 bits
	pStoreF32
	pStoreF64
	pStoreV
	pStoreM8
	pStoreM16
	pStoreM32
	pStoreM64
	pStoreV4
	pStoreV8

	// Codes of linear code only.
	cLabel
	cJump
	cJumpIf    // where cond holds
	cMove      // to dst
	cCompare   // sets the flags for cond
	cTest      // of an integer with itself
	cFloatFlag // of floats, as vucomiss does
	cMoveIf    // dst is args[0] where cond holds, else args[1]
	cSet       // dst is 1 where cond holds, else 0
	cJumpTrue  // where a bool is not 0
	cConst     // dst is Imm
	cStoreWord // to the frame at disp
	cReturn    // with a status: an argument or Imm
	cPoll
	cRequest
	cSelect // of vectors by a scalar: dst is args[0] where args[2] is not 0, else args[1]
	cTileZero
	cTileLoad
	cTileStore
	cTileAdd
)

// fnOp is an integer function.
func fnOp(fn lower.Fn, bits int) op { return sized(pFn+op(fn), bits) }

// fnOf is the function of an op, Other if it has none.
func fnOf(o op) lower.Fn {
	if c := code(o); c >= pFn && c < pFn+op(lower.NumFns) {
		return lower.Fn(c - pFn)
	}
	return lower.Other
}

// Types of values, as the middle end numbers them.
const (
	tI32 lower.Type = 1 + iota
	tI64
	tF32
	tF64
	tX
	tY
	tZ
)

// typeOfWidth is the type of vectors.
func typeOfWidth(w asm.Width) lower.Type {
	switch w {
	case asm.Y:
		return tY
	case asm.Z:
		return tZ
	}
	return tX
}

// bytesOf is the size of a value of a type.
func bytesOf(t lower.Type) int {
	return [...]int{0, 4, 8, 4, 8, 16, 32, 64}[t]
}

// isVector reports whether values of a type are in vector registers, as scalar floats are.
func isVector(t lower.Type) bool { return t >= tF32 }

// results are the types of what instructions give where that is not a vector of their width.
var results = map[op]lower.Type{
	op(asm.VADDSS): tF32, op(asm.VSUBSS): tF32, op(asm.VMULSS): tF32, op(asm.VDIVSS): tF32, op(asm.VMINSS): tF32, op(asm.VMAXSS): tF32, op(asm.VSQRTSS): tF32, op(asm.VSCALEFSS): tF32,
	op(asm.VADDSD): tF64, op(asm.VSUBSD): tF64, op(asm.VMULSD): tF64, op(asm.VDIVSD): tF64, op(asm.VMINSD): tF64, op(asm.VMAXSD): tF64, op(asm.VSQRTSD): tF64, op(asm.VSCALEFSD): tF64,
	op(asm.VCVTSI2SSD): tF32, op(asm.VCVTSI2SSQ): tF32, op(asm.VCVTSD2SS): tF32, op(asm.VMOVD): tF32,
	op(asm.VCVTSI2SDD): tF64, op(asm.VCVTSI2SDQ): tF64, op(asm.VCVTSS2SD): tF64, op(asm.VMOVQ): tF64,
	op(asm.VCVTTSS2SID): tI32, op(asm.VCVTTSD2SID): tI32, op(asm.VMOVDS): tI32, op(asm.VPEXTRB): tI32, op(asm.VPEXTRW): tI32, op(asm.VPEXTRD): tI32,
	op(asm.VCVTTSS2SIQ): tI64, op(asm.VCVTTSD2SIQ): tI64, op(asm.VMOVQS): tI64, op(asm.VPEXTRQ): tI64,

	pConstF32: tF32, pConstF64: tF64, pWord: tI32, pLowF32: tF32, pLowF64: tF64, pLowX: tX, pLowY: tY, pCompare32: tI32, pCompare64: tI32,
	pRound32: tF32, pRound64: tF64, pFMA32: tF32, pFMA64: tF64, pAllTrue: tI32, pHalfTo32: tF32, pHalfOf32: tI32,
	pLoad8U: tI32, pLoad8S: tI32, pLoad16U: tI32, pLoad16S: tI32, pLoadF32: tF32, pLoadF64: tF64, pLoadV4: tX, pLoadV8: tX,
}

// resultOf is the type of what an instruction gives; 0 is that of its first operand.
func resultOf(o op) lower.Type {
	c := code(o)
	if t, ok := results[c]; ok {
		return t
	}
	switch {
	case c == pLoad && wide(o):
		return tI64
	case c == pLoad:
		return tI32
	case c == pPopcount || c == pClz:
		return 0
	case c == pHigh:
		return typeOfWidth(widthOf(o))
	case c < pFn || c >= pFn+op(lower.NumFns):
		return typeOfWidth(widthOf(o))
	}
	// Integer functions.
	switch fn := fnOf(o); {
	case fn == lower.Get, fn == lower.Set, fn == lower.Select, fn == lower.Call:
		return 0
	case fn >= lower.Eqz && fn <= lower.GeU, fn == lower.Wrap:
		return tI32
	case fn == lower.ExtendS, fn == lower.ExtendU:
		return tI64
	case wide(o):
		return tI64
	}
	return tI32
}
