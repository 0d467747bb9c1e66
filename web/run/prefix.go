package run

import (
	"fmt"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/lru"
)

// Snapshot is what a step left behind: the module after it and what it said.
type Snapshot[M any] struct {
	// Module is the module after the step; it is immutable.
	Module M
	// Events are those of the step behind its pass_started, as first emitted.
	Events []event.Event
}

// Prefix remembers steps by their keys, so that a re-run starts where it differs
// from an earlier one. The key of a step is the hash of all that determines its
// result. A snapshot counts for the bytes that it holds alone; parts shared with
// other snapshots count once, where they first appear.
type Prefix[M any] = lru.Cache[string, Snapshot[M]]

// NewPrefix returns an empty cache of at most limit bytes.
func NewPrefix[M any](limit int64) *Prefix[M] { return lru.New[string, Snapshot[M]](limit) }

// KeepTexts makes a run keep the texts that the events of an earlier run name. It
// reports false where one is no longer stored; the step must then be computed.
func KeepTexts(sink Sink, events []event.Event) (bool, error) {
	var texts []string
	for _, e := range events {
		texts = append(texts, event.Texts(e)...)
	}
	return sink.Keep(texts)
}

// Replay emits the events of a step again, marked as reused and with the times of the
// first, at the place that the step has now. Their texts must have been kept.
func Replay(sink Sink, events []event.Event, step, parent string) error {
	for _, e := range events {
		e.Step, e.Parent, e.Reused = step, parent, true
		if err := sink.Emit(e); err != nil {
			return fmt.Errorf("replay %s of %s: %w", e.Type, step, err)
		}
	}
	return nil
}
