package gcfloor

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// TestFloor sees the collector's goal stay at the floor over several collections, and double what lives where that is more.
func TestFloor(t *testing.T) {
	const size = 64 << 20
	keep(size)
	for range 3 {
		runtime.GC()
		waitForGoal(t, size)
	}
	alive := make([]byte, size)
	runtime.GC()
	waitForGoal(t, 2*size)
	runtime.KeepAlive(alive)
}

// waitForGoal waits until the next collection begins at about want bytes.
func waitForGoal(t *testing.T, want uint64) {
	t.Helper()
	s := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	for range 10_000 {
		metrics.Read(s)
		if got := s[0].Value.Uint64(); got > want*9/10 && got < want*5/4 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("the next collection begins at %d bytes, want about %d", s[0].Value.Uint64(), want)
}

func TestPercent(t *testing.T) {
	for name, tt := range map[string]struct {
		heap, roots uint64
		want        int
	}{
		"nothing was collected yet": {0, 0, 2500},
		"a small heap":              {1 << 20, 0, 2500},
		"roots are scanned, too":    {10 << 20, 10 << 20, 450},
		"half of the floor":         {50 << 20, 0, 100},
		"more than the floor":       {900 << 20, 0, 100},
	} {
		if got := percent(100<<20, marked{tt.heap, tt.roots}); got != tt.want {
			t.Errorf("%s: %d percent, want %d", name, got, tt.want)
		}
	}
}
