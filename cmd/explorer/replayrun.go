package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// replayer runs requests again, one after the other and without memory of steps.
type replayer struct {
	manager *run.Manager
	texts   store.Store
	close   func()
}

// Bounds on a replay: there is no visitor who waits, but there is a machine.
const (
	replayTime  = time.Hour
	replayStore = 2 << 30
)

// newReplayer returns a replayer that has the source of a session.
func newReplayer(ctx context.Context, b *export.Bundle) (*replayer, error) {
	st, src := store.NewMemory(replayStore), b.Session.Source
	if err := st.CreateSession(ctx, store.Session{ID: replayID, Source: src}); err != nil {
		return nil, err
	}
	switch {
	case src.Kind == store.SourceGallery:
		if _, ok := inproc.Gallery(src.Name); !ok {
			return nil, fmt.Errorf("the session uses gallery:%s, which this program does not have", src.Name)
		}
	case src.Kind == store.SourceDump:
		return nil, fmt.Errorf("the session shows what another compiler printed; there is nothing to run again")
	default:
		blob, err := b.Blobs.Blob(ctx, src.Blob)
		if err != nil {
			return nil, fmt.Errorf("the model of the session: %w", err)
		}
		if _, err := st.PutBlob(ctx, replayID, blob.Language, blob.Data); err != nil {
			return nil, err
		}
	}
	engine := compiler.NewEngine()
	n := len(b.Runs) + 1
	r := &replayer{texts: st, manager: run.NewManager(run.Config{
		Runner: inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: engine, CacheBytes: -1}), Store: st, Log: slog.New(slog.DiscardHandler),
		Admission: run.Admission{Workers: 1, Memory: 1 << 40, PerVisitor: 1, PerMinute: n, Queue: n, QueuePerVisitor: n},
	})}
	r.close = func() {
		stopped, cancel := context.WithCancel(context.Background())
		cancel()
		r.manager.Drain(stopped)
		_ = engine.Close() // the program ends
	}
	return r, nil
}

// replayID stands for the one session and visitor of a replay.
const replayID = "replay"

// run runs a request to its end and returns its events.
func (r *replayer) run(ctx context.Context, req run.Request) ([]event.Event, error) {
	req.Limits = run.Limits{Time: replayTime, Memory: max(req.Limits.Memory, localMemory), LogBytes: export.MaxLogs, TextBytes: replayStore}
	info, err := r.manager.Start(ctx, replayID, replayID, req)
	if err != nil {
		return nil, err
	}
	log, err := r.manager.Log(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	var out []event.Event
	for {
		lines, _, err := log.Next(ctx, len(out))
		if err != nil || len(lines) == 0 {
			return out, err
		}
		for _, line := range lines {
			e, err := event.Decode(line)
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
	}
}
