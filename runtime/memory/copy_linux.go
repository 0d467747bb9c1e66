package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate gives the whole pages in b memory, unless the last of them has some: Go takes memory in large pieces.
func populate(b []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	from, to := (page-start%page)%page, uintptr(len(b))-(start+uintptr(len(b)))%page
	if from >= to {
		return
	}
	resident := byte(1)
	if _, _, err := unix.RawSyscall(unix.SYS_MINCORE, start+to-page, page, uintptr(unsafe.Pointer(&resident))); err == 0 && resident&1 == 0 {
		// Kernels before 5.14 do not know it; faults do the same.
		_ = unix.Madvise(b[from:to], unix.MADV_POPULATE_WRITE)
	}
}
