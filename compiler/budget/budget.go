// Package budget bounds work whose cost is not known before it is done: a text of a hundred lines may
// stand for 2^60 terms, and whoever wrote it waits for an answer.
//
// A Budget is handed down explicitly to whatever does such work: the builder of a text, the analyzer
// of expressions, passes, code generators. These spend a step for each node that they look at or
// make. A budget that is used up, or whose context is done, ends the work by a panic with a *Stop,
// since the recursions in question return no errors. The panic is caught where a place can be named:
// by Catch, at a statement of a text or around a function in a pass.
//
// The package knows no IR; everything below the facade may import it.
package budget

import (
	"context"
	"errors"
	"fmt"
)

// pollEvery is how many steps pass between two looks at the context.
const pollEvery = 1024

// Budget counts steps against a limit. A nil budget has no limit. One goroutine uses it at a time.
type Budget struct {
	ctx   context.Context
	limit int64 // 0 is none
	used  int64
	poll  int64 // the count at which the context is looked at next
}

// New returns a budget of so many steps, none of which are counted where steps is 0, that also ends
// with ctx.
func New(ctx context.Context, steps int64) *Budget {
	return &Budget{ctx: ctx, limit: steps, poll: pollEvery}
}

// Spend counts n steps. It panics with a *Stop where these are too many or the context is done.
func (b *Budget) Spend(n int64) {
	if b == nil {
		return
	}
	b.used += n
	if b.used < b.poll {
		return
	}
	b.poll = b.used + pollEvery
	if b.ctx != nil && b.ctx.Err() != nil {
		panic(&Stop{Cause: context.Cause(b.ctx)})
	}
	if b.limit > 0 && b.used > b.limit {
		panic(&Stop{Cause: ErrExceeded, Steps: b.limit})
	}
}

// Used returns the steps that were counted.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used
}

// ErrExceeded is the cause of a Stop by the limit.
var ErrExceeded = errors.New("the work exceeds the limit of steps")

// Stop is what a budget panics with.
type Stop struct {
	// Cause is ErrExceeded or the cause of the context.
	Cause error
	// Steps is the limit that was exceeded.
	Steps int64
}

// Error says how much was too much.
func (s *Stop) Error() string {
	if s.Cause == ErrExceeded {
		return fmt.Sprintf("this takes more than the limit of %d steps: what it expands to is too large", s.Steps)
	}
	return s.Cause.Error()
}

// Unwrap returns the cause.
func (s *Stop) Unwrap() error { return s.Cause }

// Catch calls f and returns the *Stop that it panics with. Other panics pass.
func Catch(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Stop:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}
