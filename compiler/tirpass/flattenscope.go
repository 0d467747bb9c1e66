package tirpass

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// boolStorage returns the type of memory that holds booleans d: bytes.
func boolStorage(d dtype.DType) dtype.DType { return dtype.Int8T.LikeVector(d) }

// inIter rewrites s, in which v takes the values of r.
func (fl *flattener) inIter(v *tir.Var, r *tir.Range, s tir.Stmt) tir.Stmt {
	fl.an.BindRange(v, r)
	outer := fl.iters[v]
	fl.iters[v] = r
	out := fl.m.MapStmt(s)
	if delete(fl.iters, v); outer != nil {
		fl.iters[v] = outer
	}
	return out
}

// branch rewrites s; its first side knows that the condition holds.
func (fl *flattener) branch(s *tir.IfThenElse) tir.Stmt {
	outer := fl.where
	cond := fl.expr(s.Cond)
	if arith.SideEffect(s.Cond) == tir.Pure {
		fl.where = tir.And(outer, s.Cond)
	}
	then := fl.stmt(s.Then)
	fl.where = outer
	els := s.Else
	if els != nil {
		els = fl.stmt(els)
	}
	if cond == s.Cond && then == s.Then && els == s.Else {
		return s
	}
	return &tir.IfThenElse{Base: s.Base, Cond: cond, Then: then, Else: els}
}

// allocBytes returns an allocation of booleans as one of bytes.
func (fl *flattener) allocBytes(s *tir.Allocate) *tir.Allocate {
	v := *s.Var
	if p, ok := v.Type.(*ir.PointerType); ok {
		v.Type = &ir.PointerType{Elem: &ir.PrimType{DType: boolStorage(s.Type)}, Scope: p.Scope}
	}
	fl.bytes[s.Var] = &v
	out := *s
	out.Var, out.Type = &v, boolStorage(s.Type)
	return &out
}

// flatExtents returns the extents of an allocation in flat memory: those of the buffer that is declared behind it, which may have several physical
// dimensions, or their product.
func (fl *flattener) flatExtents(s *tir.Allocate, extents []tir.Expr) []tir.Expr {
	if d, ok := s.Body.(*tir.DeclBuffer); ok && len(d.Buffer.AxisSeparators) > 0 {
		b := d.Buffer
		if b.Data == s.Var && (b.DType == s.Type || boolStorage(b.DType) == s.Type) && slices.EqualFunc(b.Shape, s.Extents, tir.Equal) {
			return fl.buffer(b).Shape
		}
		if fl.err == nil {
			fl.err = fmt.Errorf("DeclBuffer node doesn't match Allocate extents, but also shouldn't be flattened to 1-d physical memory: "+
				"buffer %s has axis separators, so the allocation of %s needs its type and shape", b.Name, s.Var.Name)
		}
	}
	size := tir.Expr(tir.Int32(1))
	for i, e := range extents {
		if i == 0 {
			size = e
		} else {
			size = tir.Mul(size, e)
		}
	}
	return []tir.Expr{size}
}
