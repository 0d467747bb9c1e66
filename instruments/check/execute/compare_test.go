package execute_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

func vector(dt dtype.DType, xs ...float64) *tensor.Tensor {
	t := tensor.MustNew(dt, int64(len(xs)))
	for i, x := range xs {
		t.SetFloat(i, x)
	}
	return t
}

// TestCompare has the edges of each tolerance.
func TestCompare(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, x := range []struct {
		name      string
		got, want *tensor.Tensor
		status    check.Status
		index     int
		newNaNs   int64
	}{
		{"equal", vector(dtype.Float32T, 1, nan, inf), vector(dtype.Float32T, 1, nan, inf), check.Same, -1, 0},
		{"zeros", vector(dtype.Float32T, math.Copysign(0, -1)), vector(dtype.Float32T, 0), check.Same, -1, 0},
		{"rounding", vector(dtype.Float32T, 1, 1.00009), vector(dtype.Float32T, 1, 1), check.Close, 1, 0},
		{"more than rounding", vector(dtype.Float32T, 1, 1.0002), vector(dtype.Float32T, 1, 1), check.Wrong, 1, 0},
		{"small beside large", vector(dtype.Float32T, 1000, 0.005), vector(dtype.Float32T, 1000, 0), check.Close, 1, 0},
		{"small alone", vector(dtype.Float32T, 1, 0.005), vector(dtype.Float32T, 1, 0), check.Wrong, 1, 0},
		{"large beside infinity", vector(dtype.Float32T, inf, 0.005), vector(dtype.Float32T, inf, 0), check.Wrong, 1, 0},
		{"a NaN", vector(dtype.Float32T, 1, nan, nan), vector(dtype.Float32T, 1, nan, 2), check.Wrong, 2, 1},
		{"no NaN", vector(dtype.Float32T, 1), vector(dtype.Float32T, nan), check.Wrong, 0, 0},
		{"half", vector(dtype.Float16T, 1.01), vector(dtype.Float16T, 1), check.Close, 0, 0},
		{"double", vector(dtype.Float64T, 1+1e-9), vector(dtype.Float64T, 1), check.Wrong, 0, 0},
		{"integers", vector(dtype.Int64T, 1000, 1001), vector(dtype.Int64T, 1000, 1000), check.Wrong, 1, 0},
		{"type", vector(dtype.Float64T, 1), vector(dtype.Float32T, 1), check.Wrong, -1, 0},
		{"shape", vector(dtype.Float32T, 1, 2), vector(dtype.Float32T, 1), check.Wrong, -1, 0},
	} {
		d := execute.Compare([]*tensor.Tensor{x.got}, []*tensor.Tensor{x.want}, []string{"y"}, nil)
		if d.Status() != x.status || d.Index != x.index || d.NewNaNs != x.newNaNs {
			t.Errorf("%s: %s %+v, want %s at %d, %d new NaNs", x.name, d.Status(), d, x.status, x.index, x.newNaNs)
		}
	}
	two := []*tensor.Tensor{vector(dtype.Float32T, 1), vector(dtype.Float32T, 3)}
	if d := execute.Compare(two[:1], two, nil, nil); d.Status() != check.Wrong || d.Message != "got 1 outputs, expected 2" {
		t.Errorf("%+v", d)
	}
	// The first element beyond the tolerance is shown, not one with a larger error behind it.
	d := execute.Compare([]*tensor.Tensor{vector(dtype.Float32T, 1.00001), vector(dtype.Float32T, 3.5)}, two, []string{"a", "b"}, nil)
	// What is close in an output behind it does not hide it.
	if d := execute.Compare([]*tensor.Tensor{vector(dtype.Float32T, 0.25), vector(dtype.Float32T, 10000.5)}, []*tensor.Tensor{vector(dtype.Float32T, 0), vector(dtype.Float32T, 10000)}, []string{"b", "a"}, nil); d.Output != "b" || d.Got != 0.25 || d.MaxAbs != 0.5 || d.Beyond != 1 {
		t.Errorf("%+v", d)
	}
	if d.Output != "b" || d.Got != 3.5 || d.Want != 3 || d.Beyond != 1 {
		t.Errorf("%+v", d)
	}
}
