package cpu

import (
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// copyRows schedules a block that pads under a loop: along its last padded axis the constant is stored in loops of their own, in front of and behind the values, so that
// these are copied several vectors at a time, with one condition for them.
func (r *rules) copyRows(pad *sch.Block) error {
	b := r.at(pad)
	loops, err := r.loops(pad)
	if err != nil || len(loops) < 2 {
		return err
	}
	lanes, row := loops[len(loops)-1], loops[len(loops)-2]
	n, _ := tir.AsInt(r.extent(row))
	iv := b.IterVars[len(b.IterVars)-2]
	from, to := between(b, iv.Var)
	if to > n { // no condition
		from, to = 0, n
	}
	if all, ok := tir.AsInt(iv.Dom.Extent); !ok || all != n || from >= to {
		return r.vectorize(lanes, r.machine.Lanes)
	}
	parts := []*sch.Loop{row}
	for _, at := range []int64{from, to - from} {
		last := parts[len(parts)-1]
		if k, _ := tir.AsInt(r.extent(last)); at > 0 && at < k {
			two, err := r.loopsBy("CutLoop", last, int64(1), at)
			if err != nil {
				return err
			}
			parts = append(parts[:len(parts)-1], two...)
		}
	}
	for i, l := range parts {
		inner, err := r.innermost(l)
		if err != nil {
			return err
		}
		values := from == 0 && i == 0 || from > 0 && i == 1
		if !values {
			if err := r.vectorize(inner, r.machine.Lanes); err != nil {
				return err
			}
			continue
		}
		one, err := r.loopsBy("Fuse", []*sch.Loop{l, inner}, true)
		if err != nil {
			return err
		}
		if err := r.vectorize(one[0], 4*r.machine.Lanes); err != nil {
			return err
		}
	}
	return nil
}

// fillAndCopy schedules a block under loops of others that pads along the axis that is contiguous: the constant is stored around the values, a few elements of each row one by one, as the
// memory is in a cache, and the values row by row.
func (r *rules) fillAndCopy(pad *sch.Block) error {
	fills, err := r.blocksBy("SplitPadding", pad)
	if err != nil {
		return nil // stored with the condition
	}
	for _, b := range append(fills, pad) {
		r.gone(b)
		loops, err := r.loops(b)
		if err != nil {
			return err
		}
		st := r.at(b).Body.(*tir.BufferStore)
		last := loops[len(loops)-1]
		if c := r.phases[st.Buffer]; c > 0 {
			err = r.phased(st, loops, c)
		} else {
			err = r.vectorize(last, r.machine.lanesFor(st))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// innermost returns the innermost loop around the only block below a loop.
func (r *rules) innermost(l *sch.Loop) (*sch.Loop, error) {
	b, err := r.blocksBy("GetBlock", leavesOf(r.loop(l))[0].Name, nil)
	if err != nil {
		return nil, err
	}
	loops, err := r.loops(b[0])
	if err != nil {
		return nil, err
	}
	return loops[len(loops)-1], nil
}

// between returns the values of a variable for which a block that pads stores values, as far as its condition compares the variable alone with constants.
func between(b *tir.Block, v *tir.Var) (from, to int64) {
	from, to = 0, 1<<62
	call, _ := tir.IsCallTo(b.Body.(*tir.BufferStore).Value, tir.OpIfThenElse)
	var visit func(e tir.Expr)
	visit = func(e tir.Expr) {
		x, ok := e.(*tir.Binary)
		if !ok {
			return
		}
		a, left := tir.AsInt(x.A)
		c, right := tir.AsInt(x.B)
		switch {
		case x.Op == tir.OpAnd:
			visit(x.A)
			visit(x.B)
		case x.Op == tir.OpLE && left && x.B == tir.Expr(v), x.Op == tir.OpGE && right && x.A == tir.Expr(v):
			from = max(from, a+c)
		case x.Op == tir.OpLT && right && x.A == tir.Expr(v), x.Op == tir.OpGT && left && x.B == tir.Expr(v):
			to = min(to, a+c)
		}
	}
	visit(call.Args[0])
	return from, to
}
