//go:build !linux

package scale

import "time"

var began = time.Now()

// processTime is the time since the start where that of the processor is not known.
func processTime() time.Duration { return time.Since(began) }
