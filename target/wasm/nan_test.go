package wasm_test

import (
	"context"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestMinMaxKeepNaN compares minima and maxima of all pairs of special values, also with
// constants on either side, with NumPy's rule: NaN if either is, else the lesser or greater.
func TestMinMaxKeepNaN(t *testing.T) {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -3, 0, math.Copysign(0, -1), 2, 5}
	const n = 64 // all pairs
	for _, d := range []dtype.DType{dtype.Float64T, dtype.Float32T, dtype.Float16T, dtype.BFloat16T} {
		for _, lanes := range []int{1, 2, 4, 8} {
			x, y := flat("x", d, n), flat("y", d, n)
			xs, ys := tensor.MustNew(d, n), tensor.MustNew(d, n)
			for i := range n {
				xs.SetFloat(i, special[i/8])
				ys.SetFloat(i, special[i%8])
			}
			type operation struct {
				op   tir.BinaryOp
				a, b any // a buffer or a constant
			}
			var ops []operation
			for _, op := range []tir.BinaryOp{tir.OpMin, tir.OpMax} {
				ops = append(ops, operation{op, x, y})
				for _, c := range special {
					ops = append(ops, operation{op, x, c}, operation{op, c, y})
				}
			}
			i := i32var("i")
			at := tir.Expr(i)
			if lanes > 1 {
				at = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
			}
			side := func(v any) tir.Expr {
				if b, ok := v.(*tir.Buffer); ok {
					return tir.Load(b, at)
				}
				c := tir.Expr(&tir.FloatImm{Type: d, Value: v.(float64)})
				if lanes > 1 {
					c = broadcast(c, lanes)
				}
				return c
			}
			params := []any{x, y}
			args := []any{xs, ys}
			var body []tir.Stmt
			for k, o := range ops {
				out := flat("out"+string(rune('A'+k)), d, n)
				params, args = append(params, out), append(args, tensor.MustNew(d, n))
				body = append(body, tir.Store(out, tir.NewBinary(o.op, side(o.a), side(o.b)), at))
			}
			f := primFunc("minmax", params, forLoop(i, tir.Int32(int64(n/lanes)), body...))
			check(t, f, 0, args...)

			got := cloneArgs(args)
			if err := interp.Run(context.Background(), f, got, nil); err != nil {
				t.Fatal(err)
			}
			for k, o := range ops {
				for i := range n {
					value := func(v any, ts *tensor.Tensor) float64 {
						if c, ok := v.(float64); ok {
							return c
						}
						return ts.Float(i)
					}
					a, b := value(o.a, xs), value(o.b, ys)
					want := a
					if b != b || o.op == tir.OpMin && b < a || o.op == tir.OpMax && b > a {
						want = b
					}
					if a != a {
						want = a
					}
					if g := got[2+k].(*tensor.Tensor).Float(i); g != want && (g == g || want == want) {
						t.Errorf("%s of %s %v and %v: %v, want %v", d, o.op, a, b, g, want)
					}
				}
			}
		}
	}
}

// TestSelectByOrder selects one of each pair of special values by their order, in vectors and alone: NaN and equal zeros choose as the condition says.
func TestSelectByOrder(t *testing.T) {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -3, 0, math.Copysign(0, -1), 2, 5}
	const n = 64 // all pairs
	for _, d := range []dtype.DType{dtype.Float64T, dtype.Float32T, dtype.Float16T} {
		for _, lanes := range []int{1, 2, 4, 8, 16} {
			x, y, lo, hi, i := flat("x", d, n), flat("y", d, n), flat("lo", d, n), flat("hi", d, n), i32var("i")
			xs, ys := tensor.MustNew(d, n), tensor.MustNew(d, n)
			for k := range n {
				xs.SetFloat(k, special[k/8])
				ys.SetFloat(k, special[k%8])
			}
			at := tir.Expr(i)
			if lanes > 1 {
				at = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
			}
			a, b := tir.Load(x, at), tir.Load(y, at)
			for _, op := range []tir.BinaryOp{tir.OpLT, tir.OpGT, tir.OpLE, tir.OpGE} {
				cond := tir.NewBinary(op, a, b)
				f := primFunc("choose", []any{x, y, lo, hi}, forLoop(i, tir.Int32(int64(n/lanes)),
					tir.Store(lo, &tir.Select{Cond: cond, True: a, False: b}, at), tir.Store(hi, &tir.Select{Cond: cond, True: b, False: a}, at)))
				check(t, f, 0, xs, ys, tensor.MustNew(d, n), tensor.MustNew(d, n))
			}
		}
	}
}
