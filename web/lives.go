package web

import (
	"bytes"
	"context"
	"encoding/json"
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
	next     int // the number of the first event that was not read
	cells    int
	recorded bool // the run keeps its history
	h        *history.History
	cut      []string // steps without a table
}

// read reads what the log has by now; the caller holds the lock.
func (l *lives) read(ctx context.Context, log *run.Log, st store.Store) (grown, sealed bool, err error) {
	n, sealed := log.Len()
	if n <= l.next {
		return false, sealed, nil
	}
	lines, _, err := log.Next(ctx, l.next)
	if err != nil {
		return false, sealed, err
	}
	for _, line := range lines[:n-l.next] {
		if err := l.apply(ctx, line, st); err != nil {
			return true, sealed, fmt.Errorf("history of event %d: %w", l.next, err)
		}
		l.next++
	}
	return true, sealed, nil
}

// apply reads one event: most say nothing about values.
func (l *lives) apply(ctx context.Context, line []byte, st store.Store) error {
	if !bytes.Contains(line, []byte(`"history":"`)) {
		return nil
	}
	var e struct {
		Type event.Type `json:"type"`
		Step string     `json:"step"`
		Body struct {
			Name    string `json:"name"`
			History string `json:"history"`
		} `json:"body"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	path, pass := e.Step, e.Body.Name
	switch e.Type {
	case event.TypeRunStarted:
		path, pass = history.ImportStep, history.ImportStep
	case event.TypeCodeGenerated:
		path, pass = history.CodeStep, history.CodeStep
	case event.TypePassFinished:
	default:
		return nil
	}
	if e.Body.History == "" {
		return nil
	}
	l.recorded = true
	var steps []*history.Step
	blob, err := st.Blob(ctx, e.Body.History)
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
		s.Path, s.Pass = path, pass
		cells += s.Cells()
	}
	if len(steps) != 1 || steps[0].Truncated || l.cells+cells > history.MaxCells {
		l.cut = append(l.cut, path)
		return nil
	}
	l.cells += cells
	l.h.Add(steps[0])
	return nil
}
