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
		get(r, "/docs", g.pages, simple(s.docPage))
		get(r, "/docs/{name}", g.pages, simple(s.docPage))
		get(r, "/passes", g.pages, simple(s.passPage))
		get(r, "/passes/{name}", g.pages, simple(s.passPage))
		get(r, "/operators", g.pages, simple(s.operatorPage))
		get(r, "/operators/{name}", g.pages, simple(s.operatorPage))
		get(r, "/compare/{a}/{b}", g.pages, simple(s.comparePage))
		get(r, "/lessons", g.pages, simple(s.lessonsPage))
		get(r, "/class/{class}", g.joins, simple(s.classPage))
		if len(s.cfg.Embed) > 0 {
			get(r, "/embed/{session}", g.pages, s.embedPage)
		}
	})
	post(r, "/class/{class}/join", g.joins, simple(s.joinClass))
	post(r, "/class/{class}/end", g.changes, simple(s.endClass))
	post(r, "/sessions", g.sessions, simple(s.createSession))
	post(r, "/new", g.checks, s.submitEditor)
	post(r, "/s/{session}/runs", g.changes, simple(s.startRun))
	s.sessionRoutes(r, "/s/{session}", get, post)
	post(r, "/s/{session}/delete", g.changes, simple(s.deleteSession))
	post(r, "/s/{session}/notes/{note}/delete", g.changes, simple(s.deleteNote))

	// What has the same form for pages and programs.
	both := func(r chi.Router) {
		get(r, "/runs/{run}/events", g.events, s.events)
		get(r, "/runs/{run}/program.zip", g.archives, s.runProgram)
		post(r, "/runs/{run}/cancel", g.changes, simple(s.cancelRun))
		post(r, "/runs/{run}/edit", g.edits, s.checkEdit)
		post(r, "/runs/{run}/try", g.edits, s.tryPasses)
		post(r, "/runs/{run}/schedule", g.edits, s.checkSchedule)
		post(r, "/runs/{run}/schedule/measure", g.everyPass, s.measureSchedule)
		get(r, "/runs/{run}/check", g.everyPass, s.checkEveryPass)
		post(r, "/runs/{run}/bisect", g.everyPass, s.bisect)
		get(r, "/runs/{run}/whatif", g.everyPass, s.whatIf)
		get(r, "/runs/{run}/reproducer.py", g.everyPass, s.reproducer)
		r.Group(func(r chi.Router) {
			r.Use(compress())
			get(r, "/runs/{run}", g.pages, simple(s.runInfo))
			get(r, "/runs/{run}/search", g.searches, s.searchRun)
			get(r, "/runs/{run}/history", g.histories, s.runHistory)
			get(r, "/runs/{run}/history/marks", g.histories, s.historyMarks)
			get(r, "/runs/{run}/rewrites", g.edits, s.runRewrites)
			get(r, "/runs/{run}/edits/{file}", g.texts, simple(s.patchFile))
			get(r, "/runs/{run}/schedules/{file}", g.texts, simple(s.scheduleFile))
			get(r, "/ir/{hash}", g.texts, s.text)
			get(r, "/loops/{hash}", g.graphs, s.loops)
			get(r, "/diff/{before}/{after}", g.texts, s.diff)
			get(r, "/graph/{before}/{after}", g.graphs, s.drawGraph)
		})
	}
	both(r)
	r.Route("/api", func(r chi.Router) {
		both(r)
		post(r, "/sessions", g.sessions, simple(s.createSession))
		post(r, "/sessions/{session}/runs", g.changes, simple(s.startRun))
		post(r, "/dumps", g.sessions, simple(s.createDump))
		post(r, "/runs/{run}/dump", g.dumps, simple(s.appendDump))
		get(r, "/sessions", g.pages, simple(s.mySessions))
		get(r, "/sessions/{session}/changes", g.follows, s.sessionChanges)
		get(r, "/sessions/{session}/present", g.follows, s.presentSession)
		get(r, "/sessions/{session}/presentation", g.follows, s.presentation)
		get(r, "/sessions/{session}/desk", g.follows, s.classDesk)
		post(r, "/sessions/{session}/answer", g.changes, simple(s.answerClass))
		get(r, "/classes/{class}", g.joins, simple(s.classInfo))
		post(r, "/classes/{class}/join", g.joins, simple(s.joinClass))
		get(r, "/classes/{class}/roster", g.follows, s.classRoster)
		post(r, "/classes/{class}/question", g.changes, simple(s.askClass))
		r.Method(http.MethodDelete, "/classes/{class}", s.at(g.changes, simple(s.endClass)))
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
			get(r, "/lessons", g.pages, simple(s.listLessons))
			get(r, "/sessions/{session}/lessons/{lesson}", g.pages, simple(s.startOfLesson))
			get(r, "/sessions/{session}/lessons/{lesson}/steps/{step}/solution", g.pages, simple(s.solutionOfStep))
			post(r, "/sessions/{session}/lessons/{lesson}/steps/{step}/check", g.checks, s.checkStep)
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
	post(r, at+"/class", s.gates.sessions, simple(s.createClass))
	post(r, at+"/expiry", s.gates.changes, simple(s.setExpiry))
	post(r, at+"/tensors", s.gates.edits, s.giveTensors)
	post(r, at+"/notes", s.gates.changes, simple(s.putNote))
	post(r, at+"/notes/{note}", s.gates.changes, simple(s.putNote))
	get(r, at+"/export.{format}", s.gates.archives, s.exportSession)
}

// compress compresses answers at the fastest level; none of them holds a secret.
func compress() func(http.Handler) http.Handler {
	return middleware.Compress(1, "text/html", "text/plain", "application/json")
}
