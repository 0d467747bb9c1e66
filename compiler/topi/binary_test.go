package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// TestEveryBinary compares each operator on each kind of type with NumPy's definition of it.
func TestEveryBinary(t *testing.T) {
	ints := map[string]func(a, b int) int{
		"add": func(a, b int) int { return a + b }, "subtract": func(a, b int) int { return a - b }, "multiply": func(a, b int) int { return a * b },
		"divide": func(a, b int) int { return a / b }, "mod": func(a, b int) int { return a % b },
		"floor_divide": func(a, b int) int { return int(math.Floor(float64(a) / float64(b))) },
		"floor_mod":    func(a, b int) int { return a - b*int(math.Floor(float64(a)/float64(b))) },
		"maximum":      func(a, b int) int { return max(a, b) }, "minimum": func(a, b int) int { return min(a, b) },
		"bitwise_and": func(a, b int) int { return a & b }, "bitwise_or": func(a, b int) int { return a | b }, "bitwise_xor": func(a, b int) int { return a ^ b },
	}
	tests := map[string]func(a, b float64) bool{
		"equal": func(a, b float64) bool { return a == b }, "not_equal": func(a, b float64) bool { return a != b },
		"less": func(a, b float64) bool { return a < b }, "less_equal": func(a, b float64) bool { return a <= b },
		"greater": func(a, b float64) bool { return a > b }, "greater_equal": func(a, b float64) bool { return a >= b },
		"logical_and": func(a, b float64) bool { return a != 0 && b != 0 }, "logical_or": func(a, b float64) bool { return a != 0 || b != 0 },
		"logical_xor": func(a, b float64) bool { return (a != 0) != (b != 0) },
	}
	floats := map[string]func(a, b float64) float64{
		"floor_divide": func(a, b float64) float64 { return math.Floor(a / b) }, "mod": math.Mod,
		"floor_mod": func(a, b float64) float64 { return a - math.Floor(a/b)*b }, "multiply": func(a, b float64) float64 { return a * b },
	}
	bools := map[string]func(a, b bool) bool{
		"bitwise_and": func(a, b bool) bool { return a && b }, "bitwise_or": func(a, b bool) bool { return a || b }, "bitwise_xor": func(a, b bool) bool { return a != b },
		"logical_and": func(a, b bool) bool { return a && b }, "logical_or": func(a, b bool) bool { return a || b }, "logical_xor": func(a, b bool) bool { return a != b },
	}
	var a, b nd
	for x := -5; x <= 5; x++ {
		for _, y := range []int{-3, -2, -1, 1, 2, 3} {
			a.v, b.v = append(a.v, float64(x)), append(b.v, float64(y))
		}
	}
	a.shape = dims(len(a.v))
	b.shape = a.shape
	each := func(f func(x, y float64) float64) nd {
		return fill(a.shape, func(i []int) float64 { return f(a.at(i...), b.at(i...)) })
	}
	check := func(name string, d dtype.DType, a, b, want nd) {
		static(t, fmt.Sprint(name, d), func(k *kernelTest) { k.want(k.ok(Binary(name, T(k.in(a, d)), T(k.in(b, d)))), want) })
	}
	for name, f := range ints {
		check(name, dtype.Int32T, a, b, each(func(x, y float64) float64 { return float64(f(int(x), int(y))) }))
	}
	for name, f := range tests {
		for _, d := range []dtype.DType{dtype.Int64T, dtype.Float32T} {
			check(name, d, a, b, each(func(x, y float64) float64 { return truth(f(x, y)) }))
		}
	}
	for name, f := range floats {
		check(name, dtype.Float32T, a, b, each(f))
	}
	p, q := nd{dims(4), []float64{0, 0, 1, 1}}, nd{dims(4), []float64{0, 1, 0, 1}}
	for name, f := range bools {
		check(name, dtype.BoolT, p, q, fill(p.shape, func(i []int) float64 { return truth(f(p.at(i...) != 0, q.at(i...) != 0)) }))
	}
	check("left_shift", dtype.Int32T, nd{dims(3), []float64{1, -3, 5}}, nd{dims(3), []float64{4, 1, 0}}, nd{dims(3), []float64{16, -6, 5}})
	check("right_shift", dtype.Int32T, nd{dims(3), []float64{17, -6, 5}}, nd{dims(3), []float64{4, 1, 0}}, nd{dims(3), []float64{1, -3, 5}})
	// Exponents that are known are multiplied out; the result is that of pow.
	base := nd{dims(4), []float64{0, 0.25, 2, 9}}
	for _, n := range []float64{-1, 0, 0.5, 1, 1.5, 2, 3, 4} {
		want := fill(base.shape, func(i []int) float64 { return math.Pow(base.at(i...), n) })
		static(t, fmt.Sprint("power ", n), func(k *kernelTest) {
			k.want(k.ok(Binary("power", T(k.float(base)), Operand{Scalar: tir.FloatConst(dtype.Float32T, n)})), want)
		})
	}
	// A scalar takes the type of the tensor, on either side.
	for _, left := range []bool{false, true} {
		static(t, fmt.Sprint("scalar ", left), func(k *kernelTest) {
			s, x := Operand{Scalar: tir.Int(3)}, T(k.float(a))
			if left {
				k.want(k.ok(Binary("subtract", s, x)), fill(a.shape, func(i []int) float64 { return 3 - a.at(i...) }))
				return
			}
			k.want(k.ok(Binary("subtract", x, s)), fill(a.shape, func(i []int) float64 { return a.at(i...) - 3 }))
		})
	}
	if IsBinary("nope") || !IsBinary("add") || IsUnary("nope") || !IsUnary("exp") {
		t.Error("names are not known by what stands in the tables")
	}
	for want, f := range map[string]func() error{
		`no binary operator is called "nope"`: func() error { _, err := Binary("nope", Operand{}, Operand{}); return err },
		`extents 3 and 4 do not broadcast`:    func() error { _, err := BroadcastShape(intShape(2, 3), intShape(4)); return err },
		`extents 5 and 2 do not broadcast`:    func() error { _, err := BroadcastShape(intShape(5, 1), intShape(1), intShape(2, 3)); return err },
		`no unary operator is called "nope"`:  func() error { _, err := Unary("nope", nil); return err },
		`unknown pad mode "symmetric": expected constant, reflect, replicate or circular`: func() error {
			k := &kernelTest{T: t}
			_, err := Pad(k.float(a), []int64{1}, []int64{1}, "symmetric", nil)
			return err
		},
		`pad of a tensor of 1 dimensions with 2 and 1 widths`: func() error {
			k := &kernelTest{T: t}
			_, err := Pad(k.float(a), []int64{1, 1}, []int64{1}, "edge", nil)
			return err
		},
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSliceStarts takes every slice of short vectors, with begins that are constants and such that are known at run time.
func TestSliceStarts(t *testing.T) {
	r := newRand(72)
	for n := 1; n <= 4; n++ {
		x := random(r, n)
		for begin := -6; begin <= 6; begin++ {
			for _, stride := range []int{-3, -2, -1, 1, 2, 3} {
				first := begin // as slice.indices of Python
				if first < 0 {
					first += n
				}
				if stride < 0 {
					first = min(max(first, -1), n-1)
				} else {
					first = min(max(first, 0), n)
				}
				var want nd
				for at := first; at >= 0 && at < n; at += stride {
					want.v = append(want.v, x.at(at))
				}
				if len(want.v) == 0 {
					continue
				}
				want.shape = dims(len(want.v))
				for _, late := range []bool{false, true} {
					both(t, fmt.Sprint(n, begin, stride, late), func(k *kernelTest) {
						in := k.float(x)
						from := tir.Expr(tir.Int(int64(begin)))
						if late && k.symbolic && n > 1 {
							from = tir.Add(k.extent(n), tir.Int(int64(begin-n)))
						}
						k.want(StridedSlice(in, []SliceAxis{{0, from, int64(stride)}}, intShape(int64(len(want.v))), false), want)
					})
				}
			}
		}
	}
}
