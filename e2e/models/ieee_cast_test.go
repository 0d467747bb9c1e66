package models

import (
	"math"
	"math/big"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

// shortFloat is a format of floats: the bits of its mantissa, with the one that is not written, the exponent of its least number, its largest number,
// and what it has no form for.
type shortFloat struct {
	bits, least int
	most        float64
	saturates   bool // ONNX's Cast takes what is larger for the largest number
	oneZero     bool
}

var shortFloats = map[onnxpb.DataType]shortFloat{
	onnxpb.Float16: {11, -24, 65504, false, false}, onnxpb.Bfloat16: {8, -133, 0x1.fep127, false, false}, onnxpb.Float: {24, -149, math.MaxFloat32, false, false},
	onnxpb.Float8E4M3FN: {4, -9, 448, true, false}, onnxpb.Float8E5M2: {3, -16, 57344, true, false},
	onnxpb.Float8E4M3FNUZ: {4, -10, 240, true, true}, onnxpb.Float8E5M2FNUZ: {3, -17, 57344, true, true},
}

// round is v to the nearest number, of two the even one.
func (s shortFloat) round(v float64, exact *big.Int) float64 {
	switch {
	case v != v:
		return v
	case v == 0 && s.oneZero:
		return 0
	case v == 0:
		return v
	case math.IsInf(v, 0) && !s.saturates:
		return v
	case math.Abs(v) > 2*s.most:
		return s.beyond(v)
	}
	x := new(big.Float).SetPrec(200).SetFloat64(v)
	if exact != nil {
		x.SetInt(exact)
	}
	unit := max(x.MantExp(nil)-s.bits, s.least)
	scaled := new(big.Float).SetMantExp(x, -unit)
	n, _ := scaled.Int(nil)
	rest := new(big.Float).Sub(scaled, new(big.Float).SetPrec(200).SetInt(n))
	if c := rest.Abs(rest).Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(int64(x.Sign())))
	}
	out, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(n), unit).Float64()
	switch {
	case math.Abs(out) > s.most:
		return s.beyond(v)
	case out == 0 && s.oneZero:
		return 0
	}
	return math.Copysign(out, v)
}

func (s shortFloat) beyond(v float64) float64 {
	if s.saturates {
		return math.Copysign(s.most, v)
	}
	return math.Copysign(math.Inf(1), v)
}

// TestCastsRound casts numbers in the middle between two of a shorter type, and just beside it, those that are not normal, and what is out of range.
// From float64 to float16 there is one rounding; to other short types, float32 may be in between, as in NumPy.
func TestCastsRound(t *testing.T) {
	for _, from := range []onnxpb.DataType{onnxpb.Double, onnxpb.Float, onnxpb.Float16, onnxpb.Bfloat16, onnxpb.Int32, onnxpb.Uint32, onnxpb.Int64, onnxpb.Uint64, onnxpb.Int16} {
		dt, err := from.DType()
		if err != nil {
			t.Fatal(err)
		}
		var x *tensor.Tensor
		if dt.IsFloat() {
			values := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)}
			for to, s := range shortFloats {
				if to == from {
					continue
				}
				for _, v := range []float64{1, 3, s.most, s.most / 2, math.Ldexp(1, s.least), math.Ldexp(1, s.least+s.bits), math.Ldexp(3, s.least)} {
					half := math.Ldexp(1, -s.bits)
					for _, by := range []float64{1, 1 + half, 1 + 3*half, 1 + half + 0x1p-45, 1 + half - 0x1p-45, 0.5, 1.5, 1 + 2*half} {
						values = append(values, v*by, -v*by)
					}
				}
			}
			x = tensor.MustNew(dt, int64(len(values)))
			for i, v := range values {
				x.SetFloat(i, v)
			}
		} else {
			var values []int64
			for _, shift := range []uint{0, 3, 7, 12, 15, 23, 31, 40, 53, 62} {
				for _, v := range []uint64{1, 3, 0x11, 0x101, 0x801, 0x803, 0x1000001, 0x1000003} {
					for _, d := range []int64{0, 1, -1} {
						values = append(values, int64(v<<shift)+d, -(int64(v<<shift) + d))
					}
				}
			}
			x = tensor.MustNew(dt, int64(len(values)))
			for i, v := range values {
				x.SetInt(i, v)
			}
		}
		var nodes []corner
		for to, s := range shortFloats {
			if to == from {
				continue
			}
			nodes = append(nodes, corner{"Cast", false, []onnxpb.Attribute{Int("to", int64(to))}, to, func(i int) []any {
				if dt.IsFloat() {
					v := x.Float(i)
					out := []any{s.round(v, nil)}
					if from == onnxpb.Double && to != onnxpb.Float16 {
						out = append(out, s.round(shortFloats[onnxpb.Float].round(v, nil), nil))
					}
					return out
				}
				n := big.NewInt(x.Int(i))
				if dt.IsUInt() {
					n.SetUint64(uint64(x.Int(i)))
				}
				v, _ := new(big.Float).SetInt(n).Float64()
				by, _ := new(big.Float).SetInt(n).Float32()
				return []any{s.round(v, n), s.round(v, nil), s.round(float64(by), nil)}
			}})
		}
		corners(t, from, x, x, nodes)
	}
}
