//go:build (darwin || freebsd || netbsd || openbsd || dragonfly) && (amd64 || arm64 || riscv64)

package memory

const noReserve = 0

// Discard does nothing here: the standard library has no madvise on this system. Pages
// go back when the reservation is closed.
func (r *Reservation) Discard(from, to uint64) {}
