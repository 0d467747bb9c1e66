package x86

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/runtime/native/asm"
)

// A chain computes some values long before it needs them, as half of the exponent of an exponential: these take registers for as long. With those instructions first for which others wait longest, they
// are computed when they are needed, and more chains fit side by side.

// delay puts the instructions of each chain in the order of their heights.
func (w *weaver) delay() {
	w.measure()
	for _, c := range w.chains {
		slices.SortStableFunc(c, func(a, b int32) int { return cmp.Compare(w.heights[b], w.heights[a]) })
	}
}

// cyclesOf is how long what reads the result of an instruction waits for it: not long where that is one of integers or bits.
func cyclesOf(o op) int32 {
	switch code(o) {
	case op(asm.VPADDD), op(asm.VPADDQ), op(asm.VPSUBD), op(asm.VPSUBQ), op(asm.VPSLLD), op(asm.VPSRLD), op(asm.VPSRAD), op(asm.VPSLLQ), op(asm.VPSRLQ),
		op(asm.VPSLLVD), op(asm.VPSRLVD), op(asm.VPSRAVD), pVAnd, pVOr, pVXor, cMove:
		return 1
	}
	return latency
}

// measure finds the heights of the instructions of the run, in cycles until the end of the chain: each is higher than what must come behind it, of its chain or of another one.
func (w *weaver) measure() {
	w.heights = append(w.heights[:0], make([]int32, len(w.code))...)
	var memory []int32
	for k := int32(len(w.code)) - 1; k >= 0; k-- {
		i, h := &w.code[k], int32(0)
		if i.dst != none {
			h = max(w.values[i.dst].read, w.values[i.dst].write)
		}
		i.reads(func(v vreg) { h = max(h, w.values[v].write) })
		if i.mem == boxMem {
			for _, x := range memory {
				if (isStore(i.op) || isStore(w.code[x].op)) && w.meet(i, &w.code[x]) {
					h = max(h, w.heights[x])
				}
			}
			memory = append(memory, k)
		}
		h += cyclesOf(i.op)
		w.heights[k] = h
		if i.dst != none {
			w.values[i.dst].read, w.values[i.dst].write = 0, h
		}
		i.reads(func(v vreg) { w.values[v].read = max(w.values[v].read, h) })
	}
}
