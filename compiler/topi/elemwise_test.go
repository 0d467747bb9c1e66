package topi

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// exactly compares out, which must have type d, with a reference to so many last places.
func (k *kernelTest) exactly(out *te.Tensor, d dtype.DType, places float64, ref nd) {
	k.Helper()
	if out.DType != d {
		k.Fatalf("the result is %s, want %s", out.DType, d)
	}
	got := k.run([]*te.Tensor{out}, ref.shape)[0]
	for i, w := range ref.v {
		g := got.Float(i)
		if g == w && math.Signbit(g) == math.Signbit(w) || g != g && w != w || g == w && w == 0 && places > 0 {
			continue
		}
		if diff := math.Abs(g - w); !(diff <= places*0x1p-52*math.Max(math.Abs(w), 1)) {
			k.Fatalf("element %d of shape %v: got %v, want %v", i, ref.shape, g, w)
		}
	}
}

func values(v ...float64) nd { return nd{dims(len(v)), v} }

func mapped(x nd, f func(float64) float64) nd {
	return fill(x.shape, func(i []int) float64 { return f(x.at(i...)) })
}

// TestUnaryInDouble: all digits of the constants count.
func TestUnaryInDouble(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	x := values(-3.25, -1, -0.3, 0, 0.3, 0.9, 1, 2.5, 7)
	for name, f := range map[string]func(float64) float64{
		"exp": math.Exp, "tanh": math.Tanh, "sigmoid": sigmoid, "square": func(x float64) float64 { return x * x }, "abs": math.Abs,
		"silu": func(x float64) float64 { return x * sigmoid(x) },
		"gelu": func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) },
		"gelu_tanh": func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		},
		"selu": func(x float64) float64 {
			if x > 0 {
				return 1.05070098735548049342 * x
			}
			return 1.05070098735548049342 * 1.67326324235437728482 * (math.Exp(x) - 1)
		},
		"relu":  func(x float64) float64 { return math.Max(x, 0) },
		"sign":  func(x float64) float64 { return truth(x > 0) - truth(x < 0) },
		"round": math.RoundToEven, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc,
	} {
		static(t, name, func(k *kernelTest) {
			k.exactly(k.ok(Unary(name, k.in(x, dtype.Float64T))), dtype.Float64T, 64, mapped(x, f))
		})
	}
	nan := values(math.NaN(), math.Copysign(math.NaN(), -1))
	for _, name := range []string{"sign", "abs", "floor", "exp", "selu", "gelu"} {
		static(t, name+" of NaN", func(k *kernelTest) {
			k.exactly(k.ok(Unary(name, k.in(nan, dtype.Float64T))), dtype.Float64T, 0, mapped(nan, func(float64) float64 { return math.NaN() }))
		})
	}
	// Ties go to the even number.
	ties := values(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
	static(t, "round", func(k *kernelTest) {
		k.exactly(k.ok(Unary("round", k.in(ties, dtype.Float64T))), dtype.Float64T, 1, values(-2, -2, 0, 0, 2, 2))
	})
}

// TestUnaryTypes: integers wrap as in NumPy, and questions are answered with bools.
func TestUnaryTypes(t *testing.T) {
	wrap := func(d dtype.DType, v float64) float64 {
		n := int64(v)
		switch {
		case d.IsUInt():
			return float64(n & (1<<d.Bits - 1))
		default:
			return float64(n << (64 - d.Bits) >> (64 - d.Bits))
		}
	}
	signed, unsigned := values(-128, -127, -1, 0, 1, 12, 127), values(0, 1, 2, 100, 128, 255)
	for _, d := range []dtype.DType{dtype.Int8T, dtype.UInt8T} {
		x := signed
		if d.IsUInt() {
			x = unsigned
		}
		for name, f := range map[string]func(float64) float64{
			"abs": math.Abs, "negative": func(x float64) float64 { return -x }, "square": func(x float64) float64 { return x * x },
			"sign": func(x float64) float64 { return truth(x > 0) - truth(x < 0) }, "bitwise_not": func(x float64) float64 { return -x - 1 },
			"relu": func(x float64) float64 { return math.Max(x, 0) },
			"ceil": func(x float64) float64 { return x }, "floor": func(x float64) float64 { return x }, "trunc": func(x float64) float64 { return x }, "round": func(x float64) float64 { return x },
		} {
			static(t, name+d.String(), func(k *kernelTest) {
				k.exactly(k.ok(Unary(name, k.in(x, d))), d, 0, mapped(x, func(v float64) float64 { return wrap(d, f(v)) }))
			})
		}
	}
	special := values(math.NaN(), math.Inf(1), math.Inf(-1), 0, -3)
	for name, f := range map[string]func(float64) bool{
		"isnan": func(x float64) bool { return x != x }, "isinf": func(x float64) bool { return math.IsInf(x, 0) },
		"isfinite": func(x float64) bool { return x-x == 0 }, "logical_not": func(x float64) bool { return x == 0 },
	} {
		for _, d := range []dtype.DType{dtype.Float64T, dtype.Float32T, dtype.Float16T, dtype.BFloat16T, dtype.Int8T, dtype.BoolT} {
			x := special
			switch {
			case d.IsBool():
				x = values(0, 1)
			case !d.IsFloat():
				x = values(0, -3, 127)
			}
			static(t, name+d.String(), func(k *kernelTest) {
				k.exactly(k.ok(Unary(name, k.in(x, d))), dtype.BoolT, 0, mapped(x, func(v float64) float64 { return truth(f(v)) }))
			})
		}
	}
	for _, d := range []dtype.DType{dtype.Float16T, dtype.BFloat16T} {
		x := values(-2, -0.5, 0, 0.5, 4)
		for name, f := range map[string]func(float64) float64{
			"abs": math.Abs, "negative": func(x float64) float64 { return -x }, "relu": func(x float64) float64 { return math.Max(x, 0) }, "sign": func(x float64) float64 { return truth(x > 0) - truth(x < 0) },
		} {
			static(t, name+d.String(), func(k *kernelTest) { k.exactly(k.ok(Unary(name, k.in(x, d))), d, 1, mapped(x, f)) })
		}
	}
	for _, d := range []dtype.DType{dtype.Float64T, dtype.Float32T, dtype.Float16T, dtype.BFloat16T} {
		static(t, "zeros have a sign "+d.String(), func(k *kernelTest) {
			zero, minus := 0.0, math.Copysign(0, -1)
			out := k.run([]*te.Tensor{k.ok(Unary("negative", k.in(values(zero, minus), d)))}, dims(2))[0]
			for i, want := range []bool{true, false} {
				if got := math.Signbit(out.Float(i)); got != want {
					t.Errorf("%v: the sign of %d is %t", d, i, got)
				}
			}
		})
	}
	for _, shape := range [][]int{{0}, {1}, {}, {2, 0, 3}} {
		both(t, fmt.Sprint("shape ", shape), func(k *kernelTest) {
			x := fill(shape, func([]int) float64 { return 2 })
			if len(shape) == 0 {
				x.v = []float64{2}
			}
			k.want(k.ok(Unary("square", k.float(x))), mapped(x, func(v float64) float64 { return v * v }))
		})
	}
}

// TestActivations at their edges: zero, the threshold, one slope for all channels.
func TestActivations(t *testing.T) {
	x := values(-4, -1, 0, 0.5, 3)
	d := dtype.Float64T
	static(t, "leakyrelu", func(k *kernelTest) {
		k.exactly(LeakyReLU(k.in(x, d), 0.25), d, 1, values(-1, -0.25, 0, 0.5, 3))
	})
	// A slope above 1 tells the negative side from the maximum of both.
	static(t, "steep leakyrelu", func(k *kernelTest) { k.exactly(LeakyReLU(k.in(x, d), 3), d, 1, values(-12, -3, 0, 0.5, 3)) })
	rows := nd{dims(2, 3), []float64{-1, -2, 3, 0, -5, -6}}
	static(t, "prelu along rows", func(k *kernelTest) {
		k.exactly(PReLU(k.in(rows, d), k.in(values(2, 3), d), 0), d, 1, nd{dims(2, 3), []float64{-2, -4, 3, 0, -15, -18}})
	})
	static(t, "prelu along columns", func(k *kernelTest) {
		k.exactly(PReLU(k.in(rows, d), k.in(values(2, 3, 4), d), 1), d, 1, nd{dims(2, 3), []float64{-2, -6, 3, 0, -15, -24}})
	})
	static(t, "prelu with one slope", func(k *kernelTest) {
		k.exactly(PReLU(k.in(rows, d), k.in(values(2), d), 1), d, 1, nd{dims(2, 3), []float64{-2, -4, 3, 0, -10, -12}})
	})
	for _, beta := range []float64{1, 2} {
		for _, threshold := range []float64{0, 1, 20} {
			static(t, fmt.Sprint("softplus ", beta, threshold), func(k *kernelTest) {
				k.exactly(Softplus(k.in(x, d), beta, threshold), d, 8, mapped(x, func(v float64) float64 {
					if beta*v > threshold {
						return v
					}
					return math.Log(1+math.Exp(beta*v)) / beta
				}))
			})
		}
	}
	// Bounds take the type of the elements, and the lower one wins where they cross.
	for _, c := range []struct {
		lo, hi tir.Expr
		d      dtype.DType
		want   []float64
	}{
		{tir.Int(-2), tir.Int(1), dtype.Float64T, []float64{-2, -1, 0, 0.5, 1}},
		{tir.FloatConst(dtype.Float32T, -0.5), tir.FloatConst(dtype.Float32T, 0.25), dtype.Float64T, []float64{-0.5, -0.5, 0, 0.25, 0.25}},
		{tir.FloatConst(dtype.Float64T, -2), tir.FloatConst(dtype.Float64T, 2), dtype.Int8T, []float64{-2, -1, 0, 0, 2}},
		{tir.Int(2), tir.Int(-1), dtype.Float64T, []float64{2, 2, 2, 2, 2}},
		{tir.FloatConst(dtype.Float64T, -300), tir.FloatConst(dtype.Float64T, 255), dtype.Int8T, []float64{-4, -1, 0, 0, 3}}, // no numbers of int8
		{tir.Int(-1 << 40), tir.FloatConst(dtype.Float64T, math.Inf(1)), dtype.Int32T, []float64{-4, -1, 0, 0, 3}},
	} {
		static(t, fmt.Sprint("clip ", c.d, c.want), func(k *kernelTest) { k.exactly(Clip(k.in(x, c.d), c.lo, c.hi), c.d, 1, values(c.want...)) })
	}
	for _, c := range []struct {
		from, to dtype.DType
		in, want []float64
	}{
		{dtype.Float64T, dtype.Int32T, []float64{-1.9, -0.5, 0.5, 1.9}, []float64{-1, 0, 0, 1}},
		{dtype.Int32T, dtype.Int8T, []float64{127, 128, -129, 256}, []float64{127, -128, 127, 0}},
		{dtype.Int32T, dtype.UInt8T, []float64{-1, 256, 255}, []float64{255, 0, 255}},
		{dtype.Float32T, dtype.BoolT, []float64{0, 0.25, -1}, []float64{0, 1, 1}},
		{dtype.BoolT, dtype.Float32T, []float64{0, 1}, []float64{0, 1}},
		{dtype.Float64T, dtype.Float16T, []float64{1 + 1.0/1024, 1 + 1.0/4096}, []float64{1 + 1.0/1024, 1}},
	} {
		static(t, fmt.Sprint("cast ", c.from, c.to), func(k *kernelTest) {
			k.exactly(Cast(k.in(values(c.in...), c.from), c.to), c.to, 1, values(c.want...))
		})
	}
	static(t, "copy", func(k *kernelTest) { k.exactly(Copy(k.in(x, d)), d, 0, x) })
	static(t, "fma", func(k *kernelTest) {
		a := k.in(x, d)
		k.exactly(EwiseFMA(a, k.in(values(1, 2, 3, 4, 5), d), k.in(values(9, 8, 7, 6, 5), d)), d, 1, values(5, 6, 7, 8, 20))
	})
}
