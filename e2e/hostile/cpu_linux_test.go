package hostile

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process, which other processes do not disturb.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the most physical memory that a process took, in bytes.
func peakMemory(usage any) int64 { return usage.(*syscall.Rusage).Maxrss << 10 }
