package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// recorder is the Sink of one run: it numbers, encodes, stores, hashes and counts
// events, and keeps the limits of the log, the texts and the memory.
type recorder struct {
	id     string
	log    *Log
	store  store.Store
	limits Limits
	start  time.Time

	mu     sync.Mutex
	closed bool
	seq    int
	open   []event.Event // pass_started events without their end
	hash   *event.Hasher
	counts event.Counts
	kept   map[string]bool
	logged int64
	text   int64
	memory int64
}

func newRecorder(id string, log *Log, st store.Store, limits Limits) *recorder {
	return &recorder{id: id, log: log, store: st, limits: limits, start: time.Now(), hash: event.NewHasher(), kept: map[string]bool{}}
}

// tooMuch returns the error of a run that went beyond a limit.
func tooMuch(limit, what string, most int64) error {
	return &event.Error{
		Kind: event.KindLimit, Limit: limit,
		Message: fmt.Sprintf("%s: a run may have at most %d MiB here", what, most>>20),
	}
}

// Emit implements event.Sink.
func (r *recorder) Emit(e event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrSealed
	}
	if e.Type == event.TypeRunFinished {
		return errors.New("emit: run_finished is added by the caller of the runner")
	}
	return r.emit(e, r.limits.LogBytes)
}

// emit appends an event to the store and then to the log; limit bounds the log.
func (r *recorder) emit(e event.Event, limit int64) error {
	e.Seq = r.seq
	enc, err := event.Encode(e)
	if err != nil {
		return err
	}
	line := enc.Line
	if r.logged+int64(len(line)) > limit {
		return tooMuch("log_bytes", "the events of the run take too much room", r.limits.LogBytes)
	}
	// The store outlives the run's context: what is shown is kept.
	if err := r.store.AppendEvents(context.Background(), r.id, r.seq, [][]byte{line}); err != nil {
		return fmt.Errorf("store event %d: %w", r.seq, err)
	}
	r.hash.Add(enc)
	r.counts.Add(e)
	switch e.Type {
	case event.TypePassStarted:
		r.open = append(r.open, e)
	case event.TypePassFinished, event.TypePassFailed:
		r.open = slices.DeleteFunc(r.open, func(s event.Event) bool { return s.Step == e.Step })
	}
	r.logged += int64(len(line))
	r.seq++
	return r.log.Append(line)
}

// Text implements event.Sink.
func (r *recorder) Text(language, text string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", ErrSealed
	}
	hash, err := r.store.PutBlob(context.Background(), r.id, language, []byte(text))
	if err != nil {
		return "", fmt.Errorf("keep text: %w", err)
	}
	if !r.kept[hash] {
		r.kept[hash] = true
		if r.text += int64(len(text)); r.text > r.limits.TextBytes {
			return "", tooMuch("text_bytes", "the printed IR of the run takes too much room", r.limits.TextBytes)
		}
	}
	return hash, nil
}

// Keep implements Sink.
func (r *recorder) Keep(hashes []string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false, ErrSealed
	}
	for _, h := range hashes {
		if r.kept[h] {
			continue
		}
		switch err := r.store.KeepBlob(context.Background(), r.id, h); {
		case errors.Is(err, store.ErrNotFound):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("keep text: %w", err)
		}
		r.kept[h] = true
	}
	return true, nil
}

// Account implements Sink.
func (r *recorder) Account(bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.memory += bytes; r.memory > r.limits.Memory {
		return tooMuch("memory", fmt.Sprintf("the run needs %d MiB of memory", r.memory>>20), r.limits.Memory)
	}
	return nil
}

// finishRoom is what the events that close a log may take beyond its limit.
const finishRoom = 1 << 20

// finish closes the steps that are still open, appends the last event, and closes
// the recorder; a runner that reports later gets ErrSealed. It returns the hash of
// the log.
func (r *recorder) finish(done *event.RunFinished) (hash string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := r.limits.LogBytes + finishRoom
	for len(r.open) > 0 && err == nil {
		s := r.open[len(r.open)-1]
		fault := event.Error{Kind: event.KindPass, Message: "the pass did not finish"}
		if done.Error != nil {
			fault = *done.Error
		}
		name := s.Body.(*event.PassStarted).Name
		fault.Pass = name
		err = r.emit(event.New(s.Step, s.Parent, &event.PassFailed{Name: name, Error: fault}, r.now()), limit)
	}
	if err == nil {
		done.Changed, done.Same = r.counts.Changed, r.counts.Same
		done.Skipped, done.Failed = r.counts.Skipped, r.counts.Failed
		m := r.now()
		m.Total, m.ReusedSteps = m.At, r.counts.Reused
		err = r.emit(event.New("", "", done, m), limit)
	}
	r.closed = true
	r.log.Seal()
	return r.hash.Sum(), err
}

// now returns a measurement of nothing but the time since the start.
func (r *recorder) now() *event.Measured {
	return &event.Measured{At: time.Since(r.start).Nanoseconds()}
}
