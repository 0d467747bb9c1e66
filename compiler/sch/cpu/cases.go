package cpu

import (
	"fmt"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// cases splits a block that joins tensors, of which it reads some across memory, as those that are transposed in front of a concatenation: each part is a copy, which has a
// schedule of its own. It reports whether it has.
func (r *rules) cases(b *sch.Block, loops []*sch.Loop) (bool, error) {
	k := r.at(b)
	st := k.Body.(*tir.BufferStore)
	if _, cond := tir.IsCallTo(st.Value, tir.OpIfThenElse); !cond || !r.machine.transposes() || !r.bound(b, loops) {
		return false, nil
	}
	last := len(k.IterVars) - 1
	for last >= 0 && unit(k.IterVars[last]) {
		last--
	}
	if last < 0 || vectorizable(st, accesses(st, k.IterVars), k.IterVars[last].Var) {
		return false, nil
	}
	parts, err := r.blocksBy("SplitCases", b)
	if err != nil {
		return false, nil // the block stays as it is
	}
	r.applied(ruleCases, st)
	if r.watch != nil {
		r.watch.Took(ruleCases, st, fmt.Sprintf("it joins %d tensors, some of which lie across what is written", len(parts)))
	}
	r.blocks = append(r.blocks, parts[1:]...)
	for _, part := range parts {
		if err := r.pointwise(part); err != nil {
			return false, err
		}
	}
	return true, nil
}
