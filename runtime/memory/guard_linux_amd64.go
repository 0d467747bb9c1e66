package memory

import (
	"os"
	"syscall"
	"unsafe"
)

const (
	// reach is what 32-bit addresses reach; the second guard begins there.
	reach = 4 << 30
	// guardBytes is how far an access of verified machine code may lie before or behind that: 2 GiB of displacement, and the access itself.
	guardBytes = 2<<30 + 4096
	// hugePage is the alignment of the memory, so that the system can back it with huge pages.
	hugePage = 2 << 20
)

// reserveGuarded maps limit bytes, at most 4 GiB, between guards: 8 GiB of address space, of which all but the bytes themselves is without any right and costs
// nothing. It returns nil where the system refuses.
func reserveGuarded(limit uint64) *Reservation {
	if page := uint64(os.Getpagesize()); limit == 0 || limit > reach || guardBytes%page != 0 {
		return nil
	}
	const total = guardBytes + hugePage + reach + guardBytes
	all, err := syscall.Mmap(-1, 0, total, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|noReserve)
	if err != nil {
		return nil
	}
	start := guardBytes + (hugePage-(address(all)+guardBytes)%hugePage)%hugePage
	r := &Reservation{bytes: all[start : start+limit : start+limit], mapped: all, guard: guardBytes}
	if err := syscall.Mprotect(r.bytes, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		_ = r.unmap() // what was not used yet cannot fail in a way that matters
		return nil
	}
	if limit > hugePage {
		// Tensors of many pages then take few entries of the buffers that translate addresses. The first ones stay small: most programs need no more. A system that
		// refuses has small pages, which only take longer.
		_ = syscall.Madvise(r.bytes[hugePage:], syscall.MADV_HUGEPAGE)
	}
	return r
}

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
