package tensor

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"

	"github.com/irscope/irscope/runtime/dtype"
)

// Float decodes element i as a float64. Integers beyond 2^53 are rounded; a type without
// numbers (handle) gives NaN. It panics where i is out of range, as a slice would.
func (t *Tensor) Float(i int) float64 {
	dt := t.DType.Elem()
	b := t.elem(i)
	switch dt {
	case dtype.Float32T:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case dtype.Float64T:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case dtype.Float16T:
		return float64(float16.Frombits(binary.LittleEndian.Uint16(b)).Float32())
	case dtype.BFloat16T:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	}
	switch {
	case dt.IsUInt():
		return float64(uintOf(dt, b))
	case dt.IsInt(), dt.IsBool():
		return float64(intOf(dt, b))
	}
	if f, ok := miniOf(dt.Code); ok {
		return f.decode(b[0])
	}
	return math.NaN()
}

// Int decodes element i as an int64: floats are truncated towards zero, unsigned values
// beyond int64 keep their bits.
func (t *Tensor) Int(i int) int64 {
	dt := t.DType.Elem()
	switch {
	case dt.IsUInt():
		return int64(uintOf(dt, t.elem(i)))
	case dt.IsInt(), dt.IsBool():
		return intOf(dt, t.elem(i))
	}
	return int64(t.Float(i))
}

// SetFloat encodes v in element i: rounded to nearest even in float types, truncated and
// wrapped in integer types, compared with zero in bool.
func (t *Tensor) SetFloat(i int, v float64) {
	dt := t.DType.Elem()
	b := t.elem(i)
	switch dt {
	case dtype.Float32T:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
		return
	case dtype.Float64T:
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
		return
	case dtype.Float16T:
		binary.LittleEndian.PutUint16(b, float16.Fromfloat32(float32(v)).Bits())
		return
	case dtype.BFloat16T:
		binary.LittleEndian.PutUint16(b, bfloat16Bits(float32(v)))
		return
	}
	if f, ok := miniOf(dt.Code); ok {
		b[0] = f.encode(v)
		return
	}
	if dt.IsBool() {
		b[0] = 0
		if v != 0 {
			b[0] = 1
		}
		return
	}
	if dt.IsUInt() && v >= 1<<63 {
		t.SetInt(i, int64(uint64(v)))
		return
	}
	t.SetInt(i, int64(v))
}

// SetInt encodes v in element i: rounded in float types, wrapped in integer types.
func (t *Tensor) SetInt(i int, v int64) {
	dt := t.DType.Elem()
	if !dt.IsInteger() {
		t.SetFloat(i, float64(v))
		return
	}
	b := t.elem(i)
	switch len(b) {
	case 1:
		b[0] = byte(v)
		if dt.Bits < 8 {
			b[0] &= 1<<dt.Bits - 1
		}
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, uint64(v))
	}
}

// Floats decodes all elements; vectors contribute each lane.
func (t *Tensor) Floats() []float64 {
	out := make([]float64, t.lanes())
	for i := range out {
		out[i] = t.Float(i)
	}
	return out
}

// Ints decodes all elements; vectors contribute each lane.
func (t *Tensor) Ints() []int64 {
	out := make([]int64, t.lanes())
	for i := range out {
		out[i] = t.Int(i)
	}
	return out
}

// Convert returns a tensor of type dt with t's values, converted one by one.
func (t *Tensor) Convert(dt dtype.DType) (*Tensor, error) {
	if dt == t.DType {
		return t, nil
	}
	if !t.DType.IsScalar() || !dt.IsScalar() || t.DType.IsHandle() || dt.IsHandle() {
		return nil, fmt.Errorf("cannot convert %v elements to %v", t.DType, dt)
	}
	out, err := New(dt, t.Shape)
	if err != nil {
		return nil, err
	}
	ints := !t.DType.IsFloat() && dt.IsInteger()
	for i := range t.lanes() {
		if ints {
			out.SetInt(i, t.Int(i))
		} else {
			out.SetFloat(i, t.Float(i))
		}
	}
	return out, nil
}

// Format writes element i as a person reads it: integers in full, floats with at most
// digits significant digits, bools as true and false.
func (t *Tensor) Format(i, digits int) string {
	dt := t.DType.Elem()
	switch {
	case dt.IsBool():
		return fmt.Sprint(t.Int(i) != 0)
	case dt.IsUInt():
		return fmt.Sprint(uint64(t.Int(i)))
	case dt.IsInt():
		return fmt.Sprint(t.Int(i))
	}
	return fmt.Sprintf("%.*g", digits, t.Float(i))
}

// lanes is the number of scalars, all lanes of all elements.
func (t *Tensor) lanes() int {
	if b := t.DType.Elem().Bytes(); b > 0 {
		return len(t.Data) / b
	}
	return 0
}

func (t *Tensor) elem(i int) []byte {
	n := t.DType.Elem().Bytes()
	return t.Data[i*n : i*n+n : i*n+n]
}

func uintOf(dt dtype.DType, b []byte) uint64 {
	switch len(b) {
	case 1:
		if dt.Bits < 8 {
			return uint64(b[0] & (1<<dt.Bits - 1))
		}
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func intOf(dt dtype.DType, b []byte) int64 {
	u := uintOf(dt, b)
	if dt.IsBool() {
		return int64(u)
	}
	shift := 64 - uint(dt.Bits)
	return int64(u<<shift) >> shift
}

// bfloat16Bits rounds to nearest even; NaN stays a quiet NaN.
func bfloat16Bits(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
