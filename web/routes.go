package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/irscope/irscope/static"
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
		return &httpError{status: http.StatusForbidden, message: "requests that change something must come from a page of this server"}
	}))

	r := chi.NewRouter()
	r.Use(middleware.GetHead, s.visitorAddress(), s.recoverPanics, s.secureHeaders, s.checkHost, guard.Handler)
	r.NotFound(s.do(func(http.ResponseWriter, *http.Request) error {
		return &httpError{status: http.StatusNotFound, message: "there is no such page"}
	}))
	r.MethodNotAllowed(s.do(func(_ http.ResponseWriter, r *http.Request) error {
		return &httpError{status: http.StatusMethodNotAllowed, message: r.Method + " is not possible here"}
	}))

	r.Get("/healthz", s.do(s.health))
	r.Get("/readyz", s.do(s.ready))
	r.Get("/version", s.do(s.version))
	r.Method(http.MethodGet, static.Prefix+"*", static.Handler())
	r.Method(http.MethodHead, static.Prefix+"*", static.Handler())
	r.Get("/favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, static.URL("favicon.svg"), http.StatusFound)
	})

	// Pages.
	r.Group(func(r chi.Router) {
		r.Use(compress())
		r.Get("/", s.do(s.gallery))
		r.Get("/s/{session}", s.do(s.sessionPage))
		r.Get("/new", s.do(s.editorPage))
	})
	r.Post("/sessions", s.do(s.createSession))
	r.Post("/new", s.do(s.submitEditor))
	r.Post("/s/{session}/runs", s.do(s.startRun))
	s.sessionRoutes(r, "/s/{session}")
	r.Post("/s/{session}/delete", s.do(s.deleteSession))
	r.Post("/s/{session}/notes/{note}/delete", s.do(s.deleteNote))

	// What has the same form for pages and programs.
	both := func(r chi.Router) {
		r.Get("/runs/{run}/events", s.do(s.events))
		r.Post("/runs/{run}/cancel", s.do(s.cancelRun))
		r.Post("/runs/{run}/edit", s.do(s.checkEdit))
		r.Group(func(r chi.Router) {
			r.Use(compress())
			r.Get("/runs/{run}", s.do(s.runInfo))
			r.Get("/runs/{run}/search", s.do(s.searchRun))
			r.Get("/runs/{run}/history", s.do(s.runHistory))
			r.Get("/runs/{run}/history/marks", s.do(s.historyMarks))
			r.Get("/runs/{run}/edits/{file}", s.do(s.patchFile))
			r.Get("/ir/{hash}", s.do(s.text))
			r.Get("/diff/{before}/{after}", s.do(s.diff))
			r.Get("/graph/{before}/{after}", s.do(s.drawGraph))
		})
	}
	both(r)
	r.Route("/api", func(r chi.Router) {
		both(r)
		r.Post("/sessions", s.do(s.createSession))
		r.Post("/sessions/{session}/runs", s.do(s.startRun))
		r.Get("/sessions", s.do(s.mySessions))
		r.Delete("/sessions/{session}", s.do(s.deleteSession))
		s.sessionRoutes(r, "/sessions/{session}")
		r.Get("/sessions/{session}/notes", s.do(s.listNotes))
		r.Put("/sessions/{session}/notes/{note}", s.do(s.putNote))
		r.Delete("/sessions/{session}/notes/{note}", s.do(s.deleteNote))
		r.Group(func(r chi.Router) {
			r.Use(compress())
			r.Get("/sessions/{session}", s.do(s.sessionInfo))
			r.Post("/check", s.do(s.checkScript))
			r.Post("/format", s.do(s.formatScript))
			r.Get("/gallery", s.do(s.catalogModels))
			r.Get("/targets", s.do(s.catalogTargets))
			r.Get("/passes", s.do(s.catalogPasses))
			r.Post("/passes/check", s.do(s.checkPasses))
			r.Get("/passes/examples", s.do(s.catalogScripts))
			r.Get("/pipelines", s.do(s.catalogPipelines))
			r.Get("/config", s.do(s.catalogConfig))
			r.Post("/plan", s.do(s.plan))
		})
	})
	return r, nil
}

// sessionRoutes are the routes below one session that forms and programs use alike.
func (s *Server) sessionRoutes(r chi.Router, at string) {
	r.Post(at+"/title", s.do(s.setTitle))
	r.Post(at+"/share", s.do(s.shareSession))
	r.Post(at+"/fork", s.do(s.forkSession))
	r.Post(at+"/expiry", s.do(s.setExpiry))
	r.Post(at+"/notes", s.do(s.putNote))
	r.Post(at+"/notes/{note}", s.do(s.putNote))
	r.Get(at+"/export.{format}", s.do(s.exportSession))
}

// compress compresses answers at the fastest level; none of them holds a secret.
func compress() func(http.Handler) http.Handler {
	return middleware.Compress(1, "text/html", "text/plain", "application/json")
}
