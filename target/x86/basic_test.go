//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestScalarLoop(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Int32T, dtype.Int64T, dtype.Float64T} {
		a, b, c := flat("A", d, 10), flat("B", d, 10), flat("C", d, 10)
		i := i32var("i")
		body := forLoop(i, tir.Int32(10), tir.Store(c, tir.Add(tir.Mul(tir.Load(a, i), tir.Load(b, i)), tir.Load(c, i)), i))
		check(t, primFunc("f", []any{a, b, c}, body), random(d, 1, 10), random(d, 2, 10), random(d, 3, 10))
	}
}
