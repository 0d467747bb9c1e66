package onnxpb

import (
	"encoding/binary"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// alloc makes an empty slice for n elements and charges the budget for it.
func alloc[T any](m *message, n int, what string) []T {
	if n == 0 || m.err != nil {
		return nil
	}
	var zero T
	if m.fail(m.d.charge(m.pos, n, unsafe.Sizeof(zero), what)); m.err != nil {
		return nil
	}
	return make([]T, 0, n)
}

// varints counts the varints in the bytes of a packed field.
func varints(b []byte) int {
	n := 0
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// appendInts appends the current field, packed or not, to xs.
func (m *message) appendInts(xs []int64, field string) []int64 {
	if m.typ == protowire.VarintType {
		return grow(m, xs, 1, func(xs []int64) []int64 { return append(xs, int64(m.u)) })
	}
	b := m.bytes(field)
	return grow(m, xs, varints(b), func(xs []int64) []int64 {
		for len(b) > 0 {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				m.fail(errAt(m.pos-len(b), "%s: %s", field, parseError(n)))
				return xs
			}
			xs, b = append(xs, int64(v)), b[n:]
		}
		return xs
	})
}

// appendFloats appends the current field, packed or not, to xs.
func (m *message) appendFloats(xs []float32, field string) []float32 {
	if m.typ == protowire.Fixed32Type {
		return grow(m, xs, 1, func(xs []float32) []float32 {
			return append(xs, math.Float32frombits(uint32(m.u)))
		})
	}
	b := m.bytes(field)
	if len(b)%4 != 0 {
		m.fail(errAt(m.at, "%s has %d bytes, which is not a multiple of 4", field, len(b)))
		return xs
	}
	return grow(m, xs, len(b)/4, func(xs []float32) []float32 {
		for ; len(b) > 0; b = b[4:] {
			xs = append(xs, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
		return xs
	})
}

// grow lets f append n elements and charges for those that the slice has no room for.
// Doubling by append is paid for here: the bytes are charged twice.
func grow[T any](m *message, xs []T, n int, f func([]T) []T) []T {
	if m.err != nil || n == 0 {
		return xs
	}
	if cap(xs)-len(xs) >= n {
		return f(xs)
	}
	var zero T
	if m.fail(m.d.charge(m.at, n, 2*unsafe.Sizeof(zero), "numbers")); m.err != nil {
		return xs
	}
	if xs == nil {
		xs = make([]T, 0, n)
	}
	return f(xs)
}
