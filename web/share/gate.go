package share

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Class are the bounds of one kind of work.
type Class struct {
	// Name says in the plural what visitors ask for: "graphs".
	Name string
	// PerMinute is how often a visitor may ask in a minute.
	PerMinute int
	// PerVisitor is the number of requests of one visitor that may be under way at once, Total
	// that of all visitors; those that wait count, and those that are being answered.
	PerVisitor, Total int
	// Turns is the number of them that may be at work at once, TurnsPerVisitor of one visitor.
	// Without turns there is no work that needs one.
	Turns, TurnsPerVisitor int
	// Bytes is what all of them may hold at once, BytesPerVisitor what those of one visitor may.
	// One begins where nothing is held, however much it needs.
	Bytes, BytesPerVisitor int64
	// Time is how long work may take, with the wait for its turn.
	Time time.Duration
}

// Gate is where all requests of one class come in. New makes one.
type Gate struct {
	class Class

	mu       sync.Mutex
	visitors *Table[counts]
	inside   int
	turns    int
	bytes    int64
	waiting  Ring[*Entry[counts], *turn]
}

// counts is what a visitor has under way.
type counts struct {
	rate          *rate.Limiter
	inside, turns int
	bytes         int64
}

// Ticket is a request that was let in. It belongs to one goroutine.
type Ticket struct {
	gate    *Gate
	visitor *Entry[counts]
	held    int64
}

// turn is a request that wants to work, or does.
type turn struct {
	visitor *Entry[counts]
	bytes   int64
	granted chan struct{} // closed when it may work
}

// New returns a gate that nobody has passed.
func New(c Class) *Gate {
	return &Gate{class: c, visitors: NewTable(func() counts {
		return counts{rate: NewRate(c.PerMinute)}
	})}
}

// NewRate returns a limiter of so many a minute, all of which may come at once.
func NewRate(perMinute int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)
}

// Class returns the bounds of the gate.
func (g *Gate) Class() Class { return g.class }

// Enter lets a request of a visitor in, or returns a *Refusal. The ticket must be left.
func (g *Gate) Enter(visitor string) (*Ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.visitors.Take(visitor)
	if err := g.admit(&v.Value); err != nil {
		g.visitors.Give(v)
		return nil, err
	}
	g.inside++
	v.Value.inside++
	return &Ticket{gate: g, visitor: v}, nil
}

// admit tells whether there is room for one more; the caller holds the lock.
func (g *Gate) admit(v *counts) error {
	c := g.class
	switch {
	case v.inside >= c.PerVisitor:
		return &Refusal{Message: fmt.Sprintf("%d of your requests for %s are in progress; wait for one of them to finish", v.inside, c.Name), RetryAfter: time.Second}
	case g.inside >= c.Total:
		return &Refusal{Busy: true, Message: fmt.Sprintf("the server is busy with %s for many visitors; try again in a few seconds", c.Name), RetryAfter: 5 * time.Second}
	}
	r := v.rate.Reserve()
	if wait := r.Delay(); wait > 0 {
		r.Cancel()
		return &Refusal{Message: fmt.Sprintf("you are limited to %d %s per minute; try again in %.0f s", c.PerMinute, c.Name, math.Ceil(wait.Seconds())), RetryAfter: wait}
	}
	return nil
}

// Leave says that a request was answered.
func (t *Ticket) Leave() {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	t.visitor.Value.inside--
	g.hold(t.visitor, -t.held)
	g.visitors.Give(t.visitor)
	g.schedule()
}

// Hold says that the request holds so many bytes until it is answered: an answer that is on
// its way, for example.
func (t *Ticket) Hold(bytes int64) {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	t.held += bytes
	t.gate.hold(t.visitor, bytes)
}

// Work does something in a turn of its own, which may hold so many bytes, and returns what it
// returns. Where that takes longer than the class allows, with the wait for the turn, the
// visitor is told to come back and the error is a *Refusal; work that does not look at its
// context then keeps its turn until it is done. When the context ends, its cause is returned.
// Work runs in another goroutine and must not panic.
func Work[T any](ctx context.Context, t *Ticket, bytes int64, work func(context.Context) (T, error)) (T, error) {
	var none T
	late := &Refusal{Busy: true, Message: t.gate.class.Name + " take too long at the moment; try again in a few seconds", RetryAfter: 2 * time.Second}
	inTime, cancel := context.WithTimeoutCause(ctx, t.gate.class.Time, late)
	defer cancel()
	done, err := t.Turn(inTime, bytes)
	if err != nil {
		return none, err
	}
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		defer done()
		value, err := work(inTime)
		results <- result{value, err}
	}()
	select {
	case r := <-results:
		if r.err != nil && inTime.Err() != nil && ctx.Err() == nil {
			return none, late
		}
		return r.value, r.err
	case <-inTime.Done():
		return none, context.Cause(inTime)
	}
}

// Turn waits for a turn to work, which may hold so many bytes, until the context ends, whose
// cause is then returned.
func (t *Ticket) Turn(ctx context.Context, bytes int64) (done func(), err error) {
	g := t.gate
	w := &turn{visitor: t.visitor, bytes: bytes, granted: make(chan struct{})}
	g.mu.Lock()
	g.waiting.Push(t.visitor, w)
	g.schedule()
	g.mu.Unlock()
	done = sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.end(w)
	})
	select {
	case <-w.granted:
		return done, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.waiting.Remove(w) {
		g.end(w) // granted meanwhile
	}
	return nil, context.Cause(ctx)
}

// schedule grants turns while there is room; the caller holds the lock.
func (g *Gate) schedule() {
	c := g.class
	for g.turns < c.Turns {
		w, ok := g.waiting.Next(func(w *turn) bool {
			v := w.visitor.Value
			return v.turns < c.TurnsPerVisitor && (v.bytes == 0 || v.bytes+w.bytes <= c.BytesPerVisitor)
		})
		// One that needs much room gets it by keeping those behind it waiting.
		if !ok || g.bytes > 0 && g.bytes+w.bytes > c.Bytes {
			return
		}
		g.waiting.Take(w)
		g.turns++
		w.visitor.Value.turns++
		w.visitor.held++ // work may outlive its ticket
		g.hold(w.visitor, w.bytes)
		close(w.granted)
	}
}

// end takes a turn back; the caller holds the lock.
func (g *Gate) end(w *turn) {
	g.turns--
	w.visitor.Value.turns--
	g.hold(w.visitor, -w.bytes)
	g.visitors.Give(w.visitor)
	g.schedule()
}

// hold counts bytes; the caller holds the lock.
func (g *Gate) hold(v *Entry[counts], bytes int64) {
	g.bytes += bytes
	v.Value.bytes += bytes
}

// Load says what is going on at a gate.
type Load struct {
	Inside, Turns, Waiting int
	Bytes                  int64
}

// Load returns what is going on.
func (g *Gate) Load() Load {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Load{Inside: g.inside, Turns: g.turns, Waiting: g.waiting.Len(), Bytes: g.bytes}
}
