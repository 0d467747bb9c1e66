package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// Recover ends the runs in the store that have not finished: the process that did them
// is gone. Their logs keep what was shown and get an end, so that a page that resumes sees
// one. Call it before the first run; no other process may use the store.
func (m *Manager) Recover(ctx context.Context) error {
	runs, err := m.cfg.Store.Unfinished(ctx)
	if err != nil {
		return fmt.Errorf("find interrupted runs: %w", err)
	}
	for _, r := range runs {
		var status event.Status
		if status, r.Hash, err = m.interrupt(ctx, r); err != nil {
			m.cfg.Log.Error("close the log of an interrupted run", "run", r.ID, "err", err)
			status = event.StatusInterrupted
		}
		r.Status = string(status)
		if err := m.cfg.Store.FinishRun(ctx, r, status == event.StatusOK); err != nil {
			return fmt.Errorf("end an interrupted run: %w", err)
		}
	}
	if len(runs) > 0 {
		m.cfg.Log.Info("marked the unfinished runs of the last process as ended", "runs", len(runs))
	}
	return nil
}

// interrupt appends the end to the log of a run where it has none, and returns how the run
// ended and the hash of the log.
func (m *Manager) interrupt(ctx context.Context, r store.Run) (status event.Status, hash string, err error) {
	var req Request
	if err := json.Unmarshal(r.Request, &req); err != nil {
		return "", "", fmt.Errorf("decode request: %w", err)
	}
	lines, err := m.cfg.Store.Events(ctx, r.ID, 0)
	if err != nil {
		return "", "", err
	}
	rec := newRecorder(r.ID, NewLog(), m.cfg.Store, req.Limits)
	if err := rec.resume(lines); err != nil {
		return "", "", err
	}
	if done := rec.run.Finished; done != nil {
		// The process ended between the last event and the note that it was the last.
		return done.Status, rec.hash.Sum(), nil
	}
	hash, err = rec.finish(&event.RunFinished{Status: event.StatusInterrupted, Error: &event.Error{
		Kind: event.KindInterrupted, Message: "the server was stopped while this run was in progress; start it again",
	}})
	return event.StatusInterrupted, hash, err
}

// resume takes up a log where its last event stands, in number and in time.
func (r *recorder) resume(lines [][]byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, line := range lines {
		e, err := event.Decode(line)
		if err != nil {
			return fmt.Errorf("decode event %d: %w", i, err)
		}
		enc, err := event.Encode(e)
		if err != nil {
			return err
		}
		r.note(entry{e, enc})
		r.logged += int64(len(line))
	}
	r.start = time.Now().Add(-time.Duration(r.run.Clock))
	return nil
}
