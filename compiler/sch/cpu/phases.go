package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// phased schedules a block that writes a buffer whose last axis was split into phases: each
// phase is contiguous.
func (r *rules) phased(st *tir.BufferStore, loops []*sch.Loop, c int64) error {
	l := loops[len(loops)-1]
	n, _ := tir.AsInt(r.extent(l)) // 0 if it is symbolic
	if n < 4*c || costOf(st.Value).nodes > 1 {
		return nil
	}
	if n%c != 0 {
		parts, err := r.loopsBy("CutLoop", l, c, int64(0))
		if err != nil {
			return err
		}
		l = parts[0]
	}
	two, err := r.split(l, c)
	if err != nil {
		return err
	}
	if err := r.act("Reorder", []*sch.Loop{two[1], two[0]}); err != nil {
		return err
	}
	if err := r.act("Unroll", two[1]); err != nil {
		return err
	}
	return r.vectorize(two[0], 2*r.machine.Lanes)
}

// phasesOf returns the constant up to 8 by which v, or v and a constant, is divided in indices of
// what st reads; 0 if there is none.
func phasesOf(st *tir.BufferStore, v *tir.Var) int64 {
	found := int64(0)
	ir.Walk(st.Value, func(n ir.Node) bool { // also the conditions that choose what is read
		d, ok := n.(*tir.Binary)
		if !ok || d.Op != tir.OpFloorMod {
			return true
		}
		at := d.A
		if sum, ok := at.(*tir.Binary); ok && sum.Op == tir.OpAdd && isConstant(sum.B) {
			at = sum.A
		}
		if c, ok := tir.AsInt(d.B); ok && at == tir.Expr(v) && c <= 8 {
			found = c
		}
		return true
	})
	return found
}

// interleaved schedules a block that reads from c places in turn: one after the other in one
// step of the loop, where each has a constant remainder.
func (r *rules) interleaved(l *sch.Loop, c int64) error {
	if n, ok := tir.AsInt(r.extent(l)); !ok || n%c != 0 {
		if ok && n < c {
			return nil
		}
		parts, err := r.loopsBy("CutLoop", l, c, int64(0))
		if err != nil {
			return err
		}
		l = parts[0]
	}
	two, err := r.split(l, c)
	if err != nil {
		return err
	}
	return r.act("Unroll", two[1])
}
