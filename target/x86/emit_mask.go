package x86

import (
	"encoding/binary"
	"slices"

	"github.com/irscope/irscope/runtime/native/asm"
)

// maskOps are the instructions for vectors in memory under a mask: of AVX-512, which tests the mask into a mask register, and of AVX2, which reads its signs.
type maskOps struct{ test, load, store, vexLoad, vexStore asm.Op }

// maskedMem has those for lanes of 8, 16, 32 and 64 bits.
var maskedMem = [4]maskOps{
	{asm.VPTESTMB, asm.VMOVDQU8, asm.VMOVDQU8S, 0, 0},
	{asm.VPTESTMW, asm.VMOVDQU16, asm.VMOVDQU16S, 0, 0},
	{asm.VPTESTMD, asm.VMOVUPS, asm.VMOVUPSS, asm.VMASKMOVPS, asm.VMASKMOVPSS},
	{asm.VPTESTMQ, asm.VMOVUPD, asm.VMOVUPDS, asm.VMASKMOVPD, asm.VMASKMOVPDS},
}

// firstMask is the first of the mask registers, up to the last one, that hold masks of constants. These are the same in code that runs in a row, and are loaded anew behind each label and where a kernel was left.
const firstMask = maskReg + 1

// masks are the lanes that mask registers have, from firstMask on.
type masks struct {
	lanes []int64
	next  int
}

// constMask is a mask register with the given lanes.
func (e *emitter) constMask(lanes int64) asm.Mask {
	m := &e.masks
	if k := slices.Index(m.lanes, lanes); k >= 0 {
		return firstMask + asm.Mask(k)
	}
	if len(m.lanes) < 8-firstMask {
		m.lanes = append(m.lanes, 0)
		m.next = len(m.lanes) - 1
	}
	k := m.next
	m.lanes[k], m.next = lanes, (k+1)%len(m.lanes)
	e.c.EmitAt(asm.Inst{Op: asm.KMOVQ, Reg: uint8(firstMask + k)}, e.c.Constant(binary.LittleEndian.AppendUint64(nil, uint64(lanes))))
	return firstMask + asm.Mask(k)
}

// constLanes are the lanes of a mask in the pool of constants, whose lanes have so many bits.
func constLanes(data string, bits int) (lanes int64) {
	for i := 0; i < len(data); i += bits / 8 {
		if data[i+bits/8-1]&0x80 != 0 {
			lanes |= 1 << (i / (bits / 8))
		}
	}
	return lanes
}

// masked loads or stores a vector where a mask has ones. Elsewhere memory is not touched, and loads give zeros.
func (e *emitter) masked(i *inst, ops maskOps, r uint8, mask vreg, load bool) {
	w := widthOf(i.op)
	x := asm.Inst{Op: ops.store, W: w, Reg: r}
	if load {
		x.Op = ops.load
	}
	if i.imm {
		x.Mask, x.Zeroing = e.constMask(i.Imm), load
		e.with(x, e.memory(i))
		return
	}
	m := e.register(mask, 1)
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
