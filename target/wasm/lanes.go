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

// extract returns lane i as a scalar; a lane of a mask becomes 0 or 1.
func (g *gen) extract(v value, i int) *node {
	if !v.packed() {
		return v.parts[i]
	}
	k := g.native(v.dt, v.mask)
	x := g.lane(lanesOf(v.dt, v.mask).extract, i%k, v.parts[i/k])
	if !v.dt.IsBool() {
		return x
	}
	if typeOf(x) == wasmbin.I64 {
		x = g.op(wasmbin.I32WrapI64, x)
	}
	return g.op(wasmbin.I32And, x, g.i32(1))
}

// scalars returns all lanes as scalars.
func (g *gen) scalars(v value) []*node {
	if !v.packed() {
		return v.parts
	}
	out := make([]*node, v.lanes())
	for i := range out {
		out[i] = g.extract(v, i)
	}
	return out
}

// pack makes a vector of type dt out of scalars, in v128 parts where it fits.
func (g *gen) pack(dt dtype.DType, xs []*node) value {
	k := 0
	if !dt.IsBool() {
		k = g.native(dt, 0)
	}
	v := value{dt: dt, parts: xs}
	if k == 0 {
		return v
	}
	v.parts = nil
	for i := 0; i < len(xs); i += k {
		v.parts = append(v.parts, g.packPart(dt, xs[i:i+k]))
	}
	return v
}

func (g *gen) packPart(dt dtype.DType, xs []*node) *node {
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

// splat repeats a scalar.
func (g *gen) splat(dt dtype.DType, x *node) value {
	if dt.IsBool() || g.native(dt, 0) == 0 {
		xs := make([]*node, dt.Lanes)
		for i := range xs {
			xs[i] = x
		}
		return value{dt: dt, parts: xs}
	}
	p := g.splatPart(lanesOf(dt, 0).splat, x)
	v := value{dt: dt}
	for range int(dt.Lanes) / g.native(dt, 0) {
		v.parts = append(v.parts, p)
	}
	return v
}

// splatPart repeats x in the lanes of a v128. wazero's splat writes into a register that it
// does not clear, so in a hot loop it waits for whatever was computed there before; a 32-bit
// value that was just loaded is loaded into a cleared vector instead and spread by a swizzle,
// which is 1.6 times as fast in a matrix product.
func (g *gen) splatPart(splat wasmbin.Op, x *node) *node {
	if !x.Live() || (opOf(x) != wasmbin.F32Load && opOf(x) != wasmbin.I32Load) || x.Pointer == nil {
		return g.op(splat, x)
	}
	v := g.load(wasmbin.V128Load32Zero, x.Args[0], uint32(x.Imm), x.Pointer, x.Name)
	const lane0 = 0x0302010003020100
	return g.op(wasmbin.I8x16Swizzle, v, g.konst(wasmbin.OpV128Const, lane0, lane0))
}

// toMask turns a vector of bool into a mask with lanes of the given width.
func (g *gen) toMask(v value, bits int) value {
	if v.packed() && v.mask == bits {
		return v
	}
	k := g.native(v.dt, bits)
	if k == 0 {
		return value{dt: v.dt, parts: g.scalars(v)}
	}
	if v.packed() {
		if w, ok := g.resizeMask(v, bits); ok {
			return w
		}
	}
	xs := g.scalars(v)
	asInt := dtype.DType{Code: dtype.Int, Bits: uint8(bits), Lanes: v.dt.Lanes}
	for i, x := range xs {
		x = g.op(wasmbin.I32Sub, g.i32(0), x)
		if bits == 64 {
			x = g.op(wasmbin.I64ExtendI32S, x)
		}
		xs2 := append([]*node(nil), xs...)
		xs2[i] = x
		xs = xs2
	}
	return value{dt: v.dt, parts: g.pack(asInt, xs).parts, mask: bits}
}

// resizeMask halves or doubles the width of a mask by narrowing or extending.
func (g *gen) resizeMask(v value, bits int) (value, bool) {
	for v.mask < bits {
		var lo, hi wasmbin.Op
		switch v.mask {
		case 8:
			lo, hi = wasmbin.I16x8ExtendLowI8x16S, wasmbin.I16x8ExtendHighI8x16S
		case 16:
			lo, hi = wasmbin.I32x4ExtendLowI16x8S, wasmbin.I32x4ExtendHighI16x8S
		default:
			lo, hi = wasmbin.I64x2ExtendLowI32x4S, wasmbin.I64x2ExtendHighI32x4S
		}
		w := value{dt: v.dt, mask: 2 * v.mask}
		for _, p := range v.parts {
			w.parts = append(w.parts, g.op(lo, p))
			if !short(v.lanes(), v.mask) {
				w.parts = append(w.parts, g.op(hi, p))
			}
		}
		v = w
	}
	for v.mask > bits {
		w := value{dt: v.dt, mask: v.mask / 2}
		for i := 0; i < len(v.parts); i += 2 {
			a, b := pair(v.parts, i)
			switch v.mask {
			case 64:
				w.parts = append(w.parts, g.evenWords(a, b))
			case 32:
				w.parts = append(w.parts, g.op(wasmbin.I16x8NarrowI32x4S, a, b))
			default:
				w.parts = append(w.parts, g.op(wasmbin.I8x16NarrowI16x8S, a, b))
			}
		}
		v = w
	}
	return v, true
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
