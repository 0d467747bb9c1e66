package lower

import (
	"math"

	"github.com/irscope/irscope/runtime/dtype"
)

// IntConst is an integer or bool as it is kept.
func (w *Walker) IntConst(d dtype.DType, v int64, what string) *Node {
	if w.ValType(d, what) == w.Machine.Int(64) {
		return w.Int(64, v)
	}
	switch {
	case d.IsBool() && v != 0:
		v = 1
	case d.Bits == 8 && d.IsInt():
		v = int64(int8(v))
	case d.Bits == 8:
		v = int64(uint8(v))
	case d.Bits == 16 && d.IsInt():
		v = int64(int16(v))
	case d.Bits == 16:
		v = int64(uint16(v))
	}
	return w.Int(32, v)
}

// FloatConst is a float as it is kept.
func (w *Walker) FloatConst(d dtype.DType, v float64, what string) *Node {
	switch d {
	case dtype.Float32T, dtype.Float64T:
		return w.gen.Float(d, v)
	case dtype.Float16T:
		return w.Int(32, int64(halfBits(v)))
	case dtype.BFloat16T:
		return w.Int(32, int64(bfloatBits(v)))
	}
	w.Fail(what, "arithmetic on %s is not supported", d)
	return nil
}

// Number is v as a scalar of type d.
func (w *Walker) Number(d dtype.DType, v int64, what string) *Node {
	if d.IsFloat() {
		return w.FloatConst(d, float64(v), what)
	}
	return w.IntConst(d, v, what)
}

// halfBits rounds v to float16, ties to even.
func halfBits(v float64) uint16 {
	b := math.Float32bits(float32(v))
	sign := uint16(b >> 16 & 0x8000)
	x := b & 0x7fffffff
	switch {
	case x > 0x7f800000:
		return sign | 0x7e00
	case x >= 0x477ff000: // 65520 and more
		return sign | 0x7c00
	case x < 0x38800000: // below 2^-14: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(x))*(1<<24)))
	}
	x += 0xfff + (x >> 13 & 1)
	return sign | uint16((x-0x38000000)>>13)
}

// bfloatBits rounds v to bfloat16, ties to even.
func bfloatBits(v float64) uint16 {
	b := math.Float32bits(float32(v))
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + (b >> 16 & 1)) >> 16)
}
