package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// maxPending is the number of bytes that may be on their way to the store before a run
// waits for it.
const maxPending = 16 << 20

// journal takes events and texts to the store and then events to the log, in order: what
// is shown is kept. It does so in batches, for a store on a disk takes milliseconds to say
// that something is kept: while one batch is on its way the next collects, and
// the run goes on.
type journal struct {
	id    string
	log   *Log
	store store.Store

	mu      sync.Mutex
	moved   sync.Cond // signalled when a batch is stored, or will never be
	busy    bool      // a goroutine stores batches
	pending batch     // what is on its way comes first in it
	leaving int       // the number of texts that are on their way
	failed  error     // what the store said when it did not take a batch

	// These are of what is stored.
	run  *event.Run // without the hunks of diffs
	hash *event.Hasher
}

// batch is what goes to the store together.
type batch struct {
	events []entry
	texts  []store.Text
	bytes  int64
}

// entry is an event with its encoding.
type entry struct {
	event event.Event
	enc   event.Encoded
}

func newJournal(id string, log *Log, st store.Store) *journal {
	j := &journal{id: id, log: log, store: st, run: event.NewRun(), hash: event.NewHasher()}
	j.moved.L = &j.mu
	return j
}

// next returns the number of the next event; the caller holds the lock.
func (j *journal) next() int { return j.run.Events + len(j.pending.events) }

// addText adds a text to the batch of the event that comes next; the caller holds the lock.
func (j *journal) addText(t store.Text) {
	j.pending.texts = append(j.pending.texts, t)
	j.pending.bytes += int64(len(t.Data))
	j.push()
}

// addEvent adds an event; the caller holds the lock.
func (j *journal) addEvent(e event.Event, enc event.Encoded) {
	for _, ref := range event.TextRefs(e) {
		// A function after a pass is much like the one before it.
		here := j.pending.texts[j.leaving:]
		if i := slices.IndexFunc(here, func(t store.Text) bool { return t.Hash == ref.Hash }); i >= 0 && ref.Base != "" {
			here[i].Base = ref.Base
		}
	}
	j.pending.events = append(j.pending.events, entry{e, enc})
	j.pending.bytes += int64(len(enc.Line))
	j.push()
}

// full tells whether the run should wait; the caller holds the lock.
func (j *journal) full() bool { return j.pending.bytes > maxPending && j.failed == nil }

// push sees to it that what is pending gets stored. Texts alone wait for the event that
// names them, as long as there is room. The caller holds the lock.
func (j *journal) push() {
	if !j.busy && j.due() {
		j.busy = true
		go j.flush()
	}
}

// due tells whether there is something to store; the caller holds the lock.
func (j *journal) due() bool {
	return j.failed == nil && (len(j.pending.events) > 0 || j.full())
}

// flush stores batches until there is nothing to store.
func (j *journal) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.due() {
		b, first := j.pending, j.run.Events
		j.leaving = len(b.texts)
		j.mu.Unlock()
		err := j.write(first, b)
		j.mu.Lock()
		j.leaving = 0
		j.pending.events = slices.Clone(j.pending.events[len(b.events):])
		j.pending.texts = slices.Clone(j.pending.texts[len(b.texts):])
		j.pending.bytes -= b.bytes
		if err != nil {
			j.failed, j.pending = err, batch{}
		} else {
			j.publish(b)
		}
		j.moved.Broadcast()
	}
	j.busy = false
	j.moved.Broadcast()
}

// write stores a batch. The store outlives the run's context: what is shown is kept.
func (j *journal) write(first int, b batch) error {
	lines := make([][]byte, len(b.events))
	for i, e := range b.events {
		lines[i] = e.enc.Line
	}
	err := j.store.AppendEvents(context.Background(), j.id, first, lines, b.texts...)
	if errors.Is(err, store.ErrFull) {
		return fmt.Errorf("%w: %w", err, &event.Error{
			Kind: event.KindLimit, Limit: "storage",
			Message: "the server has no room for the events of this run right now; try again later",
		})
	}
	if err != nil {
		return fmt.Errorf("store event %d: %w", first, err)
	}
	return nil
}

// publish puts the events of a stored batch into the log; the caller holds the lock.
func (j *journal) publish(b batch) {
	for _, e := range b.events {
		j.note(e)
		if err := j.log.Append(e.enc.Line); err != nil {
			j.failed = err
		}
	}
}

// note notes an event that is stored; the caller holds the lock.
func (j *journal) note(e entry) {
	j.hash.Add(e.enc)
	j.run.Apply(e.event.Brief())
}

// settle waits until everything is stored, or will never be; the caller holds the lock.
func (j *journal) settle() {
	for j.busy {
		j.moved.Wait()
	}
}
