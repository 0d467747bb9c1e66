package sch

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// partFacts says what stands in a statement of a sequence. A primitive changes few of the statements of a function; of the others, which are the
// same nodes as before, this is known, so that a primitive need not look into them.
type partFacts struct {
	views []*tir.Buffer // declared over memory, in order
	// allocs are the buffers that blocks allocate.
	allocs []*tir.Buffer
	// uses are pointers, by name or through buffers; nil until someone asks.
	uses map[*tir.Var]bool
}

// part returns what stands in x.
func (s *State) part(x tir.Stmt) *partFacts {
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	p := s.facts.parts[x]
	if p != nil {
		return p
	}
	p = &partFacts{}
	ir.Walk(x, func(n ir.Node) bool {
		switch n := n.(type) {
		case tir.Expr, *tir.BufferRegion, *tir.IterVar:
			return false
		case *tir.DeclBuffer:
			p.views = append(p.views, n.Buffer)
		case *tir.Block:
			p.allocs = append(p.allocs, n.AllocBuffers...)
		}
		return true
	})
	if s.facts.parts == nil || len(s.facts.parts) >= maxFacts {
		s.facts.parts = map[tir.Stmt]*partFacts{}
	}
	s.facts.parts[x] = p
	return p
}

// uses returns the pointers that stand in x, by name or through buffers.
func (s *State) uses(x tir.Stmt) map[*tir.Var]bool {
	p := s.part(x)
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	if p.uses != nil {
		return p.uses
	}
	p.uses = map[*tir.Var]bool{}
	seen := ir.NewSeen()
	defer seen.Done()
	ir.Walk(x, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.IntImm, *tir.FloatImm:
			return false
		case *tir.Var:
			if n.DType().IsHandle() {
				p.uses[n] = true
			}
			return false
		case *tir.Buffer:
			p.uses[n.Data] = true
		case *tir.BufferLoad:
			p.uses[n.Buffer.Data] = true
		case *tir.BufferStore:
			p.uses[n.Buffer.Data] = true
		case *tir.BufferRegion:
			p.uses[n.Buffer.Data] = true
		}
		_, expr := n.(tir.Expr)
		return !expr || seen.First(n)
	})
	return p.uses
}

// untouched returns the statements of the sequence that is the body of a scope in which nothing uses a pointer.
func (s *State) untouched(scope *tir.Block, data *tir.Var) map[tir.Stmt]bool {
	q, ok := scope.Body.(*tir.SeqStmt)
	if !ok {
		return nil
	}
	out := make(map[tir.Stmt]bool, len(q.Seq))
	for _, x := range q.Seq {
		if !s.uses(x)[data] {
			out[x] = true
		}
	}
	return out
}
