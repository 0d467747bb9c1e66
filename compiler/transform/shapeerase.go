package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// eraseSymbols forgets in struct info the symbolic variables that match casts defined, which
// are entries of the shape heap now. Those of the parameters stay, and those of local functions, which are lowered when LambdaLift has made
// them functions of the module.
func eraseSymbols(f *relax.Function) *relax.Function {
	known := map[*tir.Var]bool{}
	ir.Walk(f, func(n ir.Node) bool {
		if g, ok := n.(*relax.Function); ok {
			for _, v := range relax.DefinedSymbolicVars(g) {
				known[v] = true
			}
		}
		return true
	})
	m := &relax.Mapper{}
	m.SInfo = func(s relax.StructInfo) relax.StructInfo {
		for _, v := range relax.FreeSymbolicVars(s) {
			if !known[v] {
				return relax.EraseToWellDefined(s, func(v *tir.Var) bool { return known[v] }, func(*relax.Var) bool { return true })
			}
		}
		return s
	}
	m.RenewSInfo()
	return m.MapFunction(f)
}

// shapedByVars infers calls of operators that were given a shape by a variable: their results have that shape.
func shapedByVars(f *relax.Function, ctx *relax.InferContext) (*relax.Function, error) {
	var failed error
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		e = m.MapExpr(e)
		call, ok := e.(*relax.Call)
		if !ok || failed != nil {
			return e
		}
		if _, ok := call.Op.(*ir.Op); !ok || !slices.ContainsFunc(call.Args, isShapeVar) {
			return e
		}
		info, err := relax.InferCall(call, op.Table(), ctx)
		if err != nil {
			failed = err
			return e
		}
		return call.WithSInfo(info)
	}
	return m.MapFunction(f), failed
}

func isShapeVar(e relax.Expr) bool {
	v, ok := e.(*relax.Var)
	if !ok {
		return false
	}
	_, ok = v.SInfo.(*relax.ShapeStructInfo)
	return ok
}
