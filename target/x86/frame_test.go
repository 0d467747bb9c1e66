//go:build linux && amd64

package x86_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestPlacesInTheFrameAreTakenAgain runs many statements, each of which needs more vectors at a time than there are registers: one after
// the other they spill more than a frame holds.
func TestPlacesInTheFrameAreTakenAgain(t *testing.T) {
	const statements, values, lanes = 150, 24, 8
	x, y := flat("X", dtype.Float32T, statements*values*lanes), flat("Y", dtype.Float32T, statements*lanes)
	var body []tir.Stmt
	for s := range int64(statements) {
		var sum, product tir.Expr
		for v := range int64(values) {
			part := tir.Load(x, ramp(tir.Int32((s*values+v)*lanes), 1, lanes))
			if v == 0 {
				sum, product = part, part
				continue
			}
			sum, product = tir.Add(sum, part), tir.Mul(product, part)
		}
		body = append(body, tir.Store(y, tir.Sub(sum, product), ramp(tir.Int32(s*lanes), 1, lanes)))
	}
	check(t, primFunc("many", []any{x, y}, body...), random(dtype.Float32T, 1, statements*values*lanes), tensor.MustNew(dtype.Float32T, statements*lanes))
}
