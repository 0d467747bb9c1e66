package relax

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// eachPrim calls f for the scalar expressions in s: extents, values of shapes and scalars.
// Those of function signatures are left out: they have a scope of their own.
func eachPrim(s StructInfo, f func(tir.Expr)) {
	switch s := s.(type) {
	case *PrimStructInfo:
		if s.Value != nil {
			f(s.Value)
		}
	case *ShapeStructInfo:
		for _, e := range s.Values {
			f(e)
		}
	case *TensorStructInfo:
		if shape, ok := s.Shape.(*ShapeExpr); ok {
			for _, e := range shape.Values {
				f(e)
			}
		}
	case *TupleStructInfo:
		for _, x := range s.Fields {
			eachPrim(x, f)
		}
	case *ObjectStructInfo, *FuncStructInfo, nil:
	default:
		panic(unknownNode("eachPrim", s))
	}
}

// VarsOf returns the symbolic variables in e, each once, in order of first use.
func VarsOf(e tir.Expr) []*tir.Var {
	switch e := e.(type) { // what most extents are
	case *tir.IntImm:
		return nil
	case *tir.Var:
		return []*tir.Var{e}
	}
	return collectVars(nil, map[*tir.Var]bool{}, e)
}

func collectVars(out []*tir.Var, seen map[*tir.Var]bool, e tir.Expr) []*tir.Var {
	switch e := e.(type) {
	case *tir.IntImm:
		return out
	case *tir.Var:
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
		return out
	}
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
		return true
	})
	return out
}

// FreeSymbolicVars returns the symbolic variables that s uses, each once, in order of first
// use. Variables that the parameters of a function signature define are not among them.
func FreeSymbolicVars(infos ...StructInfo) []*tir.Var {
	var out []*tir.Var
	seen := map[*tir.Var]bool{}
	var visit func(s StructInfo, bound map[*tir.Var]bool)
	visit = func(s StructInfo, bound map[*tir.Var]bool) {
		switch s := s.(type) {
		case *TupleStructInfo:
			for _, x := range s.Fields {
				visit(x, bound)
			}
		case *FuncStructInfo:
			inner := map[*tir.Var]bool{}
			for v := range bound {
				inner[v] = true
			}
			for _, v := range DefinableVars(s.Params...) {
				inner[v] = true
			}
			for _, p := range s.Params {
				visit(p, inner)
			}
			visit(s.Ret, inner)
		default:
			eachPrim(s, func(e tir.Expr) {
				for _, v := range VarsOf(e) {
					if !bound[v] && !seen[v] {
						seen[v] = true
						out = append(out, v)
					}
				}
			})
		}
	}
	for _, s := range infos {
		visit(s, nil)
	}
	return out
}

// DefinableVars returns the symbolic variables that values of these infos determine: those
// that stand alone as an extent, an entry of a shape or a scalar.
func DefinableVars(infos ...StructInfo) []*tir.Var {
	var out []*tir.Var
	seen := map[*tir.Var]bool{}
	for _, s := range infos {
		eachPrim(s, func(e tir.Expr) {
			if v, ok := e.(*tir.Var); ok && !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		})
	}
	return out
}

// DefinedSymbolicVars returns the symbolic variables that the parameters of f define.
func DefinedSymbolicVars(f *Function) []*tir.Var {
	infos := make([]StructInfo, len(f.Params))
	for i, p := range f.Params {
		infos[i] = p.SInfo
	}
	return DefinableVars(infos...)
}

// UndefinedSymbol returns the first symbolic variable in f that neither values of the given infos, the parameters of f and of functions in it, nor casts
// in it determine, nil if there is none.
func UndefinedSymbol(f *Function, infos ...StructInfo) *tir.Var {
	defined := map[*tir.Var]bool{}
	add := func(infos ...StructInfo) {
		for _, v := range DefinableVars(infos...) {
			defined[v] = true
		}
	}
	add(infos...)
	ir.Walk(f, func(n ir.Node) bool {
		switch n := n.(type) {
		case *MatchCast:
			add(n.SInfo)
		case *Function:
			for _, p := range n.Params {
				add(p.SInfo)
			}
		}
		return true
	})
	var out *tir.Var
	ir.Walk(f, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && !defined[v] && out == nil {
			out = v
		}
		return out == nil
	})
	return out
}

// FreeVars returns the variables that e uses and does not define, each once, in order of
// first use. Nested functions are looked into.
func FreeVars(e Expr) []*Var {
	var out []*Var
	seen, bound := map[*Var]bool{}, map[*Var]bool{}
	var visit func(n ir.Node) bool
	visit = func(n ir.Node) bool {
		switch n := n.(type) {
		case *Function:
			for _, p := range n.Params {
				bound[p] = true
			}
			ir.Walk(n.Body, visit)
			return false
		case *VarBinding:
			bound[n.Var] = true
			ir.Walk(n.Value, visit)
			return false
		case *MatchCast:
			bound[n.Var] = true
			ir.Walk(n.Value, visit)
			return false
		case *Var:
			if !bound[n] && !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
			return false
		case StructInfo:
			return false
		}
		return true
	}
	ir.Walk(e, visit)
	return out
}
