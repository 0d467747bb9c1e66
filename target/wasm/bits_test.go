package wasm_test

import (
	"math/bits"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// TestCountsOfBits counts leading zeros and ones of integers of all widths, in vectors and one
// by one, with results as wide as the operand and others.
func TestCountsOfBits(t *testing.T) {
	wasmTarget, err := target.Parse("wasm")
	if err != nil {
		t.Fatal(err)
	}
	values := []int64{0, 1, -1, 2, 7, 8, -8, 100, 127, -128, 1 << 20, -1 << 31, 1<<31 - 1, 1 << 40, -1 << 63, 1<<63 - 1}
	for _, from := range []string{"int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"} {
		for _, to := range []string{"int32", "int64", "int8"} {
			for _, op := range []string{"clz", "popcount"} {
				for _, lanes := range []int{1, 4} {
					d, r := dtype.MustParse(from), dtype.MustParse(to)
					n := int64(len(values))
					x, y := flat("X", d, n), flat("Y", r, n)
					i := i32var("i")
					at := tir.Expr(i)
					if lanes > 1 {
						at = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
					}
					call := &tir.Call{Type: r.WithLanes(lanes), Op: tir.OpClz, Args: []tir.Expr{tir.Load(x, at)}}
					if op == "popcount" {
						call.Op = tir.OpPopcount
					}
					f := primFunc("count", []any{x, y}, forLoop(i, tir.Int32(n/int64(lanes)), tir.Store(y, call, at)))
					in, out := tensor.MustNew(d, n), tensor.MustNew(r, n)
					for k, v := range values {
						in.SetInt(k, v)
					}
					_, mod, dev := load(t, pack(t, f), wasmTarget)
					if err := runWasm(t, mod, dev, []any{in, out}); err != nil {
						t.Fatal(err)
					}
					for k := range values {
						low := uint64(in.Int(k)) & (1<<(d.Bits-1)<<1 - 1)
						want := int64(bits.OnesCount64(low))
						if op == "clz" {
							want = int64(bits.LeadingZeros64(low)) - 64 + int64(d.Bits)
						}
						if got := out.Int(k); got != want {
							t.Errorf("%s of %s %d as %s, %d lanes: got %d, want %d", op, from, in.Int(k), to, lanes, got, want)
						}
					}
				}
			}
		}
	}
}
