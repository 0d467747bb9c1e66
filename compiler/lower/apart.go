package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// apart recognises vector indices whose lanes are at constant distances from each other, as those of ramps that are divided by constants: lane i is start + distances[i].
func (b *Builder) apart(e tir.Expr) (start Lin, distances []int64, ok bool) {
	if from, step, ok := b.progression(e); ok && step.IsConst() {
		distances = make([]int64, e.DType().Lanes)
		for i := range distances {
			distances[i] = int64(i) * step.C
		}
		return from, distances, true
	}
	bits := b.Machine.Pointer.Bits
	if d := e.DType(); !d.IsInteger() || int(d.Bits) < bits {
		return Lin{}, nil, false
	}
	switch e := e.(type) {
	case *tir.Cast:
		if from := e.Value.DType(); from.IsInteger() && int(from.Bits) >= bits {
			return b.apart(e.Value)
		}
	case *tir.Binary:
		switch e.Op {
		case tir.OpAdd, tir.OpSub, tir.OpMul:
			return b.apartSum(e)
		case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod, tir.OpMin, tir.OpMax:
			return b.apartConst(e.A, e.B, func(d dtype.DType, x, y int64) (int64, bool) { return tir.FoldInt(e.Op, d, x, y) })
		}
	case *tir.Call: // divisions by powers of two
		switch {
		case e.Op == tir.OpShiftRight:
			return b.apartConst(e.Args[0], e.Args[1], func(_ dtype.DType, x, y int64) (int64, bool) { return x >> (y & 31), y >= 0 && y < 31 })
		case e.Op == tir.OpBitwiseAnd:
			return b.apartConst(e.Args[0], e.Args[1], func(_ dtype.DType, x, y int64) (int64, bool) { return x & y, true })
		}
	}
	return Lin{}, nil, false
}

// apartSum is apart for sums, differences, and products by a constant.
func (b *Builder) apartSum(e *tir.Binary) (start Lin, distances []int64, ok bool) {
	x, s, ok := b.apart(e.A)
	if !ok {
		return Lin{}, nil, false
	}
	y, t, ok := b.apart(e.B)
	if !ok {
		return Lin{}, nil, false
	}
	if e.Op == tir.OpMul && x.IsConst() && allZero(s) {
		x, s, y, t = y, t, x, s
	}
	if e.Op == tir.OpMul && !(y.IsConst() && allZero(t)) {
		return Lin{}, nil, false
	}
	distances = make([]int64, len(s))
	for i := range distances {
		switch e.Op {
		case tir.OpAdd:
			distances[i] = s[i] + t[i]
		case tir.OpSub:
			distances[i] = s[i] - t[i]
		default:
			distances[i] = s[i] * y.C
		}
	}
	switch e.Op {
	case tir.OpAdd:
		return x.Add(y, 1), distances, true
	case tir.OpSub:
		return x.Add(y, -1), distances, true
	}
	return x.Scale(y.C), distances, true
}

// apartConst is apart for a function of vectors of constants with signs, with values in 32 bits, which do not wrap.
func (b *Builder) apartConst(p, q tir.Expr, f func(d dtype.DType, x, y int64) (int64, bool)) (start Lin, distances []int64, ok bool) {
	x, s, ok := b.apart(p)
	if !ok || !x.IsConst() || !p.DType().IsInt() {
		return Lin{}, nil, false
	}
	y, t, ok := b.apart(q)
	if !ok || !y.IsConst() {
		return Lin{}, nil, false
	}
	small := func(n int64) bool { return n == int64(int32(n)) }
	distances = make([]int64, len(s))
	for i := range distances {
		v, ok := f(p.DType().Elem(), x.C+s[i], y.C+t[i])
		if !ok || !small(x.C+s[i]) || !small(y.C+t[i]) || !small(v) {
			return Lin{}, nil, false
		}
		distances[i] = v
	}
	return Lin{}, distances, true
}

// allZero reports whether no number is another than 0.
func allZero(list []int64) bool {
	return !slices.ContainsFunc(list, func(n int64) bool { return n != 0 })
}
