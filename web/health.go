package web

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/irscope/irscope/web/store"
)

// isProbe reports whether a path is one that the machine which runs the server asks for.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" }

// readyTime is how long the store may take to answer a probe.
const readyTime = 2 * time.Second

// health says that the process answers; one that drains does too, and is not to be killed for it.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	return probe(w, http.StatusOK, "ok")
}

// ready says whether the server takes work: it is not draining, and its store answers.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	if s.manager.Draining() {
		return probe(w, http.StatusServiceUnavailable, "draining")
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if _, err := s.cfg.Store.Session(ctx, "probe"); err != nil && !errors.Is(err, store.ErrNotFound) {
		s.cfg.Log.Error("the store does not respond", "error", err)
		return probe(w, http.StatusServiceUnavailable, "the store does not respond")
	}
	return probe(w, http.StatusOK, "ready")
}

func probe(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err := w.Write([]byte(text + "\n"))
	return ignore(err)
}

// versionInfo is what the server says about itself.
type versionInfo struct {
	Version      string `json:"version"`
	Revision     string `json:"revision,omitempty"`
	RevisionTime string `json:"revision_time,omitempty"`
	Build        string `json:"build"` // of the executable
	Go           string `json:"go"`
	Platform     string `json:"platform"`
}

// version says what runs here.
func (s *Server) version(w http.ResponseWriter, _ *http.Request) error {
	return s.json(w, http.StatusOK, versionInfo{
		s.cfg.Version, s.cfg.Revision, s.cfg.RevisionTime, s.cfg.Build, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH,
	})
}
