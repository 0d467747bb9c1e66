package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// choose translates a selection. That of one of two vectors of floats by their order is one instruction. Lanes of a condition that are known, as those of a vector at the edge of an image, take no comparisons, and where they are all the same the other value is not computed.
func (w *Walker) choose(e *tir.Select) Value {
	if op, a, b, ok := byOrder(e); ok {
		x, y := w.Expr(a), w.Expr(b)
		if x.Packed() && y.Packed() {
			if v, ok := w.gen.VectorPick(op, x, y); ok {
				return v
			}
		}
		return w.Select(w.Expr(e.Cond), w.Expr(e.True), w.Expr(e.False))
	}
	lanes, known := w.knownLanes(e.Cond)
	if !known || e.Cond.DType().Lanes == 1 {
		return w.Select(w.Expr(e.Cond), w.Expr(e.True), w.Expr(e.False))
	}
	switch {
	case !slices.Contains(lanes, false):
		return w.Expr(e.True)
	case !slices.Contains(lanes, true):
		return w.Expr(e.False)
	}
	if v, ok := w.loadSome(e, lanes); ok {
		return v
	}
	return w.Select(w.known(lanes), w.Expr(e.True), w.Expr(e.False))
}

// byOrder reports whether a selection takes a where it is less than b (OpMin), or larger (OpMax), and otherwise b: of two equal ones, and where one is NaN, it takes b.
func byOrder(e *tir.Select) (op tir.BinaryOp, a, b tir.Expr, ok bool) {
	c, ok := e.Cond.(*tir.Binary)
	if d := e.True.DType(); !ok || c.Op != tir.OpLT && c.Op != tir.OpGT || d.Lanes == 1 || !d.IsFloat() || SmallFloat(d.Elem()) {
		return 0, nil, nil, false
	}
	first, second := c.A, c.B // the first is less
	if c.Op == tir.OpGT {
		first, second = c.B, c.A
	}
	switch {
	case tir.Equal(e.True, first) && tir.Equal(e.False, second):
		return tir.OpMin, first, second, true
	case tir.Equal(e.True, second) && tir.Equal(e.False, first):
		return tir.OpMax, second, first, true
	}
	return 0, nil, nil, false
}

// knownLanes are the lanes of a condition, if they are known: comparisons of vectors of integers at constant distances from constants, and what is made of them.
func (w *Walker) knownLanes(e tir.Expr) (lanes []bool, ok bool) {
	all := func(yes bool, ok bool) ([]bool, bool) {
		lanes := make([]bool, e.DType().Lanes)
		for i := range lanes {
			lanes[i] = yes
		}
		return lanes, ok
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return all(e.Value != 0, true)
	case *tir.Broadcast:
		if one, ok := w.knownLanes(e.Value); ok && e.Value.DType().Lanes == 1 {
			return all(one[0], true)
		}
	case *tir.Not:
		lanes, ok := w.knownLanes(e.A)
		for i := range lanes {
			lanes[i] = !lanes[i]
		}
		return lanes, ok
	case *tir.Binary:
		switch {
		case e.Op == tir.OpAnd || e.Op == tir.OpOr:
			return w.knownBoth(e)
		case e.Op.IsCompare() && e.A.DType().Elem() == dtype.Int32T:
			return w.knownCompare(e)
		}
	}
	return nil, false
}

// knownBoth is knownLanes for a conjunction or disjunction: one operand decides where all of its lanes do.
func (w *Walker) knownBoth(e *tir.Binary) (lanes []bool, ok bool) {
	decides := e.Op == tir.OpOr
	a, first := w.knownLanes(e.A)
	if first && !slices.Contains(a, !decides) {
		return a, true
	}
	b, second := w.knownLanes(e.B)
	switch {
	case second && !slices.Contains(b, !decides):
		return b, true
	case !first || !second:
		return nil, false
	}
	for i := range a {
		if b[i] == decides {
			a[i] = decides
		}
	}
	return a, true
}

// knownCompare is knownLanes for a comparison of integers.
func (w *Walker) knownCompare(e *tir.Binary) (lanes []bool, ok bool) {
	x, s, ok := w.distances(e.A)
	if !ok {
		return nil, false
	}
	y, t, ok := w.distances(e.B)
	if !ok {
		return nil, false
	}
	lanes = make([]bool, len(s))
	for i := range lanes {
		v, ok := tir.FoldInt(e.Op, e.A.DType().Elem(), x+s[i], y+t[i])
		if !ok {
			return nil, false
		}
		lanes[i] = v != 0
	}
	return lanes, true
}

// distances are those of integers of 32 bits from a constant; a scalar has one. Sums that would wrap are none.
func (w *Walker) distances(e tir.Expr) (start int64, distances []int64, ok bool) {
	l := Lin{}
	if distances = []int64{0}; e.DType().Lanes == 1 {
		l = w.Lin(e)
	} else if l, distances, ok = w.apart(e); !ok {
		return 0, nil, false
	}
	if !l.IsConst() {
		return 0, nil, false
	}
	for _, d := range distances {
		if n := l.C + d; n != int64(int32(n)) {
			return 0, nil, false
		}
	}
	return l.C, distances, true
}
