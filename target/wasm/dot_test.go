package wasm_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestDotProductsOfBytes compares the products of the bytes of words, with signs and without, with the interpreter.
func TestDotProductsOfBytes(t *testing.T) {
	for _, dx := range []dtype.DType{dtype.UInt32T, dtype.Int32T} {
		for _, dy := range []dtype.DType{dtype.UInt32T, dtype.Int32T} {
			for _, lanes := range []int{1, 3, 4, 8} {
				const n = 48
				x, y, o := flat("X", dx, n), flat("Y", dy, n), flat("O", dtype.Int32T, n)
				i := i32var("i")
				at, word := tir.Expr(i), tir.Expr(tir.Load(y, i))
				if lanes > 1 {
					at, word = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes), broadcast(word, lanes)
				}
				dot := &tir.Call{Type: dtype.Int32T.WithLanes(lanes), Op: tir.OpDp4a, Args: []tir.Expr{tir.Load(x, at), word, tir.Load(o, at)}}
				f := primFunc("f", []any{x, y, o}, forLoop(i, tir.Int32(int64(n/lanes)), tir.Store(o, dot, at)))
				a, b := random(dx, 1, n), random(dy, 2, n)
				for k, w := range []int64{0, -1, 0x7f7f7f7f, -0x7f7f7f80, 0x00ff00ff} {
					a.SetInt(k, w)
					b.SetInt(k, w)
				}
				t.Run(fmt.Sprint(dx, dy, lanes), func(t *testing.T) { check(t, f, 0, a, b, random(dtype.Int32T, 3, n)) })
			}
		}
	}
}
