package interp

import (
	"math"

	"github.com/x448/float16"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// loadFloat reads a scalar of a floating-point type.
func (t *target) loadFloat() floatFn {
	at := t.at
	switch t.elem {
	case dtype.Float32T:
		return func(fr *frame) float64 { return float64(*(*float32)(t.ptr(fr, at(fr)))) }
	case dtype.Float64T:
		return func(fr *frame) float64 { return *(*float64)(t.ptr(fr, at(fr))) }
	case dtype.Float16T:
		return func(fr *frame) float64 {
			return float64(float16.Frombits(*(*uint16)(t.ptr(fr, at(fr)))).Float32())
		}
	case dtype.BFloat16T:
		return func(fr *frame) float64 {
			return float64(math.Float32frombits(uint32(*(*uint16)(t.ptr(fr, at(fr)))) << 16))
		}
	}
	table := decodeTable(t.elem)
	return func(fr *frame) float64 { return table[*(*uint8)(t.ptr(fr, at(fr)))] }
}

// storeFloat writes a scalar of a floating-point type, rounded to it.
func (t *target) storeFloat() func(fr *frame, off int64, v float64) {
	switch t.elem {
	case dtype.Float32T:
		return func(fr *frame, off int64, v float64) { *(*float32)(t.ptr(fr, off)) = float32(v) }
	case dtype.Float64T:
		return func(fr *frame, off int64, v float64) { *(*float64)(t.ptr(fr, off)) = v }
	case dtype.Float16T:
		return func(fr *frame, off int64, v float64) {
			*(*uint16)(t.ptr(fr, off)) = float16.Fromfloat32(float32(round16(v))).Bits()
		}
	case dtype.BFloat16T:
		return func(fr *frame, off int64, v float64) { *(*uint16)(t.ptr(fr, off)) = bfloat16Bits(v) }
	}
	elem := t.elem
	return func(fr *frame, off int64, v float64) { *(*uint8)(t.ptr(fr, off)) = encode(elem, v) }
}

// loadInt reads a scalar of an integer, bool or handle type.
func (t *target) loadInt() intFn {
	at, d := t.at, t.elem
	switch t.width {
	case 1:
		if d.IsUInt() || d.IsBool() {
			return func(fr *frame) int64 { return wrap(d, int64(*(*uint8)(t.ptr(fr, at(fr))))) }
		}
		return func(fr *frame) int64 { return wrap(d, int64(*(*int8)(t.ptr(fr, at(fr))))) }
	case 2:
		if d.IsUInt() {
			return func(fr *frame) int64 { return int64(*(*uint16)(t.ptr(fr, at(fr)))) }
		}
		return func(fr *frame) int64 { return int64(*(*int16)(t.ptr(fr, at(fr)))) }
	case 4:
		if d.IsUInt() {
			return func(fr *frame) int64 { return int64(*(*uint32)(t.ptr(fr, at(fr)))) }
		}
		return func(fr *frame) int64 { return int64(*(*int32)(t.ptr(fr, at(fr)))) }
	}
	return func(fr *frame) int64 { return *(*int64)(t.ptr(fr, at(fr))) }
}

// storeInt writes a scalar of an integer, bool or handle type.
func (t *target) storeInt() func(fr *frame, off, v int64) {
	switch d := t.elem; t.width {
	case 1:
		mask := uint8(0xff)
		if d.Bits < 8 {
			mask = 1<<d.Bits - 1
		}
		return func(fr *frame, off, v int64) { *(*uint8)(t.ptr(fr, off)) = uint8(v) & mask }
	case 2:
		return func(fr *frame, off, v int64) { *(*uint16)(t.ptr(fr, off)) = uint16(v) }
	case 4:
		return func(fr *frame, off, v int64) { *(*uint32)(t.ptr(fr, off)) = uint32(v) }
	}
	return func(fr *frame, off, v int64) { *(*int64)(t.ptr(fr, off)) = v }
}

// wrap reduces v to the range of an integer or bool type.
func wrap(d dtype.DType, v int64) int64 {
	switch {
	case d.IsBool():
		if v != 0 {
			return 1
		}
		return 0
	case d.Bits >= 64 || d.Bits == 0:
		return v
	case d.IsUInt():
		return v & (1<<d.Bits - 1)
	}
	s := 64 - d.Bits
	return v << s >> s
}

// rounder returns what rounds a float64 to type d; nil for float64 itself.
func rounder(d dtype.DType) func(float64) float64 {
	switch d = d.Elem(); d {
	case dtype.Float64T:
		return nil
	case dtype.Float32T:
		return func(v float64) float64 { return float64(float32(v)) }
	case dtype.Float16T:
		return round16
	case dtype.BFloat16T:
		return func(v float64) float64 { return roundTo(v, 7, -126, 128) }
	}
	table := decodeTable(d)
	return func(v float64) float64 { return table[encode(d, v)] }
}

func round16(v float64) float64 { return roundTo(v, 10, -14, 16) }

// roundTo rounds v to man bits after the leading one, half to even, with subnormal numbers
// below 2^emin and infinity from 2^emax.
func roundTo(v float64, man, emin, emax int) float64 {
	if v == 0 || math.IsInf(v, 0) || v != v {
		return v
	}
	ulp := math.Ldexp(1, max(math.Ilogb(v), emin)-man)
	r := math.RoundToEven(v/ulp) * ulp
	if math.Abs(r) >= math.Ldexp(1, emax) {
		return math.Copysign(math.Inf(1), v)
	}
	return math.Copysign(r, v)
}

func bfloat16Bits(v float64) uint16 {
	if v != v {
		return 0x7fc0
	}
	return uint16(math.Float32bits(float32(roundTo(v, 7, -126, 128))) >> 16)
}

// decodeTable lists the values of all codes of an 8-bit or 4-bit float.
func decodeTable(d dtype.DType) *[256]float64 {
	var table [256]float64
	t := tensor.MustNew(d, 1)
	for k := range table {
		t.Data[0] = byte(k)
		table[k] = t.Float(0)
	}
	return &table
}

func encode(d dtype.DType, v float64) uint8 {
	t := tensor.Tensor{DType: d, Shape: []int64{1}, Data: []byte{0}}
	t.SetFloat(0, v)
	return t.Data[0]
}

// toBits and fromBits convert between a value and its representation, for reinterpret.
func toBits(d dtype.DType, v value) intFn {
	if v.i != nil {
		return v.i
	}
	f := v.f
	switch d.Elem() {
	case dtype.Float32T:
		return func(fr *frame) int64 { return int64(math.Float32bits(float32(f(fr)))) }
	case dtype.Float64T:
		return func(fr *frame) int64 { return int64(math.Float64bits(f(fr))) }
	case dtype.Float16T:
		return func(fr *frame) int64 { return int64(float16.Fromfloat32(float32(f(fr))).Bits()) }
	case dtype.BFloat16T:
		return func(fr *frame) int64 { return int64(bfloat16Bits(f(fr))) }
	}
	return func(fr *frame) int64 { return int64(encode(d.Elem(), f(fr))) }
}

func fromBits(d dtype.DType, bits intFn) value {
	switch d = d.Elem(); {
	case d == dtype.Float32T:
		return value{f: func(fr *frame) float64 { return float64(math.Float32frombits(uint32(bits(fr)))) }}
	case d == dtype.Float64T:
		return value{f: func(fr *frame) float64 { return math.Float64frombits(uint64(bits(fr))) }}
	case d == dtype.Float16T:
		return value{f: func(fr *frame) float64 { return float64(float16.Frombits(uint16(bits(fr))).Float32()) }}
	case d == dtype.BFloat16T:
		return value{f: func(fr *frame) float64 { return float64(math.Float32frombits(uint32(bits(fr)) << 16)) }}
	case d.IsFloat():
		table := decodeTable(d)
		return value{f: func(fr *frame) float64 { return table[uint8(bits(fr))] }}
	}
	return value{i: func(fr *frame) int64 { return wrap(d, bits(fr)) }}
}
