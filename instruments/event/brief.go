package event

import (
	"encoding/json"
	"fmt"
)

// The hunks of diffs are most of a log and nothing of the state of a run. A reader that folds a log leaves them out.

// briefer is a body that has something to leave out.
type briefer interface{ brief() Body }

// Brief returns the event without the hunks of its diffs. The event stays as it is.
func (e Event) Brief() Event {
	if b, ok := e.Body.(briefer); ok {
		e.Body = b.brief()
	}
	return e
}

// DecodeBrief reads one event without the hunks of its diffs.
func DecodeBrief(data []byte) (Event, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	if w.Type != TypePassFinished || len(w.Body) == 0 {
		return w.event()
	}
	b := new(PassFinished)
	brief := struct {
		*PassFinished
		Functions []briefChange `json:"functions"`
	}{PassFinished: b}
	if err := json.Unmarshal(w.Body, &brief); err != nil {
		return Event{}, fmt.Errorf("decode body of event %d (%s): %w", w.Seq, w.Type, err)
	}
	b.Functions = make([]FunctionChange, len(brief.Functions))
	for i := range brief.Functions {
		b.Functions[i] = brief.Functions[i].FunctionChange
	}
	return w.with(b), nil
}

// briefChange is a FunctionChange whose hunks are passed over.
type briefChange struct {
	FunctionChange
	Hunks skipped `json:"hunks"`
}

// skipped reads any JSON and keeps nothing of it.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

// sizer is a body whose size in memory depends on what it lists.
type sizer interface{ size() int64 }

// Size estimates what an event holds in memory, in bytes.
func (e Event) Size() int64 {
	if b, ok := e.Body.(sizer); ok {
		return 512 + b.size()
	}
	return 512
}
