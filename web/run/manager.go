package run

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Config is what a Manager needs.
type Config struct {
	Runner Runner
	Store  store.Store
	// Build identifies the executable; it is part of the key of every run.
	Build     string
	Admission Admission
	Limits    Limits
	// Log takes what an operator wants to know.
	Log *slog.Logger
}

// Manager queues, starts, shares and cancels runs.
type Manager struct {
	cfg    Config
	logs   *lru.Cache[string, *Log]       // of runs that have finished
	states *lru.Cache[string, *event.Run] // of runs that have finished, after their logs

	foldMu  sync.Mutex
	folding map[string]chan struct{} // by id: logs of finished runs that are being folded; closed at the end
	folds   chan struct{}            // holds a token for each

	mu       sync.Mutex
	active   map[string]*active       // by id: queued, running, or being stored
	byKey    map[string]*active       // of these, the ones that may be shared
	starting map[string]chan struct{} // by key: runs that are being looked up or stored; closed when that is done
	queue    share.Ring[*share.Entry[visitor], *active]
	running  int
	entering int // runs that are admitted and are being stored
	outside  int // runs that take no slot
	memory   int64
	visitors *share.Table[visitor]
	draining bool
	work     sync.WaitGroup // runs and their runners
}

// active is a run that is queued, running, or being stored; the fields below the
// line are guarded by Manager.mu.
type active struct {
	run     store.Run
	req     Request
	visitor *share.Entry[visitor] // given back when the run is over
	log     *Log

	state   string
	hash    string
	holders map[string]bool // sessions that want the run
	cancel  context.CancelCauseFunc
	// abandoned says that the run is over for those who follow it while its runner still works.
	abandoned bool

	// outside is what does the work in place of the manager's runner, of a run that takes no slot; see Follow. nil for all others.
	outside Runner

	watchers int         // pages and programs that follow the run now
	page     bool        // a page was among those that followed it
	left     *time.Timer // runs since the last of them left
}

// The states of a run that has not finished; afterwards it is an event.Status.
const (
	StateQueued  = "queued"
	StateRunning = "running"
)

// Info is a run as visitors see it.
type Info struct {
	ID       string    `json:"id"`
	Session  string    `json:"session,omitempty"`
	State    string    `json:"state"`
	Position int       `json:"position,omitempty"`
	Events   int       `json:"events"`
	Created  time.Time `json:"created"`
	Key      string    `json:"key"`
	Shared   bool      `json:"shared"`
	Settings Settings  `json:"settings"`
	Hash     string    `json:"hash,omitempty"`
	// Source is what the run compiles. It is not part of the JSON form: a run is
	// described to people who may not know the session.
	Source store.Source `json:"-"`
}

// logCache is the number of bytes of logs of finished runs that are kept at hand: the
// viewers of one run share one log.
const logCache = 128 << 20

// stateCache is what states of finished runs may hold, in bytes: a class looks at the same few, and a comparison at two, of which that
// of a dump with 100,000 passes takes 105 MiB.
const stateCache = 256 << 20

// NewManager returns a manager without runs. Recover ends those that an earlier process
// has left in the store.
func NewManager(cfg Config) *Manager {
	return &Manager{
		cfg: cfg, logs: lru.New[string, *Log](logCache), states: lru.New[string, *event.Run](stateCache), active: map[string]*active{}, byKey: map[string]*active{}, starting: map[string]chan struct{}{}, visitors: newVisitors(cfg.Admission.PerMinute),
		folding: map[string]chan struct{}{}, folds: make(chan struct{}, maxFolds),
	}
}

// shared marks the description of a run that was there before it was asked for.
func (m *Manager) shared(i Info, session string) (Info, error) {
	i.Shared, i.Session = true, session
	return i, nil
}

// schedule starts waiting runs while there is room; the caller holds the lock.
func (m *Manager) schedule() {
	for a := m.pick(); a != nil; a = m.pick() {
		a.state = StateRunning
		a.visitor.Value.queued--
		a.visitor.Value.running++
		m.running++
		m.memory += a.req.Limits.Memory
		var ctx context.Context
		ctx, a.cancel = context.WithCancelCause(context.Background())
		m.work.Go(func() { m.perform(ctx, a) })
	}
}

// position returns the place of a run in the queue, from 1, as turns go round now; 0 if it does
// not wait. The caller holds the lock.
func (m *Manager) position(a *active) int { return slices.Index(m.queue.All(), a) + 1 }

// Run describes a run.
func (m *Manager) Run(ctx context.Context, id string) (Info, error) {
	m.mu.Lock()
	if a := m.active[id]; a != nil {
		defer m.mu.Unlock()
		return a.info(m.position(a)), nil
	}
	m.mu.Unlock()
	r, err := m.cfg.Store.Run(ctx, id)
	if err != nil {
		return Info{}, err
	}
	var req Request
	if err := json.Unmarshal(r.Request, &req); err != nil {
		return Info{}, fmt.Errorf("decode request of run %s: %w", id, err)
	}
	return stored(r, req), nil
}

// Log returns the log of a run.
func (m *Manager) Log(ctx context.Context, id string) (*Log, error) {
	m.mu.Lock()
	a := m.active[id]
	m.mu.Unlock()
	if a != nil {
		return a.log, nil
	}
	// A log that is at hand may have expired in the store.
	if _, err := m.cfg.Store.Run(ctx, id); err != nil {
		m.logs.Drop(id)
		return nil, err
	}
	if log, ok := m.logs.Get(id); ok {
		return log, nil
	}
	lines, err := StoredEvents(ctx, m.cfg.Store, id)
	if err != nil {
		return nil, err
	}
	log := SealedLog(lines)
	m.logs.Put(id, log, log.Bytes())
	if first, ok := m.logs.Get(id); ok {
		log = first // another viewer was faster
	}
	return log, nil
}

// info describes an active run; the caller holds the manager's lock.
func (a *active) info(position int) Info {
	n, _ := a.log.Len()
	return Info{
		ID: a.run.ID, State: a.state, Position: position, Events: n,
		Created: a.run.Created, Key: a.run.Key, Settings: a.req.Settings, Hash: a.hash, Source: a.req.Source,
	}
}

// stored describes a run that is no longer active.
func stored(r store.Run, req Request) Info {
	state := r.Status
	if state == "" {
		// The process that ran it ended without a word.
		state = string(event.StatusFailed)
	}
	return Info{ID: r.ID, State: state, Events: r.Events, Created: r.Created, Key: r.Key, Settings: req.Settings, Hash: r.Hash, Source: req.Source}
}

// newID returns 128 random bits as 22 characters that may stand in a URL.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
