package instruments

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// Profile is the time of one pass: Total with the passes that it ran, Self without them.
// The time of instruments is in neither.
type Profile struct {
	Name     string        `json:"name"`
	Step     string        `json:"step"`
	Total    time.Duration `json:"total_ns"`
	Self     time.Duration `json:"self_ns"`
	Failed   bool          `json:"failed,omitempty"`
	Children []*Profile    `json:"children,omitempty"`
}

// Timing is TVM's PassTimingInstrument, but what it measured stays readable after the
// context was left and after a pass failed.
type Timing struct {
	mu    sync.Mutex
	roots []*Profile
	open  map[*pass.Step]*Profile
}

// Instrument returns the instrument to put into a context. Entering a context starts anew.
func (t *Timing) Instrument() *pass.Instrument {
	return &pass.Instrument{
		Name: "PassTimingInstrument", Replayable: true,
		EnterPassCtx: func() error {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.roots, t.open = nil, nil // passes may also run without entering the context
			return nil
		},
		RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
			t.mu.Lock()
			defer t.mu.Unlock()
			p := &Profile{Name: s.Pass.Name, Step: s.Path()}
			if around := t.open[s.Parent]; around != nil {
				around.Children = append(around.Children, p)
			} else {
				t.roots = append(t.roots, p)
			}
			if t.open == nil {
				t.open = map[*pass.Step]*Profile{}
			}
			t.open[s] = p
			return nil
		},
		RunAfterPass: func(_ *ir.Module, s *pass.Step) error { t.end(s, false); return nil },
		PassFailed:   func(_ *ir.Module, s *pass.Step, _ error) { t.end(s, true) },
	}
}

func (t *Timing) end(s *pass.Step, failed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.open[s]; p != nil {
		p.Total, p.Self, p.Failed = s.Duration, s.Self, failed
		delete(t.open, s)
	}
}

// Profiles returns the passes measured so far, outermost first.
func (t *Timing) Profiles() []*Profile {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*Profile(nil), t.roots...)
}

// MarshalJSON writes the tree with times in nanoseconds.
func (t *Timing) MarshalJSON() ([]byte, error) {
	roots := t.Profiles()
	if roots == nil {
		roots = []*Profile{}
	}
	return json.Marshal(roots)
}
