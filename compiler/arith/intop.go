package arith

import (
	"math"
	"math/bits"
)

// PosInf and NegInf stand for the absence of a bound. NegInf is -PosInf.
const (
	PosInf int64 = math.MaxInt64
	NegInf int64 = -math.MaxInt64
)

// infAdd adds saturating at the infinities.
func infAdd(x, y int64) int64 {
	switch {
	case x == PosInf || x == NegInf:
		return x
	case y == PosInf || y == NegInf:
		return y
	}
	s := x + y
	if (x > 0) == (y > 0) && (s > 0) != (x > 0) && x != 0 && y != 0 {
		if x > 0 {
			return PosInf
		}
		return NegInf
	}
	return max(s, NegInf)
}

// infMul multiplies saturating at the infinities; zero times infinity is zero.
func infMul(x, y int64) int64 {
	if x == 0 || y == 0 {
		return 0
	}
	neg := (x < 0) != (y < 0)
	hi, lo := bits.Mul64(absU(x), absU(y))
	if hi != 0 || lo > math.MaxInt64 {
		if neg {
			return NegInf
		}
		return PosInf
	}
	if neg {
		return -int64(lo)
	}
	return int64(lo)
}

func absU(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

// infDiv divides truncating towards zero; y is not 0.
func infDiv(x, y int64) int64 {
	if x == PosInf || x == NegInf {
		if y > 0 {
			return x
		}
		return -x
	}
	return x / y
}

// infFloorDiv divides rounding down; y is not 0.
func infFloorDiv(x, y int64) int64 {
	if x == PosInf || x == NegInf {
		if y > 0 {
			return x
		}
		return -x
	}
	return floorDivInt(x, y)
}

// infShiftLeft shifts x >= 0 left by y >= 0.
func infShiftLeft(x, y int64) int64 {
	if x == PosInf || y >= 63 && x > 0 {
		return PosInf
	}
	if x == 0 {
		return 0
	}
	if int64(bits.Len64(uint64(x)))+y < 64 {
		return x << uint(y)
	}
	return PosInf
}

func infShiftRight(x, y int64) int64 {
	if x == PosInf || x == NegInf {
		return x
	}
	return x >> uint(min(max(y, 0), 63))
}

func floorDivInt(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func floorModInt(x, y int64) int64 {
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// gcd is the greatest common divisor of |a| and |b|; gcd(0, b) is |b|.
func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// extGCD returns g = gcd(a, b) with a*x + b*y = g, for a, b >= 0.
func extGCD(a, b int64) (g, x, y int64) {
	x0, x1 := int64(1), int64(0)
	y0, y1 := int64(0), int64(1)
	for b != 0 {
		q := a / b
		a, b = b, a-q*b
		x0, x1 = x1, x0-q*x1
		y0, y1 = y1, y0-q*y1
	}
	return a, x0, y0
}
