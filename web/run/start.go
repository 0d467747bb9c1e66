package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Start starts a run for a session of a visitor, or queues it, or returns the run
// with the same key that another session started. It returns a *share.Refusal where there
// is no room, and an error that names the setting where a setting is wrong.
//
// The store is asked and written to without the lock, so that a slow disk keeps nobody else waiting. Meanwhile the key belongs to this
// call: who asks for the same run waits for it.
func (m *Manager) Start(ctx context.Context, visitorID, session string, req Request) (Info, error) {
	settings, err := req.Settings.Normalize()
	if err != nil {
		return Info{}, err
	}
	if s, ok := m.cfg.Runner.(Settler); ok {
		settings = s.Settle(settings)
	}
	req.Settings = settings
	if req.Limits == (Limits{}) {
		req.Limits = m.cfg.Limits
	}
	key, err := req.Key(m.cfg.Build)
	if err != nil {
		return Info{}, err
	}
	body, err := json.Marshal(req)
	if err != nil {
		return Info{}, fmt.Errorf("encode request: %w", err)
	}
	info, known, err := m.claim(ctx, key, session)
	if known || err != nil {
		return info, err
	}
	defer m.unclaim(key)
	switch r, err := m.cfg.Store.RunByKey(ctx, key); {
	case err == nil:
		return m.shared(stored(r, req), session)
	case !errors.Is(err, store.ErrNotFound):
		return Info{}, err
	}
	v, err := m.enter(visitorID)
	if err != nil {
		return Info{}, err
	}
	defer m.work.Done()
	r := store.Run{ID: newID(), Key: key, Request: body, Created: time.Now().UTC()}
	err = m.cfg.Store.CreateRun(ctx, r)

	m.mu.Lock()
	defer m.mu.Unlock()
	m.entering--
	v.Value.entering--
	if err != nil {
		m.visitors.Give(v)
		return Info{}, err
	}
	a := &active{run: r, req: req, visitor: v, log: NewLog(), state: StateQueued, holders: map[string]bool{session: true}}
	m.active[r.ID], m.byKey[key] = a, a
	m.queue.Push(v, a)
	v.Value.queued++
	if m.draining {
		m.stop(a, errDraining)
	}
	m.schedule()
	info = a.info(m.position(a))
	info.Session = session
	return info, nil
}

// claim returns the run with a key if it is going on. Otherwise the caller alone may make one, until unclaim.
func (m *Manager) claim(ctx context.Context, key, session string) (info Info, known bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		if a := m.byKey[key]; a != nil {
			a.holders[session] = true
			info, err := m.shared(a.info(m.position(a)), session)
			return info, true, err
		}
		other := m.starting[key]
		if other == nil {
			m.starting[key] = make(chan struct{})
			return Info{}, false, nil
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		m.mu.Lock()
		if err != nil {
			return Info{}, false, err
		}
	}
}

// unclaim lets others look for the run with a key.
func (m *Manager) unclaim(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.starting[key])
	delete(m.starting, key)
}

// enter admits a run of a visitor that is to be stored. Draining waits for it until the caller calls m.work.Done.
func (m *Manager) enter(visitorID string) (*share.Entry[visitor], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.visitors.Take(visitorID)
	if err := m.admit(&v.Value); err != nil {
		m.visitors.Give(v)
		return nil, err
	}
	m.entering++
	v.Value.entering++
	m.work.Add(1)
	return v, nil
}
