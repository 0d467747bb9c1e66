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
	if (x^s)&(y^s) < 0 { // both have a sign that the sum has not
		return pickInt(s < 0, PosInf, NegInf)
	}
	return max(s, NegInf)
}

// infMul multiplies saturating at the infinities; zero times infinity is zero.
func infMul(x, y int64) int64 {
	neg := x^y < 0
	hi, lo := bits.Mul64(absU(x), absU(y))
	if hi != 0 || lo>>63 != 0 {
		return pickInt(neg, NegInf, PosInf)
	}
	return pickInt(neg, -int64(lo), int64(lo))
}

func absU(x int64) uint64 { return uint64(max(x, -x)) }

// infDiv divides truncating towards zero; y is not 0.
func infDiv(x, y int64) int64 {
	if x == PosInf || x == NegInf {
		return infMul(x, y)
	}
	return x / y
}

// infFloorDiv divides rounding down; y is not 0.
func infFloorDiv(x, y int64) int64 {
	if x == PosInf || x == NegInf {
		return infMul(x, y)
	}
	return floorDivInt(x, y)
}

// infShiftLeft shifts x >= 0 left by y >= 0.
func infShiftLeft(x, y int64) int64 {
	switch {
	case x == 0:
		return 0
	case int64(bits.Len64(uint64(x))) > 63-y:
		return PosInf
	}
	return x << uint(y)
}

// infShiftRight shifts right by y >= 0.
func infShiftRight(x, y int64) int64 {
	if x == PosInf || x == NegInf {
		return x
	}
	return x >> uint(y)
}

func floorDivInt(x, y int64) int64 {
	q := x / y
	if x%y != floorModInt(x, y) {
		q--
	}
	return q
}

func floorModInt(x, y int64) int64 {
	r := x % y
	if r != 0 && r^y < 0 {
		r += y
	}
	return r
}

// GCD is the greatest common divisor of |a| and |b|; GCD(0, b) is |b|.
func GCD(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// extGCD returns g = GCD(a, b) with a*x + b*y = g, for a, b >= 0.
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
