package tensor

import (
	"math"

	"github.com/irscope/irscope/runtime/dtype"
)

// special says which codes of a small float are not numbers.
type special uint8

const (
	ieee   special = iota // all-ones exponent: infinity, or NaN with a mantissa
	fn                    // no infinity; NaN is all ones below the sign
	fnuz                  // no infinity, no negative zero; NaN is its code
	finite                // every code is a number
	e8m0                  // unsigned powers of two; NaN is 0xff
)

// mini describes a float of at most a byte: OCP 8-bit Floating Point Specification 1.0,
// OCP Microscaling Formats 1.0, and the FNUZ variants of Noune et al., arXiv:2206.02915.
type mini struct {
	exp, man uint8
	bias     int
	special  special
}

func miniOf(c dtype.Code) (mini, bool) {
	switch c {
	case dtype.Float8E3M4:
		return mini{3, 4, 3, ieee}, true
	case dtype.Float8E4M3:
		return mini{4, 3, 7, ieee}, true
	case dtype.Float8E4M3B11:
		return mini{4, 3, 11, fnuz}, true
	case dtype.Float8E4M3FN:
		return mini{4, 3, 7, fn}, true
	case dtype.Float8E4M3FNUZ:
		return mini{4, 3, 8, fnuz}, true
	case dtype.Float8E5M2:
		return mini{5, 2, 15, ieee}, true
	case dtype.Float8E5M2FNUZ:
		return mini{5, 2, 16, fnuz}, true
	case dtype.Float8E8M0FNU:
		return mini{8, 0, 127, e8m0}, true
	case dtype.Float4E2M1FN:
		return mini{2, 1, 1, finite}, true
	}
	return mini{}, false
}

func (f mini) decode(b byte) float64 {
	if f.special == e8m0 {
		if b == 0xff {
			return math.NaN()
		}
		return math.Ldexp(1, int(b)-f.bias)
	}
	width := f.exp + f.man
	e := int(b>>f.man) & (1<<f.exp - 1)
	m := int(b) & (1<<f.man - 1)
	neg := b>>width&1 != 0
	sign := 1.0
	if neg {
		sign = -1
	}
	top := e == 1<<f.exp-1
	switch f.special {
	case ieee:
		if top && m != 0 {
			return math.NaN()
		}
		if top {
			return math.Inf(int(sign))
		}
	case fn:
		if top && m == 1<<f.man-1 {
			return math.NaN()
		}
	case fnuz:
		if neg && e == 0 && m == 0 {
			return math.NaN()
		}
	}
	if e == 0 {
		return math.Copysign(math.Ldexp(float64(m), 1-f.bias-int(f.man)), sign)
	}
	return sign * math.Ldexp(float64(m|1<<f.man), e-f.bias-int(f.man))
}

// encode rounds v to the nearest code, ties to an even one. What lies beyond the largest
// number becomes infinity where the format has one, else NaN, else the largest number.
func (f mini) encode(v float64) byte {
	nan := f.nan()
	if v != v || f.special == e8m0 && math.IsInf(v, 1) {
		return nan
	}
	if f.special == e8m0 {
		if v <= 0 {
			return 0
		}
		frac, e := math.Frexp(v)
		if frac > 0.75 { // above the middle of two powers
			e++
		}
		switch code := e - 1 + f.bias; {
		case code < 0:
			return 0
		case code > 254:
			return nan
		default:
			return byte(code)
		}
	}
	sign := byte(0)
	if math.Signbit(v) {
		sign, v = 1<<(f.exp+f.man), -v
	}
	last := f.largest()
	lo, hi := 0, last // codes of non-negative numbers grow with the numbers
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if f.decode(byte(mid)) <= v {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	code := lo
	below := f.decode(byte(lo))
	above := below
	if lo < last {
		above = f.decode(byte(lo + 1))
	} else {
		above += below - f.decode(byte(lo-1)) // the next number, had the format more of them
	}
	if d := v - below - (above - v); d > 0 || d == 0 && v != below && lo&1 == 1 {
		code++
	}
	if code > last {
		switch f.special {
		case ieee:
			return sign | byte((1<<f.exp-1)<<f.man)
		case finite:
			return sign | byte(last)
		}
		return nan
	}
	if code == 0 && f.special == fnuz {
		return 0
	}
	return sign | byte(code)
}

func (f mini) largest() int {
	switch f.special {
	case ieee:
		return (1<<f.exp-1)<<f.man - 1
	case fn:
		return 1<<(f.exp+f.man) - 2
	}
	return 1<<(f.exp+f.man) - 1
}

// nan is the code of NaN; zero where the format has none.
func (f mini) nan() byte {
	switch f.special {
	case ieee:
		return byte((1<<f.exp-1)<<f.man | 1<<(f.man-1))
	case fn:
		return 1<<(f.exp+f.man) - 1
	case fnuz:
		return 1 << (f.exp + f.man)
	case e8m0:
		return 0xff
	}
	return 0
}
