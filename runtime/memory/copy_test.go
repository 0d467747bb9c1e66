package memory

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestCopy copies around the sizes at which pages are asked for, from memory that is fresh and from what was used before.
func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 4096, manyBytes - 1, manyBytes, manyBytes + 1, 3*manyBytes + 4095, 1 << 20} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		for range 5 {
			c := make([]byte, n+2)
			Copy(c[1:n+1], b)
			if !bytes.Equal(c[1:n+1], b) || c[0] != 0 || c[n+1] != 0 {
				t.Fatalf("%d bytes: another copy", n)
			}
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	from := make([]byte, 800<<10)
	b.SetBytes(int64(len(from)))
	for b.Loop() {
		Copy(make([]byte, len(from)), from)
	}
}
