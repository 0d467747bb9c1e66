package run

import (
	"context"
	"fmt"
	"math"

	"github.com/irscope/irscope/instruments/event"
)

// Follower folds a log as far as it was read. It is not safe for concurrent use.
type Follower struct {
	// Run is the state of the run after the events that were read, without the hunks of diffs.
	*event.Run
}

// NewFollower returns a follower that has read nothing.
func NewFollower() *Follower { return &Follower{event.NewRun()} }

// Read reads what the log has by now and never waits. It reports whether that was anything new, and whether the log is closed.
func (f *Follower) Read(ctx context.Context, log *Log) (grown, sealed bool, err error) {
	return f.ReadUpTo(ctx, log, math.MaxInt)
}

// ReadUpTo is Read that stops behind a number of events; for the beginning of a log that may be long.
func (f *Follower) ReadUpTo(ctx context.Context, log *Log, most int) (grown, sealed bool, err error) {
	n, sealed := log.Len()
	if n = min(n, most); n <= f.Events {
		return false, sealed, nil
	}
	lines, _, err := log.Next(ctx, f.Events)
	if err != nil {
		return false, sealed, err
	}
	for _, line := range lines[:n-f.Events] {
		e, err := event.DecodeBrief(line)
		if err != nil {
			return true, sealed, fmt.Errorf("read event %d: %w", f.Events, err)
		}
		f.Apply(e)
	}
	return true, sealed, nil
}
