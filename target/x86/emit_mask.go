package x86

import "github.com/irscope/irscope/runtime/native/asm"

// maskOps are the instructions for vectors in memory under a mask: of AVX-512, which tests the mask into a mask register, and of AVX2, which reads its signs.
type maskOps struct{ test, load, store, vexLoad, vexStore asm.Op }

// maskedMem has those for lanes of 8, 16, 32 and 64 bits.
var maskedMem = [4]maskOps{
	{asm.VPTESTMB, asm.VMOVDQU8, asm.VMOVDQU8S, 0, 0},
	{asm.VPTESTMW, asm.VMOVDQU16, asm.VMOVDQU16S, 0, 0},
	{asm.VPTESTMD, asm.VMOVUPS, asm.VMOVUPSS, asm.VMASKMOVPS, asm.VMASKMOVPSS},
	{asm.VPTESTMQ, asm.VMOVUPD, asm.VMOVUPDS, asm.VMASKMOVPD, asm.VMASKMOVPDS},
}

// masked loads or stores a vector where a mask has ones. Elsewhere memory is not touched, and loads give zeros.
func (e *emitter) masked(i *inst, ops maskOps, r uint8, mask vreg, load bool) {
	w := widthOf(i.op)
	m := e.register(mask, 1)
	x := asm.Inst{Op: ops.store, W: w, Reg: r}
	if load {
		x.Op = ops.load
	}
	if e.evex {
		e.with(asm.Inst{Op: ops.test, W: w, Reg: maskReg, V: m}, operand{reg: m})
		x.Mask, x.Zeroing = maskReg, load
	} else {
		x.V = m
		if x.Op = ops.vexStore; load {
			x.Op = ops.vexLoad
		}
	}
	e.with(x, e.memory(i))
}
