package relax

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// ShapeValues returns the extents that a shape expression or a variable of known shape
// stands for.
func (c *InferContext) ShapeValues(shape Expr) ([]tir.Expr, bool) {
	switch s := shape.(type) {
	case *ShapeExpr:
		return s.Values, true
	case *Var:
		if info, ok := s.SInfo.(*ShapeStructInfo); ok && info.Values != nil {
			return info.Values, true
		}
	}
	return nil, false
}

// Subst says what symbolic and graph-level variables are replaced by.
type Subst struct {
	Prims map[*tir.Var]tir.Expr
	Vars  map[*Var]Expr
}

// Prim replaces variables in e and folds constants.
func (s Subst) Prim(e tir.Expr) tir.Expr {
	if e == nil || len(s.Prims) == 0 {
		return e
	}
	if v, ok := e.(*tir.Var); ok {
		if x, ok := s.Prims[v]; ok {
			return x
		}
		return e
	}
	out := tir.SubstExpr(e, s.Prims)
	if out == e {
		return e
	}
	return tir.RewriteExpr(out, func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok {
			return tir.BinaryExpr(b.Op, b.A, b.B)
		}
		return e
	})
}

// SInfo replaces variables in struct info; x itself if nothing changed. The variables that
// function signatures in x define must not be among the keys.
func (s Subst) SInfo(x StructInfo) StructInfo {
	if len(s.Prims)+len(s.Vars) == 0 || x == nil {
		return x
	}
	m := &Mapper{Prim: s.Prim}
	m.SInfo = func(x StructInfo) StructInfo { return m.MapSInfo(x) }
	m.Expr = func(e Expr) Expr {
		if v, ok := e.(*Var); ok {
			if to, ok := s.Vars[v]; ok {
				return to
			}
			return e
		}
		return m.MapExpr(e)
	}
	return m.SInfo(x)
}

// EraseToWellDefined returns what remains known of s where only some variables may be used:
// extents, shapes and values that use others are forgotten. A nil function accepts none.
func EraseToWellDefined(s StructInfo, sym func(*tir.Var) bool, variable func(*Var) bool) StructInfo {
	fine := func(es ...tir.Expr) bool {
		for _, e := range es {
			for _, v := range VarsOf(e) {
				if sym == nil || !sym(v) {
					return false
				}
			}
		}
		return true
	}
	var erase func(StructInfo) StructInfo
	erase = func(s StructInfo) StructInfo {
		switch s := s.(type) {
		case *PrimStructInfo:
			if s.Value != nil && !fine(s.Value) {
				return &PrimStructInfo{DType: s.DType}
			}
		case *ShapeStructInfo:
			if !fine(s.Values...) {
				return &ShapeStructInfo{NDim: s.NDim}
			}
		case *TensorStructInfo:
			keep := true
			switch shape := s.Shape.(type) {
			case *ShapeExpr:
				keep = fine(shape.Values...)
			case *Var:
				keep = variable != nil && variable(shape)
			}
			if !keep {
				return &TensorStructInfo{DType: s.DType, VDevice: s.VDevice, NDim: s.NDim, Sharding: s.Sharding}
			}
		case *TupleStructInfo:
			fields := ir.MapSame(s.Fields, erase)
			if !same(fields, s.Fields) {
				return &TupleStructInfo{Fields: fields}
			}
		}
		return s
	}
	return erase(s)
}
