package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ReorderTakeAfterMatmul multiplies by all weights of a table before it selects.
var ReorderTakeAfterMatmul = &pass.Pass{
	Name: "ReorderTakeAfterMatmul", Level: 1, Kind: pass.Function,
	Doc: "Replaces matmul(x, take(table, indices)) with take(matmul(x, table), indices), where take selects columns of a matrix, or one matrix of a stack for each batch. It is more work, which does not depend on the indices.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		x, table, indices := dpl.Wildcard(), dpl.Wildcard(), dpl.Wildcard()
		take := dpl.Op("relax.take", table, indices)
		p := dpl.Op("relax.matmul", x, take)
		return rewriteCalls(c, "select after the product", f, p, func(s *site) relax.Expr {
			a, w, i, out := s.tensor(x), s.tensor(table), s.tensor(indices), s.tensorOf(s.expr)
			if a == nil || w == nil || i == nil || out == nil {
				return s.declined("the rank of an operand is not known")
			}
			attrs := s.call(take).Attrs
			v, _ := attrs.Get("axis")
			axis, ok := v.(int64)
			if !ok {
				return s.declined("take has no axis")
			}
			if !s.plainMatmul(p) {
				return s.declined("the product has another element type than the operands")
			}
			from, at := s.found[table], s.found[indices]
			if i.NDim == 1 && w.NDim >= 2 && int(axis)+1 == w.NDim {
				return taken(op.Matmul(s.found[x], from, dtype.Void), at, int64(out.NDim-1), attrs)
			}
			n, known := a.Dims()
			d, also := w.Dims()
			k, too := i.Dims()
			if a.NDim != 3 || w.NDim != 3 || i.NDim != 1 || axis != 0 || !known || !also || !too || s.ctx.Equal(n[0], k[0]) != relax.True {
				return s.declined("take selects neither columns nor one matrix for each batch")
			}
			wide := op.Reshape(op.PermuteDims(from, 1, 0, 2), d[1], tir.Mul(d[0], d[2]))
			all := op.Reshape(op.Matmul(s.found[x], wide, dtype.Void), n[0], n[1], d[0], d[2])
			return op.Einsum("ijik->ijk", taken(all, at, 2, attrs))
		})
	})),
}

// taken takes along another axis than attrs says, in the same mode.
func taken(x, indices relax.Expr, axis int64, attrs *ir.Attrs) *relax.Call {
	call := op.Take(x, indices, axis)
	if mode, ok := attrs.Get("mode"); ok {
		call.Attrs = call.Attrs.With("mode", mode)
	}
	return call
}
