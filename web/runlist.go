package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/irscope/irscope/instruments/compare"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

const (
	// maxListed is how many runs of a session are listed, the latest.
	maxListed = 50
	// resultCache is what results of runs that are over may hold in memory.
	resultCache = 1 << 20
)

// results keeps what runs that are over came to.
type results = lru.Cache[string, compare.Result]

func newResults() *results { return lru.New[string, compare.Result](resultCache) }

// listedRun is a run in the list of those of a session.
type listedRun struct {
	runJSON
	// Number counts the runs of the session from 1.
	Number int `json:"number"`
	compare.Result
}

// sessionRuns lists the latest runs of a session, the oldest of them first.
func (s *Server) sessionRuns(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	list, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) ([]listedRun, error) {
		out := []listedRun{}
		from := max(0, len(sess.Runs)-maxListed)
		for i, id := range sess.Runs[from:] {
			l, err := s.listed(ctx, sess, id)
			if errors.Is(err, store.ErrNotFound) {
				continue // it has expired
			}
			if err != nil {
				return nil, err
			}
			l.Number = from + i + 1
			out = append(out, l)
		}
		return out, nil
	})
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, map[string]any{"runs": list})
}

// listed describes a run of a session. The log is read once, when the run is over.
func (s *Server) listed(ctx context.Context, sess store.Session, id string) (l listedRun, err error) {
	info, err := s.manager.Run(ctx, id)
	if err != nil {
		return l, err
	}
	l.runJSON = describe(info)
	if sess.Source.Kind == store.SourceDump {
		return l, nil // nothing was measured, and the log may be long
	}
	if res, ok := s.results.Get(id); ok {
		l.Result = res
		return l, nil
	}
	c, err := s.compared(ctx, id)
	if err != nil || !c.sealed {
		return l, err
	}
	l.Result = compare.ResultOf(c.state)
	s.results.Put(id, l.Result, 128)
	return l, nil
}
