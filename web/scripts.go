package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// Limits on texts of modules.
const (
	// MaxScript is the length of the longest text, in bytes.
	MaxScript = 1 << 20
	// maxScriptBody is the size of a request with a text, which JSON and forms make longer;
	// that of settings, which may hold edits of the IR, and of an edit with other edits beside.
	maxScriptBody = 4 << 20
	maxEditBody   = 2 * maxScriptBody
	// checksPerMinute is the number of texts that a visitor may have checked or formatted in
	// a minute: an editor asks a few times in a second at most.
	checksPerMinute = 240
	// maxChecks is the number of texts that are checked at once.
	maxChecks = 2
	// checkTime is how long a check may take, with the wait for its turn.
	checkTime = 3 * time.Second
)

// scriptName is the name of a text that has none.
const scriptName = "module.py"

// noTexts is the answer of a server that takes no texts.
var noTexts = &httpError{status: http.StatusNotImplemented, message: "this server takes no texts of modules"}

// scriptRequest is a text that is to be checked or formatted.
type scriptRequest struct {
	Text string `json:"text"`
	Name string `json:"name"`
}

// checkAnswer is what the editor is told about a text.
type checkAnswer struct {
	run.Checked
	OK bool `json:"ok"`
}

// formatAnswer is a formatted text, or the text as it was with what is wrong with it.
type formatAnswer struct {
	Text        string             `json:"text"`
	Diagnostics []event.Diagnostic `json:"diagnostics"`
	OK          bool               `json:"ok"`
}

// checkScript answers with what is wrong with a text.
func (s *Server) checkScript(w http.ResponseWriter, r *http.Request) error {
	req, err := s.readScript(w, r)
	if err != nil {
		return err
	}
	found, err := s.check(r.Context(), req.Name, req.Text)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, checkAnswer{found, !found.Failed()})
}

// formatScript answers with a text as the printer writes it.
func (s *Server) formatScript(w http.ResponseWriter, r *http.Request) error {
	req, err := s.readScript(w, r)
	if err != nil {
		return err
	}
	out, err := s.format(r.Context(), req.Name, req.Text)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, out)
}

// format formats a text.
func (s *Server) format(ctx context.Context, name, text string) (formatAnswer, error) {
	if s.cfg.Checker == nil {
		return formatAnswer{}, noTexts
	}
	return ask(s, ctx, func(ctx context.Context) (formatAnswer, error) {
		printed, found, err := s.cfg.Checker.Format(ctx, name, text)
		return formatAnswer{printed, all(found), !run.Failed(found)}, err
	})
}

// check checks a text.
func (s *Server) check(ctx context.Context, name, text string) (run.Checked, error) {
	if s.cfg.Checker == nil {
		return run.Checked{}, noTexts
	}
	return ask(s, ctx, func(ctx context.Context) (run.Checked, error) {
		found, err := s.cfg.Checker.Check(ctx, name, text)
		found.Diagnostics, found.Functions = all(found.Diagnostics), all(found.Functions)
		return found, err
	})
}

// readScript reads a text as JSON and counts the request against the visitor's rate.
func (s *Server) readScript(w http.ResponseWriter, r *http.Request) (scriptRequest, error) {
	var req scriptRequest
	if ok, wait := s.checks.allow(visitor(r), checksPerMinute); !ok {
		return req, &httpError{status: http.StatusTooManyRequests, message: fmt.Sprintf("you may have %d texts checked in a minute; try again later", checksPerMinute), retryAfter: wait}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
	if err := decodeJSON(r.Body, &req); err != nil {
		return req, err
	}
	req.Name = nameOfScript(req.Name)
	return req, validScript(req.Text)
}

// validScript tells whether a text may be a module's at all.
func validScript(text string) error {
	switch {
	case len(text) > MaxScript:
		return &httpError{status: http.StatusRequestEntityTooLarge, message: fmt.Sprintf("the text has %d bytes; at most %s are possible", len(text), size(MaxScript))}
	case !utf8.ValidString(text):
		return badRequest("the text is not UTF-8")
	}
	return nil
}

// ask runs a question to the checker in a turn of its own, within its time.
func ask[T any](s *Server, ctx context.Context, question func(context.Context) (T, error)) (T, error) {
	return askFor(s, ctx, checkTime, question)
}

// askFor is ask with another time. Where the checker does not come back, its turn stays taken
// and the visitor is told to try again.
func askFor[T any](s *Server, ctx context.Context, within time.Duration, question func(context.Context) (T, error)) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	busy := &httpError{status: http.StatusServiceUnavailable, message: "checking the text takes too long now; try again in a moment", retryAfter: 2 * time.Second}
	select {
	case s.turns <- struct{}{}:
	case <-ctx.Done():
		return none, busy
	}
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() { <-s.turns }()
		var a answer
		defer func() {
			if p := recover(); p != nil {
				s.cfg.Log.Error("checker panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				a.err = errors.New("the checker panicked")
			}
			done <- a
		}()
		a.value, a.err = question(ctx)
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return none, busy
	}
}
