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

// edges are numbers at which conversions differ, and others between them.
func edges(n int64) *tensor.Tensor {
	list := []float64{
		0, math.Copysign(0, -1), 0.5, -0.5, 1.5, 2.5, 126.5, 127.5, 128.5, 254.5, 255.5, 256.5, -127.5, -128.5, -129.5, 0x1p31, -0x1p31, 0x1p32, -0x1p33, 1e30, -1e30,
		math.Inf(1), math.Inf(-1), math.NaN(), 0x1p30, 2147483520, -2147483648, 4294967040, 65535, 65536.5, 32767.5, -32769,
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(list[i%len(list)])
		if i >= len(list) && !math.IsInf(list[i%len(list)], 0) {
			data[i] += float32(i) * 0.37
		}
	}
	return tensor.MustOf([]int64{n}, data)
}

// TestQuantize converts floats to small integers behind all that limits them or does not, rounded and not, and back again.
func TestQuantize(t *testing.T) {
	f32, i32 := dtype.Float32T, dtype.Int32T
	for _, d := range []dtype.DType{dtype.UInt8T, dtype.Int8T, dtype.UInt16T, dtype.Int16T} {
		for _, lanes := range []int{4, 8, 16, 32, 64} {
			n := int64(lanes)
			x := flat("X", f32, n)
			at := ramp(tir.Int32(0), 1, lanes)
			c := func(v float64) tir.Expr { return broadcast(tir.FloatConst(f32, v), lanes) }
			v := tir.Load(x, at)
			round := func(e tir.Expr) tir.Expr { return tir.NewCall(tir.OpNearbyint, e) }
			lo, hi := -128.0, 127.0
			if d.IsUInt() {
				lo, hi = 0, 255
			}
			clip := func(e tir.Expr) tir.Expr { return tir.Max(tir.Min(e, c(hi)), c(lo)) }
			values := []tir.Expr{
				v, round(v), clip(v), clip(round(v)), clip(tir.Add(round(v), c(3))), tir.Add(tir.CastTo(i32.WithLanes(lanes), round(clip(v))), tir.Const(i32.WithLanes(lanes), 3)),
				tir.NewCall(tir.OpBitwiseAnd, tir.CastTo(i32.WithLanes(lanes), v), tir.Const(i32.WithLanes(lanes), 0x55)), tir.Sub(tir.CastTo(i32.WithLanes(lanes), v), tir.CastTo(i32.WithLanes(lanes), round(v))), tir.Min(tir.Max(round(v), c(lo)), c(hi)), tir.Max(round(v), c(0)), tir.Min(c(hi), round(v)),
				tir.Max(tir.Min(round(v), c(2.5)), c(-1.5)), tir.Min(tir.Max(v, c(0)), c(0x1p31)), tir.Min(tir.Div(v, v), c(7)), tir.Max(tir.Min(v, tir.Mul(v, v)), c(lo)), tir.Add(clip(v), c(0)),
			}
			out, wide := flat("O", d, n*int64(len(values))), flat("W", i32, n*int64(len(values)))
			full := flat("F", i32, n*int64(len(values)))
			var body []tir.Stmt
			for i, e := range values {
				to := ramp(tir.Int32(n*int64(i)), 1, lanes)
				b := tir.CastTo(d.WithLanes(lanes), e)
				body = append(body, tir.Store(out, b, to), tir.Store(wide, tir.CastTo(i32.WithLanes(lanes), b), to), tir.Store(full, tir.CastTo(i32.WithLanes(lanes), e), to))
			}
			t.Run(fmt.Sprintf("%sx%d", d, lanes), func(t *testing.T) {
				check(t, primFunc("f", []any{x, out, wide, full}, body...), edges(n), numbers(d, 1, n*int64(len(values))), random(i32, 2, n*int64(len(values))), random(i32, 3, n*int64(len(values))))
			})
		}
	}
}

// TestQuantizeShort looks for what a quantization does not need: steps of half of the lanes, and tests for what its limits exclude.
func TestQuantizeShort(t *testing.T) {
	x, y, z := flat("X", dtype.Float32T, 16), flat("Y", dtype.UInt8T, 16), flat("Z", dtype.Float32T, 16)
	at := ramp(tir.Int32(0), 1, 16)
	c := func(v float64) tir.Expr { return broadcast(tir.FloatConst(dtype.Float32T, v), 16) }
	q := tir.CastTo(dtype.UInt8T.WithLanes(16), tir.Max(tir.Min(tir.NewCall(tir.OpNearbyint, tir.Load(x, at)), c(255)), c(0)))
	fn := primFunc("f", []any{x, y, z}, tir.Store(y, q, at), tir.Store(z, tir.CastTo(dtype.Float32T.WithLanes(16), q), at))
	lib, _, err := build(packed(t, fn), machines["avx512"])
	if err != nil {
		t.Fatal(err)
	}
	text := lib.Kernels[0].Text()
	for _, s := range []string{"vcmpps", "vpackus", "vpmovzx", "vrndscale", "vcvttps2dq"} {
		if strings.Contains(text, s) {
			t.Errorf("%s in\n%s", s, text)
		}
	}
}
