package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/web/share"
)

// handlerFunc answers a request or returns an error, which the one renderer of
// errors turns into an answer. It writes nothing before it is sure to succeed.
type handlerFunc func(w http.ResponseWriter, r *http.Request) error

// routes returns the handler of all routes with everything that holds for all.
func (s *Server) routes() (http.Handler, error) {
	guard := http.NewCrossOriginProtection()
	for _, o := range s.cfg.Origins {
		if err := guard.AddTrustedOrigin(o); err != nil {
			return nil, err
		}
	}
	guard.SetDenyHandler(s.do(func(http.ResponseWriter, *http.Request) error {
		return &httpError{status: http.StatusForbidden, message: "requests that make changes must come from a page of this server"}
	}))

	r := chi.NewRouter()
	r.Use(middleware.GetHead, s.visitorAddress(), s.recoverPanics, s.secureHeaders, s.checkHost, guard.Handler)
	r.NotFound(s.do(func(http.ResponseWriter, *http.Request) error {
		return &httpError{status: http.StatusNotFound, message: "this page does not exist"}
	}))
	r.MethodNotAllowed(s.do(func(_ http.ResponseWriter, r *http.Request) error {
		return &httpError{status: http.StatusMethodNotAllowed, message: r.Method + " is not possible here"}
	}))

	r.Method(http.MethodGet, "/healthz", free(s.do(s.health)))
	r.Method(http.MethodGet, "/readyz", free(s.do(s.ready)))
	r.Method(http.MethodGet, "/version", free(s.do(s.version)))
	r.Method(http.MethodGet, static.Prefix+"*", free(static.Handler()))
	r.Method(http.MethodHead, static.Prefix+"*", free(static.Handler()))
	r.Method(http.MethodGet, "/favicon.ico", free(http.RedirectHandler(static.URL("favicon.svg"), http.StatusFound)))

	// Every other route passes a gate.
	g := &s.gates
	get := func(r chi.Router, path string, at *share.Gate, f ticketFunc) {
		r.Method(http.MethodGet, path, s.at(at, f))
	}
	post := func(r chi.Router, path string, at *share.Gate, f ticketFunc) {
		r.Method(http.MethodPost, path, s.at(at, f))
	}

	// Pages.
	r.Group(func(r chi.Router) {
		r.Use(compress())
		get(r, "/", g.pages, simple(s.gallery))
		get(r, "/s/{session}", g.pages, s.sessionPage)
		get(r, "/new", g.pages, simple(s.editorPage))
		get(r, "/compare/{a}/{b}", g.pages, simple(s.comparePage))
	})
	post(r, "/sessions", g.sessions, simple(s.createSession))
	post(r, "/new", g.checks, s.submitEditor)
	post(r, "/s/{session}/runs", g.changes, simple(s.startRun))
	s.sessionRoutes(r, "/s/{session}", get, post)
	post(r, "/s/{session}/delete", g.changes, simple(s.deleteSession))
	post(r, "/s/{session}/notes/{note}/delete", g.changes, simple(s.deleteNote))

	// What has the same form for pages and programs.
	both := func(r chi.Router) {
		get(r, "/runs/{run}/events", g.events, s.events)
		post(r, "/runs/{run}/cancel", g.changes, simple(s.cancelRun))
		post(r, "/runs/{run}/edit", g.edits, s.checkEdit)
		r.Group(func(r chi.Router) {
			r.Use(compress())
			get(r, "/runs/{run}", g.pages, simple(s.runInfo))
			get(r, "/runs/{run}/search", g.searches, s.searchRun)
			get(r, "/runs/{run}/history", g.histories, s.runHistory)
			get(r, "/runs/{run}/history/marks", g.histories, s.historyMarks)
			get(r, "/runs/{run}/edits/{file}", g.texts, simple(s.patchFile))
			get(r, "/ir/{hash}", g.texts, s.text)
			get(r, "/diff/{before}/{after}", g.texts, s.diff)
			get(r, "/graph/{before}/{after}", g.graphs, s.drawGraph)
		})
	}
	both(r)
	r.Route("/api", func(r chi.Router) {
		both(r)
		post(r, "/sessions", g.sessions, simple(s.createSession))
		post(r, "/sessions/{session}/runs", g.changes, simple(s.startRun))
		get(r, "/sessions", g.pages, simple(s.mySessions))
		r.Method(http.MethodDelete, "/sessions/{session}", s.at(g.changes, simple(s.deleteSession)))
		s.sessionRoutes(r, "/sessions/{session}", get, post)
		get(r, "/sessions/{session}/notes", g.pages, simple(s.listNotes))
		r.Method(http.MethodPut, "/sessions/{session}/notes/{note}", s.at(g.changes, simple(s.putNote)))
		r.Method(http.MethodDelete, "/sessions/{session}/notes/{note}", s.at(g.changes, simple(s.deleteNote)))
		r.Group(func(r chi.Router) {
			r.Use(compress())
			get(r, "/sessions/{session}", g.pages, simple(s.sessionInfo))
			get(r, "/sessions/{session}/runs", g.searches, s.sessionRuns)
			post(r, "/check", g.checks, s.checkScript)
			post(r, "/format", g.checks, s.formatScript)
			get(r, "/gallery", g.pages, simple(s.catalogModels))
			get(r, "/targets", g.pages, simple(s.catalogTargets))
			get(r, "/passes", g.pages, simple(s.catalogPasses))
			post(r, "/passes/check", g.checks, s.checkPasses)
			get(r, "/passes/examples", g.pages, simple(s.catalogScripts))
			get(r, "/pipelines", g.pages, simple(s.catalogPipelines))
			get(r, "/config", g.pages, simple(s.catalogConfig))
			post(r, "/plan", g.checks, s.plan)
			get(r, "/compare/{a}/{b}", g.searches, s.compareRuns)
			get(r, "/compare/{a}/{b}/functions", g.searches, s.compareFunctions)
		})
	})
	return r, nil
}

// router adds a route whose requests pass a gate.
type router func(r chi.Router, path string, at *share.Gate, f ticketFunc)

// sessionRoutes are the routes below one session that forms and programs use alike.
func (s *Server) sessionRoutes(r chi.Router, at string, get, post router) {
	post(r, at+"/title", s.gates.changes, simple(s.setTitle))
	post(r, at+"/share", s.gates.changes, simple(s.shareSession))
	post(r, at+"/fork", s.gates.sessions, simple(s.forkSession))
	post(r, at+"/expiry", s.gates.changes, simple(s.setExpiry))
	post(r, at+"/notes", s.gates.changes, simple(s.putNote))
	post(r, at+"/notes/{note}", s.gates.changes, simple(s.putNote))
	get(r, at+"/export.{format}", s.gates.archives, s.exportSession)
}

// compress compresses answers at the fastest level; none of them holds a secret.
func compress() func(http.Handler) http.Handler {
	return middleware.Compress(1, "text/html", "text/plain", "application/json")
}
