package run

import (
	"fmt"
	"time"

	"golang.org/x/time/rate"
)

// Refusal says that a run was not admitted now.
type Refusal struct {
	// Busy is true where the server has no room, and false where this visitor asks
	// for too much.
	Busy    bool
	Message string
	// RetryAfter says when asking again makes sense.
	RetryAfter time.Duration
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

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
	rate            *rate.Limiter
}

// maxVisitors is the number of visitors from which idle ones are forgotten.
const maxVisitors = 10_000

// visitor returns the counts of a visitor; the caller holds the lock.
func (m *Manager) visitor(id string) *visitor {
	v := m.visitors[id]
	if v != nil {
		return v
	}
	if len(m.visitors) >= maxVisitors {
		for id, old := range m.visitors {
			if old.running == 0 && old.queued == 0 && old.rate.Tokens() >= float64(old.rate.Burst()) {
				delete(m.visitors, id)
			}
		}
	}
	n := m.cfg.Admission.PerMinute
	v = &visitor{rate: rate.NewLimiter(rate.Limit(float64(n)/60), n)}
	m.visitors[id] = v
	return v
}

// admit decides whether a visitor may start another run, and counts it against the
// visitor's rate if so; the caller holds the lock.
func (m *Manager) admit(v *visitor) error {
	a := m.cfg.Admission
	switch {
	case m.draining:
		return &Refusal{Busy: true, Message: "the server is shutting down; try again in a moment", RetryAfter: 5 * time.Second}
	case len(m.queue) >= a.Queue:
		return &Refusal{Busy: true, Message: fmt.Sprintf("%d runs are waiting already; try again later", len(m.queue)), RetryAfter: 10 * time.Second}
	case v.queued >= a.QueuePerVisitor:
		return &Refusal{Message: fmt.Sprintf("you have %d runs waiting and %d running; wait for one or cancel one", v.queued, v.running), RetryAfter: 5 * time.Second}
	}
	r := v.rate.Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return &Refusal{Message: fmt.Sprintf("you may start %d runs in a minute; try again later", a.PerMinute), RetryAfter: wait}
	}
	return nil
}

// pick takes the first waiting run that may start now out of the queue, or returns
// nil; the caller holds the lock.
func (m *Manager) pick() *active {
	a := m.cfg.Admission
	for i, next := range m.queue {
		// One run may always start, however much it is allowed.
		if m.running >= a.Workers || m.running > 0 && m.memory+next.req.Limits.Memory > a.Memory {
			return nil
		}
		if next.visitor.running >= a.PerVisitor {
			continue
		}
		m.queue = append(m.queue[:i:i], m.queue[i+1:]...)
		return next
	}
	return nil
}
