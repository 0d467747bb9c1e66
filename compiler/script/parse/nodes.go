package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// nodes hands out the nodes of which a text has most, several from one allocation.
type nodes struct {
	ints    syntax.Slab[tir.IntImm]
	vars    syntax.Slab[tir.Var]
	types   syntax.Slab[ir.PrimType]
	ranges  syntax.Slab[tir.Range]
	regions syntax.Slab[tir.BufferRegion]
	loads   syntax.Slab[tir.BufferLoad]
	lists   syntax.Slab[list]
}

func newNodes() nodes {
	return nodes{
		ints: syntax.Few[tir.IntImm](), vars: syntax.Few[tir.Var](), types: syntax.Few[ir.PrimType](), ranges: syntax.Few[tir.Range](),
		regions: syntax.Few[tir.BufferRegion](), loads: syntax.Few[tir.BufferLoad](), lists: syntax.Few[list](),
	}
}

// newOf returns v in memory of s.
func newOf[T any](s *syntax.Slab[T], v T) *T {
	p := s.Take()
	*p = v
	return p
}

// small is tir.Const of a number that each integer and float has.
func (s *nodes) small(d dtype.DType, v int64) tir.Expr {
	if d.IsFloat() || d.Lanes != 1 || d.Scalable || d.Bits == 1 {
		return tir.Const(d, v)
	}
	return newOf(&s.ints, tir.IntImm{Type: d, Value: v})
}

// variable returns a variable of type d.
func (s *nodes) variable(base ir.Base, name string, d dtype.DType, size bool) *tir.Var {
	return newOf(&s.vars, tir.Var{Base: base, Name: name, Type: newOf(&s.types, ir.PrimType{DType: d}), Size: size})
}
