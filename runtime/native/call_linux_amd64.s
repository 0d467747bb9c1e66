#include "textflag.h"

// func call(code uintptr, frame *Frame) uint64
//
// The code is a leaf: it leaves SP, BP and R14 alone, pushes nothing and returns in AX. So a fault in it looks to Go's runtime like a call
// from here to a bad address. Upper halves of vectors are cleared: Go's own code uses SSE.
TEXT ·call(SB), NOSPLIT, $8-24
	MOVQ code+0(FP), AX
	MOVQ frame+8(FP), DI
	CALL AX
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

// func pause()
TEXT ·pause(SB), NOSPLIT, $0-0
	PAUSE
	RET
