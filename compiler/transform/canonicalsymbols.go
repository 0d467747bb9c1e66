package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/op"
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
		eachExtent(mc.SInfo, relax.SInfoOf(mc.Value), func(want, have tir.Expr) {
			// A variable that something before defines is compared here, not defined.
			v, ok := want.(*tir.Var)
			if !ok || defined[v] || sub[v] != nil {
				return
			}
			if e := tir.SubstExpr(have, sub); !slices.Contains(relax.VarsOf(e), v) {
				sub[v] = e
				c.Rewrite("use the known extent", v, e)
			}
		})
		for _, v := range relax.DefinableVars(mc.SInfo) {
			defined[v] = true
		}
	})
	if len(sub) == 0 {
		return f
	}
	return substSymbols(f, sub)
}

// canonicalizeVariables is canonicalizeSymbols that infers anew what follows: extents that were different variables may be equal now.
func canonicalizeVariables(c *pass.Context, f *relax.Function) (*relax.Function, error) {
	out := canonicalizeBranches(c, canonicalizeSymbols(c, f))
	if out == f {
		return f, nil
	}
	mu := op.NewExprMutator(c.Step().Input)
	mu.Call = func(call *relax.Call) relax.Expr {
		if len(call.SInfoArgs) > 0 || opName(call) == "" {
			return call
		}
		return call.WithSInfo(nil)
	}
	return mu.Function(out)
}

// eachExtent calls f for the extents and scalars of a match_cast and those that are known of its value, fields of tuples included.
func eachExtent(want, have relax.StructInfo, f func(want, have tir.Expr)) {
	dims, known := dimsOf(want)
	if values, same := dimsOf(have); known && same && len(dims) == len(values) {
		for i, e := range dims {
			f(e, values[i])
		}
	}
	switch w := want.(type) {
	case *relax.PrimStructInfo:
		if h, ok := have.(*relax.PrimStructInfo); ok && w.Value != nil && h.Value != nil {
			f(w.Value, h.Value)
		}
	case *relax.TupleStructInfo:
		if h, ok := have.(*relax.TupleStructInfo); ok && len(w.Fields) == len(h.Fields) {
			for i, x := range w.Fields {
				eachExtent(x, h.Fields[i], f)
			}
		}
	}
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
	return substMapper(sub).MapFunction(f)
}

// substMapper returns a mapper that replaces symbolic variables, those too that enter sub while it is at work.
func substMapper(sub map[*tir.Var]tir.Expr) *relax.Mapper {
	an := arith.NewAnalyzer()
	m := &relax.Mapper{Prim: func(e tir.Expr) tir.Expr {
		if out := tir.SubstExpr(e, sub); out != e {
			return an.Simplify(out)
		}
		return e
	}}
	m.SInfo = m.MapSInfo
	m.RenewSInfo()
	return m
}
