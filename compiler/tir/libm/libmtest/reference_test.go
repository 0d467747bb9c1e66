package libmtest

import (
	"math"
	"math/big"
	"testing"
)

const prec = 300

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
func add(a, b *big.Float) *big.Float {
	return new(big.Float).SetPrec(prec).Add(a, b)
}
func sub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Quo(a, b) }
func shift(a *big.Float, n int) *big.Float {
	return new(big.Float).SetPrec(prec).SetMantExp(a, n)
}

// bigExp halves the argument until its series is short, and squares as often.
func bigExp(x *big.Float) *big.Float {
	const halvings = 24
	r, sum, term := shift(x, -halvings), num(1), num(1)
	for n := 1; n < 40; n++ {
		term = quo(mul(term, r), num(float64(n)))
		sum = add(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// bigLog solves e^y = x by Halley's iteration.
func bigLog(x *big.Float) *big.Float {
	part := new(big.Float)
	e := x.MantExp(part) // math.Log is wrong for subnormal numbers
	f, _ := part.Float64()
	y := num(math.Log(f) + float64(e)*math.Ln2)
	for range 4 {
		e := bigExp(y)
		y = add(y, shift(quo(sub(x, e), add(x, e)), 1))
	}
	return y
}

// bigSinCos halves the angle until the series are short, and doubles it as often.
func bigSinCos(x *big.Float) (sin, cos *big.Float) {
	const halvings = 30
	r := shift(x, -halvings)
	z := mul(r, r)
	sin, cos = num(0), num(0)
	s, c := r, num(1)
	for n := 1; n < 40; n += 2 {
		sin, cos = add(sin, s), add(cos, c)
		c = quo(mul(c, z), num(-float64(n*(n+1))))
		s = quo(mul(s, z), num(-float64((n+1)*(n+2))))
	}
	for range halvings {
		sin, cos = shift(mul(sin, cos), 1), sub(mul(cos, cos), mul(sin, sin))
	}
	return sin, cos
}

// bigPi is 16 atan(1/5) - 4 atan(1/239) (Machin).
func bigPi() *big.Float {
	atan := func(k float64) *big.Float {
		sum, p := num(0), quo(num(1), num(k))
		for n := 1; n < 250; n += 2 {
			t := quo(p, num(float64(n)))
			if n%4 == 3 {
				t.Neg(t)
			}
			sum = add(sum, t)
			p = quo(p, num(k*k))
		}
		return sum
	}
	return sub(mul(num(16), atan(5)), mul(num(4), atan(239)))
}

func bigErf(x *big.Float) *big.Float {
	sum, p, z := num(0), x, mul(x, x)
	for n := 0; n < 250; n++ {
		sum = add(sum, quo(p, num(float64(2*n+1))))
		p = quo(mul(p, z), num(-float64(n+1)))
	}
	root := new(big.Float).SetPrec(prec).Sqrt(bigPi())
	return quo(shift(sum, 1), root)
}

var bigReferences = map[string]func(x *big.Float) *big.Float{
	"exp":   bigExp,
	"exp2":  func(x *big.Float) *big.Float { return bigExp(mul(x, bigLog(num(2)))) },
	"exp10": func(x *big.Float) *big.Float { return bigExp(mul(x, bigLog(num(10)))) },
	"sigmoid": func(x *big.Float) *big.Float {
		return quo(num(1), add(num(1), bigExp(new(big.Float).Neg(x))))
	},
	"tanh": func(x *big.Float) *big.Float {
		if x.MantExp(nil) < -40 { // what cancels below is more than the precision; the next term of the series is x^5 * 2/15
			return sub(x, quo(mul(x, mul(x, x)), num(3)))
		}
		e := bigExp(shift(x, 1))
		return quo(sub(e, num(1)), add(e, num(1)))
	},
	"erf":   bigErf,
	"log":   bigLog,
	"log2":  func(x *big.Float) *big.Float { return quo(bigLog(x), bigLog(num(2))) },
	"log10": func(x *big.Float) *big.Float { return quo(bigLog(x), bigLog(num(10))) },
	"log1p": func(x *big.Float) *big.Float { return bigLog(add(num(1), x)) },
	"sin":   func(x *big.Float) *big.Float { s, _ := bigSinCos(x); return s },
	"cos":   func(x *big.Float) *big.Float { _, c := bigSinCos(x); return c },
	"tan":   func(x *big.Float) *big.Float { s, c := bigSinCos(x); return quo(s, c) },
	"rsqrt": func(x *big.Float) *big.Float {
		return quo(num(1), new(big.Float).SetPrec(prec).Sqrt(x))
	},
}

// TestReferences holds the float64 references against series in 300 bits: a 2^-28th of a unit of
// float32 is 2^-52 of the value.
func TestReferences(t *testing.T) {
	n := 120
	if testing.Short() {
		n = 25
	}
	for name, f := range bigReferences {
		r := references[name]
		for i := range n {
			x := float64(float32(r.lo + (r.hi-r.lo)*(float64(i)+0.37)/float64(n)))
			want, _ := f(num(x)).Float64()
			if got := r.exact(x); math.Abs(got-want) > 0x1p-50*math.Abs(want) {
				t.Errorf("%s(%g): the reference is %g, the series %g", name, x, got, want)
			}
		}
	}
	for name := range references {
		if bigReferences[name] == nil && name != "round" {
			t.Errorf("%s has no series", name)
		}
	}
}

func TestULPs(t *testing.T) {
	one := float32(1)
	for _, c := range []struct {
		got  float32
		want float64
		ulps float64
	}{
		{one, 1, 0},
		{math.Nextafter32(one, 2), 1, 1},
		{math.Nextafter32(one, 0), 1, 0.5}, // numbers below 1 are twice as dense
		{2, 1, 1 << 23},
		{0, 0x1p-150, 0.5},
		{0, 0x1p-149, 1},
		{float32(math.Inf(1)), math.MaxFloat32, 1},
		{float32(math.Inf(1)), 1e300, 0},
		{math.MaxFloat32, math.Inf(1), 1},
		{float32(math.NaN()), math.NaN(), 0},
		{1, math.NaN(), math.Inf(1)},
		{float32(math.NaN()), 1, math.Inf(1)},
		{float32(math.Inf(-1)), math.Inf(1), 1 << 25},
	} {
		if u := ULPs(c.got, c.want); u != c.ulps {
			t.Errorf("ULPs(%g, %g) is %g, want %g", c.got, c.want, u, c.ulps)
		}
	}
}
