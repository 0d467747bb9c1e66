package store

import (
	"context"
	"fmt"
	"sync"
)

// Memory keeps everything in memory, within a number of bytes: where room is needed
// it drops the oldest finished runs, then expired sessions, then the oldest. What is shared
// stays, and so do its runs. Texts of finished runs are compressed.
type Memory struct {
	limit int64

	mu       sync.Mutex
	used     int64 // bytes of blobs, events and requests
	blobs    map[string]*blob
	sessions map[string]*session
	runs     map[string]*run
	shared   map[string]string // key of a reusable run to its id
	classes  []Class
	// runOrder and sessionOrder list ids, oldest first.
	runOrder, sessionOrder []string
}

// session is a stored session with the blobs that it owns.
type session struct {
	Session
	owned map[string]bool
}

// run is a stored run with its events and the blobs that it owns.
type run struct {
	Run
	lines    [][]byte
	bytes    int64
	owned    map[string]bool
	finished bool
	report   []byte // nil for none
}

// NewMemory returns an empty store that holds at most limit bytes.
func NewMemory(limit int64) *Memory {
	return &Memory{
		limit: limit, blobs: map[string]*blob{}, sessions: map[string]*session{},
		runs: map[string]*run{}, shared: map[string]string{},
	}
}

// Used returns the bytes that the store holds, without the overhead of its tables.
func (m *Memory) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// CreateRun implements Store.
func (m *Memory) CreateRun(_ context.Context, r Run) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[r.ID] != nil {
		return fmt.Errorf("create run %s: it exists", r.ID)
	}
	n := int64(len(r.Request) + 512)
	if err := m.reserve(n, r.ID); err != nil {
		m.used -= n
		return fmt.Errorf("create run: %w", err)
	}
	r.Events = 0
	m.runs[r.ID] = &run{Run: r, owned: map[string]bool{}, bytes: n}
	m.runOrder = append(m.runOrder, r.ID)
	return nil
}

// Run implements Store.
func (m *Memory) Run(_ context.Context, id string) (Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[id]
	if r == nil {
		return Run{}, fmt.Errorf("run: %w", ErrNotFound)
	}
	return r.Run, nil
}

// PutReport implements Store.
func (m *Memory) PutReport(_ context.Context, id string, data []byte) error {
	if err := CheckReport(data); err != nil {
		return fmt.Errorf("put report: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[id]
	if r == nil {
		return fmt.Errorf("put report: %w", ErrNotFound)
	}
	more := int64(len(data) - len(r.report))
	if err := m.reserve(more, id); err != nil {
		m.used -= more
		return fmt.Errorf("put report: %w", err)
	}
	r.bytes += more
	r.report = data
	return nil
}

// Report implements Store.
func (m *Memory) Report(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[id]
	if r == nil || r.report == nil {
		return nil, fmt.Errorf("report: %w", ErrNotFound)
	}
	return r.report, nil
}

// RunByKey implements Store.
func (m *Memory) RunByKey(_ context.Context, key string) (Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[m.shared[key]]
	if r == nil {
		return Run{}, fmt.Errorf("run by key: %w", ErrNotFound)
	}
	return r.Run, nil
}

// Unfinished implements Store.
func (m *Memory) Unfinished(context.Context) ([]Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Run
	for _, id := range m.runOrder {
		if r := m.runs[id]; !r.finished {
			out = append(out, r.Run)
		}
	}
	return out, nil
}

// AppendEvents implements Store.
func (m *Memory) AppendEvents(_ context.Context, id string, from int, lines [][]byte, texts ...Text) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[id]
	switch {
	case r == nil:
		return fmt.Errorf("append events: run: %w", ErrNotFound)
	case r.finished:
		return fmt.Errorf("append events: run %s has finished", id)
	case from != len(r.lines):
		return fmt.Errorf("append events to run %s: number %d, want %d", id, from, len(r.lines))
	}
	var n, grown int64
	for _, l := range lines {
		n += int64(len(l)) + 24
	}
	for _, t := range texts {
		if m.blobs[t.Hash] == nil {
			grown += int64(len(t.Data))
		}
	}
	if err := m.reserve(n+grown, id); err != nil {
		m.used -= n + grown
		return fmt.Errorf("append %d events with %d texts: %w", len(lines), len(texts), err)
	}
	m.used -= grown // keep counts what it adds
	for _, t := range texts {
		m.keep(r.owned, t)
	}
	r.lines = append(r.lines, lines...)
	r.bytes += n
	r.Events = len(r.lines)
	return nil
}

// Events implements Store.
func (m *Memory) Events(_ context.Context, id string, from int) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[id]
	if r == nil {
		return nil, fmt.Errorf("events: run: %w", ErrNotFound)
	}
	from = min(max(from, 0), len(r.lines))
	// The lines up to here are never written again; the copy of the header with its
	// capacity cut keeps appends away from the reader.
	return r.lines[from:len(r.lines):len(r.lines)], nil
}

// FinishRun implements Store.
func (m *Memory) FinishRun(_ context.Context, done Run, reusable bool) error {
	m.mu.Lock()
	r := m.runs[done.ID]
	if r == nil {
		m.mu.Unlock()
		return fmt.Errorf("finish run: %w", ErrNotFound)
	}
	if r.finished {
		m.mu.Unlock()
		return fmt.Errorf("finish run %s: it has finished as %s", done.ID, r.Status)
	}
	r.Status, r.Hash, r.finished = done.Status, done.Hash, true
	if reusable {
		m.shared[r.Key] = r.ID
	}
	var raw []*blob
	for hash := range r.owned {
		if b := m.blobs[hash]; b != nil {
			raw = append(raw, b)
		}
	}
	m.mu.Unlock()
	m.compress(raw)
	return nil
}
