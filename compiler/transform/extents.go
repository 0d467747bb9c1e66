package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// extents gives the extents of a function's arguments names of its own: where the caller
// passes a tensor of ((n-1)//2+1) columns, the function has a variable for that number, which
// it reads off the tensor. So it needs no n, and says nothing of where the number comes from:
// functions for different stages of a network are the same, and can be fused.
type extents struct {
	known  []extent
	vars   map[*tir.Var]*tir.Var // plain ones of the caller
	prover *relax.InferContext
}

type extent struct {
	e tir.Expr // of the caller
	v *tir.Var // of the function
}

// add gives the extents of an argument variables, where they are no constants.
func (x *extents) add(dims []tir.Expr) {
	for _, d := range dims {
		switch d := d.(type) {
		case *tir.IntImm:
		case *tir.Var:
			x.variable(d)
		default:
			if x.find(d) == nil {
				x.known = append(x.known, extent{d, tir.NewVar(fmt.Sprintf("d%d", len(x.known)), d.DType())})
			}
		}
	}
}

// variable is what the function calls a variable of the caller.
func (x *extents) variable(v *tir.Var) *tir.Var {
	if x.vars == nil {
		x.vars = map[*tir.Var]*tir.Var{}
	}
	if x.vars[v] == nil {
		x.vars[v] = &tir.Var{Name: v.Name, Type: v.Type, Size: v.Size}
	}
	return x.vars[v]
}

// find returns the variable for an extent that is certainly e, nil if there is none.
func (x *extents) find(e tir.Expr) *tir.Var {
	if v := x.same(e); v != nil || len(x.known) == 0 || !e.DType().IsInt() {
		return v
	}
	if x.prover == nil {
		x.prover = &relax.InferContext{Prover: arith.NewAnalyzer()}
	}
	for _, k := range x.known {
		if x.prover.Equal(k.e, e) == relax.True {
			return k.v
		}
	}
	return nil
}

// same is find without proofs.
func (x *extents) same(e tir.Expr) *tir.Var {
	for _, k := range x.known {
		if ir.StructuralEqual(k.e, e, ir.EqualOpts{}) {
			return k.v
		}
	}
	return nil
}

// expr writes an expression of the caller in variables of the function: extents of arguments
// by theirs, and the rest by those of their names.
func (x *extents) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.IntImm:
		return e
	case *tir.Var:
		return x.variable(e)
	}
	if v := x.find(e); v != nil {
		return v
	}
	m := tir.Mapper{}
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok {
			return x.variable(v)
		}
		if v := x.same(e); v != nil {
			return v
		}
		return m.MapExpr(e)
	})
	return m.Expr(e)
}

// info adds the extents of an argument of struct info s and returns what the function calls it.
func (x *extents) info(s relax.StructInfo) relax.StructInfo {
	t, ok := s.(*relax.TensorStructInfo)
	if !ok {
		return s
	}
	dims, ok := t.Dims()
	if !ok {
		return s
	}
	x.add(dims)
	out := *t
	values := make([]tir.Expr, len(dims))
	for i, d := range dims {
		values[i] = x.expr(d)
	}
	out.Shape = &relax.ShapeExpr{Values: values}
	return &out
}
