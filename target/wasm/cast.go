package wasm

import (
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// cast converts v to another element type with the same lanes. Floats become integers by
// truncation, with values out of range clamped; integers wrap.
func (g *gen) cast(v value, to dtype.DType, what string) value {
	if v.lanes() == 1 && to.Lanes > 1 {
		v = g.splat(v.dt.WithLanes(int(to.Lanes)), v.scalar())
	}
	if v.dt == to {
		return v
	}
	if v.dt.Lanes != to.Lanes {
		g.fail(what, "from %s to %s: the lanes differ", v.dt, to)
	}
	g.valType(v.dt, what)
	g.valType(to, what)
	if v.packed() {
		if out, ok := g.vectorCast(v, to); ok {
			return out
		}
	}
	xs := g.scalars(v)
	out := make([]*node, len(xs))
	for i, x := range xs {
		out[i] = g.castScalar(x, v.dt.Elem(), to.Elem(), what)
	}
	if to.Lanes == 1 {
		return one(to, out[0])
	}
	return g.pack(to, out)
}

// castScalar converts one scalar.
func (g *gen) castScalar(x *node, from, to dtype.DType, what string) *node {
	switch {
	case from == to:
		return x
	case smallFloat(from):
		return g.castScalar(g.fromSmall(x, from), dtype.Float32T, to, what)
	case smallFloat(to):
		return g.toSmall(g.castScalar(x, from, dtype.Float32T, what), to)
	case to.IsBool():
		switch typeOf(x) {
		case wasmbin.F32:
			return g.op(wasmbin.F32Ne, x, g.f32(0))
		case wasmbin.F64:
			return g.op(wasmbin.F64Ne, x, g.f64(0))
		case wasmbin.I64:
			return g.op(wasmbin.I64Ne, x, g.i64(0))
		}
		return g.op(wasmbin.I32Ne, x, g.i32(0))
	}
	signed := from.IsInt()
	wide := g.valType(to, what)
	switch typeOf(x) {
	case wasmbin.I32:
		switch wide {
		case wasmbin.I32:
			if to.IsHandle() || sameRange(from, to) {
				return x
			}
			return g.narrow(x, to)
		case wasmbin.I64:
			return g.op(pickOp(signed, wasmbin.I64ExtendI32S, wasmbin.I64ExtendI32U), x)
		case wasmbin.F32:
			return g.op(pickOp(signed, wasmbin.F32ConvertI32S, wasmbin.F32ConvertI32U), x)
		}
		return g.op(pickOp(signed, wasmbin.F64ConvertI32S, wasmbin.F64ConvertI32U), x)
	case wasmbin.I64:
		switch wide {
		case wasmbin.I32:
			return g.narrow(g.op(wasmbin.I32WrapI64, x), to)
		case wasmbin.I64:
			return x
		case wasmbin.F32:
			return g.op(pickOp(signed, wasmbin.F32ConvertI64S, wasmbin.F32ConvertI64U), x)
		}
		return g.op(pickOp(signed, wasmbin.F64ConvertI64S, wasmbin.F64ConvertI64U), x)
	case wasmbin.F32:
		switch wide {
		case wasmbin.I32:
			return g.narrow(g.op(pickOp(!to.IsUInt() || to.Bits < 32, wasmbin.I32TruncSatF32S, wasmbin.I32TruncSatF32U), x), to)
		case wasmbin.I64:
			return g.op(pickOp(!to.IsUInt(), wasmbin.I64TruncSatF32S, wasmbin.I64TruncSatF32U), x)
		}
		return g.op(wasmbin.F64PromoteF32, x)
	}
	switch wide {
	case wasmbin.I32:
		return g.narrow(g.op(pickOp(!to.IsUInt() || to.Bits < 32, wasmbin.I32TruncSatF64S, wasmbin.I32TruncSatF64U), x), to)
	case wasmbin.I64:
		return g.op(pickOp(!to.IsUInt(), wasmbin.I64TruncSatF64S, wasmbin.I64TruncSatF64U), x)
	}
	return g.op(wasmbin.F32DemoteF64, x)
}

// sameRange reports whether a value of type from, as it is kept, is one of type to as it is.
func sameRange(from, to dtype.DType) bool {
	switch {
	case to.Bits == 32:
		return true
	case from.IsBool():
		return true
	case from.IsUInt() == to.IsUInt():
		return from.Bits <= to.Bits && !to.IsBool()
	}
	return from.IsUInt() && from.Bits < to.Bits
}

func pickOp(first bool, a, b wasmbin.Op) wasmbin.Op {
	if first {
		return a
	}
	return b
}

// vectorCast converts v128 parts where wasm has instructions for it.
func (g *gen) vectorCast(v value, to dtype.DType) (value, bool) {
	from := v.dt
	switch {
	case from.IsBool():
		return g.maskCast(v, to)
	case to.IsBool() && smallFloat(from):
		return value{}, false
	case to.IsBool() && (from.IsInteger() || from.IsFloat()):
		zero := value{dt: from}
		for range v.parts {
			zero.parts = append(zero.parts, g.konst(wasmbin.OpV128Const, 0, 0))
		}
		return g.compare(neOp, v, zero, "Cast"), true
	case g.native(to, 0) == 0:
		return value{}, false
	case smallFloat(from) && to.Elem() == dtype.Float32T:
		return g.vectorFromSmall(v, to), true
	case from.Elem() == dtype.Float32T && smallFloat(to):
		return g.vectorToSmall(v, to), true
	case smallFloat(from), smallFloat(to): // as scalars are converted
		wide := dtype.Float32T.WithLanes(int(to.Lanes))
		if g.native(wide, 0) == 0 {
			return value{}, false
		}
		return g.cast(g.cast(v, wide, "Cast"), to, "Cast"), true
	case from.IsInteger() && to.IsInteger():
		return g.resizeInt(v, to)
	case from.IsInteger() && to.Elem() == dtype.Float32T && from.Bits <= 32:
		as := dtype.Int32T
		if from.Bits == 32 {
			as = from.Elem()
		}
		w, ok := g.resizeInt(v, as.WithLanes(int(from.Lanes)))
		op := pickOp(as.IsInt(), wasmbin.F32x4ConvertI32x4S, wasmbin.F32x4ConvertI32x4U)
		return g.mapParts(w, to, op), ok
	case from.Elem() == dtype.Float32T && to.IsInteger() && to.Bits <= 32:
		as := dtype.Int32T
		if to.Bits == 32 {
			as = to.Elem()
		}
		op := pickOp(as.IsInt(), wasmbin.I32x4TruncSatF32x4S, wasmbin.I32x4TruncSatF32x4U)
		return g.resizeInt(g.mapParts(v, as.WithLanes(int(to.Lanes)), op), to)
	case from.Elem() == dtype.Float32T && to.Elem() == dtype.Float64T:
		out := value{dt: to}
		for _, p := range v.parts {
			out.parts = append(out.parts, g.op(wasmbin.F64x2PromoteLowF32x4, p))
			if !short(v.lanes(), 32) {
				out.parts = append(out.parts, g.op(wasmbin.F64x2PromoteLowF32x4, g.shuffle32(p, p, 2, 3, 2, 3)))
			}
		}
		return out, true
	case from.Elem() == dtype.Float64T && to.Elem() == dtype.Float32T:
		out := value{dt: to}
		for i := 0; i < len(v.parts); i += 2 {
			a := g.op(wasmbin.F32x4DemoteF64x2Zero, v.parts[i])
			if i+1 < len(v.parts) {
				a = g.shuffle32(a, g.op(wasmbin.F32x4DemoteF64x2Zero, v.parts[i+1]), 0, 1, 4, 5)
			}
			out.parts = append(out.parts, a)
		}
		return out, true
	}
	return value{}, false
}

func (g *gen) mapParts(v value, to dtype.DType, op wasmbin.Op) value {
	return g.each(to, 0, func(i int) *node { return g.op(op, v.parts[i]) }, len(v.parts))
}

// maskCast turns a mask into 0 and 1, or 0.0 and 1.0.
func (g *gen) maskCast(v value, to dtype.DType) (value, bool) {
	k := g.native(to, 0)
	if k == 0 {
		return value{}, false
	}
	m := g.toMask(v, int(to.Bits))
	if !m.packed() {
		return value{}, false
	}
	var unit *node
	switch ops := lanesOf(to, 0); {
	case to.Elem() == dtype.Float32T:
		unit = g.op(ops.splat, g.f32(1))
	case to.Elem() == dtype.Float64T:
		unit = g.op(ops.splat, g.f64(1))
	case to.Elem() == dtype.Float16T:
		unit = g.op(ops.splat, g.i32(int32(halfBits(1))))
	case to.Elem() == dtype.BFloat16T:
		unit = g.op(ops.splat, g.i32(int32(bfloatBits(1))))
	case to.Bits == 64:
		unit = g.op(ops.splat, g.i64(1))
	default:
		unit = g.op(ops.splat, g.i32(1))
	}
	return g.each(to, 0, func(i int) *node { return g.op(wasmbin.V128And, m.parts[i], unit) }, len(m.parts)), true
}

// resizeInt widens or truncates integer lanes.
func (g *gen) resizeInt(v value, to dtype.DType) (value, bool) {
	for v.dt.Bits < to.Bits {
		v = g.extend(v)
	}
	for v.dt.Bits > to.Bits {
		v = g.truncate(v)
	}
	v.dt = to
	return v, true
}

// extend doubles the width of integer lanes.
func (g *gen) extend(v value) value {
	signed := v.dt.IsInt()
	var lo, hi wasmbin.Op
	switch v.dt.Bits {
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
	out := value{dt: dtype.DType{Code: v.dt.Code, Bits: 2 * v.dt.Bits, Lanes: v.dt.Lanes}}
	for _, p := range v.parts {
		out.parts = append(out.parts, g.op(lo, p))
		if !short(v.lanes(), int(v.dt.Bits)) {
			out.parts = append(out.parts, g.op(hi, p))
		}
	}
	return out
}

// truncate halves the width of integer lanes, dropping the upper halves.
func (g *gen) truncate(v value) value {
	out := value{dt: dtype.DType{Code: v.dt.Code, Bits: v.dt.Bits / 2, Lanes: v.dt.Lanes}}
	for i := 0; i < len(v.parts); i += 2 {
		a, b := pair(v.parts, i)
		switch v.dt.Bits {
		case 64:
			out.parts = append(out.parts, g.evenWords(a, b))
		case 32:
			low := g.konst(wasmbin.OpV128Const, 0x0000ffff0000ffff, 0x0000ffff0000ffff)
			out.parts = append(out.parts, g.op(wasmbin.I16x8NarrowI32x4U, g.op(wasmbin.V128And, a, low), g.op(wasmbin.V128And, b, low)))
		default:
			low := g.konst(wasmbin.OpV128Const, 0x00ff00ff00ff00ff, 0x00ff00ff00ff00ff)
			out.parts = append(out.parts, g.op(wasmbin.I8x16NarrowI16x8U, g.op(wasmbin.V128And, a, low), g.op(wasmbin.V128And, b, low)))
		}
	}
	return out
}
