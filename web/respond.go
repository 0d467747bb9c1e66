package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// httpError is an error with the status of its answer and a message for whoever asked.
type httpError struct {
	status     int
	message    string
	retryAfter time.Duration
	found      []event.Diagnostic // what is wrong with a text
}

// Error implements error.
func (e *httpError) Error() string { return e.message }

// head sets the headers that say more than the status.
func (e *httpError) head(h http.Header) {
	if e.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.retryAfter.Seconds()))))
	}
}

// badRequest returns an error that says what is wrong with a request.
func badRequest(format string, args ...any) error {
	return &httpError{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}

// do makes an http.HandlerFunc of a handlerFunc.
func (s *Server) do(f handlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			s.renderError(w, r, err)
		}
	}
}

// explain turns any error into one with a status. What has no explanation is ours:
// it is logged, and the visitor learns nothing of it.
func (s *Server) explain(r *http.Request, err error) *httpError {
	var known *httpError
	var refusal *share.Refusal
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refusal):
		e := &httpError{status: http.StatusTooManyRequests, message: refusal.Message, retryAfter: refusal.RetryAfter}
		if refusal.Busy {
			e.status = http.StatusServiceUnavailable
		}
		return e
	case errors.As(err, &tooLarge):
		return &httpError{status: http.StatusRequestEntityTooLarge, message: fmt.Sprintf("the request is larger than %s", size(tooLarge.Limit))}
	case errors.Is(err, store.ErrNotFound):
		return &httpError{status: http.StatusNotFound, message: "this does not exist or has expired"}
	case errors.Is(err, store.ErrShared):
		return &httpError{status: http.StatusConflict, message: "this session is shared and cannot be changed; fork it to continue"}
	case errors.Is(err, store.ErrQuota):
		return &httpError{status: http.StatusTooManyRequests, message: err.Error()}
	case errors.Is(err, store.ErrDamaged):
		s.cfg.Log.Error("damaged data", "path", r.URL.Path, "err", err)
		return &httpError{status: http.StatusInternalServerError, message: "the stored data is damaged and cannot be shown; start the run again"}
	case errors.Is(err, store.ErrFull):
		return &httpError{status: http.StatusInsufficientStorage, message: "the server has no room for this right now", retryAfter: time.Minute}
	case r.Context().Err() != nil:
		return &httpError{status: http.StatusRequestTimeout, message: "the request was aborted"}
	}
	s.cfg.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	return &httpError{status: http.StatusInternalServerError, message: "something went wrong on the server; its log has the details"}
}

// size prints a limit.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// errorBody is the JSON form of an error.
type errorBody struct {
	Error struct {
		Status      int                `json:"status"`
		Message     string             `json:"message"`
		Diagnostics []event.Diagnostic `json:"diagnostics,omitempty"`
	} `json:"error"`
}

// renderError is the one place that turns errors into answers.
func (s *Server) renderError(w http.ResponseWriter, r *http.Request, err error) {
	e := s.explain(r, err)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Disposition")
	e.head(h)
	if !wantsHTML(r) {
		var body errorBody
		body.Error.Status, body.Error.Message, body.Error.Diagnostics = e.status, e.message, e.found
		_ = s.json(w, e.status, body)
		return
	}
	_ = s.page(w, r, e.status, templates.ErrorPage(templates.ErrorView{
		Assets: assets(""), Status: e.status, Title: http.StatusText(e.status), Message: e.message,
	}))
}

// wantsHTML tells whether a request is a browser's that shows what it gets.
func wantsHTML(r *http.Request) bool {
	return !strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// json writes a value as JSON.
func (s *Server) json(w http.ResponseWriter, status int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, err = w.Write(append(data, '\n'))
	return ignore(err)
}

// page renders a page completely before the first byte is sent, so that a failure
// is an error and not half a page.
func (s *Server) page(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var buf bytes.Buffer
	if err := c.Render(r.Context(), &buf); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err := buf.WriteTo(w)
	return ignore(err)
}

// ignore drops the error of a write: the visitor has gone, and there is nobody to tell.
func ignore(error) error { return nil }

// assets returns the addresses of the files that every page loads, and of the script and style sheet of one page, "" for none.
func assets(page string) templates.Assets {
	own := ""
	switch page {
	case "gallerypage":
		own = static.URL("home.css")
	case "comparepage":
		own = static.URL("compare.css")
	case "lessonspage":
		own = static.URL("home.css")
	case "classpage":
		own = static.URL("class.css")
	}
	return templates.Assets{
		OwnCSS: own,
		CSS:    static.URL("app.css"), JS: static.URL("app.js"), ThemeJS: static.URL("theme.js"), Favicon: static.URL("favicon.svg"),
		Preload: static.Preload(page), Fonts: static.Fonts(), LateCSS: static.URL("late.css"), PrintCSS: static.URL("print.css"),
	}
}
