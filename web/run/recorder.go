package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// recorder is the Sink of one run: it numbers and encodes events, keeps the limits of the
// log, the texts and the memory, and hands everything to the journal.
type recorder struct {
	*journal
	limits Limits
	start  time.Time

	// These are guarded by the lock of the journal.
	closed bool
	kept   map[string]bool
	logged int64
	text   int64
	memory int64
}

func newRecorder(id string, log *Log, st store.Store, limits Limits) *recorder {
	return &recorder{journal: newJournal(id, log, st), limits: limits, start: time.Now(), kept: map[string]bool{}}
}

// wait lets what is pending get to the store where there is much of it, and returns the
// error with which the run is to end if it ends; the caller holds the lock.
func (r *recorder) wait() error {
	for r.full() && !r.closed {
		r.moved.Wait()
	}
	if r.closed {
		return ErrSealed
	}
	return r.failed
}

// tooMuch returns the error of a run that went beyond a limit.
func tooMuch(limit, what string, most int64) error {
	return &event.Error{
		Kind: event.KindLimit, Limit: limit,
		Message: fmt.Sprintf("%s: a run is limited to %d MiB here", what, most>>20),
	}
}

// Emit implements event.Sink.
func (r *recorder) Emit(e event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.wait(); err != nil {
		return err
	}
	if e.Ends() {
		return errors.New("emit: run_finished is added by the caller of the runner")
	}
	if r.next() == 0 && e.Measured != nil { // run_started
		m := *e.Measured
		m.Began = r.start.UnixMilli()
		e.Measured = &m
	}
	return r.emit(e, r.limits.LogBytes)
}

// emit hands an event to the journal; limit bounds the log.
func (r *recorder) emit(e event.Event, limit int64) error {
	e.Seq = r.next()
	enc, err := event.Encode(e)
	if err != nil {
		return err
	}
	if r.logged+int64(len(enc.Line)) > limit {
		return tooMuch("log_bytes", "the events of the run take too much room", r.limits.LogBytes)
	}
	r.logged += int64(len(enc.Line))
	r.addEvent(e, enc)
	return nil
}

// Text implements event.Sink.
func (r *recorder) Text(language, text string) (string, error) {
	hash := event.HashText(text)
	return hash, r.HashedText(language, hash, text)
}

// HashedText implements event.HashedSink.
func (r *recorder) HashedText(language, hash, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.wait(); err != nil {
		return err
	}
	if r.kept[hash] {
		return nil
	}
	if r.text += int64(len(text)); r.text > r.limits.TextBytes {
		return tooMuch("text_bytes", "the printed IR of the run takes too much room", r.limits.TextBytes)
	}
	r.kept[hash] = true
	r.addText(store.Text{Hash: hash, Language: language, Data: []byte(text)})
	return nil
}

// Keep implements Sink.
func (r *recorder) Keep(hashes []string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false, ErrSealed
	}
	var more []string
	for _, h := range hashes {
		if !r.kept[h] {
			more = append(more, h)
		}
	}
	if len(more) == 0 {
		return true, nil
	}
	switch err := r.store.KeepBlob(context.Background(), r.id, more...); {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("keep text: %w", err)
	}
	for _, h := range more {
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
	r.closed = true
	r.moved.Broadcast()
	r.settle()
	if r.failed != nil {
		// The run did not get to hear of it, or it was why the run ended.
		if done.Status == event.StatusOK {
			*done = *outcome(r.failed, r.limits)
		}
		r.failed = nil
	}
	limit := r.limits.LogBytes + finishRoom
	for _, s := range slices.Backward(r.run.Open()) {
		fault := event.Error{Kind: event.KindPass, Message: "the pass did not finish"}
		if done.Error != nil {
			fault = *done.Error
		}
		fault.Pass = s.Name
		if err = r.emit(event.New(s.Path, s.Parent, &event.PassFailed{Name: s.Name, Error: fault}, r.now()), limit); err != nil {
			break
		}
	}
	r.settle() // what is counted is stored
	if err == nil {
		counts := r.run.Counts
		done.Changed, done.Same = counts.Changed, counts.Same
		done.Skipped, done.Failed, done.Unknown = counts.Skipped, counts.Failed, counts.Unknown
		m := r.now()
		m.Total, m.ReusedSteps, m.Steps, m.Saved = m.At, counts.Reused, counts.Ran, max(counts.Saved, 0)
		err = r.emit(event.New("", "", done, m), limit)
	}
	r.settle()
	if err == nil {
		err = r.failed
	}
	r.log.Seal()
	return r.hash.Sum(), err
}

// now returns a measurement of nothing but the time since the start.
func (r *recorder) now() *event.Measured {
	return &event.Measured{At: time.Since(r.start).Nanoseconds()}
}
