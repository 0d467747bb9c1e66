//go:build linux && amd64

package x86_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestDivideByConstants: to divide by a power of two is to multiply, with the same bits also where these run out; by other numbers it is not.
func TestDivideByConstants(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -3.7, math.Inf(1), math.NaN(), 1e-38, 3e-45, -1.1e-39, 3e38, 2.2e-308, 5e-324, -7e-310, 1.7e308}
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T} {
		const n, lanes = 64, 16
		x, y, z := flat("X", d, n), flat("Y", d, n), flat("Z", d, n)
		in := tensor.MustNew(d, n)
		for i := range n {
			in.SetFloat(i, special[i%len(special)]*float64(1+i/len(special)))
		}
		for c, multiplies := range map[float64]bool{128: true, -8: true, 0.25: true, 0x1p98: true, 0x1p-99: true, 3: false, 49: false, 0: false, 0x1p120: false, math.Inf(1): false} {
			t.Run(fmt.Sprint(d, c), func(t *testing.T) {
				i := i32var("i")
				at := ramp(tir.Mul(i, tir.Int32(lanes)), 1, lanes)
				f := primFunc("f", []any{x, y, z},
					forLoop(i, tir.Int32(n/lanes), tir.Store(y, tir.Div(tir.Load(x, at), broadcast(tir.FloatConst(d, c), lanes)), at)),
					forLoop(i, tir.Int32(n), tir.Store(z, tir.Div(tir.Load(x, i), tir.FloatConst(d, c)), i)))
				check(t, f, in, tensor.MustNew(d, n), tensor.MustNew(d, n))
				lib, _, err := build(pack(t, f), machines["avx512"])
				if err != nil {
					t.Fatal(err)
				}
				if got := !strings.Contains(lib.Kernels[0].Text(), "vdiv"); got != multiplies {
					t.Errorf("multiplies: %v, want %v", got, multiplies)
				}
			})
		}
	}
}
