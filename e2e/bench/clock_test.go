//go:build !linux

package bench

import "time"

// threadTime is a clock in seconds.
func threadTime() float64 { return float64(time.Now().UnixNano()) * 1e-9 }

var began = time.Now()

// processTime is a clock.
func processTime() time.Duration { return time.Since(began) }
