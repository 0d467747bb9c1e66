//go:build !((linux && (amd64 || arm64 || riscv64 || ppc64le || s390x || loong64)) || ((darwin || freebsd || netbsd || openbsd || dragonfly) && (amd64 || arm64 || riscv64)))

package memory

import (
	"fmt"
	"math"
)

// plainLimit bounds a reservation made of ordinary Go memory.
const plainLimit = 1 << 30

// Reserve allocates limit bytes, at most plainLimit, of ordinary Go memory: the plain
// fallback for systems without mmap in the standard library.
func Reserve(limit uint64) (*Reservation, error) {
	n := min(limit, plainLimit, math.MaxInt)
	if n == 0 {
		return nil, fmt.Errorf("cannot reserve 0 bytes")
	}
	return &Reservation{bytes: make([]byte, n)}, nil
}

func (r *Reservation) unmap() error { return nil }

// Discard does nothing: Go memory goes back when the reservation is closed and collected.
func (r *Reservation) Discard(from, to uint64) {}
