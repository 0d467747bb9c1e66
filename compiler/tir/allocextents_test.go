package tir_test

import (
	"fmt"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestAllocExtents compares the extents of allocations for buffers whose strides pad dimensions, leave elements out, or depend on variables.
func TestAllocExtents(t *testing.T) {
	n := tir.NewVar("n", dtype.Int32T)
	num := func(x int64) tir.Expr { return tir.Const(dtype.Int32T, x) }
	of := func(list ...any) []tir.Expr {
		var out []tir.Expr
		for _, x := range list {
			if e, ok := x.(tir.Expr); ok {
				out = append(out, e)
			} else {
				out = append(out, num(int64(x.(int))))
			}
		}
		return out
	}
	padded := tir.Mul(num(72), n)
	for _, tt := range []struct{ shape, strides, want []tir.Expr }{
		{of(4, 16), nil, of(4, 16)},
		{of(4, 16), of(17, 1), of(4, 17)},
		{of(2, 4, 16), of(80, 20, 1), of(2, 4, 20)},
		{of(4, 16), of(17, 2), of(68)},
		{of(4, 5, 6), of(31, 7, 1), of(124)},
		{of(1, n, 64), of(padded, 72, 1), of(1, n, 72)},
		{of(1, n, 64), of(tir.Mul(n, num(72)), 72, 1), of(1, n, 72)},
		{of(3, n), of(n, 1), of(3, n)},
		{of(3, n, 4), of(padded, 5, 1), of(tir.Mul(padded, num(3)))},
	} {
		b := tir.NewBuffer("B", dtype.Float32T, tt.shape, "")
		b.Strides = tt.strides
		got := b.AllocExtents()
		same := len(got) == len(tt.want)
		for i := 0; same && i < len(got); i++ {
			same = tir.Equal(got[i], tt.want[i])
		}
		if !same {
			t.Errorf("shape %s, strides %s: %s, want %s", show(tt.shape), show(tt.strides), show(got), show(tt.want))
		}
	}
}

func show(list []tir.Expr) string {
	out := ""
	for _, e := range list {
		if v, ok := tir.AsInt(e); ok {
			out += fmt.Sprint(v, " ")
		} else {
			out += fmt.Sprintf("%T ", e)
		}
	}
	return out
}
