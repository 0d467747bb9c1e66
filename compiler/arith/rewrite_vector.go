package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func broadcast(v tir.Expr, lanes int) tir.Expr { return &tir.Broadcast{Value: v, Lanes: lanes} }

func ramp(start, stride tir.Expr, lanes int) tir.Expr {
	if isCst(stride, 0) {
		return broadcast(start, lanes)
	}
	return &tir.Ramp{Start: start, Stride: stride, Lanes: lanes}
}

// vectorRules turns operations on ramps and broadcasts into ramps and broadcasts; nil if no
// rule applies. d is the type of the operands, whose number of lanes must be known.
func (s *simplifier) vectorRules(n *tir.Binary, d dtype.DType) tir.Expr {
	if d.Scalable {
		return nil
	}
	x, xb := n.A.(*tir.Broadcast)
	y, yb := n.B.(*tir.Broadcast)
	if xb && yb {
		return broadcast(mk(n.Op, x.Value, y.Value), x.Lanes)
	}
	r, xr := n.A.(*tir.Ramp)
	q, yr := n.B.(*tir.Ramp)
	switch n.Op {
	case tir.OpAdd, tir.OpSub:
		switch {
		case xr && yr:
			return ramp(mk(n.Op, r.Start, q.Start), mk(n.Op, r.Stride, q.Stride), r.Lanes)
		case xr && yb:
			return ramp(mk(n.Op, r.Start, y.Value), r.Stride, r.Lanes)
		case xb && yr && n.Op == tir.OpAdd:
			return ramp(add(x.Value, q.Start), q.Stride, q.Lanes)
		case xb && yr:
			return ramp(sub(x.Value, q.Start), sub(num(q.Stride.DType(), 0), q.Stride), q.Lanes)
		}
		if f, ok := broadcastFloat(n.B); ok && f == 0 {
			return n.A
		}
	case tir.OpMul:
		if xr && yb {
			return ramp(mul(r.Start, y.Value), mul(r.Stride, y.Value), r.Lanes)
		}
		if xb && yr {
			return ramp(mul(q.Start, x.Value), mul(q.Stride, x.Value), q.Lanes)
		}
	case tir.OpMin, tir.OpMax:
		if in := bin(n.A); yb && in.Op == n.Op {
			if z, ok := in.B.(*tir.Broadcast); ok {
				return mk(n.Op, in.A, broadcast(mk(n.Op, z.Value, y.Value), y.Lanes))
			}
		}
	case tir.OpLT:
		if xr && yr && Equal(r.Stride, q.Stride) {
			return broadcast(ltOf(r.Start, q.Start), r.Lanes)
		}
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		if xr && yb && d.IsInt() {
			return s.rampDivMod(n.Op, r, y)
		}
	}
	return nil
}

func broadcastFloat(e tir.Expr) (float64, bool) {
	if b, ok := e.(*tir.Broadcast); ok {
		if f, ok := b.Value.(*tir.FloatImm); ok {
			return f.Value, true
		}
	}
	return 0, false
}

// rampDivMod divides a ramp by a constant. Where all lanes have one quotient the quotient is
// a broadcast and the remainder a ramp.
func (s *simplifier) rampDivMod(op tir.BinaryOp, r *tir.Ramp, y *tir.Broadcast) tir.Expr {
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
			return ramp(mk(op, r.Start, y.Value), num(r.Stride.DType(), stride/c), r.Lanes)
		}
		return broadcast(mk(op, r.Start, y.Value), r.Lanes)
	}
	if c < 0 || !floor && !s.a.CanProveGreaterEqual(r.Start, 0) {
		return nil
	}
	m := s.a.modularOf(r.Start)
	reach := m.Base + int64(r.Lanes-1)*stride
	if m.Coeff%c == 0 {
		base := num(d, floorModInt(m.Base, c))
		one := floorDivInt(m.Base, c) == floorDivInt(reach, c)
		switch {
		case quotient && one:
			return broadcast(mk(op, r.Start, y.Value), r.Lanes)
		case quotient:
			return nil
		case one:
			return ramp(base, r.Stride, r.Lanes)
		case !Equal(base, r.Start) && (floor || stride > 0): // truncation keeps no negative lane
			return mk(op, ramp(base, r.Stride, r.Lanes), y)
		}
		return nil
	}
	// All lanes stay inside one multiple of the coefficient, which divides c.
	if floor && c%m.Coeff == 0 && reach < m.Coeff && reach >= 0 {
		if quotient {
			return broadcast(mk(op, r.Start, y.Value), r.Lanes)
		}
		return ramp(mk(op, r.Start, y.Value), r.Stride, r.Lanes)
	}
	return nil
}

// sameSign reports whether truncation rounds all lanes of r the same way.
func (s *simplifier) sameSign(r *tir.Ramp, stride int64) bool {
	b := s.a.boundOf(r.Start)
	last := infMul(stride, int64(r.Lanes-1))
	return b.Min >= 0 && infAdd(b.Min, last) >= 0 || b.Max <= 0 && infAdd(b.Max, last) <= 0
}
