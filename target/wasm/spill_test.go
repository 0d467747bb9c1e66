package wasm_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestRegistersBehindLoops multiplies 64-bit integers, which wazero translates to several instructions, behind a loop that reads so
// many vectors that few registers would be left if these kept theirs.
func TestRegistersBehindLoops(t *testing.T) {
	const lanes = 16
	d, wide := dtype.Int64T, dtype.Int64T.WithLanes(lanes)
	b := flat("b", d, 64)
	splat := func(v int64) tir.Expr { return broadcast(tir.Const(d, v), lanes) }
	at := func(from int64) tir.Expr { return ramp(tir.Int32(from), 1, lanes) }
	narrow := func(k dtype.DType, v int64) tir.Expr { return broadcast(tir.Const(k, v), lanes) }
	invariant := &tir.Cast{Type: wide, Value: narrow(dtype.Int8T, -37)}
	chosen := &tir.Select{
		Cond: tir.GE(narrow(dtype.UInt8T, 67), narrow(dtype.UInt8T, 123)),
		True: tir.Load(b, broadcast(tir.Int32(8), lanes)), False: splat(-76),
	}
	loop := forLoop(i32var("i"), tir.Int32(6), tir.Store(b, tir.Sub(invariant, chosen), at(1)))
	values := []int64{0, 1, -1, 3, 1 << 31, 1 << 32, -1 << 32, 1<<32 + 1, -1 << 63, 1<<63 - 1, 0x123456789abcdef}
	in := tensor.MustNew(d, 64)
	for i := range 64 {
		in.SetInt(i, values[(i*i+i/3)%len(values)])
	}
	x, y := tir.Load(b, at(32)), tir.Load(b, at(48))
	for name, value := range map[string]tir.Expr{
		"a product of constants":               tir.Mul(splat(1), splat(1)),
		"a product of a vector and a constant": tir.Mul(x, splat(1<<33-5)),
		"a product of vectors":                 tir.Mul(x, y),
	} {
		t.Run(name, func(t *testing.T) {
			check(t, primFunc("behind", []any{b}, loop, tir.Store(b, value, at(20))), 0, in)
		})
	}
}
