package runtime

import (
	"time"

	"github.com/irscope/irscope/runtime/abi"
)

// pollTime is about how long a kernel runs from one poll to the next.
const pollTime = 200 * time.Microsecond

// Pace says how many operations a kernel may run until its next poll. A collection, and whoever cancels a run, waits for that. How long operations take differs a
// hundredfold between kernels, a product of vectors and the first writes to pages say, so it is measured.
type Pace struct {
	// Budget is how many there were at the last poll.
	Budget uint32
	last   time.Time // of the last poll
}

// Begin starts a kernel with the budget that it had at the end before, 0 if there is none.
func (p *Pace) Begin(budget uint32) {
	if budget == 0 {
		budget = abi.FirstBudget
	}
	p.Budget, p.last = budget, time.Time{}
}

// Rest says that the kernel may have waited since the last poll.
func (p *Pace) Rest() { p.last = time.Time{} }

// Next is the budget until the next poll: as much as took pollTime of late, though at most twice and at least half of what there was, as a thread may have stood still.
func (p *Pace) Next() uint32 {
	now := time.Now()
	if !p.last.IsZero() {
		p.Budget = nextBudget(p.Budget, now.Sub(p.last))
	}
	p.last = now
	return p.Budget
}

func nextBudget(budget uint32, took time.Duration) uint32 {
	want := float64(budget) * float64(pollTime) / float64(max(took, 1))
	return uint32(min(max(want, float64(budget)/2, abi.LeastBudget), float64(budget)*2, abi.MostBudget))
}
