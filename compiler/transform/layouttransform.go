package transform

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/tir"
)

const opLayoutTransform = "relax.layout_transform"

// OptimizeLayoutTransform removes layout transformations that undo each other.
var OptimizeLayoutTransform = &pass.Pass{
	Name: "OptimizeLayoutTransform", Kind: pass.Function,
	Doc: "Removes a layout_transform and the one that undoes it, also with the kernel remove_pad between them: the second one would only bring back the padding.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := c.Step().Input
		x, kernel := dpl.Wildcard(), dpl.IsGlobalVar("")
		inner := dpl.Op(opLayoutTransform, x)
		unpadded := dpl.OpVarArgs(opCallTIR, kernel, dpl.Tuple(inner))
		there, around := dpl.Op(opLayoutTransform, inner), dpl.Op(opLayoutTransform, unpadded)
		return rewriteCalls(c, "remove layouts that undo each other", f, dpl.Or(there, around), func(s *site) relax.Expr {
			outer, from := s.expr.(*relax.Call), s.tensor(x)
			if s.found.Has(around) {
				fn := m.Lookup(s.found[kernel].(*ir.GlobalVar).Name)
				if fn == nil || fn.FuncAttrs().Str("operator_name", "") != "remove_pad" {
					return nil
				}
				if pad, _ := outer.Attrs.Get("pad_value"); pad != nil {
					return s.declined("the second one pads with a certain value")
				}
			}
			have, ok := dimsOf(from)
			want, also := dimsOf(s.tensorOf(outer))
			if from == nil || !ok || !also || len(have) != len(want) || s.ctx.EqualDims(have, want) != relax.True {
				return s.declined("the shape differs from that at the start")
			}
			if !undoes(s.call(inner), outer, have) {
				return s.declined("the second one does not undo the first")
			}
			return s.found[x]
		})
	})),
}

// undoes tells whether the index map of a layout transformation is the inverse of another on a tensor of these extents.
func undoes(first, second *relax.Call, dims []tir.Expr) bool {
	a, aok := mapOf(first)
	b, bok := mapOf(second)
	if !aok || !bok || len(a.Initial) != len(dims) || len(b.Initial) != len(a.Final) || len(b.Final) != len(dims) {
		return false
	}
	an := arith.NewAnalyzer()
	at := make([]tir.Expr, len(dims))
	for i, v := range a.Initial {
		at[i] = v
		if n, ok := tir.AsInt(dims[i]); ok {
			an.BindRange(v, &tir.Range{Min: tir.Const(v.DType(), 0), Extent: tir.Const(v.DType(), n)})
		}
	}
	for i, e := range b.Apply(a.Apply(at)) {
		x, y := tir.MatchTypes(e, at[i])
		if !tir.IsConst(an.Simplify(tir.Sub(x, y)), 0) {
			return false
		}
	}
	return true
}

func mapOf(call *relax.Call) (*tir.IndexMap, bool) {
	v, _ := call.Attrs.Get("index_map")
	m, ok := v.(*tir.IndexMap)
	return m, ok
}
