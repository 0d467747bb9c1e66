package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// function returns f with one definition for each of its variables, none of which was defined before.
func (s *ssaConverter) function(f *tir.PrimFunc) *tir.PrimFunc {
	clear(s.threads)
	clear(s.named)
	var undo []func()
	params := ir.MapSame(f.Params, func(v *tir.Var) *tir.Var {
		out, done := s.define(v)
		undo = append(undo, done)
		return out
	})
	for _, b := range f.Buffers {
		if b != nil {
			undo = append(undo, s.implicit(b)...)
		}
	}
	buffers := ir.MapSame(f.Buffers, func(b *tir.Buffer) *tir.Buffer {
		if b == nil {
			return nil
		}
		undo = append(undo, s.declare(b))
		return s.buffer(b)
	})
	attrs := f.Attrs
	for i := range f.Attrs.Len() {
		key, v := f.Attrs.At(i)
		if e, ok := v.(tir.Expr); ok && s.expr(e) != e {
			attrs = attrs.With(key, s.expr(e))
		}
	}
	out := f.WithParams(params).WithBuffers(buffers).WithBody(s.stmt(f.Body)).WithAttrs(attrs)
	endScopes(undo)
	return out
}

// implicit defines the variables that stand alone in a buffer and take their values from it: those that are not in scope.
func (s *ssaConverter) implicit(b *tir.Buffer) (undo []func()) {
	b.EachExpr(func(e tir.Expr) {
		if v, ok := e.(*tir.Var); ok && s.active[v] == 0 {
			_, done := s.define(v)
			undo = append(undo, done)
		}
	})
	return undo
}

func (s *ssaConverter) stmt(x tir.Stmt) tir.Stmt {
	s.b.Spend(1)
	switch x := x.(type) {
	case *tir.LetStmt:
		value := s.expr(x.Value)
		v, done := s.define(x.Var)
		defer done()
		return x.WithVar(v).WithValue(value).WithBody(s.stmt(x.Body))
	case *tir.For:
		return s.loop(x)
	case *tir.Allocate:
		extents, condition := ir.MapSame(x.Extents, s.expr), x.Condition
		if condition != nil {
			condition = s.expr(condition)
		}
		v, done := s.define(x.Var)
		defer done()
		return x.WithVar(v).WithExtents(extents).WithCondition(condition).WithBody(s.stmt(x.Body))
	case *tir.AllocateConst:
		extents := ir.MapSame(x.Extents, s.expr)
		v, done := s.define(x.Var)
		defer done()
		return x.WithVar(v).WithExtents(extents).WithBody(s.stmt(x.Body))
	case *tir.DeclBuffer:
		defer s.declare(x.Buffer)()
	case *tir.BufferRealize:
		if !s.inScope[x.Buffer] { // of a buffer from outside it is an annotation
			_, done := s.define(x.Buffer.Data)
			defer done()
			defer s.declare(x.Buffer)()
		}
	case *tir.Block:
		return s.block(x)
	case *tir.AttrStmt:
		return s.attr(x)
	}
	return s.m.MapStmt(x)
}

func (s *ssaConverter) loop(x *tir.For) tir.Stmt {
	lo, extent, step, thread := s.expr(x.Min), s.expr(x.Extent), x.Step, x.Thread
	if step != nil {
		step = s.expr(step)
	}
	v, done := s.define(x.LoopVar)
	defer done()
	if thread != nil && thread.Var == x.LoopVar {
		thread = thread.WithVar(v)
	}
	return x.WithLoopVar(v).WithMin(lo).WithExtent(extent).WithStep(step).WithThread(thread).WithBody(s.stmt(x.Body))
}

func (s *ssaConverter) block(x *tir.Block) tir.Stmt {
	defer s.axes(x.IterVars)()
	var undo []func()
	for _, b := range x.AllocBuffers {
		_, done := s.define(b.Data)
		undo = append(undo, done, s.declare(b))
	}
	for _, m := range x.MatchBuffers {
		undo = append(undo, s.implicit(m.Buffer)...)
		undo = append(undo, s.declare(m.Buffer))
	}
	out := s.m.MapStmt(x)
	endScopes(undo)
	return out
}

// attr keeps the variables of threads, which all statements of a function that bind one of them share. On a variable that
// is not in scope, an attribute says something of a loop further inside, and follows its variable.
func (s *ssaConverter) attr(x *tir.AttrStmt) tir.Stmt {
	v, _ := x.Node.(*tir.Var)
	iv, ok := x.Node.(*tir.IterVar)
	if ok {
		v = iv.Var
	}
	switch {
	case x.BoundThread() != nil:
		if _, ok := s.threads[v]; !ok && s.active[v] == 0 {
			out := v
			if s.defined[v] {
				again := *v
				out = &again
				s.c.Rewrite("give a thread a variable of its own", v, out)
			}
			s.defined[v], s.threads[v] = true, out
		}
		s.active[v]++
		defer func() { s.active[v]-- }()
	case v != nil && s.active[v] == 0 && s.defined[v] && s.threads[v] == nil && s.named[v] == nil:
		again := *v
		s.named[v] = &again
		defer delete(s.named, v)
	}
	return s.m.MapStmt(x)
}
