package ir

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"

	"github.com/irscope/irscope/runtime/dtype"
)

// EncodeInt returns v as the bytes of one element of type d, an integer or bool; bits that it lacks are cut off.
func EncodeInt(d dtype.DType, v int64) ([]byte, error) {
	if !d.IsInteger() && !d.IsBool() {
		return nil, fmt.Errorf("whole numbers of element type %s are not supported here", d)
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(v))[:d.Bytes()], nil
}

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
		return EncodeInt(d, int64(v))
	}
	return nil, fmt.Errorf("constants of element type %s are not supported here", d)
}
