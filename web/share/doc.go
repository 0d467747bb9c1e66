// Package share divides what a server can do at once between its visitors.
//
// All work of one kind goes through a Gate. It bounds how often a visitor asks, how many
// requests of a visitor and of all of them are under way, how many of these are at work, and
// the bytes that they may hold. Who waits for a turn waits in a Ring, where visitors come one
// after the other however much each of them asks for. Who a visitor is, is for the caller to
// say; what is remembered of visitors is bounded by a Table.
//
// The packages below web may import it. It knows nothing of HTTP, runs or texts.
package share

import "time"

// Refusal says that something is not done now.
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
