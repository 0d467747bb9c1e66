// Package web serves irscope: pages, their JSON twins under /api, texts and
// diffs by content hash, and the events of runs over websockets.
//
// It is a client of the compiler that knows no pass: what there is to choose from
// comes as plain data in a catalog.Catalog, runs go through run.Runner, other questions through run.Compiler. Only
// cmd/explorer and tests import it; it reads no flags and no environment. It must
// not import compiler packages.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/irscope/irscope/instruments/whatif"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/class"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/live"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/present"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/search"
	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/stream"
)

// Config is what a Server needs. Runner and Store must be set; a zero field
// elsewhere takes the value for a server on loopback.
type Config struct {
	Runner run.Runner
	// Compiler answers what pages ask besides runs. Nil means the Runner, where it is one;
	// without it the server takes no texts, scripts and edits, draws no graphs and plans no pipelines.
	Compiler run.Compiler
	Store    store.Store
	Catalog  catalog.Catalog
	// Operators describes the operators of the graph level. Without it there are no pages of them.
	Operators catalog.Operators
	// Lessons are those that the server offers, in order.
	Lessons []*lesson.Lesson
	// Build identifies the executable; runs of another build are not shared.
	Build string
	// Workers is the number of runs at once, 1 if zero. Admission, where its Workers
	// is not zero, replaces all numbers of admission, and Limits those of a run.
	Workers   int
	Admission run.Admission
	Limits    run.Limits
	// Classes is how many classes may be open at once, DefaultClasses if zero, none if negative. Each of their students is a visitor of their own.
	Classes int
	// Shares are the bounds of everything else that visitors ask for.
	Shares Shares
	// Version is what the server calls itself; Revision and RevisionTime are those of the sources, empty where they are not known.
	Version, Revision, RevisionTime string
	// Hosts are the names, without port, under which the server may be addressed, so that
	// a foreign name that resolves to it gets nothing. Empty means LoopbackNames.
	Hosts []string
	// Origins are further origins ("https://host:port") whose pages may use the server.
	Origins []string
	// Embed are the origins ("https://host:port", "https://*.host") whose pages may show a session in a frame; none where it is empty.
	Embed []string
	// TrustedProxies are address ranges of proxies whose X-Forwarded-For is believed.
	TrustedProxies []string
	// Secure marks cookies for https only.
	Secure bool
	// Stream are the limits of websockets.
	Stream stream.Config
	// Log takes what an operator wants to know; nil means slog.Default.
	Log *slog.Logger
}

// DefaultClasses is the number of classes that may be open on a server that says nothing else.
const DefaultClasses = 20

// Server is irscope as an http.Handler.
type Server struct {
	cfg     Config
	manager *run.Manager
	hub     *stream.Hub
	texts   *texts
	graphs  *graphs
	search  *search.Searcher
	lives   *histories
	results *results
	// explained keeps what steps reported on request.
	explained *lru.Cache[explained, []byte]
	// checked keeps the answers to checks of every pass, by the keys of runs.
	checked *lru.Cache[string, []byte]
	// rows keeps the rows of what-ifs by their keys.
	rows    *lru.Cache[string, whatif.Row]
	live    *live.Store
	stages  *present.Stages
	classes *class.Classes
	gates   gates
	feeds   feeds
	handler http.Handler

	drain   sync.Once
	sharing sync.Mutex // held while a snapshot is looked for or made
}

// New returns a server. It ends the runs that an earlier process has left in the store. It
// starts no goroutine; runs and viewers do.
func New(cfg Config) (*Server, error) {
	if cfg.Runner == nil || cfg.Store == nil {
		return nil, errors.New("web: Config needs a Runner and a Store")
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	var told *live.Store
	var classes *class.Classes
	stages := present.New(func(session string) {
		told.Touch(session)
		classes.Touch(session)
	})
	told = live.New(cfg.Store, stages.Presenting)
	cfg.Store = told
	var err error
	if classes, err = class.Open(context.Background(), cfg.Store, cmp.Or(cfg.Classes, DefaultClasses), stages.Presenting); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if cfg.Admission.Workers == 0 {
		cfg.Admission = run.DefaultAdmission(max(1, cfg.Workers))
	}
	if cfg.Limits == (run.Limits{}) {
		cfg.Limits = run.DefaultLimits()
	}
	if len(cfg.Hosts) == 0 {
		cfg.Hosts = LoopbackNames
	}
	if own, ok := cfg.Runner.(run.Compiler); ok && cfg.Compiler == nil {
		cfg.Compiler = own
	}
	s := &Server{
		cfg: cfg, live: told, stages: stages, classes: classes, texts: newTexts(cfg.Store), graphs: newGraphs(), lives: newHistories(cfg.Store), results: newResults(),
		explained: lru.New[explained, []byte](explainedCache), checked: lru.New[string, []byte](checkedCache), rows: lru.New[string, whatif.Row](keptRows), gates: newGates(cfg.Shares.orDefaults()),
		manager: run.NewManager(run.Config{
			Runner: cfg.Runner, Store: cfg.Store, Build: cfg.Build,
			Admission: cfg.Admission, Limits: cfg.Limits, Log: cfg.Log,
		}),
	}
	if err := CheckOrigins(cfg.Origins); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if err := CheckEmbed(cfg.Embed); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	cfg.Stream.Origins = append(cfg.Stream.Origins, cfg.Origins...)
	cfg.Stream.Error = s.streamError
	s.hub = stream.New(cfg.Stream)
	s.search = newSearcher(s.texts, s.manager)
	if s.handler, err = s.routes(); err != nil {
		return nil, err
	}
	if err := s.manager.Recover(context.Background()); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain ends the service: no run is admitted any more, runs that go on may finish
// until the context ends, and viewers are told to come back later. Call it before
// http.Server.Shutdown, which does not wait for websockets.
func (s *Server) Drain(ctx context.Context) {
	s.drain.Do(func() {
		s.manager.Drain(ctx)
		// Viewers have seen the ends of the runs; those that wait for more get 1012.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		s.hub.Drain(ctx)
		if err := s.classes.Flush(ctx); err != nil {
			s.cfg.Log.Error("what changed last in a class is not stored", "err", err)
		}
	})
}

// HTTPServer returns a server with the time-outs that a public one needs.
// Uploads and websockets extend theirs.
func HTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
