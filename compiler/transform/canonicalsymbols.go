package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// canonicalizeSymbols substitutes symbolic variables whose match_cast sees a value with
// known extents.
func canonicalizeSymbols(c *pass.Context, f *relax.Function) *relax.Function {
	defined := map[*tir.Var]bool{}
	for _, v := range relax.DefinedSymbolicVars(f) {
		defined[v] = true
	}
	sub := map[*tir.Var]tir.Expr{}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		mc, ok := b.(*relax.MatchCast)
		if !ok {
			return
		}
		want, wok := dimsOf(mc.SInfo)
		have, hok := dimsOf(relax.SInfoOf(mc.Value))
		for i, d := range want {
			// A variable that something before defines is compared here, not defined.
			if v, ok := d.(*tir.Var); ok && wok && hok && len(want) == len(have) && !defined[v] {
				e := tir.SubstExpr(have[i], sub)
				if !slices.Contains(relax.VarsOf(e), v) {
					sub[v] = e
					c.Rewrite("use the known extent", v, e)
				}
			}
		}
		for _, v := range relax.DefinableVars(mc.SInfo) {
			defined[v] = true
		}
	})
	if len(sub) == 0 {
		return f
	}
	return substSymbols(f, sub)
}

func dimsOf(s relax.StructInfo) ([]tir.Expr, bool) {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		return s.Dims()
	case *relax.ShapeStructInfo:
		return s.Values, s.Values != nil
	}
	return nil, false
}

// substSymbols replaces symbolic variables everywhere in f, and simplifies what that changes.
func substSymbols(f *relax.Function, sub map[*tir.Var]tir.Expr) *relax.Function {
	an := arith.NewAnalyzer()
	m := &relax.Mapper{Prim: func(e tir.Expr) tir.Expr {
		if out := tir.SubstExpr(e, sub); out != e {
			return an.Simplify(out)
		}
		return e
	}}
	m.SInfo = m.MapSInfo
	m.RenewSInfo()
	return m.MapFunction(f)
}
