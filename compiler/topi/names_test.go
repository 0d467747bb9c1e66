package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestNames: blocks have the names that TVM's topi gives them.
func TestNames(t *testing.T) {
	in := func(shape ...int64) *te.Tensor { return te.Placeholder("x", dtype.Float32T, intShape(shape...)...) }
	for _, c := range []struct {
		want, data, kernel string
		groups             int64
		n                  int
	}{
		{"conv1d_ncw", "NCW", "OIW", 1, 1},
		{"conv2d_nchw", "NCHW", "OIHW", 1, 2},
		{"conv2d_nhwc", "NHWC", "HWIO", 1, 2},
		{"group_conv2d_nchw", "NCHW", "OIHW", 2, 2},
		{"conv3d_ncdhw", "NCDHW", "OIDHW", 1, 3},
	} {
		shape := []int64{4, 4, 4, 4, 4}[:c.n+2]
		weight := []int64{4, 4, 4, 4, 4}[:c.n+2]
		if c.groups > 1 {
			weight = []int64{4, 4 / c.groups, 4, 4}
		}
		ones, zeros := []int64{1, 1, 1}[:c.n], []int64{0, 0, 0}[:c.n]
		o := ConvOpts{Strides: ones, Dilation: ones, Before: zeros, After: zeros, Groups: c.groups, Data: c.data, Kernel: c.kernel}
		if out, err := Conv(in(shape...), in(weight...), o); err != nil || out.Name != c.want {
			t.Errorf("%v %v, want %s", out, err, c.want)
		}
	}
	for _, c := range []struct {
		want string
		o    MatmulOpts
	}{
		{"matmul", MatmulOpts{}},
		{"NT_matmul", MatmulOpts{TransposeB: true}},
		{"TN_matmul", MatmulOpts{TransposeA: true}},
		{"TT_matmul", MatmulOpts{TransposeA: true, TransposeB: true}},
	} {
		if out, err := Matmul(in(3, 3), in(3, 3), c.o); err != nil || out.Name != c.want {
			t.Errorf("%v %v, want %s", out, err, c.want)
		}
	}
	for _, shapes := range [][2][]int64{{{}, {3}}, {{3}, {}}} {
		if _, err := Matmul(in(shapes[0]...), in(shapes[1]...), MatmulOpts{}); err == nil || err.Error() != "matmul needs tensors of at least one dimension" {
			t.Errorf("a scalar factor: %v", err)
		}
	}
}

// TestArgReduceNaN: the first NaN wins as in NumPy, or the last where the last is asked for.
func TestArgReduceNaN(t *testing.T) {
	nan := math.NaN()
	x := nd{dims(5, 3), []float64{1, nan, nan, nan, 5, nan, nan, nan, nan, 2, 1, nan, nan, 0, 7}}
	for _, least := range []bool{false, true} {
		for last, want := range map[bool][]float64{false: {1, 0, 0, 2, 0}, true: {2, 2, 2, 2, 0}} {
			both(t, fmt.Sprint(least, last), func(k *kernelTest) {
				k.wantTuned(ArgReduce(k.float(x), 1, false, least, last, dtype.Int64T), nd{dims(5), want})
			})
		}
	}
}

// TestSmallOperators compares what has no test of its own with its definition.
func TestSmallOperators(t *testing.T) {
	r := newRand(81)
	a, b, x := random(r, 3), random(r, 4), random(r, 3, 2)
	both(t, "outer", func(k *kernelTest) {
		k.want(Outer(k.float(a), k.float(b)), fill(dims(3, 4), func(i []int) float64 { return a.at(i[0]) * b.at(i[1]) }))
	})
	both(t, "take nan", func(k *kernelTest) {
		at := nd{dims(5), []float64{0, 2, 3, -1, 1}}
		k.want(Take(k.float(x), k.in(at, dtype.Int64T), 0, "nan"), fill(dims(5, 2), func(i []int) float64 {
			if p := int(at.at(i[0])); p >= 0 && p < 3 {
				return x.at(p, i[1])
			}
			return math.NaN()
		}))
	})
	ints := nd{dims(4), []float64{0, 1, 100, 127}}
	for _, name := range []string{"abs", "sign", "floor", "ceil", "trunc", "round", "relu"} {
		static(t, name+" of uint8", func(k *kernelTest) {
			k.want(k.ok(Unary(name, k.in(ints, dtype.MustParse("uint8")))), fill(dims(4), func(i []int) float64 {
				if name == "sign" {
					return min(ints.at(i...), 1)
				}
				return ints.at(i...)
			}))
		})
	}
	bits := nd{dims(2), []float64{0, 1}}
	for name, want := range map[string][]float64{"abs": {0, 1}, "bitwise_not": {1, 0}, "logical_not": {1, 0}} {
		static(t, name+" of bool", func(k *kernelTest) { k.want(k.ok(Unary(name, k.in(bits, dtype.BoolT))), nd{dims(2), want}) })
	}
	for name, want := range map[string]float64{"isnan": 0, "isinf": 0, "isfinite": 1} {
		static(t, name+" of int32", func(k *kernelTest) {
			k.want(k.ok(Unary(name, k.in(ints, dtype.Int32T))), fill(dims(4), func([]int) float64 { return want }))
		})
	}
}
