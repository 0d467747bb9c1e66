//go:build !linux

package hostile

import "time"

var began = time.Now()

// cpuTime is the time since the start where that of the processor is not known.
func cpuTime() time.Duration { return time.Since(began) }

// peakMemory is not known here.
func peakMemory(any) int64 { return 0 }
