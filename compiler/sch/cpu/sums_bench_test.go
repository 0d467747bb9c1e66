package cpu_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// BenchmarkLongSums reports the time of reductions over extents that are symbolic, for which sums
// are wider than their terms, and its ratio to that for the constant extent.
func BenchmarkLongSums(b *testing.B) {
	rows := map[string]func(n tir.Expr) []*te.Tensor{
		"mean": func(n tir.Expr) []*te.Tensor {
			x := in("x", 64, n)
			return []*te.Tensor{x, must(topi.Reduce("mean", x, []int{1}, false))}
		},
		"mean_rows": func(n tir.Expr) []*te.Tensor {
			x := in("x", n, 64)
			return []*te.Tensor{x, must(topi.Reduce("mean", x, []int{0}, false))}
		},
		"softmax": func(n tir.Expr) []*te.Tensor {
			x := in("x", 64, n)
			return []*te.Tensor{x, topi.Softmax(x, 1)}
		},
		"matmul": func(n tir.Expr) []*te.Tensor {
			x, y := in("x", 64, n), in("y", n, 64)
			return []*te.Tensor{x, y, must(topi.Matmul(x, y, topi.MatmulOpts{}))}
		},
		"matmul_nt": func(n tir.Expr) []*te.Tensor {
			x, y := in("x", 64, n), in("y", 64, n)
			return []*te.Tensor{x, y, must(topi.Matmul(x, y, topi.MatmulOpts{TransposeB: true}))}
		},
	}
	for _, name := range []string{"mean", "mean_rows", "softmax", "matmul", "matmul_nt"} {
		base := 0.0
		for _, kind := range []string{"constant", "symbolic"} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				k := kernel{args: rows[name](tir.Int(1024))}
				if kind == "symbolic" {
					n := tir.NewSizeVar("n", dtype.Int64T)
					k = kernel{args: rows[name](n), syms: map[*tir.Var]int64{n: 1024}}
				}
				reportTime(b, k, kind == "constant", &base, "of-constant")
			})
		}
	}
}
