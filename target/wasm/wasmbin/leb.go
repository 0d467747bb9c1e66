package wasmbin

import "math/bits"

// appendU appends v as unsigned LEB128.
func appendU(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendS appends v as signed LEB128.
func appendS(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && c&0x40 == 0) || (v == -1 && c&0x40 != 0) {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// appendName appends a length and the bytes of s.
func appendName(b []byte, s string) []byte {
	return append(appendU(b, uint64(len(s))), s...)
}

// appendSection appends a section with its identifier and size; an empty body appends nothing.
func appendSection(b []byte, id byte, body []byte) []byte {
	if len(body) == 0 {
		return b
	}
	return append(appendU(append(b, id), uint64(len(body))), body...)
}

// log2 of a power of two.
func log2(n int) uint8 { return uint8(bits.TrailingZeros(uint(n))) }
