package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// VectorShift shifts vectors whose lanes have one count.
func (g *gen) VectorShift(left bool, d dtype.DType, a, n value) (value, bool) {
	count, ok := g.uniform(n)
	if !ok {
		return value{}, false
	}
	op := vectorShift(a.DType, left)
	if k, known := count.Int(); known && k == 0 {
		return lower.Each(d, 0, len(a.Parts), func(i int) *node { return a.Parts[i] }), true
	}
	return lower.Each(d, 0, len(a.Parts), func(i int) *node { return g.op(op, a.Parts[i], count) }), true
}

// uniform returns the one value of all lanes as an i32, where that is known.
func (g *gen) uniform(v value) (*node, bool) {
	p := v.Parts[0]
	for _, q := range v.Parts {
		if q != p {
			return nil, false
		}
	}
	if opOf(p) == wasmbin.OpV128Const {
		c := g.konst(wasmbin.OpV128Const, p.Imm, p.Imm)
		if c != p {
			return nil, false
		}
		bits := uint(v.DType.Bits)
		lane := p.Imm
		if bits < 64 {
			lane &= 1<<bits - 1
		}
		for s := uint(0); s < 64; s += bits {
			if x := p.Imm >> s; bits < 64 && x&(1<<bits-1) != lane {
				return nil, false
			}
		}
		return g.i32(int32(lane)), true
	}
	if opOf(p) == lanesOf(v.DType, 0).splat {
		n := p.Args[0]
		if typeOf(n) == wasmbin.I64 {
			n = g.op(wasmbin.I32WrapI64, n)
		}
		return n, true
	}
	return nil, false
}

func vectorShift(d dtype.DType, left bool) wasmbin.Op {
	var ops [3]wasmbin.Op // left, right signed, right unsigned
	switch d.Bits {
	case 8:
		ops = [3]wasmbin.Op{wasmbin.I8x16Shl, wasmbin.I8x16ShrS, wasmbin.I8x16ShrU}
	case 16:
		ops = [3]wasmbin.Op{wasmbin.I16x8Shl, wasmbin.I16x8ShrS, wasmbin.I16x8ShrU}
	case 32:
		ops = [3]wasmbin.Op{wasmbin.I32x4Shl, wasmbin.I32x4ShrS, wasmbin.I32x4ShrU}
	default:
		ops = [3]wasmbin.Op{wasmbin.I64x2Shl, wasmbin.I64x2ShrS, wasmbin.I64x2ShrU}
	}
	switch {
	case left:
		return ops[0]
	case d.IsInt():
		return ops[1]
	}
	return ops[2]
}

// CountBits counts ones or leading zeros.
func (g *gen) CountBits(zeros bool, x *node) *node {
	if typeOf(x) == wasmbin.I64 {
		return g.op(pickOp(zeros, wasmbin.I64Clz, wasmbin.I64Popcnt), x)
	}
	return g.op(pickOp(zeros, wasmbin.I32Clz, wasmbin.I32Popcnt), x)
}
