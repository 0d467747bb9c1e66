package wasm

import (
	"encoding/binary"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// laneOps are the instructions on vectors whose lanes have some width and kind.
type laneOps struct {
	splat, extract, replace wasmbin.Op
}

func lanesOf(d dtype.DType, mask int) laneOps {
	bits := int(d.Bits)
	if d.IsBool() {
		bits = mask
	}
	switch {
	case d.IsFloat() && bits == 32:
		return laneOps{wasmbin.F32x4Splat, wasmbin.F32x4ExtractLane, wasmbin.F32x4ReplaceLane}
	case d.IsFloat() && bits == 64:
		return laneOps{wasmbin.F64x2Splat, wasmbin.F64x2ExtractLane, wasmbin.F64x2ReplaceLane}
	case bits == 64:
		return laneOps{wasmbin.I64x2Splat, wasmbin.I64x2ExtractLane, wasmbin.I64x2ReplaceLane}
	case bits == 32:
		return laneOps{wasmbin.I32x4Splat, wasmbin.I32x4ExtractLane, wasmbin.I32x4ReplaceLane}
	case bits == 16 && d.IsInt():
		return laneOps{wasmbin.I16x8Splat, wasmbin.I16x8ExtractLaneS, wasmbin.I16x8ReplaceLane}
	case bits == 16:
		return laneOps{wasmbin.I16x8Splat, wasmbin.I16x8ExtractLaneU, wasmbin.I16x8ReplaceLane}
	case d.IsInt():
		return laneOps{wasmbin.I8x16Splat, wasmbin.I8x16ExtractLaneS, wasmbin.I8x16ReplaceLane}
	}
	return laneOps{wasmbin.I8x16Splat, wasmbin.I8x16ExtractLaneU, wasmbin.I8x16ReplaceLane}
}

// Halves says that lanes are taken one by one: a register has four of 32 bits, which shuffles would not combine in fewer instructions.
func (g *gen) Halves(value) (lo, hi *node) { return nil, nil }

// Extract returns lane i as a scalar; a lane of a mask becomes 0 or 1.
func (g *gen) Extract(v value, i int) *node {
	k := g.Native(v.DType, v.Mask)
	x := g.lane(lanesOf(v.DType, v.Mask).extract, i%k, v.Parts[i/k])
	if !v.DType.IsBool() {
		return x
	}
	if typeOf(x) == wasmbin.I64 {
		x = g.op(wasmbin.I32WrapI64, x)
	}
	return g.op(wasmbin.I32And, x, g.i32(1))
}

// PackPart makes a v128 of scalars.
func (g *gen) PackPart(dt dtype.DType, xs []*node) *node {
	ops := lanesOf(dt, 0)
	same, allConst := true, true
	for _, x := range xs {
		same = same && x == xs[0]
		allConst = allConst && x.IsConst()
	}
	if same {
		return g.op(ops.splat, xs[0])
	}
	if allConst {
		var b [16]byte
		w := int(dt.Bits) / 8
		for i, x := range xs {
			var full [8]byte
			binary.LittleEndian.PutUint64(full[:], x.Imm)
			copy(b[i*w:(i+1)*w], full[:])
		}
		return g.konst(wasmbin.OpV128Const, binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:]))
	}
	p := g.op(ops.splat, xs[0])
	for i, x := range xs {
		if x != xs[0] {
			p = g.lane(ops.replace, i, p, x)
		}
	}
	return p
}

// Replace puts a scalar into lane i.
func (g *gen) Replace(d dtype.DType, _ int, part *node, i int, x *node) *node {
	return g.lane(lanesOf(d, 0).replace, i, part, x)
}

// SplatPart repeats x in the lanes of a v128. wazero's splat writes into a register that it
// does not clear, so in a hot loop it waits for whatever was computed there before; a 32-bit
// value that was just loaded is loaded into a cleared vector instead and spread by a swizzle,
// which is 1.6 times as fast in a matrix product.
func (g *gen) SplatPart(d dtype.DType, x *node, _ int) *node {
	splat := lanesOf(d, 0).splat
	if !x.Live() || (opOf(x) != wasmbin.F32Load && opOf(x) != wasmbin.I32Load) || x.Pointer == nil {
		return g.op(splat, x)
	}
	v := g.load(wasmbin.V128Load32Zero, x.Args[0], x.Imm, x.Pointer, x.Name)
	const lane0 = 0x0302010003020100
	return g.op(wasmbin.I8x16Swizzle, v, g.konst(wasmbin.OpV128Const, lane0, lane0))
}

// ResizeMask halves or doubles the width of a mask by narrowing or extending.
func (g *gen) ResizeMask(v value, bits int) value {
	for v.Mask < bits {
		var lo, hi wasmbin.Op
		switch v.Mask {
		case 8:
			lo, hi = wasmbin.I16x8ExtendLowI8x16S, wasmbin.I16x8ExtendHighI8x16S
		case 16:
			lo, hi = wasmbin.I32x4ExtendLowI16x8S, wasmbin.I32x4ExtendHighI16x8S
		default:
			lo, hi = wasmbin.I64x2ExtendLowI32x4S, wasmbin.I64x2ExtendHighI32x4S
		}
		w := value{DType: v.DType, Mask: 2 * v.Mask}
		for _, p := range v.Parts {
			w.Parts = append(w.Parts, g.op(lo, p))
			if !short(v.Lanes(), v.Mask) {
				w.Parts = append(w.Parts, g.op(hi, p))
			}
		}
		v = w
	}
	for v.Mask > bits {
		w := value{DType: v.DType, Mask: v.Mask / 2}
		for i := 0; i < len(v.Parts); i += 2 {
			a, b := pair(v.Parts, i)
			switch v.Mask {
			case 64:
				w.Parts = append(w.Parts, g.evenWords(a, b))
			case 32:
				w.Parts = append(w.Parts, g.op(wasmbin.I16x8NarrowI32x4S, a, b))
			default:
				w.Parts = append(w.Parts, g.op(wasmbin.I8x16NarrowI16x8S, a, b))
			}
		}
		v = w
	}
	return v
}

// pair returns parts i and i+1 of a vector that is narrowed to half its width; the second one is
// the first where there is none, since the result is short.
func pair(parts []*node, i int) (a, b *node) {
	return parts[i], parts[min(i+1, len(parts)-1)]
}

// evenWords takes the lower halves of the 64-bit lanes of a and b.
func (g *gen) evenWords(a, b *node) *node {
	return g.shuffle32(a, b, 0, 2, 4, 6)
}

// shuffle32 picks four 32-bit lanes of a (0 to 3) and b (4 to 7).
func (g *gen) shuffle32(a, b *node, lanes ...int) *node {
	var m [16]byte
	for i, l := range lanes {
		for j := range 4 {
			m[4*i+j] = byte(4*l + j)
		}
	}
	return g.opImm(wasmbin.I8x16Shuffle, binary.LittleEndian.Uint64(m[:8]), binary.LittleEndian.Uint64(m[8:]), a, b)
}
