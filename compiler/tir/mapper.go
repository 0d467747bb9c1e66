package tir

import (
	"sync"

	"github.com/irscope/irscope/compiler/ir"
)

// Mapper says how to map the children of a node. A nil function keeps what it is about.
//
// A rewrite is a pair of functions that call each other through a Mapper:
//
//	m := &tir.Mapper{}
//	m.Expr = func(e tir.Expr) tir.Expr { ... return m.MapExpr(e) }
//	m.Stmt = func(s tir.Stmt) tir.Stmt { ... return m.MapStmt(s) }
//
// MapExpr and MapStmt copy a node only if a child changed. They do not memoize: a rewrite
// without scope whose input shares nodes keeps a memo by pointer itself, see Memo.
type Mapper struct {
	Expr   func(Expr) Expr
	Stmt   func(Stmt) Stmt
	Buffer func(*Buffer) *Buffer // definitions and uses of buffers
	Var    func(*Var) *Var       // definitions of variables (uses go through Expr)
}

// MapExpr returns e with its direct children mapped; e itself if none changed.
func (m *Mapper) MapExpr(e Expr) Expr { return e.mapChildren(m) }

// MapStmt returns s with its direct children mapped; s itself if none changed.
func (m *Mapper) MapStmt(s Stmt) Stmt {
	out := s.mapChildren(m)
	if q, ok := out.(*SeqStmt); ok && out != s {
		return q.spliced()
	}
	return out
}

// spliced returns the sequence with the statements of sequences in it in their place.
func (n *SeqStmt) spliced() *SeqStmt {
	nested := false
	for _, s := range n.Seq {
		if _, ok := s.(*SeqStmt); ok {
			nested = true
		}
	}
	if !nested {
		return n
	}
	out := &SeqStmt{Base: n.Base}
	for _, s := range n.Seq {
		if q, ok := s.(*SeqStmt); ok {
			out.Seq = append(out.Seq, q.spliced().Seq...)
		} else {
			out.Seq = append(out.Seq, s)
		}
	}
	return out
}

// MapFunc returns f with its parameters, buffers and body mapped; f itself where nothing changed.
func (m *Mapper) MapFunc(f *PrimFunc) *PrimFunc { return f.mapChildren(m) }

func (m *Mapper) expr(e Expr) Expr {
	if e == nil || m.Expr == nil {
		return e
	}
	return m.Expr(e)
}

func (m *Mapper) stmt(s Stmt) Stmt {
	if s == nil || m.Stmt == nil {
		return s
	}
	return m.Stmt(s)
}

func (m *Mapper) buffer(b *Buffer) *Buffer {
	if b == nil || m.Buffer == nil {
		return b
	}
	return m.Buffer(b)
}

func (m *Mapper) variable(v *Var) *Var {
	if v == nil || m.Var == nil {
		return v
	}
	return m.Var(v)
}

func (m *Mapper) block(b *Block) *Block {
	if b == nil || m.Stmt == nil {
		return b
	}
	return m.Stmt(b).(*Block)
}

// attrNode maps the node of an AttrStmt, which may be of any kind.
func (m *Mapper) attrNode(n ir.Node) ir.Node {
	switch n := n.(type) {
	case *Buffer:
		return m.buffer(n)
	case *Var:
		// It names a loop or memory, and where the mapped variable is of another type, that variable does.
		out := m.expr(n)
		if c, ok := out.(*Cast); ok {
			if v, ok := c.Value.(*Var); ok {
				return v
			}
		}
		return out
	case Expr:
		return m.expr(n)
	case *IterVar:
		return n.mapChildren(m)
	case *Array:
		return n.mapChildren(m)
	}
	return n
}

// same reports whether xs and ys are one slice, as ir.MapSame returns for no change.
func same[T any](xs, ys []T) bool {
	return len(xs) == len(ys) && (len(xs) == 0 || &xs[0] == &ys[0])
}

// table holds what became of expressions.
type table = ir.Memo[Expr, Expr]

// Memo wraps f so that each node is mapped once: shared nodes stay shared and the cost
// stays linear. It is only for rewrites whose result does not depend on scope.
func Memo(f func(Expr) Expr) func(Expr) Expr {
	done := &table{}
	return func(e Expr) Expr { return memoized(done, f, e) }
}

// MemoFor is Memo with a table that is kept for the next rewrite. The caller calls done behind the last use of memo.
func MemoFor(f func(Expr) Expr) (memo func(Expr) Expr, done func()) {
	t := tables.Get().(*table)
	return func(e Expr) Expr { return memoized(t, f, e) }, func() { release(t) }
}

// memoized returns what f makes of e, which is in done from then on. Constants are not: they are as fast mapped as found.
func memoized(done *table, f func(Expr) Expr, e Expr) Expr {
	switch e.(type) {
	case *IntImm, *FloatImm:
		return f(e)
	}
	if out, ok := done.Get(e); ok {
		return out
	}
	out := f(e)
	done.Put(e, out)
	return out
}

// tables are kept for the next rewrite: one runs for each function of a module, and for many an expression in it.
var tables = sync.Pool{New: func() any { return &table{} }}

// release keeps a table for the next rewrite. A large one would hold on to what it has for too long.
func release(done *table) {
	if done.Len() <= maxKept {
		done.Clear()
		tables.Put(done)
	}
}

// RewriteExpr maps e bottom-up: f sees each node after its children were mapped.
func RewriteExpr(e Expr, f func(Expr) Expr) Expr {
	done := tables.Get().(*table)
	defer release(done)
	m := &Mapper{}
	one := func(e Expr) Expr { return f(m.MapExpr(e)) }
	m.Expr = func(e Expr) Expr { return memoized(done, one, e) }
	return m.Expr(e)
}

// RewriteStmt maps all statements and expressions of s bottom-up. A nil function keeps.
func RewriteStmt(s Stmt, fs func(Stmt) Stmt, fe func(Expr) Expr) Stmt {
	m := &Mapper{}
	if fe != nil {
		done := tables.Get().(*table)
		defer release(done)
		one := func(e Expr) Expr { return fe(m.MapExpr(e)) }
		m.Expr = func(e Expr) Expr { return memoized(done, one, e) }
	}
	m.Stmt = func(s Stmt) Stmt {
		s = m.MapStmt(s)
		if fs != nil {
			s = fs(s)
		}
		return s
	}
	return m.Stmt(s)
}
