package transform_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
)

// chainOf is a function of n bindings: layers of an add, a relu and a multiplication, and after every tenth a matmul.
func chainOf(tb testing.TB, n int) *ir.Module {
	tb.Helper()
	x := &relax.Var{Name: "x", SInfo: relax.StaticTensor(dtype.Float32T, 8, 8)}
	w := &relax.Var{Name: "w", SInfo: relax.StaticTensor(dtype.Float32T, 8, 8)}
	b := op.NewBlockBuilder(nil)
	b.BeginFunction("main", []*relax.Var{x, w}, relax.FuncOpts{})
	b.BeginDataflow()
	cur := x
	for i := range n - 1 {
		var e relax.Expr
		switch i % 10 {
		case 9:
			e = op.Matmul(cur, w, dtype.DType{})
		case 0, 3, 6:
			e = op.Add(cur, w)
		case 1, 4, 7:
			e = op.Relu(cur)
		default:
			e = op.Multiply(cur, w)
		}
		v, err := b.Emit(e, fmt.Sprint("v", i))
		if err != nil {
			tb.Fatal(err)
		}
		cur = v
	}
	out, err := b.EmitOutput(op.Relu(cur), "out")
	if err != nil {
		tb.Fatal(err)
	}
	b.EndDataflow()
	if _, err := b.EndFunction(out); err != nil {
		tb.Fatal(err)
	}
	return b.Module()
}

// BenchmarkScale runs passes on 1,000 and 100,000 bindings, after those that the default pipeline runs before them. The
// time of a binding must not grow with their number.
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		m := chainOf(b, n)
		for _, p := range []*pass.Pass{transform.LegalizeOps, transform.AnnotateTIROpPattern, transform.FuseOps} {
			var out *ir.Module
			b.Run(fmt.Sprintf("%s/%d", p.Name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if out, err = passtest.NewContext().Run(p, m); err != nil {
						b.Fatal(err)
					}
				}
			})
			if out != nil {
				m = out
			}
		}
	}
}
