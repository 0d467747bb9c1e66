//go:build linux && (amd64 || arm64 || riscv64 || ppc64le || s390x || loong64)

package memory

import (
	"os"
	"syscall"
)

const noReserve = syscall.MAP_NORESERVE

// Discard gives the whole pages of bytes [from, to) back to the system. They read as
// zero afterwards.
func (r *Reservation) Discard(from, to uint64) {
	page := uint64(os.Getpagesize())
	from = (from + page - 1) / page * page
	to = to / page * page
	if from < to && to <= uint64(len(r.bytes)) {
		// The kernel may refuse, for instance for locked pages; they then stay resident.
		_ = syscall.Madvise(r.bytes[from:to], syscall.MADV_DONTNEED)
	}
}
