package driver

import (
	"fmt"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/event"
)

// Snapshot is what a step left behind: the module after it and what it said.
type Snapshot struct {
	Module *ir.Module
	// Events are those of the step behind its pass_started, as first emitted.
	Events []event.Event
	// Done is the body of the last of them; Started is that of run_started, where the snapshot is of the module before the first step.
	Done    *event.PassFinished
	Started *event.RunStarted
	// Took is what computing the step took, with what instruments did after it.
	Took time.Duration
}

// Steps remembers what steps left behind, from one run to the next.
type Steps interface {
	// Step returns what was put under a key, while it is remembered.
	Step(key string) (Snapshot, bool)
	PutStep(key string, s Snapshot)
	DropStep(key string)
	// Keep makes the run keep texts that events of an earlier run name. It reports false where one
	// is no longer stored; the step must then be computed.
	Keep(hashes []string) (bool, error)
}

// keepTexts makes a run keep the texts that events name.
func keepTexts(steps Steps, events []event.Event) (bool, error) {
	var texts []string
	for _, e := range events {
		texts = append(texts, event.Texts(e)...)
	}
	return steps.Keep(texts)
}

// replay emits the events of a step again, marked as reused and with the times of the first,
// at the place that the step has now. The last of them says what that saved, where finding the
// step again has taken so long. Their texts must have been kept.
func replay(sink event.Sink, snap Snapshot, step, parent string, finding time.Duration) error {
	for i, e := range snap.Events {
		e.Step, e.Parent, e.Reused = step, parent, true
		if i == len(snap.Events)-1 && e.Measured != nil {
			m := *e.Measured
			m.Saved = (snap.Took - finding).Nanoseconds()
			e.Measured = &m
		}
		if err := sink.Emit(e); err != nil {
			return fmt.Errorf("replay %s of %s: %w", e.Type, step, err)
		}
	}
	return nil
}
