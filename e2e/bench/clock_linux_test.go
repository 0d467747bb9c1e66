package bench

import (
	"syscall"
	"time"
	"unsafe"
)

// Clocks of clock_gettime(2), precise to the nanosecond, which getrusage is not.
const (
	clockProcessCPU = 2
	clockThreadCPU  = 3
)

func cpuClock(id uintptr) time.Duration {
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		panic(e)
	}
	return time.Duration(ts.Nano())
}

func threadTime() float64 { return cpuClock(clockThreadCPU).Seconds() }

func processTime() time.Duration { return cpuClock(clockProcessCPU) }

// clockOfThread is the clock of the processor time of a thread of this process.
func clockOfThread(tid int) uintptr {
	const perThread, scheduled = 4, 2 // CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of Linux
	return uintptr(^tid<<3 | perThread | scheduled)
}
