package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// broadcast repeats v in the lanes of d.
func broadcast(v tir.Expr, d dtype.DType) tir.Expr {
	return &tir.Broadcast{Value: v, Lanes: int(d.Lanes), Scalable: d.Scalable}
}

// ramp is start, start + stride, ... in the lanes of d.
func ramp(start, stride tir.Expr, d dtype.DType) tir.Expr {
	if isCst(stride, 0) {
		return broadcast(start, d)
	}
	return &tir.Ramp{Start: start, Stride: stride, Lanes: int(d.Lanes), Scalable: d.Scalable}
}

// rampDivMod divides a ramp by a constant. Where all lanes have one quotient the quotient is
// a broadcast and the remainder a ramp.
func (s *simplifier) rampDivMod(op tir.BinaryOp, r *tir.Ramp, y *tir.Broadcast, v dtype.DType) tir.Expr {
	c, ok := cst(y.Value)
	stride, okStride := cst(r.Stride)
	if !ok || !okStride || c == 0 {
		return nil
	}
	quotient := op == tir.OpDiv || op == tir.OpFloorDiv
	floor := op == tir.OpFloorDiv || op == tir.OpFloorMod
	d := r.Start.DType()
	if stride%c == 0 && (floor || s.sameSign(r, stride)) {
		if quotient {
			return ramp(mk(op, r.Start, y.Value), num(r.Stride.DType(), stride/c), v)
		}
		return broadcast(mk(op, r.Start, y.Value), v)
	}
	if c < 0 || !floor && !s.a.CanProveGreaterEqual(r.Start, 0) {
		return nil
	}
	m := s.a.modularOf(r.Start)
	if r.Scalable { // which lanes there are is not known: only the start of the ramp can be reduced
		if base := num(d, floorModInt(m.Base, c)); !quotient && m.Coeff%c == 0 && !Equal(base, r.Start) && (floor || stride > 0) {
			return mk(op, ramp(base, r.Stride, v), y)
		}
		return nil
	}
	reach := m.Base + int64(r.Lanes-1)*stride
	if m.Coeff%c == 0 {
		base := num(d, floorModInt(m.Base, c))
		one := floorDivInt(m.Base, c) == floorDivInt(reach, c)
		switch {
		case quotient && one:
			return broadcast(mk(op, r.Start, y.Value), v)
		case quotient:
			return nil
		case one:
			return ramp(base, r.Stride, v)
		case !Equal(base, r.Start) && (floor || stride > 0): // truncation keeps no negative lane
			return mk(op, ramp(base, r.Stride, v), y)
		}
		return nil
	}
	// All lanes stay inside one multiple of the coefficient, which divides c.
	if floor && c%m.Coeff == 0 && reach < m.Coeff && reach >= 0 {
		if quotient {
			return broadcast(mk(op, r.Start, y.Value), v)
		}
		return ramp(mk(op, r.Start, y.Value), r.Stride, v)
	}
	return nil
}

// sameSign reports whether truncation rounds all lanes of r the same way.
func (s *simplifier) sameSign(r *tir.Ramp, stride int64) bool {
	b := s.a.boundOf(r.Start)
	last := infMul(stride, int64(r.Lanes-1))
	if r.Scalable && stride != 0 {
		last = pickInt(stride > 0, PosInf, NegInf)
	}
	return b.Min >= 0 && infAdd(b.Min, last) >= 0 || b.Max <= 0 && infAdd(b.Max, last) <= 0
}
