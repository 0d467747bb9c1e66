package hostile

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// The bounds that the program promises for bad input.
const (
	maxTime = time.Second
	maxHeap = 256 << 20
)

// cost is what a call took: wall or processor time, whichever is less, and the growth of the heap at its highest, garbage
// included.
type cost struct {
	time time.Duration
	heap uint64
}

// heapMetric counts the bytes of objects that are live or not yet swept.
const heapMetric = "/memory/classes/heap/objects:bytes"

func heapBytes() uint64 {
	s := []metrics.Sample{{Name: heapMetric}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// measure calls f and watches time and heap.
func measure(f func()) cost {
	runtime.GC()
	debug.FreeOSMemory()
	base := heapBytes()
	peak := base
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(500 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, heapBytes())
			}
		}
	}()
	start, busy := time.Now(), cpuTime()
	f()
	// On a machine that does other work the processor time says more.
	c := cost{time: min(time.Since(start), cpuTime()-busy)}
	close(stop)
	<-stopped
	c.heap = max(peak, heapBytes()) - base
	return c
}

// within calls f up to three times until it stays in the bounds of bad input. A machine
// that does other work now and then needs the second try; what is too slow fails them all.
func within(t *testing.T, what string, f func()) cost {
	t.Helper()
	var c cost
	for range 3 {
		if c = measure(f); c.time <= maxTime*slowdown && c.heap <= maxHeap {
			return c
		}
	}
	t.Errorf("%s takes %v and %d MiB, more than %v or %d MiB", what, c.time.Round(time.Millisecond), c.heap>>20, maxTime, maxHeap>>20)
	return c
}
