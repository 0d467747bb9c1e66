package run

import (
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"github.com/irscope/irscope/web/share"
)

// Admission are the numbers by which runs are admitted.
type Admission struct {
	// Workers is the number of runs at once.
	Workers int
	// Memory is the sum of what the runs at once may be allowed, in bytes.
	Memory int64
	// PerVisitor is the number of runs at once of one visitor; more of them wait.
	PerVisitor int
	// PerMinute is the number of runs that one visitor may start in a minute.
	PerMinute int
	// Queue is the number of runs that may wait, QueuePerVisitor of one visitor.
	Queue, QueuePerVisitor int
}

// DefaultAdmission returns the numbers for a server that runs so many at once.
func DefaultAdmission(workers int) Admission {
	return Admission{
		Workers: workers, Memory: int64(workers) * defaultLimits.Memory,
		PerVisitor: 2, PerMinute: 10, Queue: 100, QueuePerVisitor: 8,
	}
}

// visitor counts what one visitor has going on.
type visitor struct {
	running, queued int
	entering        int // runs that are being stored
	outside         int // runs that take no slot
	rate            *rate.Limiter
}

// newVisitors returns a table of visitors who may start so many runs in a minute.
func newVisitors(perMinute int) *share.Table[visitor] {
	return share.NewTable(func() visitor { return visitor{rate: share.NewRate(perMinute)} })
}

// admit decides whether a visitor may start another run, and counts it against the
// visitor's rate if so; the caller holds the lock. Runs that are being stored count as waiting, but for as many as can begin at once.
func (m *Manager) admit(v *visitor) error {
	a := m.cfg.Admission
	waiting := m.queue.Len() + max(0, m.entering-max(0, a.Workers-m.running))
	switch {
	case m.draining:
		return &share.Refusal{Busy: true, Message: "the server is shutting down; try again in a moment", RetryAfter: 5 * time.Second}
	case waiting >= a.Queue:
		return &share.Refusal{Busy: true, Message: fmt.Sprintf("%d runs are already waiting; try again later", waiting), RetryAfter: 10 * time.Second}
	case v.queued+max(0, v.entering-max(0, a.PerVisitor-v.running)) >= a.QueuePerVisitor:
		return &share.Refusal{Message: fmt.Sprintf("you have %d runs waiting and %d running; wait for one to finish or cancel one", v.queued+v.entering, v.running), RetryAfter: 5 * time.Second}
	}
	r := v.rate.Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return &share.Refusal{Message: fmt.Sprintf("you can start %d runs per minute; try again later", a.PerMinute), RetryAfter: wait}
	}
	return nil
}

// pick takes the waiting run whose turn it is, of those that may start now, out of the queue,
// or returns nil; the caller holds the lock. Visitors come one after the other, so that one with
// many runs does not keep others waiting.
func (m *Manager) pick() *active {
	a := m.cfg.Admission
	if m.running >= a.Workers {
		return nil
	}
	next, ok := m.queue.Next(func(q *active) bool { return q.visitor.Value.running < a.PerVisitor })
	// One run may always start, however much it is allowed.
	if !ok || m.running > 0 && m.memory+next.req.Limits.Memory > a.Memory {
		return nil
	}
	m.queue.Take(next)
	return next
}
