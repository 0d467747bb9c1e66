package run

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
)

// maxFolds is how many logs of finished runs are folded at once.
const maxFolds = 2

// State returns the state of a run after its log as far as that is, without the hunks of diffs, and whether there will be no more. The
// state of a run that is over is shared by all who ask: nobody may change it.
func (m *Manager) State(ctx context.Context, id string) (r *event.Run, sealed bool, err error) {
	if r, ok := m.states.Get(id); ok {
		// A run that is at hand may have expired in the store.
		if _, err := m.Run(ctx, id); err != nil {
			m.states.Drop(id)
			return nil, false, err
		}
		return r, true, nil
	}
	log, err := m.Log(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if _, sealed = log.Len(); sealed {
		r, err = m.sealedState(ctx, id, log)
		return r, true, err
	}
	f := NewFollower()
	if _, sealed, err = f.Read(ctx, log); err != nil {
		return nil, sealed, fmt.Errorf("run %s: %w", id, err)
	}
	return f.Run, sealed, nil
}

// sealedState folds the log of a run that is over. A long one takes longer than those who ask may wait: it is folded once for all of
// them, and to the end, so that who asks again finds the state.
func (m *Manager) sealedState(ctx context.Context, id string, log *Log) (*event.Run, error) {
	type folded struct {
		run *event.Run
		err error
	}
	for {
		if r, ok := m.states.Get(id); ok {
			return r, nil
		}
		m.foldMu.Lock()
		other := m.folding[id]
		if other == nil {
			m.folding[id] = make(chan struct{})
		}
		m.foldMu.Unlock()
		if other != nil {
			select {
			case <-other:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		out := make(chan folded, 1)
		go func() {
			m.folds <- struct{}{}
			f := NewFollower()
			_, _, err := f.Read(context.WithoutCancel(ctx), log)
			if err == nil {
				m.states.Put(id, f.Run, f.Size())
			}
			<-m.folds
			m.foldMu.Lock()
			close(m.folding[id])
			delete(m.folding, id)
			m.foldMu.Unlock()
			out <- folded{f.Run, err}
		}()
		select {
		case f := <-out:
			if f.err != nil {
				return nil, fmt.Errorf("run %s: %w", id, f.err)
			}
			return f.run, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
