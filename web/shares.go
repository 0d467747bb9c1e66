package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/irscope/irscope/web/search"
	"github.com/irscope/irscope/web/share"
)

// Shares are the bounds of everything that visitors ask of a server, by kind; every route
// belongs to one. A field whose PerMinute is zero takes the value of DefaultShares. Runs have
// those of run.Admission besides.
type Shares struct {
	// Pages are pages and what else is read from the store.
	Pages share.Class
	// Changes are changes of sessions, and requests for runs.
	Changes share.Class
	// Sessions are new sessions.
	Sessions share.Class
	// Uploads are bodies of models and archives on their way.
	Uploads share.Class
	// Dumps are requests that bring the output of other compilers, each for as long as it comes.
	Dumps share.Class
	// Archives are exports and imports of sessions.
	Archives share.Class
	// Checks are texts, scripts and settings that are checked, Edits edits of the IR, for which
	// passes may have to run again.
	Checks, Edits share.Class
	// EveryPass are runs whose passes are checked one by one.
	EveryPass share.Class
	// Graphs are drawings.
	Graphs share.Class
	// Texts are windows of texts and of differences, Diffs the differences that are not known yet.
	Texts, Diffs share.Class
	// Searches are searches in a run, Histories questions about values.
	Searches, Histories share.Class
	// Events are requests for the events of a run: a websocket is one for as long as it is open.
	Events share.Class
	// Follows are pages that follow a session or its presenter, one for as long as it does.
	Follows share.Class
	// Joins are pages of classes for those who have not joined yet.
	Joins share.Class
}

// What work is taken to hold while it goes on, in bytes; answers count as what they are.
const (
	pageBytes    = 16 << 20
	logBytes     = 16 << 20
	textBytes    = 32 << 20
	diffBytes    = 96 << 20
	checkBytes   = 64 << 20
	archiveBytes = 256 << 20
	// what a run may take, and the results of kernels
	everyPassBytes = 768 << 20
)

// DefaultShares returns the bounds for a public server. Rates only stop what is no use of a page or
// a script; that visitors take turns, and none has all of a kind, is what keeps others from waiting.
func DefaultShares() Shares {
	return Shares{
		Pages:     share.Class{Name: "pages", PerMinute: 3000, PerVisitor: 64, Total: 2000, Turns: 4, TurnsPerVisitor: 2, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 10 * time.Second},
		Changes:   share.Class{Name: "changes of sessions", PerMinute: 300, PerVisitor: 16, Total: 500},
		Sessions:  share.Class{Name: "new sessions", PerMinute: 30, PerVisitor: 8, Total: 100},
		Uploads:   share.Class{Name: "uploads", PerMinute: 30, PerVisitor: 4, Total: 50, Turns: 8, TurnsPerVisitor: 2, Bytes: 256 << 20, BytesPerVisitor: 136 << 20, Time: 10 * time.Second},
		Dumps:     share.Class{Name: "dumps", PerMinute: 3000, PerVisitor: 4, Total: 20},
		Archives:  share.Class{Name: "exports and imports", PerMinute: 30, PerVisitor: 4, Total: 50, Turns: 2, TurnsPerVisitor: 1, Bytes: 512 << 20, BytesPerVisitor: 256 << 20, Time: 30 * time.Second},
		Checks:    share.Class{Name: "checks of texts", PerMinute: 240, PerVisitor: 8, Total: 100, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 3 * time.Second},
		Edits:     share.Class{Name: "checks of edits", PerMinute: 240, PerVisitor: 4, Total: 50, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 20 * time.Second},
		EveryPass: share.Class{Name: "checks of every pass", PerMinute: 30, PerVisitor: 2, Total: 20, Turns: 2, TurnsPerVisitor: 1, Bytes: 2 << 30, BytesPerVisitor: 1 << 30, Time: 50 * time.Second},
		Graphs:    share.Class{Name: "graphs", PerMinute: 480, PerVisitor: 16, Total: 200, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 3 * time.Second},
		Texts:     share.Class{Name: "texts", PerMinute: 6000, PerVisitor: 32, Total: 400, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 10 * time.Second},
		Diffs:     share.Class{Name: "differences", PerMinute: 3000, PerVisitor: 16, Total: 100, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 15 * time.Second},
		Searches:  share.Class{Name: "searches", PerMinute: 240, PerVisitor: 8, Total: 100, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 2 * search.MaxTime},
		Histories: share.Class{Name: "histories", PerMinute: 600, PerVisitor: 16, Total: 200, Turns: 2, TurnsPerVisitor: 1, Bytes: 256 << 20, BytesPerVisitor: 128 << 20, Time: 10 * time.Second},
		Events:    share.Class{Name: "events of runs", PerMinute: 3000, PerVisitor: 64, Total: 2000, Turns: 4, TurnsPerVisitor: 2, Bytes: 512 << 20, BytesPerVisitor: 128 << 20, Time: 10 * time.Second},
		// Pages that follow do nothing but wait, and all of a room may have one address.
		Follows: share.Class{Name: "followed sessions", PerMinute: 3000, PerVisitor: 300, Total: 2000},
		// A whole room joins at once, all from one address.
		Joins: share.Class{Name: "pages of classes", PerMinute: 600, PerVisitor: 200, Total: 800},
	}
}

// orDefaults fills the fields that are not set.
func (s Shares) orDefaults() Shares {
	def := DefaultShares()
	for c, d := range map[*share.Class]share.Class{
		&s.Pages: def.Pages, &s.Changes: def.Changes, &s.Sessions: def.Sessions, &s.Uploads: def.Uploads, &s.Dumps: def.Dumps, &s.Archives: def.Archives, &s.Checks: def.Checks,
		&s.Edits: def.Edits, &s.EveryPass: def.EveryPass, &s.Graphs: def.Graphs, &s.Texts: def.Texts, &s.Diffs: def.Diffs, &s.Searches: def.Searches, &s.Histories: def.Histories, &s.Events: def.Events, &s.Follows: def.Follows, &s.Joins: def.Joins,
	} {
		if c.PerMinute == 0 {
			*c = d
		}
	}
	return s
}

// gates are where requests come in, one for each of Shares.
type gates struct {
	pages, changes, sessions, uploads, dumps, archives, checks, edits, everyPass, graphs, texts, diffs, searches, histories, events, follows, joins *share.Gate
}

func newGates(s Shares) gates {
	return gates{
		pages: share.New(s.Pages), changes: share.New(s.Changes), sessions: share.New(s.Sessions), uploads: share.New(s.Uploads), dumps: share.New(s.Dumps),
		archives: share.New(s.Archives), checks: share.New(s.Checks), edits: share.New(s.Edits), everyPass: share.New(s.EveryPass), graphs: share.New(s.Graphs), texts: share.New(s.Texts), diffs: share.New(s.Diffs),
		searches: share.New(s.Searches), histories: share.New(s.Histories), events: share.New(s.Events), follows: share.New(s.Follows), joins: share.New(s.Joins),
	}
}

// ticketFunc is a handlerFunc for requests that were let in at a gate.
type ticketFunc func(w http.ResponseWriter, r *http.Request, t *share.Ticket) error

// shared is the handler of a route with the gate that its requests pass; nil says that they cost
// nothing worth sharing.
type shared struct {
	http.Handler
	gate *share.Gate
}

// at makes the handler of a route whose requests pass a gate.
func (s *Server) at(g *share.Gate, f ticketFunc) http.Handler {
	return shared{gate: g, Handler: s.do(func(w http.ResponseWriter, r *http.Request) error {
		t, err := g.Enter(s.visitor(r))
		if err != nil {
			return err
		}
		defer t.Leave()
		return f(w, r, t)
	})}
}

// simple makes a ticketFunc of a handler that needs no turn.
func simple(f handlerFunc) ticketFunc {
	return func(w http.ResponseWriter, r *http.Request, _ *share.Ticket) error { return f(w, r) }
}

// free makes the handler of a route that costs nothing worth sharing.
func free(h http.Handler) http.Handler { return shared{Handler: h} }

// work does something in a turn of a request, see share.Work. A panic is logged and is an error.
func work[T any](ctx context.Context, s *Server, t *share.Ticket, bytes int64, do func(context.Context) (T, error)) (T, error) {
	return share.Work(ctx, t, bytes, func(ctx context.Context) (T, error) {
		return guarded(s, func() (T, error) { return do(ctx) })
	})
}

// guarded does something whose panic is logged and is an error.
func guarded[T any](s *Server, do func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Log.Error("work for a visitor panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = &httpError{status: http.StatusInternalServerError, message: "something went wrong on the server; its log has the details"}
		}
	}()
	return do()
}

// within does something in a turn at another gate than that of the route.
func within[T any](s *Server, r *http.Request, g *share.Gate, bytes int64, do func(context.Context) (T, error)) (T, error) {
	t, err := g.Enter(s.visitor(r))
	if err != nil {
		var none T
		return none, err
	}
	defer t.Leave()
	return work(r.Context(), s, t, bytes, do)
}
