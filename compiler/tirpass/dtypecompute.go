package tirpass

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ruleWiden is what the passes report.
const ruleWiden = "compute in a wider type"

// computeLegalizer moves computation to a wider type. What it returns for an expression of a narrow type may be of the
// wide one; wide converts it where it is not.
type computeLegalizer struct {
	c       *pass.Context
	m       tir.Mapper
	match   func(dtype.DType) bool
	to      dtype.DType
	opaque  map[*tir.Var]bool     // memory of which a bare address is used
	planned bool                  // opaque is known
	vars    map[*tir.Var]*tir.Var // of which the type changed
	buffers map[*tir.Buffer]*tir.Buffer
	err     error
}

func newComputeLegalizer(c *pass.Context, match func(dtype.DType) bool, to dtype.DType) *computeLegalizer {
	l := &computeLegalizer{c: c, match: match, to: to, vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}}
	l.m.Stmt, l.m.Expr, l.m.Buffer = l.stmt, l.expr, l.buffer
	return l
}

// fail notes the first error.
func (l *computeLegalizer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// wide converts a value of the narrow type, and keeps others.
func (l *computeLegalizer) wide(e tir.Expr) tir.Expr {
	d := e.DType()
	if !l.match(d) {
		return e
	}
	if _, ok := formOf(d); !ok {
		l.fail("values of type %s cannot be legalized: their format has no rule", d)
		return e
	}
	if cast, ok := e.(*tir.Cast); ok && cast.Value.DType() == l.to.LikeVector(d) {
		return cast.Value
	}
	return convertFloat(e, l.to)
}

// value is expr, converted to the wide type.
func (l *computeLegalizer) value(e tir.Expr) tir.Expr { return l.wide(l.expr(e)) }

// remap gives memory of the narrow type that has a constant size, and of which all accesses are known, the wide type.
func (l *computeLegalizer) remap(s *tir.Allocate) {
	size := int64(1)
	for _, e := range s.Extents {
		n, ok := tir.AsInt(e)
		if !ok || n <= 0 {
			return
		}
		size *= n
	}
	if !l.match(s.Type) || l.opaque[s.Var] {
		return
	}
	l.vars[s.Var] = pointerOf(s.Var, l.to.LikeVector(s.Type))
}

// pointerOf returns a variable as v that points at elements of another type, in the same scope.
func pointerOf(v *tir.Var, d dtype.DType) *tir.Var {
	scope := ""
	if p, ok := v.Type.(*ir.PointerType); ok {
		scope = p.Scope
	}
	out := *v
	out.Type = &ir.PointerType{Elem: &ir.PrimType{DType: d}, Scope: scope}
	return &out
}

// buffer is what becomes of a buffer where it is defined or used.
func (l *computeLegalizer) buffer(b *tir.Buffer) *tir.Buffer {
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
	if l.vars[b.Data] != nil && l.match(b.DType) {
		again := *out
		again.DType = l.to.LikeVector(b.DType)
		out = &again
	}
	l.buffers[b] = out
	return out
}

func (l *computeLegalizer) stmt(s tir.Stmt) tir.Stmt {
	if !l.planned {
		l.planned, l.opaque = true, bareAddresses(s, l.match)
	}
	if l.err != nil {
		return s
	}
	switch s := s.(type) {
	case *tir.Allocate:
		l.remap(s)
		out := l.m.MapStmt(s).(*tir.Allocate)
		if v := l.vars[s.Var]; v != nil {
			out = out.WithVar(v).WithType(l.to.LikeVector(s.Type))
		}
		return out
	case *tir.LetStmt:
		value := l.value(s.Value)
		v := l.defined(s.Var, value)
		return s.WithVar(v).WithValue(value).WithBody(l.stmt(s.Body))
	case *tir.BufferStore:
		out := l.store(s)
		l.c.Rewrite(ruleWiden, s, out)
		return out
	case *tir.AttrStmt:
		if red, ok := s.Node.(*tir.CommReducer); ok {
			node := l.reducer(red)
			value := l.expr(s.Value)
			return s.WithNode(node).WithValue(value).WithBody(l.stmt(s.Body))
		}
	case *tir.Evaluate:
		out := s.WithValue(l.expr(s.Value))
		l.c.Rewrite(ruleWiden, s, out)
		return out
	}
	return l.m.MapStmt(s)
}

// defined returns the variable that holds value in place of v.
func (l *computeLegalizer) defined(v *tir.Var, value tir.Expr) *tir.Var {
	if !l.match(v.DType()) || value.DType() == v.DType() {
		return v
	}
	out := *v
	out.Type = &ir.PrimType{DType: value.DType()}
	l.vars[v] = &out
	return &out
}

func (l *computeLegalizer) reducer(r *tir.CommReducer) *tir.CommReducer {
	out := *r
	out.Identity = ir.MapSame(r.Identity, l.value)
	side := func(vars []*tir.Var) []*tir.Var {
		i := -1
		return ir.MapSame(vars, func(v *tir.Var) *tir.Var { i++; return l.defined(v, out.Identity[i]) })
	}
	out.LHS, out.RHS = side(r.LHS), side(r.RHS)
	out.Result = ir.MapSame(r.Result, l.value)
	for i, e := range out.Identity {
		if e != r.Identity[i] {
			return &out
		}
	}
	return r
}

func (l *computeLegalizer) store(s *tir.BufferStore) tir.Stmt {
	value := l.expr(s.Value)
	indices := ir.MapSame(s.Indices, l.expr)
	b := l.buffer(s.Buffer)
	out := s.WithBuffer(b).WithIndices(indices)
	if s.Predicate != nil {
		out = out.WithPredicate(l.expr(s.Predicate))
	}
	if (l.match(s.Buffer.DType) || l.match(value.DType())) && (b != s.Buffer || value != s.Value) && s.Predicate != nil {
		l.fail("the store to %s has a predicate, which legalizing its type does not keep: legalize it before vectors have predicates", s.Buffer.Name)
		return s
	}
	switch {
	case l.match(b.DType) && !l.match(value.DType()):
		value = convertFloat(value, b.DType.Elem())
	case !l.match(b.DType) && l.match(value.DType()):
		value = l.wide(value)
	}
	return out.WithValue(value)
}

func (l *computeLegalizer) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if v := l.vars[e]; v != nil {
			return v
		}
		return e
	case *tir.FloatImm:
		if l.match(e.Type) {
			return &tir.FloatImm{Base: e.Base, Type: l.to, Value: e.Value}
		}
		return e
	case *tir.Cast:
		value := l.value(e.Value)
		if l.match(e.Type) {
			return tir.CastTo(l.to.LikeVector(e.Type), value)
		}
		if value == e.Value {
			return e
		}
		return tir.CastTo(e.Type, value)
	case *tir.Binary:
		a, b := l.value(e.A), l.value(e.B)
		if a == e.A && b == e.B {
			return e
		}
		return tir.BinaryExpr(e.Op, a, b)
	case *tir.Select:
		return e.WithCond(l.expr(e.Cond)).WithTrue(l.value(e.True)).WithFalse(l.value(e.False))
	case *tir.Broadcast:
		return e.WithValue(l.value(e.Value))
	case *tir.Shuffle:
		return e.WithVectors(ir.MapSame(e.Vectors, l.value))
	case *tir.Let:
		value := l.value(e.Value)
		v := l.defined(e.Var, value)
		return e.WithVar(v).WithValue(value).WithBody(l.expr(e.Body))
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpReinterpret); ok {
			return l.m.MapExpr(e) // of bits
		}
		out := e.WithArgs(ir.MapSame(e.Args, l.value))
		if l.match(e.Type) {
			out = out.WithType(l.to.LikeVector(e.Type))
		}
		return out
	case *tir.BufferLoad:
		out := l.m.MapExpr(e).(*tir.BufferLoad)
		if out.Buffer.DType != e.Buffer.DType && e.Predicate != nil {
			l.fail("the load of %s has a predicate, which legalizing its type does not keep: legalize it before vectors have predicates", e.Buffer.Name)
		}
		return out
	}
	return l.m.MapExpr(e)
}

// bareAddresses returns the variables whose addresses s hands on, other than in accesses of buffers, or that buffers of
// other types than those that match stand for.
func bareAddresses(s tir.Stmt, match func(dtype.DType) bool) map[*tir.Var]bool {
	out := map[*tir.Var]bool{}
	m := &tir.Mapper{}
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if !match(b.DType) {
			out[b.Data] = true
		}
		return b
	}
	m.Expr = func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok && v.DType().IsHandle() {
			out[v] = true
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		if a, ok := s.(*tir.AttrStmt); ok {
			m.Expr(a.Value)
			m.Stmt(a.Body)
			return s
		}
		return m.MapStmt(s)
	}
	m.Stmt(s)
	return out
}
