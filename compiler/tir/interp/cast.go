package interp

import (
	"math"

	"github.com/irscope/irscope/runtime/dtype"
)

// cast converts v. A float that an integer type cannot hold saturates at 32 or 64 bits and
// then wraps; NaN gives 0.
func (c *compiler) cast(to, from dtype.DType, v value) value {
	to, from = to.Elem(), from.Elem()
	round := rounder
	switch {
	case to.IsFloat() && v.f != nil:
		if r := round(to); r != nil && to != from {
			return value{f: func(fr *frame) float64 { return r(v.f(fr)) }}
		}
		return v
	case to.IsFloat():
		f := fromInt(to, from)
		return value{f: func(fr *frame) float64 { return f(v.i(fr)) }}
	case to.IsBool() && v.f != nil:
		return value{i: func(fr *frame) int64 { return truth(v.f(fr) != 0) }}
	case v.f != nil:
		return value{i: func(fr *frame) int64 { return truncate(to, v.f(fr)) }}
	case to == from:
		return v
	}
	return value{i: func(fr *frame) int64 { return wrap(to, v.i(fr)) }}
}

// fromInt converts integers of type from to a float type with one rounding.
func fromInt(to, from dtype.DType) func(int64) float64 {
	unsigned := from.IsUInt() && from.Bits == 64
	if to == dtype.Float32T {
		return func(n int64) float64 {
			if unsigned {
				return float64(float32(uint64(n)))
			}
			return float64(float32(n))
		}
	}
	r := rounder(to)
	return func(n int64) float64 {
		x := float64(n)
		if unsigned {
			x = float64(uint64(n))
		}
		if r != nil {
			x = r(x)
		}
		return x
	}
}

func truncate(to dtype.DType, x float64) int64 {
	if x != x {
		return 0
	}
	x = math.Trunc(x)
	switch {
	case to.IsUInt() && to.Bits == 64:
		switch {
		case x <= 0:
			return 0
		case x >= 1<<64:
			return -1
		case x >= 1<<63:
			return int64(uint64(x-1<<63)) + math.MinInt64
		}
		return int64(x)
	case to.IsUInt() && to.Bits == 32:
		return int64(min(max(x, 0), math.MaxUint32))
	case to.Bits == 64:
		if x >= 1<<63 {
			return math.MaxInt64
		}
		return int64(max(x, math.MinInt64))
	}
	return wrap(to, int64(min(max(x, math.MinInt32), math.MaxInt32)))
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
