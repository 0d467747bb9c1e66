package share

import (
	"container/list"
	"hash/maphash"
	"time"
)

// Bounds of a Table.
const (
	// maxVisitors is the number of visitors that are told apart.
	maxVisitors = 10_000
	// crowds is the number of entries that the visitors beyond them have together.
	crowds = 256
	// memory is how long a visitor who does nothing is remembered: rates are per minute, so
	// one who has been away for a minute has all of it again, and forgetting gives nothing.
	memory = time.Minute
)

// Table remembers something of each visitor, of a bounded number of them. A visitor is forgotten
// only where remembering would make no difference, so nobody starts afresh by making others
// come, and nobody is driven out. While the table is full of visitors who count, those who are
// new share some entries: which of them meet, nobody outside can know.
//
// Callers guard it by a lock of their own. NewTable makes one.
type Table[V any] struct {
	fresh func() V
	limit int
	byID  map[string]*Entry[V]
	idle  *list.List // of *Entry[V] that nobody holds, last used first
	crowd [crowds]*Entry[V]
	seed  maphash.Seed
}

// Entry is what is remembered of one visitor, or of several together.
type Entry[V any] struct {
	Value V

	id   string
	held int // how often it was taken and not given back
	used time.Time
	idle *list.Element
}

// NewTable returns an empty table whose entries start from fresh.
func NewTable[V any](fresh func() V) *Table[V] {
	return &Table[V]{fresh: fresh, limit: maxVisitors, byID: map[string]*Entry[V]{}, idle: list.New(), seed: maphash.MakeSeed()}
}

// Take returns the entry of a visitor, which stays until it is given back.
func (t *Table[V]) Take(id string) *Entry[V] {
	e := t.byID[id]
	if e == nil && len(t.byID) >= t.limit && !t.forget() {
		return t.together(id)
	}
	if e == nil {
		e = &Entry[V]{Value: t.fresh(), id: id}
		t.byID[id] = e
	}
	if e.idle != nil {
		t.idle.Remove(e.idle)
		e.idle = nil
	}
	e.held++
	return e
}

// Give gives an entry back that was taken.
func (t *Table[V]) Give(e *Entry[V]) {
	if e.held--; e.held == 0 && t.byID[e.id] == e {
		e.used = time.Now()
		e.idle = t.idle.PushFront(e)
	}
}

// Len returns the number of visitors that are told apart.
func (t *Table[V]) Len() int { return len(t.byID) }

// forget drops the visitor who was away for longest, if that is long enough.
func (t *Table[V]) forget() bool {
	last := t.idle.Back()
	if last == nil {
		return false
	}
	e := last.Value.(*Entry[V])
	if time.Since(e.used) < memory {
		return false
	}
	t.idle.Remove(last)
	delete(t.byID, e.id)
	return true
}

// together returns the entry that a visitor shares with others.
func (t *Table[V]) together(id string) *Entry[V] {
	i := maphash.String(t.seed, id) % crowds
	if t.crowd[i] == nil {
		t.crowd[i] = &Entry[V]{Value: t.fresh()}
	}
	t.crowd[i].held++
	return t.crowd[i]
}
