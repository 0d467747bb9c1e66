//go:build (linux && (amd64 || arm64 || riscv64 || ppc64le || s390x || loong64)) || ((darwin || freebsd || netbsd || openbsd || dragonfly) && (amd64 || arm64 || riscv64))

package memory

import (
	"fmt"
	"syscall"
)

// minReserve is where Reserve stops to halve what the system refuses.
const minReserve = 64 << 20

// Reserve maps limit bytes of private zeroed memory. Pages take physical memory when
// they are first touched, so an unused reservation costs address space only. Where the
// system refuses (strict overcommit, ulimit -v) half as much is tried, down to 64 MiB:
// the caller looks at len(Bytes()). On linux/amd64 the memory lies between guards, if the system
// has address space for these.
func Reserve(limit uint64) (*Reservation, error) {
	if r := reserveGuarded(limit); r != nil {
		return r, nil
	}
	return reservePlain(limit)
}

func reservePlain(limit uint64) (*Reservation, error) {
	for n := limit; ; n /= 2 {
		b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|noReserve)
		if err == nil {
			return &Reservation{bytes: b, mapped: b}, nil
		}
		if n/2 < minReserve {
			return nil, fmt.Errorf("reserving %d bytes of address space: %w", n, err)
		}
	}
}

func (r *Reservation) unmap() error {
	if err := syscall.Munmap(r.mapped); err != nil {
		return fmt.Errorf("unmapping device memory: %w", err)
	}
	return nil
}
