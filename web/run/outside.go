package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Runs whose work is done elsewhere, such as the passes of another compiler that prints them while they run. Such a run takes no slot:
// it mostly waits for what comes. It is never shared, and goes on when no page follows it.

// What there may be of them at once.
const (
	maxOutside        = 6
	outsidePerVisitor = 2
)

// OutsideLimits are those of such a run.
var OutsideLimits = Limits{Time: time.Hour, LogBytes: 96 << 20, TextBytes: 256 << 20}

// Follow starts a run of a session that reports what a runner takes from elsewhere. The request says what it is about. It returns a
// *share.Refusal where there is no room.
func (m *Manager) Follow(ctx context.Context, visitorID, session string, req Request, from Runner) (Info, error) {
	if req.Limits == (Limits{}) {
		req.Limits = OutsideLimits
	}
	body, err := json.Marshal(req)
	if err != nil {
		return Info{}, fmt.Errorf("encode request: %w", err)
	}
	id := newID()
	// Nothing else has this key.
	r := store.Run{ID: id, Key: "outside:" + id, Request: body, Created: time.Now().UTC()}

	v, err := m.enterOutside(visitorID)
	if err != nil {
		return Info{}, err
	}
	defer m.work.Done()
	err = m.cfg.Store.CreateRun(ctx, r) // without the lock, as in Start

	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.outside--
		v.Value.outside--
		m.visitors.Give(v)
		return Info{}, err
	}
	a := &active{run: r, req: req, visitor: v, log: NewLog(), state: StateRunning, holders: map[string]bool{session: true}, outside: from}
	m.active[id] = a
	var work context.Context
	work, a.cancel = context.WithCancelCause(context.Background())
	m.work.Go(func() { m.perform(work, a) })
	if m.draining {
		m.stop(a, errDraining)
	}
	info := a.info(0)
	info.Session = session
	return info, nil
}

// enterOutside admits such a run of a visitor. Draining waits for it until the caller calls m.work.Done.
func (m *Manager) enterOutside(visitorID string) (*share.Entry[visitor], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.visitors.Take(visitorID)
	if err := m.admitOutside(&v.Value); err != nil {
		m.visitors.Give(v)
		return nil, err
	}
	m.outside++
	v.Value.outside++
	m.work.Add(1)
	return v, nil
}

// admitOutside decides whether a visitor may have another such run; the caller holds the lock.
func (m *Manager) admitOutside(v *visitor) error {
	switch {
	case m.draining:
		return &share.Refusal{Busy: true, Message: "the server is shutting down; try again in a moment", RetryAfter: 5 * time.Second}
	case v.outside >= outsidePerVisitor:
		return &share.Refusal{Message: fmt.Sprintf("%d of your dumps are being read; wait for one of them to end or cancel it", v.outside), RetryAfter: 5 * time.Second}
	case m.outside >= maxOutside:
		return &share.Refusal{Busy: true, Message: fmt.Sprintf("%d dumps are being read here; try again later", m.outside), RetryAfter: 10 * time.Second}
	}
	return nil
}
