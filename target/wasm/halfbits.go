package wasm

import (
	"math"
)

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
		f := math.Float32frombits(x)
		return sign | uint16(math.RoundToEven(float64(f)*(1<<24)))
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
