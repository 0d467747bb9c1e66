package cpu_test

import (
	"syscall"
	"unsafe"
)

// clockThreadCPU is CLOCK_THREAD_CPUTIME_ID.
const clockThreadCPU = 3

// threadTime is the processor time of this thread in seconds, which other processes do not
// disturb.
func threadTime() float64 {
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		panic(e)
	}
	return float64(ts.Sec) + float64(ts.Nsec)*1e-9
}
