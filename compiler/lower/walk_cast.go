package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Cast converts v to another element type with the same lanes. Floats become integers by truncation, with values out of range clamped; integers wrap.
func (w *Walker) Cast(v Value, to dtype.DType, what string) Value {
	v = w.spread(v, int(to.Lanes))
	if v.DType == to {
		return v
	}
	if v.DType.Lanes != to.Lanes {
		w.Fail(what, "from %s to %s: the lanes differ", v.DType, to)
	}
	w.ValType(v.DType, what)
	w.ValType(to, what)
	if v.Packed() {
		if out, ok := w.vectorCast(v, to); ok {
			return out
		}
	}
	xs := w.Scalars(v)
	out := make([]*Node, len(xs))
	for i, x := range xs {
		out[i] = w.CastScalar(x, v.DType.Elem(), to.Elem(), what)
	}
	return w.Pack(to, out)
}

// vectorCast converts packed vectors where there are instructions for it.
func (w *Walker) vectorCast(v Value, to dtype.DType) (Value, bool) {
	from := v.DType
	switch {
	case from.IsBool(): // 0 and 1, or 0.0 and 1.0
		if w.native(to) == 0 {
			return Value{}, false
		}
		m := w.ToMask(v, int(to.Bits))
		if !m.Packed() {
			return Value{}, false
		}
		return Value{DType: to, Parts: w.bits(And, m, w.Splat(to, w.Number(to.Elem(), 1, "Cast"))).Parts}, true
	case to.IsBool() && (SmallFloat(from) || from.IsHandle()):
		return Value{}, false
	case to.IsBool():
		return w.Compare(tir.OpNE, v, w.Splat(from, w.Number(from.Elem(), 0, "Cast")), "Cast"), true
	case w.native(to) == 0:
		return Value{}, false
	}
	return w.gen.VectorCast(v, to)
}

// CastScalar converts one scalar.
func (w *Walker) CastScalar(x *Node, from, to dtype.DType, what string) *Node {
	switch {
	case from == to:
		return x
	case SmallFloat(from):
		return w.CastScalar(w.gen.FromSmall(x, from), dtype.Float32T, to, what)
	case SmallFloat(to):
		return w.gen.ToSmall(x, from, to, what)
	case to.IsBool() && from.IsFloat():
		return w.gen.FloatBinary(tir.OpNE, x, w.gen.Float(from, 0), from, what)
	case to.IsBool():
		return w.Fn(Ne, x, w.IntLike(x, 0))
	case from.IsFloat() || to.IsFloat():
		return w.narrow(w.gen.Convert(x, from, to), to)
	}
	switch bits := w.bitsOf(x); {
	case w.ValType(to, what) != w.Machine.Int(bits) && bits == 64:
		return w.narrow(w.Fn(Wrap, x), to)
	case w.ValType(to, what) != w.Machine.Int(bits) && from.IsInt():
		return w.Fn(ExtendS, x)
	case w.ValType(to, what) != w.Machine.Int(bits):
		return w.Fn(ExtendU, x)
	case to.IsHandle() || sameRange(from, to):
		return x
	}
	return w.narrow(x, to)
}

// sameRange reports whether a value of type from, as it is kept, is one of type to as it is.
func sameRange(from, to dtype.DType) bool {
	switch {
	case to.Bits >= 32, from.IsBool():
		return true
	case from.IsUInt() == to.IsUInt():
		return from.Bits <= to.Bits && !to.IsBool()
	}
	return from.IsUInt() && from.Bits < to.Bits
}

// reinterpret reads the bits of v as another type of the same size.
func (w *Walker) reinterpret(v Value, to dtype.DType, what string) Value {
	if int(v.DType.Bits)*v.Lanes() != int(to.Bits)*int(to.Lanes) && !v.DType.IsHandle() && !to.IsHandle() {
		w.Fail(what, "from %s to %s: the sizes differ", v.DType, to)
	}
	if v.Packed() && !v.DType.IsBool() && w.native(to) > 0 {
		return Value{DType: to, Parts: v.Parts}
	}
	if v.DType.Lanes != to.Lanes {
		w.Fail(what, "from %s to %s is not supported", v.DType, to)
	}
	xs := w.Scalars(v)
	out := make([]*Node, len(xs))
	t := w.ValType(to, what)
	for i, x := range xs {
		switch {
		case !w.isInt(t) || !w.isInt(x.Type):
			out[i] = w.gen.Reinterpret(x, t)
		case w.bitsOf(x) == 64 && t != x.Type:
			out[i] = w.Fn(Wrap, x)
		case t != x.Type:
			out[i] = w.Fn(ExtendU, x)
		default:
			out[i] = w.narrow(x, to)
		}
	}
	return w.Pack(to, out)
}

// isInt reports whether t is the type of an integer.
func (w *Walker) isInt(t Type) bool { return t == w.Machine.Int(32) || t == w.Machine.Int(64) }
