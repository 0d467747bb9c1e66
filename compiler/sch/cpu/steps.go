package cpu

import (
	"fmt"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// mostStores is how many stores the steps of a turn make together, mostNodes how many nodes what they store has: more would take longer to compile, and save little.
const mostStores, mostNodes = 16, 128

// writeOut has turns of the innermost loops take several steps, where turns are dear. Reductions in tiles have their own number of steps.
func (r *rules) writeOut() error {
	if !r.machine.dearTurns() {
		return nil
	}
	return r.eachLeaf(r.top, r.writeOutAround)
}

// writeOutAround has turns of the innermost loop around a block take several steps, if that holds nothing else.
func (r *rules) writeOutAround(b *sch.Block) error {
	k := r.at(b)
	st, ok := k.Body.(*tir.BufferStore)
	if !ok || k.Init != nil {
		return nil
	}
	loops, err := r.loops(b)
	if err != nil {
		return err
	}
	l, stores := r.turnsAround(loops)
	if l == nil {
		return nil
	}
	n, known := tir.AsInt(r.extent(l))
	steps := min(mostStores/stores, mostNodes/(stores*int64(costOf(st.Value).nodes+1)))
	if !known || n < 2 || steps < 2 {
		return nil
	}
	for steps = min(steps, n); steps > 2 && n%steps != 0 && n < 4*steps; {
		steps--
	}
	r.applied(ruleSteps, st)
	if r.watch != nil {
		r.watch.Took(ruleSteps, st, fmt.Sprintf("%d of the %d of %s: a turn takes the target many instructions besides them", steps, n, r.loop(l).LoopVar.Name))
	}
	if n%steps != 0 {
		parts, err := r.loopsBy("CutLoop", l, steps, int64(0))
		if err != nil {
			return err
		}
		if err := r.act("Unroll", parts[1]); err != nil {
			return err
		}
		l = parts[0]
	} else if n == steps {
		return r.act("Unroll", l)
	}
	two, err := r.split(l, steps)
	if err != nil {
		return err
	}
	return r.act("Unroll", two[1])
}

// turnsAround returns the innermost of the loops around a block that runs turn by turn, and how many stores the loops in it make, or nil where something else stands in it, too.
func (r *rules) turnsAround(loops []*sch.Loop) (l *sch.Loop, stores int64) {
	stores = 1
	for i := len(loops) - 1; i >= 0; i-- {
		f := r.loop(loops[i])
		if _, several := f.Body.(*tir.SeqStmt); several {
			return nil, 0
		}
		n, known := tir.AsInt(f.Extent)
		switch {
		case f.Kind == tir.Serial:
			return loops[i], stores
		case f.Kind == tir.Vectorized && known:
			stores *= max(n/r.machine.Lanes, 1)
		case f.Kind == tir.Unrolled && known:
			stores *= n
		default:
			return nil, 0
		}
	}
	return nil, 0
}
