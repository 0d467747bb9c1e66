package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// gen is the lower.Generator of one function: it selects instructions, and the middle end says where.
type gen struct {
	*lower.Walker

	mod    *module
	target target.Target
	simd   bool
	kernel bool // returns an error code
	polls  bool
	frame  int // bytes of the stack area in use
}

// value is a scalar or vector; parts are v128.
type value = lower.Value

func one(dt dtype.DType, n *node) value { return lower.One(dt, n) }

// Native is the number of lanes of element type d in a v128, 0 if vectors of this type are
// kept as scalars. mask is the width that a bool takes. A short vector, of 32 or 64 bits, is
// the lower lanes of a v128 whose other lanes mean nothing.
func (g *gen) Native(d dtype.DType, mask int) int {
	bits := int(d.Bits)
	if d.IsBool() {
		bits = mask
	}
	if !g.simd || bits < 8 || bits > 64 || d.IsHandle() || lower.SmallFloat(d) && bits != 16 || d.Lanes < 2 {
		return 0
	}
	n := int(d.Lanes)
	switch {
	case n%(128/bits) == 0:
		return 128 / bits
	case n*bits == 64, n*bits == 32:
		return n
	}
	return 0
}

// short reports whether lanes elements of so many bits are a short vector.
func short(lanes, bits int) bool { return lanes*bits < 128 }

// Float is a constant float32 or float64.
func (g *gen) Float(d dtype.DType, v float64) *node {
	if d.Bits == 32 {
		return g.f32(float32(v))
	}
	return g.f64(v)
}

// PartBits computes on the bits of vectors.
func (g *gen) PartBits(fn lower.Fn, parts ...*node) *node {
	return g.op(partBits[fn], parts...)
}

var partBits = map[lower.Fn]wasmbin.Op{
	lower.And: wasmbin.V128And, lower.Or: wasmbin.V128Or, lower.Xor: wasmbin.V128Xor, lower.Eqz: wasmbin.V128Not, lower.Select: wasmbin.V128Bitselect,
}

// Reinterpret moves bits between integers and floats.
func (g *gen) Reinterpret(x *node, to lower.Type) *node {
	switch t := wasmbin.ValType(to); {
	case typeOf(x) == wasmbin.F32 && t == wasmbin.I32:
		return g.op(wasmbin.I32ReinterpretF32, x)
	case typeOf(x) == wasmbin.F64 && t == wasmbin.I64:
		return g.op(wasmbin.I64ReinterpretF64, x)
	case typeOf(x) == wasmbin.I32 && t == wasmbin.F32:
		return g.op(wasmbin.F32ReinterpretI32, x)
	case typeOf(x) == wasmbin.I64 && t == wasmbin.F64:
		return g.op(wasmbin.F64ReinterpretI64, x)
	}
	return x
}

// AllTrue is the conjunction of all lanes of a mask, by one instruction for each vector.
func (g *gen) AllTrue(v value) *node {
	if short(v.Lanes(), v.Mask) {
		return nil
	}
	test := map[int]wasmbin.Op{8: wasmbin.I8x16AllTrue, 16: wasmbin.I16x8AllTrue, 32: wasmbin.I32x4AllTrue, 64: wasmbin.I64x2AllTrue}[v.Mask]
	var all *node
	for _, p := range v.Parts {
		n := g.op(test, p)
		if all != nil {
			n = g.op(wasmbin.I32And, all, n)
		}
		all = n
	}
	return all
}

// VectorPick is what pmin and pmax compute of b and a: pmin(x, y) is y < x ? y : x.
func (g *gen) VectorPick(op tir.BinaryOp, a, b value) (value, bool) {
	t := vectorOps(a.DType)
	w := t.min
	if op == tir.OpMax {
		w = t.max
	}
	return lower.Each(a.DType, 0, len(a.Parts), func(i int) *node { return g.op(w, b.Parts[i], a.Parts[i]) }), true
}

// VectorBinary computes or compares vectors where wasm has instructions for it.
func (g *gen) VectorBinary(op tir.BinaryOp, a, b value) (value, bool) {
	if !op.IsCompare() {
		return g.vectorArith(op, a, b)
	}
	w := vectorCompare(a.DType)[op-tir.OpEQ]
	if w == 0 {
		return value{}, false
	}
	return lower.Each(dtype.BoolT.WithLanes(a.Lanes()), int(a.DType.Bits), len(a.Parts), func(i int) *node { return g.op(w, a.Parts[i], b.Parts[i]) }), true
}
