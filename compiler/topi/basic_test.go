package topi

import (
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func TestUnary(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	bool01 := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	refs := map[string]func(float64) float64{
		"abs": math.Abs, "negative": func(x float64) float64 { return -x }, "acos": math.Acos, "acosh": math.Acosh, "asin": math.Asin,
		"asinh": math.Asinh, "atan": math.Atan, "atanh": math.Atanh, "cos": math.Cos, "cosh": math.Cosh, "sin": math.Sin, "sinh": math.Sinh,
		"tan": math.Tan, "tanh": math.Tanh, "erf": math.Erf, "exp": math.Exp, "log": math.Log, "sqrt": math.Sqrt,
		"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "sigmoid": sigmoid, "ceil": math.Ceil, "floor": math.Floor,
		"trunc": math.Trunc, "round": math.RoundToEven, "square": func(x float64) float64 { return x * x },
		"sign": func(x float64) float64 { return bool01(x > 0) - bool01(x < 0) },
		"relu": func(x float64) float64 { return math.Max(x, 0) }, "silu": func(x float64) float64 { return x * sigmoid(x) },
		"gelu": func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) },
		"gelu_tanh": func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		},
		"selu": func(x float64) float64 {
			if x > 0 {
				return 1.0507009873554805 * x
			}
			return 1.0507009873554805 * 1.6732632423543772 * (math.Exp(x) - 1)
		},
		"isnan": func(x float64) float64 { return bool01(x != x) }, "isinf": func(x float64) float64 { return bool01(math.IsInf(x, 0)) },
		"isfinite": func(x float64) float64 { return bool01(x-x == 0) }, "logical_not": func(x float64) float64 { return bool01(x == 0) },
	}
	x := nd{dims(3, 4), []float64{-2.5, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2.5, math.Inf(1), math.Inf(-1), math.NaN()}}
	for name := range unaries {
		if name == "bitwise_not" {
			continue
		}
		ref := refs[name]
		if ref == nil {
			t.Errorf("%s has no reference", name)
			continue
		}
		in := x
		if name == "sign" || name == "relu" { // what they make of NaN is left open
			in = nd{dims(11), x.v[:11]}
		}
		both(t, name, func(k *kernelTest) {
			out, err := Unary(name, k.float(in))
			k.want(k.ok(out, err), fill(in.shape, func(i []int) float64 { return ref(in.at(i...)) }))
		})
	}
	ints := nd{dims(4), []float64{-128, -1, 0, 127}}
	static(t, "bitwise_not", func(k *kernelTest) {
		out, err := Unary("bitwise_not", k.in(ints, dtype.Int8T))
		k.want(k.ok(out, err), nd{dims(4), []float64{127, 0, -1, -128}})
	})
	if _, err := Unary("nope", nil); err == nil {
		t.Error("an unknown name is an error")
	}
}

func TestBinaryBroadcast(t *testing.T) {
	r := newRand(1)
	refs := map[string]func(a, b float64) float64{
		"add":      func(a, b float64) float64 { return a + b },
		"subtract": func(a, b float64) float64 { return a - b },
		"divide":   func(a, b float64) float64 { return a / b },
		"maximum":  math.Max, "minimum": math.Min, "atan2": math.Atan2, "mod": math.Mod,
		"floor_mod":   func(a, b float64) float64 { return a - math.Floor(a/b)*b },
		"log_add_exp": func(a, b float64) float64 { return math.Log(math.Exp(a) + math.Exp(b)) },
		"power":       math.Pow,
		"less":        func(a, b float64) float64 { return map[bool]float64{true: 1}[a < b] },
	}
	for _, shapes := range [][2][]int{
		{{2, 3}, {2, 3}},
		{{4, 1, 5}, {3, 1}},
		{{5}, {2, 3, 1}},
		{{}, {7}},
		{{1, 1}, {1, 3}},
	} {
		for name, ref := range refs {
			a, b := random(r, shapes[0]...), random(r, shapes[1]...)
			if name == "power" {
				for i := range a.v {
					a.v[i] = math.Abs(a.v[i])
				}
			}
			both(t, name, func(k *kernelTest) {
				out, err := Binary(name, T(k.float(a)), T(k.float(b)))
				k.want(k.ok(out, err), broadcastRef(a, b, ref))
			})
		}
	}
	if _, err := BroadcastShape(intShape(2, 3), intShape(2, 4)); err == nil {
		t.Error("extents 3 and 4 do not broadcast")
	}
}

func intShape(ds ...int64) []tir.Expr {
	out := make([]tir.Expr, len(ds))
	for i, d := range ds {
		out[i] = tir.Int(d)
	}
	return out
}

func broadcastRef(a, b nd, f func(x, y float64) float64) nd {
	n := max(len(a.shape), len(b.shape))
	shape := make([]int, n)
	dim := func(s []int, k int) int {
		if j := k - (n - len(s)); j >= 0 {
			return s[j]
		}
		return 1
	}
	for k := range n {
		shape[k] = max(dim(a.shape, k), dim(b.shape, k))
	}
	get := func(x nd, i []int) float64 {
		at := make([]int, len(x.shape))
		for j := range at {
			if x.shape[j] > 1 {
				at[j] = i[j+n-len(at)]
			}
		}
		return x.at(at...)
	}
	return fill(shape, func(i []int) float64 { return f(get(a, i), get(b, i)) })
}

func TestIntegerBinary(t *testing.T) {
	a := nd{dims(4), []float64{-7, 7, -7, 7}}
	b := nd{dims(4), []float64{2, 2, -2, -2}}
	for name, want := range map[string][]float64{
		"divide": {-3, 3, 3, -3}, "floor_divide": {-4, 3, 3, -4}, "mod": {-1, 1, -1, 1}, "floor_mod": {1, 1, -1, -1},
		"bitwise_and": {-7 & 2, 7 & 2, -7 & -2, 7 & -2}, "bitwise_xor": {-7 ^ 2, 7 ^ 2, -7 ^ -2, 7 ^ -2}, "equal": {0, 0, 0, 0},
		"logical_and": {1, 1, 1, 1}, "greater": {0, 1, 0, 1},
	} {
		static(t, name, func(k *kernelTest) {
			out, err := Binary(name, T(k.in(a, dtype.Int32T)), T(k.in(b, dtype.Int32T)))
			k.want(k.ok(out, err), nd{dims(4), want})
		})
	}
	static(t, "scalar operand", func(k *kernelTest) {
		out, err := Binary("power", T(k.float(a)), Operand{Scalar: tir.FloatConst(dtype.Float32T, 2)})
		k.want(k.ok(out, err), nd{dims(4), []float64{49, 49, 49, 49}})
	})
}

func TestSelections(t *testing.T) {
	r := newRand(2)
	c, a, b := randomInts(r, 0, 2, 3, 1), random(r, 3, 4), random(r, 4)
	both(t, "where", func(k *kernelTest) {
		out, err := Where(T(k.in(c, dtype.BoolT)), T(k.float(a)), T(k.float(b)))
		k.want(k.ok(out, err), fill(dims(3, 4), func(i []int) float64 {
			if c.at(i[0], 0) != 0 {
				return a.at(i...)
			}
			return b.at(i[1])
		}))
	})
	both(t, "clip", func(k *kernelTest) {
		out := Clip(k.float(a), tir.FloatConst(dtype.Float32T, -0.5), tir.FloatConst(dtype.Float32T, 1))
		k.want(out, fill(a.shape, func(i []int) float64 { return math.Min(math.Max(a.at(i...), -0.5), 1) }))
	})
	both(t, "cast", func(k *kernelTest) {
		k.want(Cast(k.float(a), dtype.Int32T), fill(a.shape, func(i []int) float64 { return math.Trunc(a.at(i...)) }))
	})
	both(t, "leakyrelu", func(k *kernelTest) {
		k.want(LeakyReLU(k.float(a), 0.1), fill(a.shape, func(i []int) float64 { return math.Max(a.at(i...), 0.1*a.at(i...)) }))
	})
	both(t, "prelu", func(k *kernelTest) {
		k.want(PReLU(k.float(a), k.float(b), 1), fill(a.shape, func(i []int) float64 {
			if x := a.at(i...); x < 0 {
				return x * b.at(i[1])
			}
			return a.at(i...)
		}))
	})
	both(t, "softplus", func(k *kernelTest) {
		k.want(Softplus(k.float(a), 2, 3), fill(a.shape, func(i []int) float64 {
			if x := a.at(i...); 2*x > 3 {
				return x
			}
			return math.Log(1+math.Exp(2*a.at(i...))) / 2
		}))
	})
}

func TestReduce(t *testing.T) {
	r := newRand(3)
	x := random(r, 3, 4, 5)
	refs := map[string]func(v []float64) float64{
		"sum": sumOf, "mean": func(v []float64) float64 { return sumOf(v) / float64(len(v)) },
		"prod": func(v []float64) float64 {
			p := 1.0
			for _, x := range v {
				p *= x
			}
			return p
		},
		"max": maxOf, "min": func(v []float64) float64 {
			m := math.Inf(1)
			for _, x := range v {
				m = math.Min(m, x)
			}
			return m
		},
		"variance": varOf, "std": func(v []float64) float64 { return math.Sqrt(varOf(v)) },
	}
	for name, ref := range refs {
		for _, axes := range [][]int{{1}, {0, 2}, nil, {}} {
			for _, keep := range []bool{false, true} {
				both(t, name, func(k *kernelTest) {
					out, err := Reduce(name, k.float(x), axes, keep)
					k.want(k.ok(out, err), reduceRef(x, axes, keep, ref))
				})
			}
		}
	}
}

func sumOf(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

func maxOf(v []float64) float64 {
	m := math.Inf(-1)
	for _, x := range v {
		m = math.Max(m, x)
	}
	return m
}

func varOf(v []float64) float64 {
	m := sumOf(v) / float64(len(v))
	s := 0.0
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	return s / float64(len(v))
}

// reduceRef applies f to the elements along axes (nil: all).
func reduceRef(x nd, axes []int, keep bool, f func([]float64) float64) nd {
	over := make([]bool, len(x.shape))
	for k := range over {
		over[k] = axes == nil
	}
	for _, a := range axes {
		over[a] = true
	}
	var shape []int
	for k, d := range x.shape {
		switch {
		case !over[k]:
			shape = append(shape, d)
		case keep:
			shape = append(shape, 1)
		}
	}
	groups := map[string][]float64{}
	key := func(i []int) string {
		s := ""
		for k := range x.shape {
			if !over[k] {
				s += string(rune('a' + i[k]))
			}
		}
		return s
	}
	fill(x.shape, func(i []int) float64 {
		groups[key(i)] = append(groups[key(i)], x.at(i...))
		return 0
	})
	return fill(shape, func(i []int) float64 {
		full := make([]int, len(x.shape))
		j := 0
		for k := range x.shape {
			if keep || !over[k] {
				full[k] = i[j]
				j++
			}
		}
		return f(groups[key(full)])
	})
}

func TestArgReduce(t *testing.T) {
	x := nd{dims(2, 4), []float64{1, 3, 3, -1, math.Inf(-1), math.Inf(-1), -5, -5}}
	for _, tc := range []struct {
		name        string
		axis        int
		least, last bool
		want        nd
	}{
		{"first maximum", 1, false, false, nd{dims(2), []float64{1, 2}}},
		{"last maximum", 1, false, true, nd{dims(2), []float64{2, 3}}},
		{"first minimum", 1, true, false, nd{dims(2), []float64{3, 0}}},
		{"last minimum", 1, true, true, nd{dims(2), []float64{3, 1}}},
		{"flattened", -1, false, false, nd{dims(), []float64{1}}},
		{"columns", 0, false, false, nd{dims(4), []float64{0, 0, 0, 0}}},
	} {
		both(t, tc.name, func(k *kernelTest) {
			k.want(ArgReduce(k.float(x), tc.axis, false, tc.least, tc.last, dtype.Int64T), tc.want)
		})
	}
}

func TestSoftmax(t *testing.T) {
	r := newRand(4)
	x := random(r, 3, 5, 2)
	x.v[0] = 80 // exp overflows float32 without the maximum taken off
	x.v[1] = 200
	for axis := range 3 {
		sum := reduceRef(x, []int{axis}, true, func(v []float64) float64 {
			m, s := maxOf(v), 0.0
			for _, x := range v {
				s += math.Exp(x - m)
			}
			return m + math.Log(s)
		})
		log := fill(x.shape, func(i []int) float64 {
			at := append([]int{}, i...)
			at[axis] = 0
			return x.at(i...) - sum.at(at...)
		})
		both(t, "softmax", func(k *kernelTest) {
			k.want(Softmax(k.float(x), axis), fill(x.shape, func(i []int) float64 { return math.Exp(log.at(i...)) }))
		})
		both(t, "log_softmax", func(k *kernelTest) { k.want(LogSoftmax(k.float(x), axis), log) })
	}
}

// TestSoftmaxOfNaN: a row with a NaN or positive infinity, or of negative infinities alone, is NaN as a whole; others are as without it.
func TestSoftmaxOfNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rows := [][]float64{{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}, {nan, nan, nan}, {1, inf, 2}, {inf, nan, 1}, {-inf, -inf, -inf}, {-inf, nan, 3}, {-inf, 0, 0}, {0, 0, -inf}}
	x := nd{dims(len(rows), 3), slices.Concat(rows...)}
	for name, f := range map[string]func(*te.Tensor, int) *te.Tensor{"softmax": Softmax, "log_softmax": LogSoftmax} {
		both(t, name, func(k *kernelTest) {
			got := k.run([]*te.Tensor{f(k.float(x), 1)}, x.shape)[0]
			for i := range got.Len() {
				v, row := got.Float(i), i/3
				if math.IsNaN(v) != (row < 8) {
					t.Errorf("element %d of row %v is %v", i%3, rows[row], v)
				}
			}
		})
	}
}
