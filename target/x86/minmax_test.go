//go:build linux && amd64

package x86_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestExtremes takes minima and maxima of all pairs of zeros, infinities, NaN and numbers, in vectors of all sizes and alone, and selects one of a pair by its order.
func TestExtremes(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2.5, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 1e-310, -1e-40}
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T} {
		var all [2][]float64
		for _, a := range special {
			for _, b := range special {
				all[0], all[1] = append(all[0], a), append(all[1], b)
			}
		}
		for len(all[0])%64 != 0 {
			all[0], all[1] = append(all[0], 3), append(all[1], 4)
		}
		n := int64(len(all[0]))
		var args [2]*tensor.Tensor
		for i, list := range all {
			args[i] = tensor.MustNew(d, n)
			for k, v := range list {
				if d.Bits == 32 {
					binary.LittleEndian.PutUint32(args[i].Data[4*k:], math.Float32bits(float32(v)))
				} else {
					binary.LittleEndian.PutUint64(args[i].Data[8*k:], math.Float64bits(v))
				}
			}
		}
		for _, lanes := range []int{1, 2, 4, 8, 16, 32, 64} {
			x, y, lo, hi, v := flat("X", d, n), flat("Y", d, n), flat("L", d, n), flat("H", d, n), i32var("i")
			var at tir.Expr = v
			if lanes > 1 {
				at = ramp(tir.Mul(v, tir.Int32(int64(lanes))), 1, lanes)
			}
			a, b := tir.Load(x, at), tir.Load(y, at)
			f := primFunc("f", []any{x, y, lo, hi}, forLoop(v, tir.Int32(n/int64(lanes)), tir.Store(lo, tir.Min(a, b), at), tir.Store(hi, tir.Max(a, b), at)))
			t.Run(fmt.Sprintf("%sx%d", d, lanes), func(t *testing.T) { check(t, f, args[0], args[1], tensor.MustNew(d, n), tensor.MustNew(d, n)) })
			for _, op := range []tir.BinaryOp{tir.OpLT, tir.OpGT, tir.OpLE, tir.OpGE} {
				cond := tir.NewBinary(op, a, b)
				g := primFunc("f", []any{x, y, lo, hi}, forLoop(v, tir.Int32(n/int64(lanes)),
					tir.Store(lo, &tir.Select{Cond: cond, True: a, False: b}, at), tir.Store(hi, &tir.Select{Cond: cond, True: b, False: a}, at)))
				t.Run(fmt.Sprintf("%s of %sx%d", op, d, lanes), func(t *testing.T) { check(t, g, args[0], args[1], tensor.MustNew(d, n), tensor.MustNew(d, n)) })
			}
		}
	}
}
