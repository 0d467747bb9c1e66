package web

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// histories keeps the tables of runs that were asked about.
type histories struct {
	store store.Store
	cache *lru.Cache[string, *lives]
}

func newHistories(st store.Store) *histories {
	return &histories{store: st, cache: lru.New[string, *lives](historyCache)}
}

// lives is the history of one run, as far as its log was read.
type lives struct {
	mu       sync.Mutex
	log      *run.Follower
	taken    int // the number of tables that were asked of the log
	cells    int
	recorded bool // the run keeps its history
	h        *history.History
	cut      []string // steps without a table
}

func newLives() *lives { return &lives{log: run.NewFollower(), h: history.New()} }

// size returns the bytes of memory that the history holds, about.
func (l *lives) size() int64 { return int64(4<<10+48*l.cells) + l.log.Size() }

// read reads what the log has by now; the caller holds the lock.
func (l *lives) read(ctx context.Context, log *run.Log, st store.Store) (grown, sealed bool, err error) {
	if grown, sealed, err = l.log.Read(ctx, log); err != nil {
		return grown, sealed, err
	}
	for _, t := range l.log.Histories[l.taken:] {
		if err := l.add(ctx, t, st); err != nil {
			return true, sealed, fmt.Errorf("history of step %s: %w", t.Step.Path, err)
		}
		l.taken++
	}
	return grown, sealed, nil
}

// add adds the table of a step.
func (l *lives) add(ctx context.Context, t event.StepHistory, st store.Store) error {
	l.recorded = true
	var steps []*history.Step
	blob, err := st.Blob(ctx, t.Hash)
	if err == nil {
		steps, err = history.Decode(blob.Data)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	}
	cells := 0
	for _, s := range steps {
		s.Path, s.Pass = t.Step.Path, t.Step.Name
		cells += s.Cells()
	}
	if len(steps) != 1 || steps[0].Truncated || l.cells+cells > history.MaxCells {
		l.cut = append(l.cut, t.Step.Path)
		return nil
	}
	l.cells += cells
	l.h.Add(steps[0])
	return nil
}
