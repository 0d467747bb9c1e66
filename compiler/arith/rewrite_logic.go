package arith

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Bounds on what is done for one side of a condition because of the other: conditions within conditions
// would otherwise be simplified twice as often with each level, and as constraints once more each time.
const (
	maxTwice      = 3   // levels at which a second round may follow
	maxConstraint = 512 // nodes of a side that is assumed while the other one is simplified
)

// visitBranches simplifies each side of && or || while the other one is taken to hold, or
// to fail; a second round follows where the first one changed something. The left side runs
// before the right one: where it reads memory, its indices must hold without that.
//
// A side of n nodes is visited at most 2^maxTwice times, and what is assumed is simplified without looking
// at its own sides in this way, so that the time is linear in n.
func (s *simplifier) visitBranches(e *tir.Binary) *tir.Binary {
	side := [2]tir.Expr{e.A, e.B}
	rounds := 1
	if s.branches < maxTwice {
		rounds = 2
	}
	s.branches++
	defer func() { s.branches-- }()
	for range rounds {
		before := side
		for i := range side {
			exit := func() {}
			if other := side[1-i]; (i == 1 || SideEffect(side[0]) <= tir.Pure) && !LargerThan(other, maxConstraint) {
				if e.Op == tir.OpOr {
					other = normalizeBool(notOf(other))
				}
				s.plain++
				exit = s.a.EnterConstraint(other)
				s.plain--
			}
			side[i] = s.visit(side[i])
			exit()
		}
		if side == before {
			break
		}
	}
	if side[0] == e.A && side[1] == e.B {
		return e
	}
	return tir.BinaryAt(e.Base, e.Op, side[0], side[1])
}

func (s *simplifier) cnf(n *tir.Binary) tir.Expr {
	if s.a.Extensions&ConvertBooleanToAndOfOrs == 0 || s.a.inCNF || !s.a.movable(n) {
		return nil
	}
	return simplifyCNF(s.a, n)
}

// movable reports whether each part of e may be computed whatever the other parts are: it has no effect, and what it reads of memory
// lies within its buffer without the condition that may stand before it.
func (a *Analyzer) movable(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Call:
			ok = ok && tir.CallEffect(n) <= tir.Pure
		case *tir.ProducerLoad:
			ok = false
		case *tir.BufferLoad:
			for k, i := range n.Indices {
				extent, _ := tir.AsInt(n.Buffer.Shape[k]) // 0 if it is symbolic
				ok = ok && a.boundOf(i).within(Bound{0, extent - 1})
			}
		}
		return ok
	})
	return ok
}
