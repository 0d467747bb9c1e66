package x86

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
)

// ScalarMem returns the instructions that load and store a scalar of type d.
func (g *gen) ScalarMem(d dtype.DType) (load, store op) {
	signed := d.IsInt()
	switch {
	case d.IsFloat() && d.Bits == 32:
		return pLoadF32, pStoreF32
	case d.IsFloat() && d.Bits == 64:
		return pLoadF64, pStoreF64
	case d.IsHandle() || d.Bits == 32:
		return pLoad, pStore
	case d.Bits == 64:
		return sized(pLoad, 64), sized(pStore, 64)
	case d.Bits == 16 && signed:
		return pLoad16S, pStore16
	case d.Bits == 16:
		return pLoad16U, pStore16
	case signed:
		return pLoad8S, pStore8
	}
	return pLoad8U, pStore8
}

// PartMem returns the instructions that load and store a part of so many bits.
func (g *gen) PartMem(bits int) (load, store op) {
	switch bits {
	case 32:
		return pLoadV4, pStoreV4
	case 64:
		return pLoadV8, pStoreV8
	}
	w := asm.Width(bits / 8)
	return vec(pLoadV, w), vec(pStoreV, w)
}

// MaskedMem returns the instructions that load and store a part under a mask. AVX2 has them for lanes of 32 and 64 bits, and a short part has lanes that no
// mask speaks of.
func (g *gen) MaskedMem(lanes, bits int) (load, store op) {
	if short(lanes, bits) || bits < 32 && !g.mod.machine.Features.AVX512 {
		return 0, 0
	}
	w, size := asm.Width(lanes*bits/8), op(log2(bits/8))
	return vec(pLoadM8+size, w), vec(pStoreM8+size, w)
}

// LaneMem says that there are no instructions on single lanes.
func (g *gen) LaneMem(int) (first, load, store op) { return 0, 0, 0 }

// Stack reserves bytes of the area for local arrays, which nothing else uses while the kernel runs.
func (g *gen) Stack(bytes int64) *node {
	a := g.area
	if a.used+bytes+64 > a.size {
		return nil
	}
	at := a.used
	a.used += (bytes + 63) &^ 63
	return g.Fn(lower.Add, a.start(), g.i32(int32(at)))
}

// area is where local arrays are: that of the function, or of a chunk of a forked loop.
type area struct {
	start      func() *node
	used, size int64
}

// Data is the address of constants.
func (g *gen) Data(b *ir.Blob) *node {
	return g.Fn(lower.Add, g.word(native.DataAt, "data"), g.i32(int32(g.mod.data.add(b))))
}

// word is a word that the host put into the frame for this call.
func (g *gen) word(at uint64, name string) *node { return g.Global(pWord, at, name) }
