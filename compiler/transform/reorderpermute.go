package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// ReorderPermuteDimsAfterConcat permutes once.
var ReorderPermuteDimsAfterConcat = &pass.Pass{
	Name: "ReorderPermuteDimsAfterConcat", Level: 1, Kind: pass.Function,
	Doc: "Replaces concat(permute_dims(a), permute_dims(b), ...) with permute_dims(concat(a, b, ...)) if all permute the axes in the same way.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		list := dpl.Wildcard()
		p := dpl.Op("relax.concat", list)
		return rewriteCalls(c, "permute after concat", f, p, func(s *site) relax.Expr {
			t, ok := s.bindings.Value(s.found[list]).(*relax.Tuple)
			if !ok || len(t.Fields) < 2 {
				return nil
			}
			var first *relax.Call
			var axes []int64
			args := make([]relax.Expr, len(t.Fields))
			for i, e := range t.Fields {
				call, ok := s.bindings.Value(e).(*relax.Call)
				if !ok || opName(call) != "relax.permute_dims" {
					if i > 0 {
						s.declined("not all parts are permuted")
					}
					return nil
				}
				now, ok := permuteAxes(s, call)
				if !ok {
					return s.declined("the rank of a part is not known")
				}
				if i == 0 {
					first, axes = call, now
				} else if !slices.Equal(now, axes) {
					return s.declined("the parts are permuted in different ways")
				}
				args[i] = call.Args[0]
			}
			axis := s.expr.(*relax.Call).Attrs.Int("axis", 0)
			if axis < 0 {
				axis += int64(len(axes))
			}
			return op.PermuteDims(op.Concat(axes[axis], args...), first.Attrs.Ints("axes")...)
		})
	})),
}
