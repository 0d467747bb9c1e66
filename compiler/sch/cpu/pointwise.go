package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
)

// pointwise schedules a block without a reduction: inner loops that go over contiguous memory
// become one loop, and that runs over vectors.
func (r *rules) pointwise(b *sch.Block) error {
	k := r.at(b)
	st, ok := k.Body.(*tir.BufferStore)
	loops, err := r.loops(b)
	switch {
	case err != nil:
		return err
	case !ok:
		r.declined(ruleVectors, k, "its body is more than one store")
		return nil
	case len(loops) == 0 || !vectorTypes(k):
		r.declined(ruleVectors, k, "it has no loops, or types that have no vector form")
		return nil
	case slices.ContainsFunc(k.Reads, func(x *tir.BufferRegion) bool { return x.Buffer == st.Buffer }):
		r.declined(ruleVectors, k, "it reads what it writes")
		return nil
	}
	at := st
	if c := r.phases[st.Buffer]; c > 0 && r.unconditional(b) && !(isConstant(st.Value) && r.act("Refill", b) == nil) {
		return r.phased(st, loops, c)
	}
	if done, err := r.cases(b, loops); done || err != nil {
		return err
	}
	if r.uneven(b) {
		if done, err := r.picked(b, loops, len(k.IterVars)-1); done || err != nil {
			return err
		}
	}
	if done, err := r.transposes(b); done || err != nil {
		return err
	}
	if c, err := r.takeApart(b); err != nil {
		return err
	} else if c != nil {
		if err := r.pointwise(c); err != nil {
			return err
		}
		r.gone(c)
		return r.pointwise(b)
	}
	k = r.at(b)
	if loops, err = r.loops(b); err != nil {
		return err
	}
	st = k.Body.(*tir.BufferStore)
	iters := k.IterVars
	last := len(iters) - 1
	for last >= 0 && unit(iters[last]) {
		last--
	}
	if last < 0 {
		r.declined(ruleVectors, k, "all its extents are 1")
		return nil
	}
	if done, err := r.picked(b, loops, last); done || err != nil {
		return err
	}
	acc := accesses(st, iters)
	if phasesOf(st, iters[last].Var) > 1 && r.bound(b, loops) && !vectorizable(st, acc, iters[last].Var) { // quotient and remainder together may go over contiguous memory
		for i, l := range loops {
			if c := phasesOf(st, iters[i].Var); c > 1 {
				if err := r.interleaved(l, c); err != nil {
					return err
				}
			}
		}
		return nil
	}
	// A remainder may be known not to start anew within a row.
	if !vectorizable(st, acc, iters[last].Var) && divides(k) && r.act("SimplifyIndices", b) == nil {
		k = r.at(b)
		st, iters = k.Body.(*tir.BufferStore), k.IterVars
		acc = accesses(st, iters)
	}
	if !vectorizable(st, acc, iters[last].Var) {
		r.declined(ruleVectors, k, "an access does not go over contiguous memory along its last axis")
		return nil
	}
	// Fuse while each access goes on from one axis to the next.
	first := last
	if r.bound(b, loops) {
		for first > 0 && fusable(k, acc, first-1, last) && !r.wholeRow(k, first) {
			first--
		}
		if first < last {
			if err := r.act("FuseBlockIters", b, int64(first), int64(last)); err != nil {
				return err
			}
			st = r.at(b).Body.(*tir.BufferStore)
		}
	}
	if loops, err = r.loops(b); err != nil {
		return err
	}
	l := loops[len(loops)-1]
	r.explainVectors(l, r.at(b), at)
	if r.wholeRow(r.at(b), len(r.at(b).IterVars)-1) {
		return r.vectorize(l, r.staged.lanes)
	}
	return r.vectorize(l, r.machine.lanesFor(st))
}

func isConstant(e tir.Expr) bool {
	switch e.(type) {
	case *tir.FloatImm, *tir.IntImm:
		return true
	}
	return false
}

// bound reports whether each iteration variable has a loop of its own over its domain.
func (r *rules) bound(b *sch.Block, loops []*sch.Loop) bool {
	return len(loops) == len(r.at(b).IterVars) && r.s.State().Original(b)
}

// fusable reports whether axis k may be fused with those from the next one to last.
func fusable(b *tir.Block, acc []access, k, last int) bool {
	iters := b.IterVars
	next := k + 1
	if iters[k].Kind != iters[next].Kind {
		return false
	}
	if unit(iters[k]) || unit(iters[next]) && next == last {
		return true
	}
	for next < last && unit(iters[next]) {
		next++
	}
	for _, a := range acc {
		if !a.follows(iters[k], iters[next]) {
			return false
		}
	}
	return !computesWith(b.Body, iters[k].Var) && !computesWith(b.Body, iters[next].Var)
}

// computesWith reports whether v is used otherwise than in the index of an access.
func computesWith(st tir.Stmt, v *tir.Var) bool {
	x, ok := st.(*tir.BufferStore)
	if !ok {
		return true
	}
	found := false
	ir.Walk(x.Value, func(n ir.Node) bool {
		if n == ir.Node(v) {
			found = true
		}
		_, load := n.(*tir.BufferLoad)
		return !load && !found
	})
	return found
}

// vectorTypes reports whether all elements have types that make vectors.
func vectorTypes(b *tir.Block) bool {
	for _, list := range [][]*tir.BufferRegion{b.Reads, b.Writes} {
		for _, x := range list {
			d := x.Buffer.DType
			if d.Bits < 8 || d.IsFloat() && d.Bits < 16 || d.Lanes > 1 {
				return false
			}
		}
	}
	return true
}

// vectorizable reports whether neighbours along v are computed alike from neighbours.
func vectorizable(st *tir.BufferStore, acc []access, v *tir.Var) bool {
	for _, a := range acc {
		switch n := a.stride(v); {
		case a.load == nil && n != 1, n != 0 && n != 1:
			return false
		}
	}
	ok := true
	ir.Walk(st.Value, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Call:
			if _, cond := tir.IsCallTo(n, tir.OpIfThenElse); cond {
				ok = ok && !uses(n.Args[0], v)
			} else if op, isOp := n.Op.(*ir.Op); !isOp || tir.LookupBuiltin(op.Name) == nil || !tir.LookupBuiltin(op.Name).Vector {
				ok = false
			}
		case *tir.Let:
			ok = false
		case *tir.BufferLoad:
			return false
		case *tir.Binary:
			if n.DType().IsInteger() && uses(n, v) && (n.Op == tir.OpFloorDiv || n.Op == tir.OpFloorMod || n.Op == tir.OpDiv || n.Op == tir.OpMod) {
				ok = false // divided lane by lane
			}
		}
		return ok
	})
	return ok
}

// lanesFor is how many elements one step computes: several vectors, fewer where that is too much.
func (m Machine) lanesFor(st *tir.BufferStore) int64 {
	if m.tooMuch(st) {
		return 2 * m.Lanes
	}
	return 4 * m.Lanes
}

// manyRegisters hold what four vectors of an exponential need at a time, three or four registers each, and its constants.
const manyRegisters = 32

// tooMuch reports whether computing an element takes many instructions, and there are not the registers to compute several vectors side by side. A code generator for machine code, which is also the one
// that spreads elements, sees itself to how many it does.
func (m Machine) tooMuch(st *tir.BufferStore) bool {
	c := costOf(st.Value)
	return (c.calls || c.nodes > 40) && m.Registers < manyRegisters && !m.Spreads
}

// lanesOf is the length of the vectors for n elements, if that is known, up to lanes; 0 for none.
func (m Machine) lanesOf(n int64, known bool, lanes int64) int64 {
	for known && lanes > m.Lanes && (n < lanes || n%lanes != 0 && n < 4*lanes) {
		lanes /= 2
	}
	for known && lanes > m.leastLanes() && n < lanes { // part of a register
		lanes /= 2
	}
	if lanes <= 1 || known && n < lanes {
		return 0
	}
	return lanes
}

// vectorize splits a loop into vectors of up to lanes lanes. What is left over runs in
// smaller vectors and one by one.
func (r *rules) vectorize(l *sch.Loop, lanes int64) error {
	n, constant := tir.AsInt(r.extent(l))
	one, least := r.machine.Lanes, r.machine.leastLanes()
	if lanes = r.machine.lanesOf(n, constant, lanes); lanes == 0 {
		return nil
	}
	if !constant || n%lanes != 0 {
		parts, err := r.loopsBy("CutLoop", l, lanes, int64(0))
		if err != nil {
			return err
		}
		main, rest := parts[0], parts[1]
		if n, ok := tir.AsInt(r.extent(rest)); ok && n >= least || !ok && lanes > one {
			if err := r.vectorize(rest, one); err != nil {
				return err
			}
		}
		l = main
	}
	two, err := r.split(l, lanes)
	if err != nil {
		return err
	}
	return r.act("Vectorize", two[1])
}

// split makes two loops of one, of which the second has n iterations.
func (r *rules) split(l *sch.Loop, n int64) ([]*sch.Loop, error) {
	return r.loopsBy("Split", l, []tir.Expr{nil, tir.Int32(n)}, true, false)
}

// unconditional reports whether a block runs without a condition.
func (r *rules) unconditional(b *sch.Block) bool {
	k := r.at(b)
	ok := true
	ir.Walk(r.root().Body, func(n ir.Node) bool {
		if x, is := n.(*tir.BlockRealize); is && x.Block == k {
			ok = tir.IsTrue(x.Predicate)
		}
		_, expr := n.(tir.Expr)
		return !expr
	})
	return ok
}
