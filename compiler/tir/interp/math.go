package interp

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// unaryMath maps intrinsics to functions computed in float64 and rounded to the type.
var unaryMath = map[string]func(float64) float64{
	"exp": math.Exp, "exp2": math.Exp2, "exp10": func(x float64) float64 { return math.Pow(10, x) },
	"erf": math.Erf, "tanh": math.Tanh, "sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"log": math.Log, "log2": math.Log2, "log1p": math.Log1p, "log10": math.Log10, "expm1": math.Expm1,
	"tan": math.Tan, "cos": math.Cos, "cosh": math.Cosh, "sin": math.Sin, "sinh": math.Sinh,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "acosh": math.Acosh, "asinh": math.Asinh, "atanh": math.Atanh,
	"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "round": math.Round,
	"nearbyint": math.RoundToEven, "rint": math.RoundToEven, "fabs": math.Abs,
}

var binaryMath = map[string]func(x, y float64) float64{
	"atan2": math.Atan2, "hypot": math.Hypot, "copysign": math.Copysign, "fmod": math.Mod, "pow": math.Pow,
	"fmax": math.Max, "fmin": math.Min,
}

// mathCall compiles a mathematical function by its C or intrinsic name ("exp", "expf");
// ok is false if there is none of that name for these arguments.
func (c *compiler) mathCall(name string, d dtype.DType, args []tir.Expr) (value, bool) {
	d = d.Elem()
	if f := unaryMath[name]; f == nil && binaryMath[name] == nil {
		name = strings.TrimSuffix(name, "f")
	}
	r := rounder(d)
	if r == nil {
		r = func(x float64) float64 { return x }
	}
	if f := unaryMath[name]; f != nil && len(args) == 1 {
		v := c.expr(args[0])
		if v.i != nil { // floor and the like of integers change nothing
			if name == "fabs" {
				return value{i: func(fr *frame) int64 { x := v.i(fr); return wrap(d, max(x, -x)) }}, true
			}
			return v, d.IsInteger()
		}
		return value{f: c.counting(func(fr *frame) float64 { return r(f(v.f(fr))) }, special, 1)}, d.IsFloat()
	}
	if f := binaryMath[name]; f != nil && len(args) == 2 {
		x, y := c.expr(args[0]), c.expr(args[1])
		if x.f == nil || y.f == nil || !d.IsFloat() {
			if x.i != nil && y.i != nil && name == "pow" {
				return value{i: func(fr *frame) int64 { return wrap(d, powInt(x.i(fr), y.i(fr))) }}, true
			}
			return value{}, false
		}
		return value{f: c.counting(func(fr *frame) float64 { return r(f(x.f(fr), y.f(fr))) }, special, 1)}, true
	}
	v, ok := c.oddMath(name, d, r, args)
	if name == "fma" {
		v.f = c.counting(v.f, flops, 2)
	} else {
		v.f = c.counting(v.f, special, 1)
	}
	return v, ok
}

func (c *compiler) oddMath(name string, d dtype.DType, r func(float64) float64, args []tir.Expr) (value, bool) {
	switch {
	case name == "fma" && len(args) == 3 && d.IsFloat():
		x, y, z := c.float(args[0]), c.float(args[1]), c.float(args[2])
		if d == dtype.Float64T {
			return value{f: func(fr *frame) float64 { return math.FMA(x(fr), y(fr), z(fr)) }}, true
		}
		return value{f: func(fr *frame) float64 { return r(addToOdd(x(fr)*y(fr), z(fr))) }}, true
	case name == "ldexp" && len(args) == 2 && d.IsFloat():
		x, y := c.float(args[0]), c.expr(args[1])
		return value{f: func(fr *frame) float64 {
			if y.i != nil {
				return r(math.Ldexp(x(fr), int(min(max(y.i(fr), -5000), 5000))))
			}
			n := y.f(fr)
			switch {
			case n != n:
				return n
			case math.IsInf(n, 1):
				return x(fr) * n
			case math.IsInf(n, -1):
				return x(fr) * 0
			}
			return r(math.Ldexp(x(fr), int(math.Floor(min(max(n, -5000), 5000)))))
		}}, true
	case name == "nextafter" && len(args) == 2 && d == dtype.Float32T:
		x, y := c.float(args[0]), c.float(args[1])
		return value{f: func(fr *frame) float64 {
			return float64(math.Nextafter32(float32(x(fr)), float32(y(fr))))
		}}, true
	case name == "nextafter" && len(args) == 2 && d == dtype.Float64T:
		x, y := c.float(args[0]), c.float(args[1])
		return value{f: func(fr *frame) float64 { return math.Nextafter(x(fr), y(fr)) }}, true
	}
	return value{}, false
}

// addToOdd adds rounding to odd, so that a second rounding to a shorter type is as if
// there had been one (Boldo and Melquiond, Emulation of FMA and correctly rounded sums).
func addToOdd(a, b float64) float64 {
	s := a + b
	t := s - a
	e := (a - (s - t)) + (b - t)
	bits := math.Float64bits(s)
	if e == 0 || e != e || bits&1 == 1 || s == 0 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

func powInt(x, n int64) int64 {
	if n < 0 {
		switch x {
		case 1:
			return 1
		case -1:
			return 1 - 2*(n&1)
		}
		return 0
	}
	out := int64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out *= x
		}
		x *= x
	}
	return out
}
