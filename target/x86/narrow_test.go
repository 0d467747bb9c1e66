//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestNarrowAndWiden takes integers through a type between: what the narrow one cut off must not come back from the upper half of a register.
func TestNarrowAndWiden(t *testing.T) {
	types := []dtype.DType{dtype.Int8T, dtype.UInt8T, dtype.Int16T, dtype.UInt16T, dtype.Int32T, dtype.UInt32T, dtype.Int64T, dtype.UInt64T}
	const n = 8
	for _, from := range types {
		for _, lanes := range []int{1, 4} {
			x := flat("X", from, n)
			params, data := []any{x}, []any{numbers(from, 1, n)}
			var body []tir.Stmt
			cast := func(d dtype.DType, e tir.Expr) tir.Expr { return &tir.Cast{Type: d.WithLanes(lanes), Value: e} }
			place := func(e tir.Expr) tir.Expr {
				if lanes > 1 {
					return ramp(e, 1, lanes)
				}
				return e
			}
			for _, to := range append(types, dtype.Float32T) {
				y := flat("Y"+to.String(), to, n*int64(len(types)))
				params, data = append(params, y), append(data, random(to, 2, n*int64(len(types))))
				for m, mid := range types {
					i := i32var("i")
					at := tir.Mul(i, tir.Int32(int64(lanes)))
					value := cast(to, cast(mid, tir.Load(x, place(at))))
					body = append(body, forLoop(i, tir.Int32(int64(n/lanes)), tir.Store(y, value, place(tir.Add(at, tir.Int32(int64(m*n)))))))
				}
			}
			check(t, primFunc("f", params, body...), data...)
		}
	}
}
