package web

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/web/share"
)

// Limits of histories.
const (
	// historyCache is what tables may hold in memory.
	historyCache = 96 << 20
	// maxMarks is the number of places of a function that are listed, maxRoots of what a
	// question is about.
	maxMarks = 4000
	maxRoots = 100
	// maxHistoryName is the length of the longest name that is asked for.
	maxHistoryName = 1000
)

// historyAnswer is what a question is answered with.
type historyAnswer struct {
	// At is the place that the question led to; absent for a question about a node.
	At *history.Place `json:"at,omitempty"`
	// Roots is what it comes from, of More beyond those listed.
	Roots   []history.Root  `json:"roots"`
	More    int             `json:"more,omitempty"`
	Inner   bool            `json:"inner,omitempty"`
	Tensor  bool            `json:"tensor,omitempty"`
	Entries []history.Entry `json:"entries"`
	// Cut lists steps that are left out because there is too much to say of them.
	Cut []string `json:"cut,omitempty"`
	// Sealed says that the run is over: nothing will be added.
	Sealed bool `json:"sealed"`
}

// marksAnswer lists the places of a function that belong to what a question is about.
type marksAnswer struct {
	Marks []history.Mark `json:"marks"`
	More  int            `json:"more,omitempty"`
}

// runHistory answers with what became of a node, value, buffer, loop or kernel.
func (s *Server) runHistory(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	return s.askHistory(w, r, t, func(l *lives, f history.Focus, at *history.Place, sealed bool) any {
		roots := l.h.RootsOf(f)
		a := historyAnswer{At: at, Roots: roots[:min(len(roots), maxRoots)], Inner: f.Inner, Tensor: f.Tensor, Entries: l.h.Of(f), Cut: l.cut, Sealed: sealed}
		a.More = len(roots) - len(a.Roots)
		if a.Entries == nil {
			a.Entries = []history.Entry{}
		}
		return a
	})
}

// historyMarks answers with the lines of a function in which it stands.
func (s *Server) historyMarks(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	q := r.URL.Query()
	show, in := q.Get("show"), q.Get("in")
	if show == "" || in == "" {
		return badRequest("show is %.60q and in is %.60q, want the path of a step and the name of a function", show, in)
	}
	shown := q.Get("shown")
	if shown != "" && shown != "before" && shown != "after" {
		return badRequest("shown is %.60q, want before or after", shown)
	}
	return s.askHistory(w, r, t, func(l *lives, f history.Focus, _ *history.Place, _ bool) any {
		if shown == "before" {
			show = l.h.Before(show)
		}
		all := l.h.Marks(f, show, in)
		a := marksAnswer{Marks: append([]history.Mark{}, all[:min(len(all), maxMarks)]...)}
		a.More = len(all) - len(a.Marks)
		return a
	})
}

// askHistory reads a question and answers it.
func (s *Server) askHistory(w http.ResponseWriter, r *http.Request, t *share.Ticket, answer func(*lives, history.Focus, *history.Place, bool) any) error {
	body, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (any, error) { return s.answerHistory(ctx, r, answer) })
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, body)
}

// answerHistory returns the answer to a question.
func (s *Server) answerHistory(ctx context.Context, r *http.Request, answer func(*lives, history.Focus, *history.Place, bool) any) (any, error) {
	var body any
	err := s.withLives(ctx, chi.URLParam(r, "run"), func(l *lives, sealed bool) error {
		f, at, err := l.question(r)
		if err == nil {
			body = answer(l, f, at, sealed)
		}
		return err
	})
	return body, err
}

// withLives calls f with the history of a run, as far as its log says by now. It is locked meanwhile.
func (s *Server) withLives(ctx context.Context, id string, f func(l *lives, sealed bool) error) error {
	log, err := s.manager.Log(ctx, id)
	if err != nil {
		return err
	}
	l, ok := s.lives.cache.Get(id)
	if !ok {
		l = newLives()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	grown, sealed, err := l.read(ctx, log, s.lives.store)
	if err != nil {
		return err
	}
	if grown || !ok {
		s.lives.cache.Put(id, l, l.size())
	}
	if !l.recorded {
		message := "this run has not reached its first pass; try again later"
		if sealed {
			message = "this run has no history of values: it ended before its first pass, or an earlier version made it; run it again"
		}
		return &httpError{status: http.StatusNotFound, message: message}
	}
	return f(l, sealed)
}

// question finds what a request is about: a node of the model, or what stands in a line.
func (l *lives) question(r *http.Request) (history.Focus, *history.Place, error) {
	q := r.URL.Query()
	node, step, function, name := q.Get("node"), q.Get("step"), q.Get("function"), q.Get("name")
	for _, s := range []string{node, step, function, name} {
		if len(s) > maxHistoryName {
			return history.Focus{}, nil, badRequest("%.60q has %d bytes, want a name of at most %d", s, len(s), maxHistoryName)
		}
	}
	unknown := func(err error) error { return &httpError{status: http.StatusUnprocessableEntity, message: err.Error()} }
	switch {
	case node != "" && step == "":
		f, err := l.h.Named(node)
		if err != nil {
			return f, nil, unknown(err)
		}
		return f, nil, nil
	case node != "" || step == "" || function == "":
		return history.Focus{}, nil, badRequest("node is %.60q, step is %.60q, and function is %.60q; want either node, or step and function", node, step, function)
	}
	line, err := number(r, "line", 0, 0, 1<<31-1)
	if err != nil {
		return history.Focus{}, nil, err
	}
	switch side := q.Get("side"); side {
	case "", "after":
	case "before":
		step = l.h.Before(step)
	default:
		return history.Focus{}, nil, badRequest("side is %.60q, want before or after", side)
	}
	f, at, err := l.h.At(step, function, line, name)
	if err != nil {
		return f, nil, unknown(err)
	}
	return f, &at, nil
}
