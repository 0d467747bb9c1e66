package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// ComputeAt moves a block under a loop, in front of its consumers there, and runs it for what they need in one iteration only (TVM's compute_at).
// index is the place among the statements of the loop: -1 is the last possible one, -2 the first.
func (s *State) ComputeAt(b *Block, l *Loop, preserveUnit bool, index int) (*State, error) {
	if out, ok, err := s.moved(b, l, s.ComputeInline); ok {
		return out, err
	}
	return s.computeAt(b, l, preserveUnit, index, true)
}

// ReverseComputeAt moves a block under a loop, behind its producers there, and runs it for what they make in one iteration (TVM's reverse_compute_at).
func (s *State) ReverseComputeAt(b *Block, l *Loop, preserveUnit bool, index int) (*State, error) {
	if out, ok, err := s.moved(b, l, s.ReverseComputeInline); ok {
		return out, err
	}
	return s.computeAt(b, l, preserveUnit, index, false)
}

// mover is a move of a block under a loop.
type mover struct {
	at, to, root site
	forward      bool         // compute_at
	needed       []*tir.Block // the consumers, or producers where not forward
	an           *arith.Analyzer
}

func (s *State) computeAt(b *Block, l *Loop, preserveUnit bool, index int, forward bool) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	to, err := s.loop(l)
	if err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, true)
	if err != nil {
		return nil, err
	}
	m := &mover{at: at, to: to, root: root, forward: forward, an: arith.NewAnalyzer()}
	m.an.MarkShapes(at.f)
	d := depsOf(root.Block())
	producers, consumers := d.producers(at.Block()), d.consumers(at.Block())
	if err := s.checkCompleteOrReduction(at, root.Block()); err != nil {
		return nil, err
	}
	if r, ok := to.scope(); !ok || r.stmt() != root.stmt() || at.inside(to.stmt()) {
		return nil, s.fail("NotInSameScopeError", "Expected the block {0} and loop {1} to be under the same block scope, and loop not to be the ancestor of block", at.Block(), to.For())
	}
	for _, o := range append(to.loops(), to.For()) {
		m.an.BindRange(o.LoopVar, rangeOf(o))
	}
	if err := s.checkIndependent(at); err != nil {
		return nil, err
	}
	if forward {
		if err := s.checkNotOutput(at, root); err != nil {
			return nil, err
		}
	} else if !m.coversDomain() {
		return nil, fmt.Errorf("block %s does not run for all of the domain of its variables: moved, it would write more than it does now", at.Block().Name)
	}
	if !forward {
		if err := s.checkNotIdle(m, producers); err != nil {
			return nil, err
		}
	}
	from, rest, err := s.removal(at, root)
	if err != nil {
		return nil, err
	}
	pos, err := s.insertion(m, producers, consumers, index)
	if err != nil {
		return nil, err
	}
	if err := s.keepsOrder(m, d); err != nil {
		return nil, err
	}
	if m.needed = consumers; !forward {
		m.needed = producers
	}
	doms, err := m.domains(s)
	if err != nil {
		return nil, err
	}
	loop := m.nest(doms, pos, preserveUnit)
	mm := &tir.Mapper{}
	mm.Stmt = func(x tir.Stmt) tir.Stmt {
		if x == from {
			x = rest
		}
		if x == tir.Stmt(to.For()) {
			return loop
		}
		if _, block := x.(*tir.BlockRealize); block {
			return x
		}
		return mm.MapStmt(x)
	}
	out := s.replace(root, root.Block().WithBody(mm.Stmt(root.Block().Body)), nil)
	if !forward {
		if err := s.checkStillCovers(out, m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkStillCovers returns an error if a moved block no longer writes all that its consumers read, or all of an output: what it reads of its
// producers does not lead it to all that it writes, as for a block that pads. TVM moves it all the same.
func (s *State) checkStillCovers(out *State, m *mover) error {
	at, ok := out.locate(m.at.fn, func(x tir.Stmt) bool { return x == tir.Stmt(m.at.Block()) })
	if !ok {
		return nil
	}
	if l := repeatsSteps(at); l != nil {
		return s.fail("RepeatedReductionError", "The iterations of the loop {0} would repeat steps of the reduction in block {1}", l, at.Block())
	}
	root, _ := at.scope()
	d, kids := depsOf(root.Block()), childrenOf(root.Block())
	for _, c := range d.consumers(at.Block()) {
		if !out.regionCover(root, d, kids, c) {
			return s.fail("NotRegionCoverError", "The block {0} would not write all that block {1} reads: what it reads of its producers does not lead it there", m.at.Block(), c)
		}
	}
	if isOutput(at.Block(), root.Block()) {
		moved := &mover{at: at}
		if !moved.mayCoverDomain() {
			return s.fail("NotRegionCoverError", "The block {0} would not write all that it does now: what it reads of its producers does not lead it there", m.at.Block())
		}
	}
	return nil
}

// repeatsSteps returns a loop at or below the outermost one that a block reduces over whose iterations repeat steps of the reduction, nil if none does.
func repeatsSteps(at site) *tir.For {
	loops := at.loops()
	for k, l := range loops {
		for i, iv := range at.Block().IterVars {
			if iv.Kind == tir.CommReduce && usesVar(at.Realize().Values[i], l.LoopVar) {
				return repeating(at.Realize(), loops[k:])
			}
		}
	}
	return nil
}

// checkNotIdle returns an error if a loop that the block is moved under may have no iteration, unless a producer runs over it: the block would not run
// then, nor if the producer reduces over it and gives its initial value. TVM moves it all the same.
func (s *State) checkNotIdle(m *mover, producers []*tir.Block) error {
	for _, l := range append(m.to.loops(), m.to.For()) {
		if m.an.CanProve(tir.GT(l.Extent, tir.Const(l.Extent.DType(), 0))) {
			continue
		}
		spatial := false // then the producer has nothing to give, and the block nothing to do
		for _, r := range realizes(m.to.stmt()) {
			for i, iv := range r.Block.IterVars {
				if !slices.Contains(producers, r.Block) || !usesVar(r.Values[i], l.LoopVar) {
					continue
				}
				if iv.Kind == tir.CommReduce {
					return s.fail("IdleLoopError", "The loop {0}, over which block {1} reduces, may have no iteration, so that block {2} would not run", l, r.Block, m.at.Block())
				}
				spatial = true
			}
		}
		if !spatial {
			return s.fail("IdleLoopError", "The loop {0} may have no iteration, so that block {1} would not run", l, m.at.Block())
		}
	}
	return nil
}

// keepsOrder returns an error if the block would run before what it needs, or behind what needs it, outside of the loop. TVM looks inside of the
// loop only.
func (s *State) keepsOrder(m *mover, d *scopeDeps) error {
	first, last := len(d.blocks), -1
	place := map[*tir.Block]int{}
	for i, r := range d.blocks {
		place[r.Block] = i
	}
	for _, r := range realizes(m.to.stmt()) {
		first, last = min(first, place[r.Block]), max(last, place[r.Block])
	}
	b := m.at.Block()
	for _, x := range d.byDst[b] {
		if place[x.src] > last {
			return s.fail("InsertionPointNotFoundError", "The block {0} must run behind block {1}, which stands behind the loop {2}", b, x.src, m.to.stmt())
		}
	}
	for _, x := range d.bySrc[b] {
		if place[x.dst] < first {
			return s.fail("InsertionPointNotFoundError", "The block {0} must run before block {1}, which stands before the loop {2}", b, x.dst, m.to.stmt())
		}
	}
	return nil
}

// statements returns those of a sequence, or x alone.
func statements(x tir.Stmt) []tir.Stmt {
	if q, ok := x.(*tir.SeqStmt); ok {
		return slices.Clone(q.Seq)
	}
	return []tir.Stmt{x}
}

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

func (m *mover) covers(open bool) bool {
	r := m.at.Realize()
	an := arith.NewAnalyzer()
	an.MarkShapes(m.at.f)
	points := make([]*tir.Range, len(r.Values))
	for i, v := range r.Values {
		points[i] = &tir.Range{Min: v, Extent: tir.Const(v.DType(), 1)}
	}
	sets, known := arith.EstimateRegionLowerBound(points, ranges(m.at.loops()), r.Predicate, an)
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

// nest makes the loops around the block over the domains of its variables, and puts them into the loop.
func (m *mover) nest(doms []*varDomain, pos int, preserveUnit bool) *tir.For {
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
	var body tir.Stmt = &tir.BlockRealize{Base: m.at.Realize().Base, Values: values, Predicate: m.an.Simplify(pred), Block: b}
	for i := len(loops) - 1; i >= 0; i-- {
		body = loops[i].WithBody(body)
	}
	list := slices.Insert(statements(m.to.For().Body), pos, body)
	return m.to.For().WithBody(tir.Seq(list...))
}
