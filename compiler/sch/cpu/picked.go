package cpu

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// maxPeriod bounds the steps after which places come again in vectors that are picked, and the last axis that is joined with the one before it.
const maxPeriod = 8

// picked schedules a block whose reads along its last axis are not of neighbours but at places that come again, moved on by a constant, after a few steps: those of an image that grows, of
// phases that are put in order, of every second element, of a short axis that becomes the last. Its vectors are as many periods as a vector has lanes, so that
// the distances of the places are constants, and the code generator reads what they lie in at once and picks lanes. It reports whether it has.
func (r *rules) picked(b *sch.Block, loops []*sch.Loop, last int) (bool, error) {
	if !r.machine.transposes() || !r.bound(b, loops) {
		return false, nil
	}
	k := r.at(b)
	st, iters := k.Body.(*tir.BufferStore), k.IterVars
	p := r.machine.periodOf(st, accesses(st, iters), iters[last].Var)
	n, known := tir.AsInt(iters[last].Dom.Extent)
	if n < maxPeriod && known && p == 0 && last > 0 {
		return r.pickedJoined(b, last)
	}
	if p == 0 || !known {
		return false, nil
	}
	l := loops[last]
	if last < len(loops)-1 { // units behind it
		return false, nil
	}
	r.explainPicked(st, iters[last].Var.Name, n, p)
	if r.machine.periodLanes(n, p, r.machine.Lanes) == 0 {
		return false, nil
	}
	return true, r.vectorizePeriods(l, p, r.machine.Lanes)
}

// uneven reports whether a block copies between contiguous axes of which one is short and tiles that are transposed leave some of it over, to be copied one by one: along the axis of what is read that is one
// row, as several are a tile.
func (r *rules) uneven(b *sch.Block) bool {
	from, to := r.contiguous(b, leastTile)
	if from < 0 || to < 0 || from == to {
		return false
	}
	for _, k := range []int{from, to} {
		n, known := tir.AsInt(r.at(b).IterVars[k].Dom.Extent)
		if rest := n % leastTile; known && n < maxPeriod && rest != 0 && (k == to || n < leastTile || rest < leastRest) {
			return true
		}
	}
	return false
}

// pickedJoined joins a short last axis with the one before it, where that makes a block of the kind that picked schedules.
func (r *rules) pickedJoined(b *sch.Block, last int) (bool, error) {
	k := r.at(b)
	st, iters := k.Body.(*tir.BufferStore), k.IterVars
	n, _ := tir.AsInt(iters[last].Dom.Extent)
	outer, known := tir.AsInt(iters[last-1].Dom.Extent)
	if !known || n < 2 || iters[last-1].Kind != iters[last].Kind || computesWith(st, iters[last].Var) || computesWith(st, iters[last-1].Var) {
		return false, nil
	}
	v := tir.NewVar("joined", iters[last].Var.DType()) // as the indices will have the axis
	c := tir.Const(v.DType(), n)
	acc := accesses(st, iters)
	for k, a := range acc {
		at := map[*tir.Var]tir.Expr{iters[last-1].Var: tir.FloorDiv(v, c), iters[last].Var: tir.FloorMod(v, c)}
		if a.follows(iters[last-1], iters[last]) {
			at = map[*tir.Var]tir.Expr{iters[last-1].Var: tir.Const(v.DType(), 0), iters[last].Var: v}
		}
		acc[k].indices = make([]tir.Expr, len(a.indices))
		for j, ix := range a.indices {
			acc[k].indices[j] = tir.SubstExpr(ix, at)
		}
	}
	p := r.machine.periodOf(st, acc, v)
	if p == 0 || n*outer < leastTile*p || r.machine.periodLanes(n*outer, p, r.machine.Lanes) == 0 {
		return false, nil
	}
	if err := r.act("FuseBlockIters", b, int64(last-1), int64(last)); err != nil {
		return false, err
	}
	loops, err := r.loops(b)
	if err != nil {
		return false, err
	}
	r.explainPicked(st, iters[last-1].Var.Name+" and "+iters[last].Var.Name, n*outer, p)
	return true, r.vectorizePeriods(loops[len(loops)-1], p, r.machine.Lanes)
}

// explainPicked tells the watcher after how many steps along an axis of n elements places come again, and whether that makes vectors.
func (r *rules) explainPicked(at tir.Stmt, name string, n, p int64) {
	if r.watch == nil {
		return
	}
	if r.machine.periodLanes(n, p, r.machine.Lanes) == 0 {
		r.watch.Declined(rulePicked, at, fmt.Sprintf("places that are read come again after %d steps of %s, of which no vector has a whole number in %s", p, name, plural(n, "element")))
		return
	}
	r.applied(rulePicked, at)
	r.watch.Took(rulePicked, at, fmt.Sprintf("places that are read come again after %d steps of %s: vectors are picked from what they lie in", p, name))
}

// periodLanes is how many periods of p steps, up to lanes, make a vector along n elements; 0 for none.
func (m Machine) periodLanes(n, p, lanes int64) int64 {
	for lanes >= m.leastLanes() && (n < p*lanes || p*lanes%maxPeriod != 0) {
		lanes /= 2
	}
	if lanes < m.leastLanes() {
		return 0
	}
	return lanes
}

// vectorizePeriods makes vectors of periods along a loop, of as many as there are lanes in vectors of a width and of shorter ones for what is left; the last ones run one by one.
func (r *rules) vectorizePeriods(l *sch.Loop, p, lanes int64) error {
	n, _ := tir.AsInt(r.extent(l))
	if lanes = r.machine.periodLanes(n, p, lanes); lanes == 0 {
		return nil
	}
	if n%(p*lanes) != 0 {
		parts, err := r.loopsBy("CutLoop", l, p*lanes, int64(0))
		if err != nil {
			return err
		}
		if err := r.vectorizePeriods(parts[1], p, lanes/2); err != nil {
			return err
		}
		l = parts[0]
	}
	two, err := r.split(l, p*lanes)
	if err != nil {
		return err
	}
	return r.act("Vectorize", two[1])
}

// periodOf is after how many steps along v, the last axis, all places that a statement with some accesses reads come again, moved on by constants; 0 where they do not soon, where all accesses are of
// neighbours, or where lanes cannot be picked from fewer vectors than the half of them.
func (m Machine) periodOf(st *tir.BufferStore, acc []access, v *tir.Var) int64 {
	period, some := int64(1), false
	if !vectorizable(st, nil, v) || acc[0].stride(v) != 1 {
		return 0
	}
	for _, a := range acc[1:] {
		if n := a.stride(v); n == 0 || n == 1 {
			continue
		}
		if a.buf.DType.Bits != 32 || a.buf.DType.Lanes != 1 || a.load == nil || a.load.Predicate != nil {
			return 0
		}
		for _, ix := range a.indices {
			p := periodIn(ix, v)
			if p == 0 {
				return 0
			}
			period *= p / arith.GCD(period, p)
		}
		if period > maxPeriod {
			return 0
		}
		some = true
	}
	if !some {
		return 0
	}
	for _, a := range acc[1:] {
		if n := a.stride(v); n != 0 && n != 1 && !m.nearby(a, v, period) {
			return 0
		}
	}
	return period
}

// nearby reports whether the places that an access reads along v lie, for each vector of a tile, in few vectors.
func (m Machine) nearby(a access, v *tir.Var, period int64) bool {
	strides := make([]int64, len(a.indices))
	n := int64(1)
	for k := len(strides) - 1; k >= 0; k-- {
		strides[k] = n
		e, known := tir.AsInt(a.buf.Shape[k])
		if !known && k > 0 || len(a.buf.Strides) > 0 {
			return false
		}
		n *= e
	}
	for i := int64(0); i < period*m.Lanes; i += m.Lanes {
		places := make([]int64, m.Lanes)
		for j := range places {
			for k, ix := range a.indices {
				at, ok := placeAt(ix, v, i+int64(j))
				if !ok {
					return false
				}
				places[j] += at * strides[k]
			}
		}
		slices.Sort(places)
		windows, end := int64(0), places[0]
		for _, p := range places {
			if windows == 0 || p >= end {
				windows, end = windows+1, p+m.Lanes
			}
		}
		if 2*windows > m.Lanes {
			return false
		}
	}
	return true
}

// placeAt is an index at a value of v, where what does not depend on that is 0.
func placeAt(e tir.Expr, v *tir.Var, at int64) (int64, bool) {
	if n, ok := tir.AsInt(e); ok || !uses(e, v) {
		return n, true
	}
	switch e := e.(type) {
	case *tir.Var:
		return at, true
	case *tir.Cast:
		return placeAt(e.Value, v, at)
	case *tir.Binary:
		x, ok := placeAt(e.A, v, at)
		if !ok {
			return 0, false
		}
		y, ok := placeAt(e.B, v, at)
		if !ok {
			return 0, false
		}
		return tir.FoldInt(e.Op, e.A.DType(), x, y)
	}
	return 0, false
}

// periodIn is after how many steps of v an index is what it was and a constant, whatever other variables are; 0 where that is not known.
func periodIn(e tir.Expr, v *tir.Var) int64 {
	if e == tir.Expr(v) {
		return 1
	}
	if !uses(e, v) {
		return 1
	}
	switch e := e.(type) {
	case *tir.Cast:
		if e.Type.IsInt() && e.Value.DType().IsInt() && e.Type.Bits >= e.Value.DType().Bits {
			return periodIn(e.Value, v)
		}
	case *tir.Binary:
		switch e.Op {
		case tir.OpAdd, tir.OpSub:
			p, q := periodIn(e.A, v), periodIn(e.B, v)
			if p == 0 || q == 0 {
				return 0
			}
			return p * q / arith.GCD(p, q)
		case tir.OpMul:
			if isConstant(e.B) {
				return periodIn(e.A, v)
			}
			if isConstant(e.A) {
				return periodIn(e.B, v)
			}
		case tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod:
			c, ok := tir.AsInt(e.B)
			others := arith.UsesVar(e.A, func(x *tir.Var) bool { return x != v })
			if !ok || c <= 0 || others || periodIn(e.A, v) != 1 {
				return 0
			}
			from, _ := placeAt(e.A, v, 0)
			next, ok := placeAt(e.A, v, 1)
			if !ok || (from < 0 || next < from) && (e.Op == tir.OpDiv || e.Op == tir.OpMod) {
				return 0
			}
			return c / arith.GCD(c, next-from)
		}
	}
	return 0
}
