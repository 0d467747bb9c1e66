//go:build !linux

package cpu_test

import "time"

// threadTime is a clock in seconds.
func threadTime() float64 { return float64(time.Now().UnixNano()) * 1e-9 }
