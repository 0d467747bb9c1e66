package web_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/store"
)

// meddled is a store in which something else happens first when a run is made, or a session is deleted.
type meddled struct {
	store.Store
	making, deleting func()
}

func (m *meddled) CreateRun(ctx context.Context, r store.Run) error {
	if f := m.making; f != nil {
		m.making = nil
		f()
	}
	return m.Store.CreateRun(ctx, r)
}

func (m *meddled) DeleteSession(ctx context.Context, id string) error {
	if f := m.deleting; f != nil {
		m.deleting = nil
		f()
	}
	return m.Store.DeleteSession(ctx, id)
}

// TestRunOfASessionThatIsBeingDeleted: whichever comes first, the run stops. Nobody would know it, and it would go on in the place of others.
func TestRunOfASessionThatIsBeingDeleted(t *testing.T) {
	for name, deletedFirst := range map[string]bool{"deleted while a run is started": true, "run started while it is deleted": false} {
		t.Run(name, func(t *testing.T) {
			st := &meddled{Store: store.NewMemory(16 << 20)}
			s := open(t, func(c *web.Config) { c.Store = st })
			sess := decode[sessionAnswer](t, s.post("/api/sessions", `{"gallery":"wait","start":false}`).want(t, http.StatusCreated)).Session
			shared := s.another()
			other := decode[sessionAnswer](t, shared.post("/api/sessions", `{"gallery":"wait","start":false}`).want(t, http.StatusCreated)).Session
			begin := func() answer { return s.post("/api/sessions/"+sess.ID+"/runs", `{"seed":1}`) }
			remove := func() answer { return s.do(http.MethodDelete, "/api/sessions/"+sess.ID, "") }
			// A run that another session wants too goes on.
			both := `{"seed":2}`
			kept := decode[runAnswer](t, s.post("/api/sessions/"+sess.ID+"/runs", both).want(t, http.StatusAccepted)).Run.ID
			shared.post("/api/sessions/"+other.ID+"/runs", both).want(t, http.StatusOK)
			if deletedFirst {
				st.making = func() { remove().want(t, http.StatusNoContent) }
				begin().want(t, http.StatusNotFound)
			} else {
				st.deleting = func() { begin().want(t, http.StatusAccepted) }
				remove().want(t, http.StatusNoContent)
			}
			waitFor(t, "the run is over", func() bool {
				left, err := st.Unfinished(t.Context())
				return err == nil && len(left) == 1 && left[0].ID == kept
			})
			shared.state(kept, "running")
			shared.post("/api/runs/"+kept+"/cancel", "").want(t, http.StatusAccepted)
			shared.state(kept, string(event.StatusCanceled))
		})
	}
}
