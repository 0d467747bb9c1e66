package native

import (
	"encoding/binary"
	"time"

	"github.com/irscope/irscope/runtime"
)

// A collection, and whoever cancels a run, waits for a kernel until its next poll. Kernels count operations, and how long these take differs a hundredfold between
// kernels: a product of vectors, or the first writes to pages. So the host measures: it lets a kernel run for about pollTime from one poll to the next.
const (
	pollTime = 200 * time.Microsecond
	// LeastBudget is the smallest number of operations between two polls: some take a hundred nanoseconds, where each misses the caches.
	LeastBudget = 1 << 14
	// firstBudget is for a kernel that nothing is known of.
	firstBudget = 1 << 16
	// mostBudget is the largest: the next loop of a kernel may be much slower than the last one.
	mostBudget = 1 << 20
)

// thread is what the code needs that one thread runs.
type thread struct {
	frame      Frame
	workspaces runtime.Workspaces
	budget     uint32
	last       time.Time // of the last poll
}

// begin gives the code the budget that it had at the end before, 0 if there is none.
func (t *thread) begin(budget uint32) {
	if budget == 0 {
		budget = firstBudget
	}
	t.budget, t.last = budget, time.Time{}
	t.frame.setBudget(budget)
}

// polled gives the code more to do: as much as took pollTime of late, though at most twice and at least half of what it had, as a thread may have stood still.
func (t *thread) polled() {
	now := time.Now()
	if !t.last.IsZero() {
		t.budget = nextBudget(t.budget, now.Sub(t.last))
	}
	t.last = now
	t.frame.setBudget(t.budget)
}

func nextBudget(budget uint32, took time.Duration) uint32 {
	want := float64(budget) * float64(pollTime) / float64(max(took, 1))
	return uint32(min(max(want, float64(budget)/2, LeastBudget), float64(budget)*2, mostBudget))
}

func (f *Frame) setBudget(n uint32) { binary.LittleEndian.PutUint32(f.Room[BudgetAt-frozen:], n) }
