// Package gcfloor keeps the garbage collector away from small heaps.
//
// Go collects when the heap has doubled. A compilation that keeps 20 MB alive and makes 260 MB of
// short-lived objects is collected about ten times so, which costs a fifth of its processor time
// and frees memory that nobody waits for. Go's own compiler begins with a larger heap for the same
// reason (cmd/compile/internal/base.AdjustStartingHeap), whose way this package goes, for as long as
// the process lives.
package gcfloor

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Default is the floor of the explorer's commands and of its server, in bytes.
const Default = 128 << 20

// minimum is the heap below which Go never collects at GOGC=100, in bytes; it grows with GOGC.
const minimum = 4 << 20

// Set makes the collector wait until the heap has size bytes, or has doubled where that is more.
// It leaves the collector as it is if the environment sets GOGC. A memory limit goes before the floor.
func Set(size uint64) {
	if os.Getenv("GOGC") == "" {
		keep(size)
	}
}

// keep sets the percentage for the heap that the last collection left, and does so again after the next.
func keep(size uint64) {
	debug.SetGCPercent(percent(size, scanned()))
	runtime.AddCleanup(new([64]byte), keep, size) // nothing refers to it, so the next collection ends it
}

// percent returns the GOGC with which the next collection begins at size bytes: Go adds that
// percentage of what the last one marked and scanned to what it marked.
func percent(size uint64, last marked) int {
	if last.heap >= size/2 {
		return 100
	}
	most := size / minimum * 100
	if all := last.heap + last.roots; all > 0 {
		most = min(most, (size-last.heap)*100/all)
	}
	return int(max(100, most))
}

// marked is what a collection found alive, in bytes: objects of the heap, and stacks and globals.
type marked struct{ heap, roots uint64 }

func scanned() marked {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(s)
	return marked{s[0].Value.Uint64(), s[1].Value.Uint64() + s[2].Value.Uint64()}
}
