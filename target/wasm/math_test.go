package wasm_test

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// ulps is the distance of got from the exact value want in units of the last place of float32.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case math.IsNaN(want):
		if got != got {
			return 0
		}
		return math.Inf(1)
	case math.IsInf(float64(w), 0) || math.IsInf(float64(got), 0):
		if got == w {
			return 0
		}
		return math.Inf(1)
	}
	unit := math.Max(math.Abs(float64(math.Nextafter32(w, float32(math.Inf(1))))-float64(w)), 0x1p-149)
	return math.Abs(float64(got)-want) / unit
}

// TestMathAccuracy compares the inline formulas, scalar and vector, with float64.
func TestMathAccuracy(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-40, 1e38, -1e38, 2.5, -2.5, 3.5, 88.8, -103.9, 0x1p-126, 8193, -8193.5, 1.5}
	cases := []struct {
		op     string
		f      func(float64) float64
		lo, hi float64
		ulps   float64
	}{
		{"exp", math.Exp, -110, 92, 1.5},
		{"exp2", math.Exp2, -155, 131, 2},
		{"exp10", func(x float64) float64 { return math.Pow(10, x) }, -46, 39, 2},
		{"tanh", math.Tanh, -12, 12, 2.5},
		{"sigmoid", sigmoid, -88, 100, 3}, // below, 1 + e^-x overflows and the result is 0
		{"erf", math.Erf, -5, 5, 2},
		{"log", math.Log, 0, 100, 1.5},
		{"log2", math.Log2, 0, 1e6, 2.5},
		{"log10", math.Log10, 0, 1e6, 2.5},
		{"log1p", math.Log1p, -0.9, 3, 4},
		{"sqrt", math.Sqrt, 0, 1e9, 0.5},
		{"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, 1e9, 1.5},
		{"sin", math.Sin, -20, 20, 2},
		{"cos", math.Cos, -20, 20, 2},
		{"tan", math.Tan, -1.5, 1.5, 4},
		{"floor", math.Floor, -100, 100, 0},
		{"ceil", math.Ceil, -100, 100, 0},
		{"trunc", math.Trunc, -100, 100, 0},
		{"round", math.Round, -8, 8, 0},
		{"nearbyint", math.RoundToEven, -8, 8, 0},
		{"fabs", math.Abs, -100, 100, 0},
		{"asin", math.Asin, -1, 1, 1},
		{"sinh", math.Sinh, -5, 5, 1},
	}
	const n = 4096
	in := tensor.MustNew(dtype.Float32T, n)
	for _, c := range cases {
		t.Run(c.op, func(t *testing.T) {
			for i := range n {
				in.SetFloat(i, c.lo+(c.hi-c.lo)*float64(i)/n)
				if i%4 == 3 && c.hi == math.Trunc(c.hi*4)/4 && c.ulps == 0 {
					in.SetFloat(i, float64(i%64)/4-8)
				}
			}
			for i, x := range special {
				in.SetFloat(i, x)
			}
			for _, lanes := range []int{1, 8} {
				out := runUnary(t, "tir."+c.op, lanes, in)
				worst, at := 0.0, 0
				for i := range n {
					if u := ulps(float32(out.Float(i)), c.f(in.Float(i))); u > worst {
						worst, at = u, i
					}
				}
				if worst > c.ulps {
					t.Errorf("%d lanes: %s(%g) is %g, want %g: %.3g ulp off, allowed %g", lanes, c.op, in.Float(at), out.Float(at), c.f(in.Float(at)), worst, c.ulps)
				}
			}
		})
	}
}

// runUnary applies an intrinsic to all elements.
func runUnary(t *testing.T, op string, lanes int, in *tensor.Tensor) *tensor.Tensor {
	t.Helper()
	n := int64(in.Len())
	a, b := flat("A", in.DType, n), flat("B", in.DType, n)
	i := i32var("i")
	at := tir.Expr(i)
	if lanes > 1 {
		at = ramp(tir.Mul(i, tir.Int32(int64(lanes))), 1, lanes)
	}
	f := primFunc("unary", []any{a, b}, forLoop(i, tir.Int32(n/int64(lanes)),
		tir.Store(b, tir.NewCall(tir.LookupBuiltin(op).Op, tir.Load(a, at)), at)))
	_, mod, d := load(t, pack(t, f), mustTarget("wasm"))
	out := in.Clone()
	if err := runWasm(t, mod, d, []any{in.Clone(), out}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMathOfOtherTypes runs float64, which goes to the host, float16, which goes by way of
// float32, and functions of two arguments, against the interpreter.
func TestMathOfOtherTypes(t *testing.T) {
	const n = 16
	for _, c := range []struct {
		d   string
		tol float64
	}{{"float64", 1e-15}, {"float32", 2e-6}, {"float16", 2e-3}, {"bfloat16", 2e-2}} {
		d := dtype.MustParse(c.d)
		x, y, z := flat("X", d, n), flat("Y", d, n), flat("Z", d, n)
		var body []tir.Stmt
		for k, e := range []func(a, b tir.Expr) tir.Expr{
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpExp, a) },
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpTanh, tir.Mul(a, b)) },
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpPow, tir.NewCall(tir.OpFabs, a), b) },
			func(a, b tir.Expr) tir.Expr {
				return tir.NewCall(tir.OpPow, a, tir.FloatConst(a.DType(), 2))
			},
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpCopysign, a, b) },
			func(a, b tir.Expr) tir.Expr { return tir.NewCall(tir.OpAtan2, a, b) },
			func(a, b tir.Expr) tir.Expr {
				return &tir.Select{Cond: &tir.Call{Type: dtype.BoolT.WithLanes(int(a.DType().Lanes)), Op: tir.OpIsNaN, Args: []tir.Expr{a}}, True: a, False: b}
			},
		} {
			i := i32var("i")
			at := ramp(tir.Mul(i, tir.Int32(4)), 1, 4)
			body = append(body, forLoop(i, tir.Int32(n/4), tir.Store(z, tir.Add(tir.Load(z, at), e(tir.Load(x, at), tir.Load(y, at))), at)))
			if k%2 == 0 {
				body = append(body, forLoop(i32var("j"), tir.Int32(1), tir.Store(z, e(tir.Load(x, tir.Int32(3)), tir.Load(y, tir.Int32(4))), tir.Int32(5))))
			}
		}
		t.Run(c.d, func(t *testing.T) {
			check(t, primFunc("mixed", []any{x, y, z}, body...), c.tol, random(d, 1, n), random(d, 2, n), random(d, 3, n))
		})
	}
}

// TestIntegerDivisionByConstants compares the multiplication by a reciprocal with Go.
func TestIntegerDivisionByConstants(t *testing.T) {
	vals := []int32{0, 1, 2, 3, 6, 7, 8, 99, 100, 101, 1 << 30, math.MaxInt32, math.MaxInt32 - 1, 123456789, -1, -2, -7, -8, -100, math.MinInt32, math.MinInt32 + 1}
	in := tensor.MustOf([]int64{int64(len(vals))}, vals)
	for _, c := range []int64{1, 2, 3, 5, 7, 8, 9, 10, 49, 56, 100, 641, 1000, 3136, 65535, 65537, 1 << 20, 1<<30 + 1, math.MaxInt32} {
		a, b := flat("A", dtype.Int32T, int64(len(vals))), flat("B", dtype.Int32T, int64(len(vals)*6))
		i := i32var("i")
		var body []tir.Stmt
		x := tir.Load(a, i)
		clipped := tir.NewCall(tir.OpBitwiseAnd, x, tir.Int32(math.MaxInt32)) // known to be non-negative
		for k, e := range []tir.Expr{
			tir.NewBinary(tir.OpFloorDiv, x, tir.Int32(c)), tir.NewBinary(tir.OpFloorMod, x, tir.Int32(c)),
			tir.NewBinary(tir.OpDiv, x, tir.Int32(c)), tir.NewBinary(tir.OpMod, x, tir.Int32(c)),
			tir.NewBinary(tir.OpFloorDiv, clipped, tir.Int32(c)), tir.NewBinary(tir.OpFloorMod, clipped, tir.Int32(c)),
		} {
			body = append(body, tir.Store(b, e, tir.Add(i, tir.Int32(int64(k*len(vals))))))
		}
		check(t, primFunc("div", []any{a, b}, forLoop(i, tir.Int32(int64(len(vals))), body...)), 0, in, tensor.MustNew(dtype.Int32T, int64(len(vals)*6)))
	}
}
