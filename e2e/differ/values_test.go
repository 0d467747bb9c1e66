package differ

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// kind says what elements are drawn.
type kind int

const (
	plain    kind = iota // floats of about 1, integers of either sign
	special              // with NaN, infinities, zeros of both signs, ties, and the ends of ranges
	small                // integers of few values, so that there are ties
	unit                 // in (-1, 1)
	above                // at least 0.1
	apart                // none 0
	infinite             // special without NaN
	tame                 // special without infinities
)

func isFloat(dt onnxpb.DataType) bool {
	return dt == onnxpb.Float || dt == onnxpb.Double || dt == onnxpb.Float16
}

func isSigned(dt onnxpb.DataType) bool {
	return isFloat(dt) || dt == onnxpb.Int8 || dt == onnxpb.Int16 || dt == onnxpb.Int32 || dt == onnxpb.Int64
}

var (
	floats  = []onnxpb.DataType{onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Float16}
	ints    = []onnxpb.DataType{onnxpb.Int8, onnxpb.Int16, onnxpb.Int32, onnxpb.Int64, onnxpb.Uint8, onnxpb.Uint16, onnxpb.Uint32, onnxpb.Uint64}
	common  = []onnxpb.DataType{onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64}
	allOf   = []onnxpb.DataType{onnxpb.Float, onnxpb.Double, onnxpb.Float16, onnxpb.Int8, onnxpb.Int16, onnxpb.Int32, onnxpb.Int64, onnxpb.Uint8, onnxpb.Uint16, onnxpb.Uint32, onnxpb.Uint64, onnxpb.Bool}
	numbers = allOf[:len(allOf)-1]
)

func empty(dt onnxpb.DataType, dims []int64) *tensor.Tensor {
	t, err := dt.DType()
	if err != nil {
		panic(err)
	}
	return tensor.MustNew(t, append([]int64{}, dims...)...)
}

// values draws a tensor.
func (d *draw) values(dt onnxpb.DataType, k kind, dims ...int64) *tensor.Tensor {
	t := empty(dt, dims)
	for i := range t.Len() {
		switch {
		case dt == onnxpb.Bool:
			t.SetInt(i, d.Int64N(2))
		case isFloat(dt):
			t.SetFloat(i, d.float(k))
		default:
			t.SetInt(i, d.integer(dt, k))
		}
	}
	return t
}

func (d *draw) float(k kind) float64 {
	switch k {
	case small:
		return float64(d.between(-2, 2))
	case unit:
		return d.Float64()*2 - 1
	case above:
		return 0.1 + 2*d.Float64()
	case special:
		switch d.IntN(16) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1)
		case 2:
			return math.Inf(-1)
		case 3:
			return math.Copysign(0, -1)
		case 4:
			return 0
		case 5:
			return float64(d.between(-4, 4)) + 0.5
		case 6:
			return float64(d.between(-200, 200))
		case 7:
			return d.NormFloat64() * math.Pow(10, float64(d.between(-6, 12)))
		}
	case tame:
		for {
			if v := d.float(special); !math.IsInf(v, 0) {
				return v
			}
		}
	case infinite:
		for {
			if v := d.float(special); !math.IsNaN(v) {
				return v
			}
		}
	case apart:
		v := 0.2 + 2*d.Float64()
		if d.chance(0.5) {
			v = -v
		}
		return v
	}
	if d.chance(0.1) {
		return float64(d.between(-3, 3))
	}
	return d.NormFloat64() * 1.5
}

func (d *draw) integer(dt onnxpb.DataType, k kind) int64 {
	lo, hi := int64(-20), int64(20)
	switch k {
	case small:
		lo, hi = -2, 2
	case special, infinite:
		switch d.IntN(8) {
		case 0:
			return math.MaxInt64 // all ones but the sign: -1 in narrow types
		case 1:
			return math.MinInt64 >> (64 - dt.Bits()) // the least of a signed type
		case 2:
			return -(math.MinInt64 >> (64 - dt.Bits())) - 1
		case 3:
			return int64(d.Uint64())
		}
	case above:
		lo, hi = 1, 20
	}
	if !isSigned(dt) {
		lo = max(lo, 0)
	}
	v := d.between(lo, hi)
	if v == 0 && k == apart {
		v = 3
	}
	return v
}

// below draws integers from [lo, hi).
func (d *draw) below(dt onnxpb.DataType, lo, hi int64, dims ...int64) *tensor.Tensor {
	t := empty(dt, dims)
	for i := range t.Len() {
		t.SetInt(i, d.between(lo, hi-1))
	}
	return t
}
