package native

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestBed has a goroutine lie down again and again while another one wakes it: each time something is to be done it is seen.
func TestBed(t *testing.T) {
	b := newBed()
	var jobs, done atomic.Int64
	const n = 3000
	go func() {
		for seen := int64(0); seen < n; {
			b.lie()
			if jobs.Load() == seen || !b.rise() {
				b.sleep()
			}
			for seen < jobs.Load() {
				seen++
				done.Store(seen)
			}
		}
	}()
	for i := int64(1); i <= n; i++ {
		jobs.Store(i)
		b.wake()
		b.wake() // nobody lies
		for start := time.Now(); done.Load() < i; runtime.Gosched() {
			if time.Since(start) > 10*time.Second {
				t.Fatalf("wake %d was not heard", i)
			}
		}
		if i%100 == 0 {
			time.Sleep(100 * time.Microsecond) // so that it sleeps, and does not only lie
		}
	}
}
