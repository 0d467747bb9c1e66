package lower

import "github.com/irscope/irscope/compiler/tir"

// maxHalvings bounds how often the lanes of a register are halved: it has at most 64.
const maxHalvings = 6

// acrossLanes combines the lanes of a register as tir.TileReduction writes it: the halves of the vector lane by lane, then the halves of what this gives, until one is left. It
// takes an operation for each halving, where the lanes one by one take one for each lane. ok is false where e is something else, or the target does not halve vectors.
func (w *Walker) acrossLanes(e *tir.Binary) (v Value, ok bool) {
	if v, ok := w.joint[e]; ok {
		return v, true
	}
	v, _, ok = w.combined(e)
	if !ok {
		return Value{}, false
	}
	for v.Lanes() > 2 {
		lo, hi := w.gen.Halves(v)
		if lo == nil {
			return Value{}, false
		}
		half := v.DType.WithLanes(v.Lanes() / 2)
		if v, ok = w.gen.VectorBinary(e.Op, Value{DType: half, Parts: lo.self[:]}, Value{DType: half, Parts: hi.self[:]}); !ok {
			return Value{}, false
		}
	}
	elem := v.DType.Elem()
	return w.arith(e.Op, One(elem, w.LaneOf(v, 0)), One(elem, w.LaneOf(v, 1)), KindName(e)), true
}

// combined is the register whose lanes e combines by halves, and how many these are; false where e is something else.
func (w *Walker) combined(e *tir.Binary) (v Value, lanes int64, ok bool) {
	halvings := 1
	first := e.A
	for {
		b, deeper := first.(*tir.Binary)
		if !deeper || b.Op != e.Op || halvings == maxHalvings {
			break
		}
		first = b.A
		halvings++
	}
	load, ok := first.(*tir.BufferLoad)
	if !ok || halvings < 2 {
		return Value{}, 0, false
	}
	s, n := w.slots[load.Buffer.Data], int64(1)<<halvings
	if s == nil || s.k != n {
		return Value{}, 0, false
	}
	at := ConstantIndex(load.Buffer, load.Indices)
	if at%n != 0 || !w.halved(e, load.Buffer.Data, e.Op, at, 1, n) {
		return Value{}, 0, false
	}
	return w.loadSlots(s, at, s.elem.WithLanes(int(n))), n, true
}

// halved reports whether e combines elements of an array, of n from first those that are from at on by steps, as halving does.
func (w *Walker) halved(e tir.Expr, array *tir.Var, op tir.BinaryOp, at, step, n int64) bool {
	if step == n {
		load, ok := e.(*tir.BufferLoad)
		return ok && load.Buffer.Data == array && load.DType().Lanes == 1 && ConstantIndex(load.Buffer, load.Indices) == at
	}
	b, ok := e.(*tir.Binary)
	return ok && b.Op == op && w.halved(b.A, array, op, at, 2*step, n) && w.halved(b.B, array, op, at+step, 2*step, n)
}
