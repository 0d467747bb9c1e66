package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/runtime/dtype"
)

// ExpandMatmulOfSum multiplies out sums of matrices.
var ExpandMatmulOfSum = &pass.Pass{
	Name: "ExpandMatmulOfSum", Level: 1, Kind: pass.Function,
	Doc: "Replaces x*(A+B) with x*A + x*B, also where the sum is transposed, unless A and B are weights (parameters behind the first num_input ones), whose sum can be computed before the model runs.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		weights, err := compileTime(f)
		if err != nil {
			return nil, err
		}
		x, a, b := dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard()
		sum := dpl.Op("relax.add", a, b)
		permuted := dpl.Op("relax.permute_dims", sum)
		p := dpl.Op("relax.matmul", x, dpl.Or(sum, permuted))
		early := func(s *site, q dpl.Pattern) bool {
			v, ok := s.bindings.Value(s.found[q]).(*relax.Var)
			return ok && weights[v]
		}
		return rewriteCalls(c, "multiply out a sum", f, p, func(s *site) relax.Expr {
			if early(s, a) && early(s, b) {
				return s.declined("the sum can be computed before the inputs are known")
			}
			if !s.plainMatmul(p) || !sameTensors(s, a, b) {
				return s.declined("the summands are not known to be matrices of one shape and of the element type of the product")
			}
			left, right := s.found[a], s.found[b]
			if s.found.Has(permuted) {
				axes := s.call(permuted).Attrs.Ints("axes")
				left, right = op.PermuteDims(left, axes...), op.PermuteDims(right, axes...)
			}
			return op.Add(op.Matmul(s.found[x], left, dtype.Void), op.Matmul(s.found[x], right, dtype.Void))
		})
	})),
}

// sameTensors tells whether two patterns matched tensors of one shape, as far as that is known without a run.
func sameTensors(s *site, a, b dpl.Pattern) bool {
	x, y := s.tensor(a), s.tensor(b)
	if x == nil || y == nil || x.NDim != y.NDim || x.NDim < 2 {
		return false
	}
	p, ok := x.Dims()
	q, also := y.Dims()
	return ok && also && s.ctx.EqualDims(p, q) == relax.True
}
