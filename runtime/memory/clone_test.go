package memory

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestClone copies around the sizes at which pages are asked for, from memory that is fresh and from what was used before.
func TestClone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 4096, manyBytes - 1, manyBytes, manyBytes + 1, 3*manyBytes + 4095, 1 << 20} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		for range 5 {
			c := Clone(b)
			if !bytes.Equal(c, b) {
				t.Fatalf("%d bytes: another copy", n)
			}
			if c == nil {
				t.Fatalf("%d bytes: nil", n)
			}
			for i := range c {
				c[i] ^= 0xff
			}
			if n > 0 && c[0] == b[0] {
				t.Fatalf("%d bytes: not a copy", n)
			}
		}
	}
}

func BenchmarkClone(b *testing.B) {
	from := make([]byte, 800<<10)
	b.SetBytes(int64(len(from)))
	for b.Loop() {
		Clone(from)
	}
}
