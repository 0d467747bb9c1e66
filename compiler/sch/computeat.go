package sch

import (
	"fmt"

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
	d := s.deps(root.Block())
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
	if err := s.keepsElements(m, d); err != nil {
		return nil, err
	}
	if m.needed = consumers; !forward {
		m.needed = producers
	}
	doms, err := m.domains(s)
	if err != nil {
		return nil, err
	}
	loop, err := m.nest(doms, pos, preserveUnit)
	if err != nil {
		return nil, err
	}
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
