package lower

import "github.com/irscope/irscope/runtime/dtype"

// Value is a scalar or vector of TIR as nodes. A vector that fits (see Generator.Native) is packed: it is in parts as wide as registers, each of
// which has two lanes at least; any other is one scalar part a lane. A packed vector of bool is a mask: lanes of Mask bits that are all ones or all
// zeros. Integers of 8 and 16 bits are kept in 32, extended as their type has it, and floats of 16 bits as their bits.
type Value struct {
	DType dtype.DType
	Parts []*Node // not to be changed: values share them
	Mask  int
}

// One is a scalar.
func One(d dtype.DType, n *Node) Value { return Value{DType: d, Parts: n.self[:]} }

// Each makes a value of n parts.
func Each(d dtype.DType, mask, n int, f func(i int) *Node) Value {
	out := Value{DType: d, Mask: mask}
	if n == 1 {
		out.Parts = f(0).self[:]
		return out
	}
	out.Parts = make([]*Node, n)
	for i := range out.Parts {
		out.Parts[i] = f(i)
	}
	return out
}

// Lanes is the number of lanes.
func (v Value) Lanes() int { return int(v.DType.Lanes) }

// Scalar returns the only part.
func (v Value) Scalar() *Node { return v.Parts[0] }

// Packed reports whether v is in parts as wide as registers.
func (v Value) Packed() bool { return len(v.Parts) < v.Lanes() }

// LaneBits is the width of the lanes of a packed value.
func (v Value) LaneBits() int {
	if v.DType.IsBool() {
		return v.Mask
	}
	return int(v.DType.Bits)
}

// SmallFloat reports whether d is a floating-point type that is kept as its bits.
func SmallFloat(d dtype.DType) bool { return d.IsFloat() && d.Bits < 32 }

// ElemBytes is the size of an element in memory.
func ElemBytes(d dtype.DType) int64 {
	if d.IsHandle() {
		return 8 // as TIR counts it: an array of handles has 8 bytes each
	}
	return int64(d.Elem().Bytes())
}

// TypeOf is the type of a scalar of type d; ok is false where the target has none.
func (m *Machine) TypeOf(d dtype.DType) (t Type, ok bool) {
	switch {
	case d.IsHandle():
		return m.Int(m.Pointer.Bits), true
	case d.IsBool(), SmallFloat(d) && d.Bits == 16:
		return m.Int(32), true
	case d.IsFloat() && (d.Bits == 32 || d.Bits == 64):
		return m.Float(int(d.Bits)), true
	case d.IsInteger() && (d.Bits == 8 || d.Bits == 16 || d.Bits == 32):
		return m.Int(32), true
	case d.IsInteger() && d.Bits == 64:
		return m.Int(64), true
	}
	return 0, false
}
