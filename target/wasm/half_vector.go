package wasm

import (
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// The conversions of package half.go on vectors: four lanes take about as many instructions as
// one does there. They give the same bits for all values.

// vectorFromSmall widens float16 or bfloat16 lanes to float32.
func (g *gen) vectorFromSmall(v value, to dtype.DType) value {
	out := value{DType: to}
	widen := g.widenBfloat
	if v.DType.Elem() == dtype.Float16T {
		widen = g.widenHalf
	}
	for _, p := range v.Parts {
		out.Parts = append(out.Parts, widen(p, false))
		if !short(v.Lanes(), 16) {
			out.Parts = append(out.Parts, widen(p, true))
		}
	}
	return out
}

// widenBfloat converts the lower or upper four lanes of p: their bits are the upper ones.
func (g *gen) widenBfloat(p *node, upper bool) *node {
	return g.op(wasmbin.I32x4Shl, g.op(pickOp(upper, wasmbin.I32x4ExtendHighI16x8U, wasmbin.I32x4ExtendLowI16x8U), p), g.i32(16))
}

// widenHalf converts the lower or upper four lanes of p: see buildHalfToFloat. A product with 2^13
// widens and shifts in one instruction. The sign is then where a float32 has it, and exponent
// and mantissa are where they belong but for the rebias; copies of the sign between them are
// masked out. Squares tell large numbers, as cheaply as can be: absolute values take more.
func (g *gen) widenHalf(p *node, upper bool) *node {
	const shift = 0x2000200020002000
	x := g.op(pickOp(upper, wasmbin.I32x4ExtmulHighI16x8S, wasmbin.I32x4ExtmulLowI16x8S), p, g.konst(wasmbin.OpV128Const, shift, shift))
	scaled := g.op(wasmbin.F32x4Mul, g.op(wasmbin.V128And, x, g.words(0x8fffe000)), g.words(0x77800000)) // by 2^112
	// Infinity and NaN became 2^16 and more, of which only the exponent is wrong.
	large := g.op(wasmbin.F32x4Ge, g.op(wasmbin.F32x4Mul, scaled, scaled), g.words(0x4f800000))
	return g.op(wasmbin.V128Or, scaled, g.op(wasmbin.V128And, large, g.words(0x7f800000)))
}

// vectorToSmall rounds float32 lanes to float16 or bfloat16, ties to even.
func (g *gen) vectorToSmall(v value, to dtype.DType) value {
	out := value{DType: to}
	narrow := g.halfPart
	if to.Elem() == dtype.BFloat16T {
		narrow = g.bfloatPart
	}
	for i := 0; i < len(v.Parts); i += 2 {
		a, b := pair(v.Parts, i)
		// All bits are those of a positive number below 2^16, which saturation leaves alone.
		out.Parts = append(out.Parts, g.op(wasmbin.I16x8NarrowI32x4U, narrow(a), narrow(b)))
	}
	return out
}

// halfPart rounds four lanes to the bits of float16: see buildFloatToHalf.
func (g *gen) halfPart(b *node) *node {
	x := g.op(wasmbin.V128And, b, g.words(0x7fffffff))
	odd := g.op(wasmbin.V128And, g.op(wasmbin.I32x4ShrU, x, g.i32(13)), g.words(1))
	rounded := g.op(wasmbin.I32x4Add, g.op(wasmbin.I32x4Add, x, odd), g.words(0xc8000fff)) // 0xfff - 0x38000000
	normal := g.op(wasmbin.I32x4ShrU, rounded, g.i32(13))
	tiny := g.op(wasmbin.I32x4Sub, g.op(wasmbin.F32x4Add, x, g.words(0x3f000000)), g.words(0x3f000000))
	r := g.op(wasmbin.V128Bitselect, tiny, normal, g.op(wasmbin.I32x4LtS, x, g.words(0x38800000)))
	nan := g.op(wasmbin.V128And, g.op(wasmbin.I32x4GtS, x, g.words(0x7f800000)), g.words(0x0200))
	special := g.op(wasmbin.V128Or, nan, g.words(0x7c00))
	r = g.op(wasmbin.V128Bitselect, special, r, g.op(wasmbin.I32x4GtS, x, g.words(0x477fefff)))
	return g.op(wasmbin.V128Or, r, g.op(wasmbin.V128And, g.op(wasmbin.I32x4ShrU, b, g.i32(16)), g.words(0x8000)))
}

// bfloatPart rounds four lanes to the bits of bfloat16: see buildFloatToBfloat.
func (g *gen) bfloatPart(b *node) *node {
	high := g.op(wasmbin.I32x4ShrU, b, g.i32(16))
	odd := g.op(wasmbin.V128And, high, g.words(1))
	rounded := g.op(wasmbin.I32x4ShrU, g.op(wasmbin.I32x4Add, g.op(wasmbin.I32x4Add, b, g.words(0x7fff)), odd), g.i32(16))
	quiet := g.op(wasmbin.V128Or, high, g.words(0x40))
	return g.op(wasmbin.V128Bitselect, quiet, rounded, g.op(wasmbin.F32x4Ne, b, b))
}

// words is a vector of four equal 32-bit words.
func (g *gen) words(w uint32) *node {
	x := uint64(w)<<32 | uint64(w)
	return g.konst(wasmbin.OpV128Const, x, x)
}
