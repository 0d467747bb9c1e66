package tensor_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestNumPy compares with what numpy 2 prints.
func TestNumPy(t *testing.T) {
	inf := math.Inf(1)
	count := func(n int64) *tensor.Tensor {
		out := make([]int64, n)
		for i := range out {
			out[i] = int64(i)
		}
		return tensor.MustOf([]int64{n}, out)
	}
	half := tensor.MustNew(dtype.Float16T, 2)
	half.SetFloat(0, 0.1)
	half.SetFloat(1, -2)
	for _, tt := range []struct {
		t    *tensor.Tensor
		want string
	}{
		{tensor.MustOf([]int64{2, 2}, []float32{1, 2, 3, 4}), "[[1. 2.]\n [3. 4.]]"},
		{tensor.MustOf([]int64{3}, []float64{1.5, 2.25, -3}), "[ 1.5   2.25 -3.  ]"},
		{tensor.MustOf([]int64{2}, []float32{0.1, 1.0 / 3}), "[0.1        0.33333334]"},
		{tensor.MustOf([]int64{1}, []float64{1.0 / 3}), "[0.33333333]"},
		{tensor.MustOf([]int64{2}, []float64{1e10, 1}), "[1.e+10 1.e+00]"},
		{tensor.MustOf([]int64{2}, []float64{1.2345e-05, 1}), "[1.2345e-05 1.0000e+00]"},
		{tensor.MustOf([]int64{2}, []float64{math.NaN(), 1}), "[nan  1.]"},
		{tensor.MustOf([]int64{3}, []float64{inf, -inf, 1.5}), "[ inf -inf  1.5]"},
		{tensor.MustOf([]int64{}, []float64{2}), "2.0"},
		{tensor.MustOf([]int64{}, []float32{2.5}), "2.5"},
		{tensor.MustOf([]int64{}, []int64{-3}), "-3"},
		{tensor.MustOf([]int64{3}, []int32{1, 10, 100}), "[  1  10 100]"},
		{tensor.MustOf([]int64{2}, []bool{true, false}), "[ True False]"},
		{tensor.MustOf([]int64{2, 1, 2}, []float32{0, 0, 0, 0}), "[[[0. 0.]]\n\n [[0. 0.]]]"},
		{tensor.MustOf([]int64{2, 0}, []float32{}), "[]"},
		{half, "[ 0.1 -2. ]"},
		{count(30), "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]"},
		{count(2000), "[   0    1    2 ... 1997 1998 1999]"},
	} {
		if got := tt.t.NumPy(); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}
