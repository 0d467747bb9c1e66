package ir

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"

	"github.com/irscope/irscope/runtime/dtype"
)

// EncodeFloat returns v as the bytes of one element of type d, rounded to nearest even; integers are cut
// off.
func EncodeFloat(d dtype.DType, v float64) ([]byte, error) {
	le := binary.LittleEndian
	switch {
	case d == dtype.Float32T:
		return le.AppendUint32(nil, math.Float32bits(float32(v))), nil
	case d == dtype.Float64T:
		return le.AppendUint64(nil, math.Float64bits(v)), nil
	case d == dtype.Float16T:
		return le.AppendUint16(nil, float16.Fromfloat32(float32(v)).Bits()), nil
	case d == dtype.BFloat16T:
		b := math.Float32bits(float32(v))
		if v == v { // a NaN keeps its upper bits
			b += 0x7fff + b>>16&1
		}
		return le.AppendUint16(nil, uint16(b>>16)), nil
	case d.IsInteger() || d.IsBool():
		return le.AppendUint64(nil, uint64(int64(v)))[:d.Bytes()], nil
	}
	return nil, fmt.Errorf("constants of element type %s are not supported here", d)
}
