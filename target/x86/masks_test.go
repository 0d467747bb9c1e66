//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestConstantMasks: more masks of constants than mask registers hold, in front of a loop and in it, for lanes of 8 to 64 bits.
func TestConstantMasks(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int8T, dtype.Float64T} {
		lanes := 512 / int(d.Bits)
		x, y := flat("x", d, 400), flat("y", d, 400)
		some := func(n int64, at tir.Expr) tir.Stmt {
			mask := tir.LT(ramp(tir.Int32(0), 1, lanes), broadcast(tir.Int32(n), lanes))
			place := ramp(at, 1, lanes)
			return tir.Store(y, tir.Add(tir.Load(x, place).WithPredicate(mask), broadcast(tir.Const(d, n), lanes)), place).WithPredicate(mask)
		}
		i := i32var("i")
		var first, body []tir.Stmt
		for n := range int64(9) {
			first = append(first, some(n*int64(lanes)/9, tir.Int32(n)))
			body = append(body, some((8-n)*int64(lanes)/9+1, tir.Add(tir.Mul(i, tir.Int32(40)), tir.Int32(9*n))))
		}
		f := primFunc("masks", []any{x, y}, append(first, forLoop(i, tir.Int32(5), body...))...)
		check(t, f, random(d, 1, 400), random(d, 2, 400))
	}
}
