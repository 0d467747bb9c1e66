package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ruleAsBits is what the passes report.
const ruleAsBits = "store a number as its bits"

// storageLegalizer makes memory of a type one of unsigned integers.
type storageLegalizer struct {
	c       *pass.Context
	m       tir.Mapper
	match   func(dtype.DType) bool
	what    string
	vars    map[*tir.Var]*tir.Var // pointers
	buffers map[*tir.Buffer]*tir.Buffer
	err     error
}

func (l *storageLegalizer) function(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	l.m.Stmt, l.m.Expr, l.m.Buffer = l.stmt, l.expr, l.buffer
	params := ir.MapSame(f.Params, l.pointer)
	for i, p := range params {
		if p != f.Params[i] {
			l.c.Rewrite(ruleAsBits, f.Params[i], p)
		}
		if l.match(p.DType()) {
			return nil, fmt.Errorf("parameter %s is of type %s: run tir.MakePackedAPI first", p.Name, p.DType())
		}
	}
	out := f.WithParams(params).WithBody(l.stmt(f.Body))
	return out, l.err
}

// pointer returns what becomes of a variable where it is defined.
func (l *storageLegalizer) pointer(v *tir.Var) *tir.Var {
	elem, ok := pointee(v)
	if !ok || !l.match(elem) {
		return v
	}
	out := pointerOf(v, storageOf(elem))
	l.vars[v] = out
	return out
}

func (l *storageLegalizer) buffer(b *tir.Buffer) *tir.Buffer {
	if out, ok := l.buffers[b]; ok {
		return out
	}
	out := b.MapExprs(func(e tir.Expr) tir.Expr {
		if e == tir.Expr(b.Data) {
			if v := l.vars[b.Data]; v != nil {
				return v
			}
			return e
		}
		return l.expr(e)
	})
	if l.match(b.DType) {
		again := *out
		again.DType = storageOf(b.DType)
		out = &again
	}
	l.buffers[b] = out
	return out
}

func (l *storageLegalizer) stmt(s tir.Stmt) tir.Stmt {
	if l.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.Allocate:
		v := l.pointer(s.Var)
		out := l.m.MapStmt(s).(*tir.Allocate).WithVar(v)
		if l.match(s.Type) {
			out = out.WithType(storageOf(s.Type))
		}
		return out
	case *tir.LetStmt:
		value := l.expr(s.Value)
		return s.WithVar(l.pointer(s.Var)).WithValue(value).WithBody(l.stmt(s.Body))
	case *tir.BufferRealize:
		l.err = fmt.Errorf("buffer %s is realized: expected a lowered function, with allocations", s.Buffer.Name)
		return s
	case *tir.BufferStore:
		out := s.WithBuffer(l.buffer(s.Buffer)).WithValue(l.moved(s.Value)).WithIndices(ir.MapSame(s.Indices, l.expr))
		if s.Predicate != nil {
			out = out.WithPredicate(l.expr(s.Predicate))
		}
		if out != s && s.Predicate != nil && l.match(s.Buffer.DType) {
			l.err = fmt.Errorf("the store to %s has a predicate, which legalizing its type does not keep", s.Buffer.Name)
		}
		l.c.Rewrite(ruleAsBits, s, out)
		return out
	case *tir.Evaluate:
		out := l.m.MapStmt(s)
		l.c.Rewrite(ruleAsBits, s, out)
		return out
	}
	return l.m.MapStmt(s)
}

func (l *storageLegalizer) expr(e tir.Expr) tir.Expr {
	if l.match(e.DType()) {
		l.computed(e)
	}
	return l.bits(e)
}

// computed notes that e, of the type that is to go, is more than loaded and stored.
func (l *storageLegalizer) computed(e tir.Expr) {
	if l.err == nil {
		l.err = fmt.Errorf("a value of type %s is computed: run the pass that computes in a wider type in place of %s first", e.DType(), l.what)
	}
}

// moved is expr for a value that is only stored, or taken for its bits.
func (l *storageLegalizer) moved(e tir.Expr) tir.Expr {
	if let, ok := e.(*tir.Let); ok {
		value := l.expr(let.Value)
		return let.WithVar(l.pointer(let.Var)).WithValue(value).WithBody(l.moved(let.Body))
	}
	_, load := e.(*tir.BufferLoad)
	_, again := tir.IsCallTo(e, tir.OpReinterpret)
	if load || again {
		return l.bits(e)
	}
	return l.expr(e)
}

func (l *storageLegalizer) bits(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if v := l.vars[e]; v != nil {
			return v
		}
		return e
	case *tir.Let:
		value := l.expr(e.Value)
		return e.WithVar(l.pointer(e.Var)).WithValue(value).WithBody(l.expr(e.Body))
	case *tir.BufferLoad:
		out := l.m.MapExpr(e).(*tir.BufferLoad)
		if out != e && e.Predicate != nil && l.match(e.Buffer.DType) && l.err == nil {
			l.err = fmt.Errorf("the load of %s has a predicate, which legalizing its type does not keep", e.Buffer.Name)
		}
		return out
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpReinterpret); ok {
			to := e.Type
			if l.match(to) {
				to = storageOf(to)
			}
			arg := l.moved(e.Args[0])
			if arg.DType() == to {
				return arg
			}
			return e.WithArgs(ir.MapSame(e.Args, func(tir.Expr) tir.Expr { return arg })).WithType(to)
		}
		if _, ok := tir.IsCallTo(e, tir.OpAddressOf); ok {
			return e.WithArgs(ir.MapSame(e.Args, l.moved))
		}
	}
	return l.m.MapExpr(e)
}
