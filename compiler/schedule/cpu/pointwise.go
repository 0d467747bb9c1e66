package cpu

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/schedule"
	"github.com/irscope/irscope/compiler/tir"
)

// pointwise schedules a block without a reduction: inner loops that go over contiguous memory
// become one loop, and that runs over vectors.
func (r *rules) pointwise(b *schedule.Block) error {
	if r.done[b] {
		return nil
	}
	st, ok := b.Body().(*tir.BufferStore)
	loops := r.s.GetLoops(b)
	if !ok || len(loops) == 0 || !vectorTypes(b) {
		r.declined(ruleVectors, b, "it has no loops, or types that have no vector form")
		return nil
	}
	at := st
	if c := r.phases[st.Buffer]; c > 0 && tir.IsTrue(b.Predicate()) && !(isConstant(st.Value) && r.s.Refill(b) == nil) {
		return r.phased(st, loops, c)
	}
	st, loops = b.Body().(*tir.BufferStore), r.s.GetLoops(b)
	iters := b.Iters()
	last := len(iters) - 1
	for last >= 0 && unit(iters[last]) {
		last--
	}
	if last < 0 {
		r.declined(ruleVectors, b, "all its extents are 1")
		return nil
	}
	if phasesOf(st, iters[last].Var) > 1 && bound(r.s, b, loops) {
		for k, l := range loops {
			if c := phasesOf(st, iters[k].Var); c > 1 {
				if err := r.interleaved(l, c); err != nil {
					return err
				}
			}
		}
		return nil
	}
	acc := accesses(st, iters)
	if !vectorizable(st, acc, iters[last].Var) {
		r.declined(ruleVectors, b, "an access does not go over contiguous memory along its last axis")
		return nil
	}
	r.applied(ruleVectors, at)
	// Fuse while each access goes on from one axis to the next.
	first := last
	if bound(r.s, b, loops) {
		for first > 0 && r.fusable(b, acc, first-1, last) {
			first--
		}
		if first < last {
			if err := r.s.FuseIters(b, first, last); err != nil {
				return err
			}
			st = b.Body().(*tir.BufferStore)
		}
	}
	loops = r.s.GetLoops(b)
	return r.vectorize(loops[len(loops)-1], r.machine.lanesFor(st))
}

func isConstant(e tir.Expr) bool {
	switch e.(type) {
	case *tir.FloatImm, *tir.IntImm:
		return true
	}
	return false
}

// bound reports whether each iteration variable has a loop of its own over its domain.
func bound(s *schedule.Schedule, b *schedule.Block, loops []*schedule.Loop) bool {
	return len(loops) == len(b.Iters()) && s.Original(b)
}

// fusable reports whether axis k may be fused with those from the next one to last.
func (r *rules) fusable(b *schedule.Block, acc []access, k, last int) bool {
	iters := b.Iters()
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
	return !computesWith(b.Body(), iters[k].Var) && !computesWith(b.Body(), iters[next].Var)
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
func vectorTypes(b *schedule.Block) bool {
	for _, list := range [][]*tir.BufferRegion{b.Reads(), b.Writes()} {
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

// lanesFor is how many elements one step computes: several vectors, fewer where each takes
// many instructions.
func (m Machine) lanesFor(st *tir.BufferStore) int64 {
	if c := costOf(st.Value); c.calls || c.nodes > 40 {
		return 2 * m.Lanes
	}
	return 4 * m.Lanes
}

// vectorize splits a loop into vectors of up to lanes lanes. What is left over runs in
// smaller vectors and one by one.
func (r *rules) vectorize(l *schedule.Loop, lanes int64) error {
	if lanes <= 1 {
		return nil
	}
	n, constant := tir.AsInt(l.Extent())
	one := r.machine.Lanes
	for constant && lanes > one && (n < lanes || n%lanes != 0 && n < 4*lanes) {
		lanes /= 2
	}
	if constant && n < lanes {
		return nil
	}
	if !constant || n%lanes != 0 {
		d := l.Extent().DType()
		c := tir.Const(d, lanes)
		at := tir.Mul(tir.FloorDiv(l.Extent(), c), c)
		main, rest, err := r.s.LoopPartition(l, at)
		if err != nil {
			return err
		}
		if n, ok := tir.AsInt(rest.Extent()); ok && n >= one || !ok && lanes > one {
			if err := r.vectorize(rest, one); err != nil {
				return err
			}
		}
		l = main
	}
	two, err := r.s.Split(l, 0, lanes)
	if err != nil {
		return err
	}
	return r.s.Vectorize(two[1])
}
