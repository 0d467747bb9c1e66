package search

import (
	"context"
	"sync"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// The kinds of functions; KindCode is that of generated code.
const (
	KindRelax    = "relax"
	KindPrimFunc = "prim_func"
	KindExtern   = "extern"
	KindCode     = event.CodeKind
)

// history is what the log of a run says about texts, as far as it was read.
type history struct {
	mu  sync.Mutex
	log *run.Follower
}

// view is a history at one time.
type view struct {
	changes []event.TextChange
	sealed  bool
}

func newHistory() *history { return &history{log: run.NewFollower()} }

// size returns the bytes of memory that the history holds, about.
func (h *history) size() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.log.Size()
}

// read reads what the log has by now.
func (h *history) read(ctx context.Context, log *run.Log) (v view, grown bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	grown, sealed, err := h.log.Read(ctx, log)
	if err != nil {
		return view{}, false, err
	}
	return view{h.log.Changes, sealed}, grown, nil
}
