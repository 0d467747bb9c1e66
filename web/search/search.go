package search

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// ErrBusy says that a search could not say anything in its time: the run has so much text that reading it took all of it.
// What was read is kept, so asking again helps.
var ErrBusy = errors.New("the search timed out; try again")

// ErrCursor says that a cursor is not one that an answer for this run gave.
var ErrCursor = errors.New("the cursor does not belong to this run")

// Config is what a Searcher needs.
type Config struct {
	// Blob returns a text by hash. It is asked once for a text whose index is kept.
	Blob func(ctx context.Context, hash string) (store.Blob, error)
	// Document returns a text by hash as lines, for results; it is asked often and should keep what it opened.
	Document func(ctx context.Context, hash string) (*highlight.Document, error)
	// State returns the state of a run that has finished, which others may share; nil where each search reads the log itself. A long log is
	// read once then, also for those who ask for something else.
	State func(ctx context.Context, run string) (r *event.Run, sealed bool, err error)
	// Time is how long a search may take, MaxTime if zero.
	Time time.Duration
}

// Searcher answers searches. It may be used by several goroutines; how many search at once is for its user to say.
type Searcher struct {
	cfg       Config
	histories *lru.Cache[string, *history]
	indexes   *lru.Cache[string, *index]
	blocks    *lru.Cache[[2]string, []linediff.Block]
}

// New returns a searcher that knows no run yet.
func New(cfg Config) *Searcher {
	if cfg.Time == 0 {
		cfg.Time = MaxTime
	}
	return &Searcher{
		cfg: cfg, histories: lru.New[string, *history](historyCache), indexes: lru.New[string, *index](indexCache),
		blocks: lru.New[[2]string, []linediff.Block](blockCache),
	}
}

// Request asks for results of a query.
type Request struct {
	Query *Query
	// Kind is one of the kinds of functions, or empty for all.
	Kind string
	// Count is the number of results wanted, 1 to MaxCount; Cursor is the Next of the answer before, empty at first.
	Count  int
	Cursor string
}

// Answer is a part of the results.
type Answer struct {
	Results []Result `json:"results"`
	// Notes are sentences about questions that no step answers, or more than one.
	Notes []string `json:"notes"`
	// More tells that the results go on at Next. Next is also set while the run goes on.
	More bool   `json:"more"`
	Next string `json:"next,omitempty"`
	// Sealed tells that the run has finished.
	Sealed bool `json:"sealed"`
}

// Search searches what the log of a run has by now. The error is ErrBusy, ErrCursor, the cause of the context's end, or
// one of the store.
func (s *Searcher) Search(ctx context.Context, id string, log *run.Log, req Request) (*Answer, error) {
	at, err := parseCursor(req.Cursor)
	if err != nil {
		return nil, err
	}
	late := time.Now().Add(s.cfg.Time)
	v, err := s.view(ctx, id, log)
	if err != nil {
		return nil, err
	}
	if at.change > len(v.changes) {
		return nil, fmt.Errorf("cursor %q: %w", req.Cursor, ErrCursor)
	}
	w := &walk{Searcher: s, ctx: ctx, run: id, view: v, req: req, late: late, answer: &Answer{Results: []Result{}, Notes: []string{}, Sealed: v.sealed}}
	if err := w.do(at); err != nil {
		return nil, err
	}
	return w.answer, nil
}

// view returns what the log of a run says by now.
func (s *Searcher) view(ctx context.Context, id string, log *run.Log) (view, error) {
	if _, sealed := log.Len(); sealed && s.cfg.State != nil {
		s.histories.Drop(id)
		r, sealed, err := s.cfg.State(ctx, id)
		if err != nil {
			return view{}, err
		}
		return view{r.Changes, sealed}, nil
	}
	h, ok := s.histories.Get(id)
	if !ok {
		h = newHistory()
	}
	v, grown, err := h.read(ctx, log)
	if err != nil {
		return view{}, err
	}
	if grown || !ok {
		s.histories.Drop(id) // Put keeps what is there with its size
		s.histories.Put(id, h, h.size())
	}
	return v, nil
}

// index returns the index of a text, made now where it is not at hand.
func (s *Searcher) index(ctx context.Context, hash string) (*index, error) {
	if x, ok := s.indexes.Get(hash); ok {
		return x, nil
	}
	b, err := s.cfg.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	x, err := newIndex(ctx, string(b.Data))
	if err != nil {
		return nil, err
	}
	s.indexes.Put(hash, x, x.size())
	return x, nil
}

// diff returns where two texts differ; an empty hash is the empty text.
func (s *Searcher) diff(ctx context.Context, before, after string) ([]linediff.Block, error) {
	key := [2]string{before, after}
	if blocks, ok := s.blocks.Get(key); ok {
		return blocks, nil
	}
	var texts [2]string
	for i, hash := range key {
		if hash == "" {
			continue
		}
		b, err := s.cfg.Blob(ctx, hash)
		if err != nil {
			return nil, err
		}
		texts[i] = string(b.Data)
	}
	blocks := linediff.Blocks(texts[0], texts[1])
	s.blocks.Put(key, blocks, int64(256+32*len(blocks)))
	return blocks, nil
}

// Results come in the order of their place: by change, then those of the text before, then by line.
type place struct{ change, side, line int }

// The sides of a change.
const (
	sideBefore = iota
	sideAfter
)

// String returns the place as a cursor.
func (p place) String() string {
	return strconv.Itoa(p.change) + "." + strconv.Itoa(p.side) + "." + strconv.Itoa(p.line)
}

// parseCursor reads a cursor; empty is the beginning.
func parseCursor(text string) (p place, err error) {
	if text == "" {
		return p, nil
	}
	parts := strings.Split(text[:min(len(text), 40)], ".")
	fields := []*int{&p.change, &p.side, &p.line}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || len(parts) != len(fields) {
			return p, fmt.Errorf("cursor %.40q: %w", text, ErrCursor)
		}
		*fields[i] = int(n)
	}
	if p.side > sideAfter {
		return p, fmt.Errorf("cursor %.40q: %w", text, ErrCursor)
	}
	return p, nil
}
