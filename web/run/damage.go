package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// copyBytes bounds the copy of the good part of a damaged log.
const copyBytes = 256 << 20

// StoredEvents returns the log of a run that has finished. Of one that is damaged it returns the good part, closed by an end that
// says so; nothing of that is stored.
func StoredEvents(ctx context.Context, st store.Store, id string) ([][]byte, error) {
	lines, err := st.Events(ctx, id, 0)
	var damage *store.Damage
	if !errors.As(err, &damage) {
		return lines, err
	}
	scratch := store.NewMemory(copyBytes)
	if err := scratch.CreateRun(ctx, store.Run{ID: id}); err != nil {
		return nil, err
	}
	if err := scratch.AppendEvents(ctx, id, 0, lines); err != nil {
		return nil, err
	}
	rec := newRecorder(id, NewLog(), scratch, Limits{LogBytes: copyBytes, TextBytes: copyBytes})
	if err := rec.resume(lines); err != nil {
		return nil, fmt.Errorf("the good part of %w: %w", damage, err)
	}
	if rec.run.Finished != nil {
		return lines, nil // what is lost was never part of it
	}
	if _, err := rec.finish(&event.RunFinished{Status: event.StatusFailed, Error: &event.Error{
		Kind:    event.KindDamaged,
		Message: fmt.Sprintf("the stored log of this run is damaged from event %d on; earlier events are shown; start the run again to see the rest", damage.Good),
	}}); err != nil {
		return nil, err
	}
	return scratch.Events(ctx, id, 0)
}
