package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// Convert converts a scalar from or to a float.
func (g *gen) Convert(x *node, from, to dtype.DType) *node {
	signed := from.IsInt()
	t, _ := g.Machine.TypeOf(to)
	wide := wasmbin.ValType(t)
	switch typeOf(x) {
	case wasmbin.I32:
		if wide == wasmbin.F32 {
			return g.op(pickOp(signed, wasmbin.F32ConvertI32S, wasmbin.F32ConvertI32U), x)
		}
		return g.op(pickOp(signed, wasmbin.F64ConvertI32S, wasmbin.F64ConvertI32U), x)
	case wasmbin.I64:
		if wide == wasmbin.F32 {
			return g.op(pickOp(signed, wasmbin.F32ConvertI64S, wasmbin.F32ConvertI64U), x)
		}
		return g.op(pickOp(signed, wasmbin.F64ConvertI64S, wasmbin.F64ConvertI64U), x)
	case wasmbin.F32:
		switch wide {
		case wasmbin.I32:
			return g.op(pickOp(!to.IsUInt() || to.Bits < 32, wasmbin.I32TruncSatF32S, wasmbin.I32TruncSatF32U), x)
		case wasmbin.I64:
			return g.op(pickOp(!to.IsUInt(), wasmbin.I64TruncSatF32S, wasmbin.I64TruncSatF32U), x)
		}
		return g.op(wasmbin.F64PromoteF32, x)
	}
	switch wide {
	case wasmbin.I32:
		return g.op(pickOp(!to.IsUInt() || to.Bits < 32, wasmbin.I32TruncSatF64S, wasmbin.I32TruncSatF64U), x)
	case wasmbin.I64:
		return g.op(pickOp(!to.IsUInt(), wasmbin.I64TruncSatF64S, wasmbin.I64TruncSatF64U), x)
	}
	return g.op(wasmbin.F32DemoteF64, x)
}

func pickOp(first bool, a, b wasmbin.Op) wasmbin.Op {
	if first {
		return a
	}
	return b
}

// VectorCast converts v128 parts where wasm has instructions for it.
func (g *gen) VectorCast(v value, to dtype.DType) (value, bool) {
	from := v.DType
	switch {
	case lower.SmallFloat(from) && to.Elem() == dtype.Float32T:
		return g.vectorFromSmall(v, to), true
	case from.Elem() == dtype.Float32T && lower.SmallFloat(to):
		return g.vectorToSmall(v, to), true
	case lower.SmallFloat(to) && !lower.SmallFloat(from) && !(from.IsInteger() && from.Bits <= 16): // two roundings would not be one
		return value{}, false
	case lower.SmallFloat(from), lower.SmallFloat(to): // as scalars are converted
		wide := dtype.Float32T.WithLanes(int(to.Lanes))
		if g.Native(wide, 0) == 0 {
			return value{}, false
		}
		return g.Cast(g.Cast(v, wide, "Cast"), to, "Cast"), true
	case from.IsInteger() && to.IsInteger():
		return g.resizeInt(v, to), true
	case from.IsInteger() && to.Elem() == dtype.Float32T && from.Bits <= 32:
		as := dtype.Int32T
		if from.Bits == 32 {
			as = from.Elem()
		}
		w := g.resizeInt(v, as.WithLanes(int(from.Lanes)))
		op := pickOp(as.IsInt(), wasmbin.F32x4ConvertI32x4S, wasmbin.F32x4ConvertI32x4U)
		return g.mapParts(w, to, op), true
	case from.Elem() == dtype.Float32T && to.IsInteger() && to.Bits <= 32:
		as := dtype.Int32T
		if to.Bits == 32 {
			as = to.Elem()
		}
		op := pickOp(as.IsInt(), wasmbin.I32x4TruncSatF32x4S, wasmbin.I32x4TruncSatF32x4U)
		return g.resizeInt(g.mapParts(v, as.WithLanes(int(to.Lanes)), op), to), true
	case from.Elem() == dtype.Float32T && to.Elem() == dtype.Float64T:
		out := value{DType: to}
		for _, p := range v.Parts {
			out.Parts = append(out.Parts, g.op(wasmbin.F64x2PromoteLowF32x4, p))
			if !short(v.Lanes(), 32) {
				out.Parts = append(out.Parts, g.op(wasmbin.F64x2PromoteLowF32x4, g.shuffle32(p, p, 2, 3, 2, 3)))
			}
		}
		return out, true
	case from.Elem() == dtype.Float64T && to.Elem() == dtype.Float32T:
		out := value{DType: to}
		for i := 0; i < len(v.Parts); i += 2 {
			a := g.op(wasmbin.F32x4DemoteF64x2Zero, v.Parts[i])
			if i+1 < len(v.Parts) {
				a = g.shuffle32(a, g.op(wasmbin.F32x4DemoteF64x2Zero, v.Parts[i+1]), 0, 1, 4, 5)
			}
			out.Parts = append(out.Parts, a)
		}
		return out, true
	}
	return value{}, false
}

func (g *gen) mapParts(v value, to dtype.DType, op wasmbin.Op) value {
	return lower.Each(to, 0, len(v.Parts), func(i int) *node { return g.op(op, v.Parts[i]) })
}

// resizeInt widens or truncates integer lanes.
func (g *gen) resizeInt(v value, to dtype.DType) value {
	for v.DType.Bits < to.Bits {
		v = g.extend(v)
	}
	for v.DType.Bits > to.Bits {
		v = g.truncate(v)
	}
	v.DType = to
	return v
}

// extend doubles the width of integer lanes.
func (g *gen) extend(v value) value {
	signed := v.DType.IsInt()
	var lo, hi wasmbin.Op
	switch v.DType.Bits {
	case 8:
		lo = pickOp(signed, wasmbin.I16x8ExtendLowI8x16S, wasmbin.I16x8ExtendLowI8x16U)
		hi = pickOp(signed, wasmbin.I16x8ExtendHighI8x16S, wasmbin.I16x8ExtendHighI8x16U)
	case 16:
		lo = pickOp(signed, wasmbin.I32x4ExtendLowI16x8S, wasmbin.I32x4ExtendLowI16x8U)
		hi = pickOp(signed, wasmbin.I32x4ExtendHighI16x8S, wasmbin.I32x4ExtendHighI16x8U)
	default:
		lo = pickOp(signed, wasmbin.I64x2ExtendLowI32x4S, wasmbin.I64x2ExtendLowI32x4U)
		hi = pickOp(signed, wasmbin.I64x2ExtendHighI32x4S, wasmbin.I64x2ExtendHighI32x4U)
	}
	out := value{DType: dtype.DType{Code: v.DType.Code, Bits: 2 * v.DType.Bits, Lanes: v.DType.Lanes}}
	for _, p := range v.Parts {
		out.Parts = append(out.Parts, g.op(lo, p))
		if !short(v.Lanes(), int(v.DType.Bits)) {
			out.Parts = append(out.Parts, g.op(hi, p))
		}
	}
	return out
}

// truncate halves the width of integer lanes, dropping the upper halves.
func (g *gen) truncate(v value) value {
	out := value{DType: dtype.DType{Code: v.DType.Code, Bits: v.DType.Bits / 2, Lanes: v.DType.Lanes}}
	for i := 0; i < len(v.Parts); i += 2 {
		a, b := pair(v.Parts, i)
		switch v.DType.Bits {
		case 64:
			out.Parts = append(out.Parts, g.evenWords(a, b))
		case 32:
			low := g.konst(wasmbin.OpV128Const, 0x0000ffff0000ffff, 0x0000ffff0000ffff)
			out.Parts = append(out.Parts, g.op(wasmbin.I16x8NarrowI32x4U, g.op(wasmbin.V128And, a, low), g.op(wasmbin.V128And, b, low)))
		default:
			low := g.konst(wasmbin.OpV128Const, 0x00ff00ff00ff00ff, 0x00ff00ff00ff00ff)
			out.Parts = append(out.Parts, g.op(wasmbin.I8x16NarrowI16x8U, g.op(wasmbin.V128And, a, low), g.op(wasmbin.V128And, b, low)))
		}
	}
	return out
}
