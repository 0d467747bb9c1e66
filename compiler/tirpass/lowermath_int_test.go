package tirpass_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestLowerMathPowersOfIntegers: the definition computes what the interpreter does for the call, scalar and in vectors, for exponents that are data and constants; and these are products.
func TestLowerMathPowersOfIntegers(t *testing.T) {
	bases := []int64{-128, -7, -3, -2, -1, 0, 1, 2, 3, 5, 10, 127}
	exponents := []int64{-127, -2, -1, 0, 1, 2, 3, 7, 8, 31, 63, 64, 100, 127}
	for _, d := range []dtype.DType{dtype.Int8T, dtype.UInt8T, dtype.Int32T, dtype.UInt32T, dtype.Int64T, dtype.UInt64T} {
		size := int64(len(bases) * len(exponents))
		x, y := tensor.MustNew(d, size), tensor.MustNew(d, size)
		for i := range int(size) {
			x.SetInt(i, bases[i%len(bases)])
			if k := exponents[i/len(bases)]; k > 0 || d.IsInt() {
				y.SetInt(i, k)
			}
		}
		of := func(name string) *tir.Buffer { return tir.NewBuffer(name, d, shape(int(size)), "") }
		a, b, c := of("A"), of("B"), of("C")
		check := func(what string, f *tir.PrimFunc) *tensor.Tensor {
			t.Helper()
			run := func(f *tir.PrimFunc) *tensor.Tensor {
				out := tensor.MustNew(d, size)
				if err := interp.Run(context.Background(), f, []any{x, y, out}, nil); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				return out
			}
			lowered := funcOf(mustApply(t, tirpass.LowerMath, f))
			ir.Walk(lowered, func(e ir.Node) bool {
				if call, ok := e.(*tir.Call); ok && call.Op == tir.OpPow {
					t.Errorf("%s: the call is still there", what)
				}
				return true
			})
			want, got := run(f), run(lowered)
			if !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s: %v to %v is %v, want %v", what, x.Ints(), y.Ints(), got.Ints(), want.Ints())
			}
			return got
		}
		for _, lanes := range []int{1, 4} {
			i := index("i")
			var at tir.Expr = i
			if lanes > 1 {
				at = &tir.Ramp{Start: mul(i, n(int64(lanes))), Stride: n(1), Lanes: lanes}
			}
			power := func(y tir.Expr) *tir.PrimFunc {
				call := &tir.Call{Type: d.WithLanes(lanes), Op: tir.OpPow, Args: []tir.Expr{load(a, at), y}}
				return fn(loop(i, size/int64(lanes), store(c, call, at)), a, b, c)
			}
			check(fmt.Sprintf("%v, %d lanes", d, lanes), power(load(b, at)))
			for _, k := range []int64{0, 1, 2, 3, 5, 8, 11} {
				var y tir.Expr = tir.Const(d, k)
				if lanes > 1 {
					y = &tir.Broadcast{Value: y, Lanes: lanes}
				}
				got := check(fmt.Sprintf("%v to %d, %d lanes", d, k, lanes), power(y))
				want := int64(1)
				for range k {
					want *= bases[3]
				}
				ref := tensor.MustNew(d, 1)
				ref.SetInt(0, want)
				if got.Int(3) != ref.Int(0) {
					t.Errorf("%v: %d to %d is %d, want %d", d, bases[3], k, got.Int(3), ref.Int(0))
				}
			}
		}
	}
}
