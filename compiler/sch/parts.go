package sch

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// partFacts says what stands in a statement of a sequence. A primitive changes few of the statements of a function; of the others, which are the
// same nodes as before, this is known, so that a primitive need not look into them.
type partFacts struct {
	uses  map[*tir.Var]bool // pointers, by name or through buffers
	views []*tir.Buffer     // declared over memory, in order
	// allocs are the buffers that blocks allocate.
	allocs []*tir.Buffer
}

// part returns what stands in x.
func (s *State) part(x tir.Stmt) *partFacts {
	s.facts.mu.Lock()
	p := s.facts.parts[x]
	s.facts.mu.Unlock()
	if p != nil {
		return p
	}
	p = &partFacts{uses: map[*tir.Var]bool{}}
	var seen ir.Memo[tir.Expr, bool]
	ir.Walk(x, func(n ir.Node) bool {
		if e, ok := n.(tir.Expr); ok {
			if met, _ := seen.Get(e); met {
				return false
			}
			seen.Put(e, true)
		}
		switch n := n.(type) {
		case *tir.Var:
			if n.DType().IsHandle() {
				p.uses[n] = true
			}
		case *tir.Buffer:
			p.uses[n.Data] = true
		case *tir.BufferLoad:
			p.uses[n.Buffer.Data] = true
		case *tir.BufferStore:
			p.uses[n.Buffer.Data] = true
		case *tir.BufferRegion:
			p.uses[n.Buffer.Data] = true
		case *tir.DeclBuffer:
			p.views = append(p.views, n.Buffer)
		case *tir.Block:
			p.allocs = append(p.allocs, n.AllocBuffers...)
		}
		return true
	})
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	if s.facts.parts == nil || len(s.facts.parts) >= maxFacts {
		s.facts.parts = map[tir.Stmt]*partFacts{}
	}
	s.facts.parts[x] = p
	return p
}

// untouched returns the statements of the sequence that is the body of a scope in which nothing uses a pointer.
func (s *State) untouched(scope *tir.Block, data *tir.Var) map[tir.Stmt]bool {
	q, ok := scope.Body.(*tir.SeqStmt)
	if !ok {
		return nil
	}
	out := make(map[tir.Stmt]bool, len(q.Seq))
	for _, x := range q.Seq {
		if !s.part(x).uses[data] {
			out[x] = true
		}
	}
	return out
}
