package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// try vectorizes s and sets v.scalar if that is impossible.
func (v *vectorizer) try(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.SeqStmt:
		out := make([]tir.Stmt, len(s.Seq))
		for i, x := range s.Seq {
			out[i] = v.stmt(x)
		}
		return tir.Seq(out...)
	case *tir.BufferStore:
		return v.store(s)
	case *tir.For:
		return v.forLoop(s)
	case *tir.IfThenElse:
		cond := v.expr(s.Cond)
		if v.predicates && !v.scalar && cond.DType().Lanes > 1 && s.Else == nil {
			if out := predicated(cond, v.stmt(s.Then)); out != nil {
				v.ctx.Rewrite("make a condition a predicate", s, out)
				return out
			}
		}
		if v.someLanes && !v.scalar && constantLanes(cond) && s.Else == nil {
			if out := v.onLanes(cond, v.stmt(s.Then)); out != nil {
				v.ctx.Rewrite("make a condition a predicate", s, out)
				return out
			}
		}
		if v.scalar || cond.DType().Lanes > 1 {
			v.because("the condition differs between the lanes")
			return v.serial(s)
		}
		c := *s
		c.Cond, c.Then = cond, v.stmt(s.Then)
		if s.Else != nil {
			c.Else = v.stmt(s.Else)
		}
		return &c
	case *tir.LetStmt:
		val := v.expr(s.Value)
		if v.scalar {
			return v.serial(s)
		}
		return v.letStmt(s, val)
	case *tir.Allocate:
		return v.allocate(s)
	case *tir.DeclBuffer:
		c := *s
		if va := v.vecBufs[s.Buffer.Data]; va != nil {
			c.Buffer = va.buffer(s.Buffer, v.lanes)
		}
		c.Body = v.stmt(s.Body)
		return &c
	case *tir.AttrStmt:
		val := v.expr(s.Value)
		if v.scalar || val.DType().Lanes > 1 {
			v.because("the value of an attribute differs between the lanes")
			return v.serial(s)
		}
		return s.WithValue(val).WithBody(v.stmt(s.Body))
	case *tir.Evaluate:
		if !v.depends(s) {
			return s
		}
		if _, ok := tir.IsCallTo(s.Value, tir.OpTextureStore); ok {
			if value := v.expr(s.Value); !v.scalar {
				return s.WithValue(value)
			}
		}
	}
	if !v.depends(s) {
		return s
	}
	return v.serial(s)
}

// because notes why something cannot be a vector, unless an expression in it said so.
func (v *vectorizer) because(why string) {
	if v.why == "" {
		v.why = why
	}
}

func (v *vectorizer) depends(n ir.Node) bool {
	return ir.Any(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			return n == v.loop || v.lets[n] != nil || v.vecBufs[n] != nil
		case *tir.Buffer:
			return v.vecBufs[n.Data] != nil
		}
		return false
	})
}

// letStmt binds the vector val, or the scalar that does not depend on the loop.
func (v *vectorizer) letStmt(s *tir.LetStmt, val tir.Expr) tir.Stmt {
	if val.DType() == s.Var.DType() {
		return s.WithValue(val).WithBody(v.stmt(s.Body))
	}
	nv := tir.NewVar(s.Var.Name, val.DType())
	v.lets[s.Var] = nv
	outer := v.escaped
	v.escaped = false
	v.inLet++
	body := v.stmt(s.Body)
	v.inLet--
	lost := v.escaped
	v.escaped = outer
	if lost {
		delete(v.lets, s.Var)
		return v.serial(s)
	}
	return &tir.LetStmt{Base: s.Base, Var: nv, Value: val, Body: body}
}

func (v *vectorizer) forLoop(s *tir.For) tir.Stmt {
	lo, extent := v.expr(s.Min), v.expr(s.Extent)
	if v.scalar || lo.DType().Lanes > 1 || extent.DType().Lanes > 1 {
		v.because("the bounds of an inner loop differ between the lanes")
		return v.serial(s)
	}
	c := *s
	c.Min, c.Extent, c.Body = lo, extent, v.stmt(s.Body)
	return &c
}

func (v *vectorizer) store(s *tir.BufferStore) tir.Stmt {
	if !v.depends(s) {
		return s
	}
	buf, idx := v.access(s.Buffer, s.Indices)
	val := v.expr(s.Value)
	var pred tir.Expr
	if s.Predicate != nil {
		pred = v.expr(s.Predicate)
	}
	if v.scalar {
		return s
	}
	lanes := int(buf.DType.Lanes)
	if n := len(idx); n > 0 {
		lanes *= int(idx[n-1].DType().Lanes)
	}
	if lanes < int(val.DType().Lanes) {
		// All lanes write one element: they run in order and the last one stays.
		v.refuse("all lanes write one element")
		return s
	}
	val = widen(val, lanes)
	if pred != nil {
		pred = widen(pred, lanes)
	}
	return &tir.BufferStore{Base: s.Base, Buffer: buf, Value: val, Indices: idx, Predicate: pred}
}
