package tir

import "sync"

// SubstExpr replaces the free uses of variables in e.
func SubstExpr(e Expr, sub map[*Var]Expr) Expr {
	switch x := e.(type) {
	case *IntImm, *FloatImm, nil:
		return e
	case *Var:
		if to, ok := sub[x]; ok {
			return to
		}
		return e
	}
	if len(sub) == 0 {
		return e
	}
	s := substituters.Get().(*substituter)
	s.sub = sub
	out := s.expr(e)
	s.release()
	return out
}

// SubstStmt replaces the free uses of variables in s, also in the shapes, strides, offsets
// and data pointers of buffers that s defines or uses: a buffer that changes is replaced
// everywhere by one and the same new buffer.
func SubstStmt(s Stmt, sub map[*Var]Expr) Stmt {
	if len(sub) == 0 {
		return s
	}
	x := substituters.Get().(*substituter)
	x.sub = sub
	out := x.m.MapStmt(s)
	x.release()
	return out
}

// substituter replaces variables. One is kept for the next substitution: there are several for each statement of a function, most of them
// of a few nodes.
type substituter struct {
	m       Mapper
	sub     map[*Var]Expr
	done    table // what became of expressions
	whole   func(Expr) Expr
	buffers map[*Buffer]*Buffer
}

var substituters = sync.Pool{New: func() any {
	s := &substituter{}
	s.whole = s.m.MapExpr
	s.m = Mapper{Expr: s.expr, Stmt: s.m.MapStmt, Buffer: s.buffer}
	return s
}}

// release keeps s for the next substitution, unless it has grown large. That of a mapper that panicked is not kept.
func (s *substituter) release() {
	if s.done.Len() > maxKept || len(s.buffers) > maxKept {
		return
	}
	s.sub = nil
	s.done.Clear()
	clear(s.buffers)
	substituters.Put(s)
}

func (s *substituter) expr(e Expr) Expr {
	if v, ok := e.(*Var); ok {
		if x, ok := s.sub[v]; ok {
			return x
		}
		return e
	}
	return memoized(&s.done, s.whole, e)
}

func (s *substituter) buffer(b *Buffer) *Buffer {
	if out, ok := s.buffers[b]; ok {
		return out
	}
	out := b.MapExprs(func(e Expr) Expr {
		if e == Expr(b.Data) {
			// A data pointer becomes another pointer or stays.
			if v, ok := s.sub[b.Data].(*Var); ok {
				return v
			}
			return e
		}
		return s.expr(e)
	})
	if s.buffers == nil {
		s.buffers = map[*Buffer]*Buffer{}
	}
	s.buffers[b] = out
	return out
}
