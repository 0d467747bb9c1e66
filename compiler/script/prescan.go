package script

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// scan is what one walk over a body finds.
type scan struct {
	declared, seen ir.Memo[*tir.Buffer, bool]
	used           []*tir.Buffer // in order of the first use
	defined        ir.Memo[*tir.Var, bool]
	free           []*tir.Var               // used before anything defines them
	order          ir.Memo[*tir.Var, int]   // of definitions by statements inside of each other
	visited        func(ir.Node) bool       // visit, made once
	behind         map[*tir.Buffer]*tir.Var // what is defined last of that which describes a buffer, where that is not its pointer
	realized       map[*tir.Var]bool        // pointers of buffers that are realized, which attributes around that may be on
}

// prescan finds the buffers that body uses and nothing declares, and returns the variables that it
// uses before anything defines them, until the next call; known are defined before body.
func (p *printer) prescan(body tir.Stmt, known ...*tir.Var) (free []*tir.Var) {
	s := &scan{}
	if p.opts.Scratch != nil {
		s = &p.opts.Scratch.scan
		s.reset()
	}
	if s.visited == nil {
		s.visited = s.visit
	}
	s.define(known)
	if body != nil {
		ir.Walk(body, s.visited)
	}
	s.free = slices.DeleteFunc(s.free, func(v *tir.Var) bool { return s.realized[v] })
	p.undeclared = nil
	for _, b := range s.used {
		if declared, _ := s.declared.Get(b); !declared {
			if p.undeclared == nil {
				p.undeclared = map[*tir.Var][]*tir.Buffer{}
			}
			after := b.Data
			if v := s.behind[b]; v != nil {
				after = v
			}
			p.undeclared[after] = append(p.undeclared[after], b)
		}
	}
	return s.free
}

// reset prepares s for another body.
func (s *scan) reset() {
	s.declared.Clear()
	s.seen.Clear()
	s.defined.Clear()
	s.order.Clear()
	*s = scan{declared: s.declared, seen: s.seen, defined: s.defined, order: s.order, visited: s.visited, used: s.used[:0], free: s.free[:0]}
}

func (s *scan) define(vars []*tir.Var) {
	for _, v := range vars {
		s.known(v)
	}
}

// known notes that v is defined, and reports whether it was before.
func (s *scan) known(v *tir.Var) bool {
	was, _ := s.defined.Get(v)
	if !was {
		s.defined.Put(v, true)
	}
	return was
}

// bind notes that a statement defines v.
func (s *scan) bind(v *tir.Var) {
	s.known(v)
	s.order.Put(v, s.order.Len()+1)
}

// place finds behind which definition b can be declared.
func (s *scan) place(b *tir.Buffer) {
	if plainLayout(b) {
		return
	}
	last := b.Data
	at, _ := s.order.Get(last)
	walkParts(b, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok {
			if i, _ := s.order.Get(v); i > at {
				last, at = v, i
			}
		}
		return true
	})
	if last != b.Data {
		if s.behind == nil {
			s.behind = map[*tir.Buffer]*tir.Var{}
		}
		s.behind[b] = last
	}
}

// own notes that b is declared with its memory.
func (s *scan) own(b *tir.Buffer) {
	s.declared.Put(b, true)
	s.known(b.Data)
}

func (s *scan) iters(list []*tir.IterVar) {
	for _, iv := range list {
		s.known(iv.Var)
	}
}

func (s *scan) visit(n ir.Node) bool {
	switch n := n.(type) {
	case *tir.Var:
		if !s.known(n) {
			s.free = append(s.free, n)
		}
	case *tir.Buffer:
		if seen, _ := s.seen.Get(n); !seen {
			s.seen.Put(n, true)
			s.used = append(s.used, n)
			walkParts(n, s.visited)
			s.place(n)
		}
	case *tir.Block:
		for _, b := range n.AllocBuffers {
			s.own(b)
		}
		s.iters(n.IterVars)
		for _, m := range n.MatchBuffers {
			m.Buffer.EachExpr(func(e tir.Expr) {
				if v, ok := e.(*tir.Var); ok {
					s.known(v)
				}
			})
		}
	case *tir.MatchBufferRegion:
		s.declared.Put(n.Buffer, true)
	case *tir.DeclBuffer:
		s.declared.Put(n.Buffer, true)
	case *tir.BufferRealize:
		s.own(n.Buffer)
		if s.realized == nil {
			s.realized = map[*tir.Var]bool{}
		}
		s.realized[n.Buffer.Data] = true
	case *tir.For:
		s.known(n.LoopVar)
		if n.Thread != nil {
			s.known(n.Thread.Var)
		}
	case *tir.LetStmt:
		s.bind(n.Var)
	case *tir.Let:
		s.known(n.Var)
	case *tir.Allocate:
		s.bind(n.Var)
	case *tir.AllocateConst:
		s.bind(n.Var)
	case *tir.AttrStmt:
		if iv, ok := n.Node.(*tir.IterVar); ok {
			s.known(iv.Var)
		}
	case *tir.CommReducer:
		s.define(n.LHS)
		s.define(n.RHS)
	case *tir.Reduce:
		s.iters(n.Axis)
	case *tir.IndexMap:
		s.define(n.Initial)
	}
	return true
}

// signatureVars returns what the signature of f defines.
func signatureVars(f *tir.PrimFunc) []*tir.Var {
	out := append(make([]*tir.Var, 0, len(f.Params)+len(f.Buffers)), f.Params...)
	for _, b := range f.Buffers {
		switch {
		case b == nil:
		case plainLayout(b):
			out = append(out, b.Data)
		default:
			walkParts(b, func(n ir.Node) bool {
				if v, ok := n.(*tir.Var); ok {
					out = append(out, v)
				}
				return true
			})
		}
	}
	return out
}

// walkParts walks what describes b, but for numbers: extents, strides, offset and pointer.
func walkParts(b *tir.Buffer, visit func(ir.Node) bool) {
	b.EachExpr(func(e tir.Expr) {
		if v, ok := e.(*tir.Var); ok {
			visit(v)
		} else if _, ok := e.(*tir.IntImm); !ok {
			ir.Walk(e, visit)
		}
	})
}
