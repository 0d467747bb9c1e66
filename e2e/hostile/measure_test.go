package hostile

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

// The bounds that the program promises for bad input: a second, and this much heap. Since
// tests also run on machines that are busy, time fails one only at busy times the bound; what
// was measured stands in its log.
const (
	maxTime = time.Second
	busy    = 10
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
	start, spent := time.Now(), cpuTime()
	f()
	// On a machine that does other work the processor time says more.
	c := cost{time: min(time.Since(start), cpuTime()-spent)}
	close(stop)
	<-stopped
	c.heap = max(peak, heapBytes()) - base
	return c
}

// within calls f and checks that it stays in the bounds of bad input.
func within(t *testing.T, what string, f func()) cost {
	t.Helper()
	c := measure(f)
	took := fmt.Sprintf("%s takes %v and %d MiB; bounds are %v and %d MiB", what, c.time.Round(time.Millisecond), c.heap>>20, maxTime, maxHeap>>20)
	most := maxTime * busy * slowdown
	if goal.Strict() {
		most = maxTime
	}
	if c.time > most || c.heap > maxHeap {
		t.Error(took)
	} else if c.time > maxTime {
		t.Log(took)
	}
	return c
}
