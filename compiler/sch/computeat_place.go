package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// insertion returns where a block can stand among the statements of the loop: behind its producers and before its consumers.
func (s *State) insertion(m *mover, producers, consumers []*tir.Block, index int) (int, error) {
	list := statements(m.to.For().Body)
	last, first := -1, len(list)
	seen := map[*tir.Block]bool{}
	for i, x := range list {
		for _, r := range realizesIn(x) {
			seen[r.Block] = true
			if slices.Contains(producers, r.Block) {
				last = i
			}
			if slices.Contains(consumers, r.Block) {
				first = min(first, i)
			}
		}
	}
	if last >= first {
		return 0, s.fail("InsertionPointNotFoundError", fmt.Sprintf(
			"Cannot find the insertion point that satisfies the producer-consumer constraint. In 0-based indexing, the last producer appears in subtree %d, and the first consumer appears in subtree %d", last, first))
	}
	required, word := consumers, "consumer(s)"
	if !m.forward {
		required, word = producers, "producer(s)"
	}
	missing := 0
	for _, b := range required {
		if !seen[b] {
			missing++
		}
	}
	if missing > 0 {
		e := s.fail("NotAllRequiredBlocksAreVisitedError", fmt.Sprintf(
			"The primitive requires all the %s of the given block to be present under the target loop. However, there are %d %s not satisfying the constraint. List of the %s:", word, missing, word, word))
		for i, b := range required {
			e.At = append(e.At, b)
			e.Message += fmt.Sprintf("{%d}", i)
		}
		return 0, e
	}
	switch {
	case index == -1:
		return first, nil
	case index == -2:
		return last + 1, nil
	case index > last && index <= first:
		return index, nil
	}
	return 0, fmt.Errorf("ScheduleError: Valid index:(-1, -2, [%d, %d]), current index=%d", last+1, first, index)
}

// realizesIn is realizes for a statement that may be a block itself.
func realizesIn(x tir.Stmt) []*tir.BlockRealize {
	var out []*tir.BlockRealize
	visit(x, func(y tir.Stmt) bool {
		r, ok := y.(*tir.BlockRealize)
		if ok {
			out = append(out, r)
		}
		return !ok
	})
	return out
}

// coversDomain reports whether the block runs for all of the domain of its variables; it does not if that is certain, or if the predicate leaves
// it open.
func (m *mover) coversDomain() bool { return m.covers(false) }

// mayCoverDomain is coversDomain, but true where the predicate leaves it open.
func (m *mover) mayCoverDomain() bool { return m.covers(true) }

// surelyCovers reports whether variable i is known to run over all of its domain.
func (m *mover) surelyCovers(i int) bool {
	sets, known, an := m.reached()
	dom := m.at.Block().IterVars[i].Dom
	return known && sets[i].Min != nil && sets[i].Max != nil && an.CanProve(tir.LE(sets[i].Min, dom.Min)) &&
		an.CanProve(tir.GE(sets[i].Max, tir.Sub(tir.Add(dom.Min, dom.Extent), tir.Const(dom.Extent.DType(), 1))))
}

// reached returns what the variables of the block reach at least, and false if that is not known.
func (m *mover) reached() (sets []arith.IntSet, known bool, an *arith.Analyzer) {
	r := m.at.Realize()
	an = arith.NewAnalyzer()
	an.MarkShapes(m.at.f)
	points := make([]*tir.Range, len(r.Values))
	for i, v := range r.Values {
		points[i] = &tir.Range{Min: v, Extent: tir.Const(v.DType(), 1)}
	}
	sets, known = arith.EstimateRegionLowerBound(points, ranges(m.at.loops()), r.Predicate, an)
	return sets, known, an
}

func (m *mover) covers(open bool) bool {
	r := m.at.Realize()
	sets, known, an := m.reached()
	for i, iv := range r.Block.IterVars {
		if iv.Kind != tir.DataPar {
			continue
		}
		end := tir.Sub(tir.Add(iv.Dom.Min, iv.Dom.Extent), tir.Const(iv.Dom.Extent.DType(), 1))
		if !known || sets[i].Min == nil || sets[i].Max == nil {
			if !open && !tir.IsTrue(r.Predicate) {
				return false
			}
			continue
		}
		if an.CanProve(tir.GT(sets[i].Min, iv.Dom.Min)) || an.CanProve(tir.LT(sets[i].Max, end)) {
			return false
		}
		if !open && !tir.IsTrue(r.Predicate) && !(an.CanProve(tir.LE(sets[i].Min, iv.Dom.Min)) && an.CanProve(tir.GE(sets[i].Max, end))) {
			return false
		}
	}
	return true
}

// kept returns what of the condition under which the block runs does not follow from the domains of its variables, as behind an rfactor of a loop that was split by no divisor: for new values of these. It is an
// error where that cannot be said. TVM drops the condition.
func (m *mover) kept(values []tir.Expr) (tir.Expr, error) {
	r := m.at.Realize()
	an := arith.NewAnalyzer()
	an.MarkShapes(m.at.f)
	now, around := map[*tir.Var]tir.Expr{}, map[*tir.Var]bool{m.to.For().LoopVar: true}
	for _, l := range m.to.loops() {
		around[l.LoopVar] = true
	}
	for _, l := range m.at.loops() {
		an.BindRange(l.LoopVar, rangeOf(l))
	}
	for i, iv := range r.Block.IterVars {
		v := r.Values[i]
		defer an.EnterConstraint(tir.And(tir.GE(v, iv.Dom.Min), tir.LT(v, tir.Add(iv.Dom.Min, iv.Dom.Extent))))()
		if c, ok := v.(*tir.Cast); ok {
			v = c.Value
		}
		if l, ok := v.(*tir.Var); ok {
			now[l] = tir.CastTo(l.DType(), values[i])
		}
	}
	out := tir.Expr(tir.Bool(true))
	for _, c := range tir.Conjuncts(nil, r.Predicate) {
		if an.CanProveWith(c, arith.SymbolicBound) || saysDomain(c, r, an) {
			continue
		}
		used := map[*tir.Var]bool{}
		varsOf(c, used)
		for _, l := range m.at.loops() {
			if used[l.LoopVar] && now[l.LoopVar] == nil && !around[l.LoopVar] {
				return nil, fmt.Errorf("block %s runs under a condition on loop %s that cannot be said of the loops it would get", r.Block.Name, l.LoopVar.Name)
			}
		}
		out = tir.And(out, tir.SubstExpr(c, now))
	}
	return out, nil
}

// saysDomain reports whether a condition says of what a variable of a block is bound to, in other words maybe, that it is below its end.
func saysDomain(cond tir.Expr, r *tir.BlockRealize, an *arith.Analyzer) bool {
	c, ok := cond.(*tir.Binary)
	if !ok || c.Op != tir.OpLT {
		return false
	}
	for i, iv := range r.Block.IterVars {
		if an.CanProveEqual(c.A, r.Values[i]) && an.CanProve(tir.LE(tir.Add(iv.Dom.Min, iv.Dom.Extent), c.B)) {
			return true
		}
	}
	return false
}

// nest makes the loops around the block over the domains of its variables, and puts them into the loop.
func (m *mover) nest(doms []*varDomain, pos int, preserveUnit bool) (*tir.For, error) {
	b := m.at.Block()
	var loops []*tir.For
	values := make([]tir.Expr, len(b.IterVars))
	pred := tir.Expr(tir.Bool(true))
	for i, iv := range b.IterVars {
		r := doms[i].dom.CoverRange(iv.Dom)
		values[i] = r.Min
		if preserveUnit || !tir.IsConst(r.Extent, 1) {
			d := r.Min.DType()
			d.Bits = max(d.Bits, r.Extent.DType().Bits)
			v := tir.NewVar(fmt.Sprintf("ax%d", len(loops)), d)
			loops = append(loops, &tir.For{LoopVar: v, Min: tir.Const(d, 0), Extent: tir.CastTo(d, m.an.Simplify(r.Extent))})
			values[i] = tir.Add(r.Min, v)
			m.an.BindRange(v, &tir.Range{Min: tir.Const(d, 0), Extent: tir.CastTo(d, r.Extent)})
		}
		if doms[i].bound == nil {
			continue
		}
		if lo := doms[i].bound.Min; lo != nil {
			if c := tir.GE(values[i], lo); !m.an.CanProveWith(c, arith.SymbolicBound) {
				pred = tir.And(pred, c)
			}
		}
		if hi := doms[i].bound.Max; hi != nil {
			if c := tir.LT(values[i], tir.Add(hi, tir.Const(hi.DType(), 1))); !m.an.CanProveWith(c, arith.SymbolicBound) {
				pred = tir.And(pred, c)
			}
		}
	}
	kept, err := m.kept(values)
	if err != nil {
		return nil, err
	}
	var body tir.Stmt = &tir.BlockRealize{Base: m.at.Realize().Base, Values: values, Predicate: m.an.Simplify(tir.And(pred, kept)), Block: b}
	for i := len(loops) - 1; i >= 0; i-- {
		body = loops[i].WithBody(body)
	}
	list := slices.Insert(statements(m.to.For().Body), pos, body)
	return m.to.For().WithBody(tir.Seq(list...)), nil
}
