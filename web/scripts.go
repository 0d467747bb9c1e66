package web

import (
	"context"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// Limits on texts of modules.
const (
	// MaxScript is the length of the longest text, in bytes.
	MaxScript = 1 << 20
	// maxScriptBody is the size of a request with a text, which JSON and forms make longer;
	// that of settings, which may hold edits of the IR, and of an edit with other edits beside.
	maxScriptBody = 4 << 20
	maxEditBody   = 2 * maxScriptBody
)

// scriptName is the name of a text that has none.
const scriptName = "module.py"

// noTexts is the answer of a server that takes no texts.
var noTexts = &httpError{status: http.StatusNotImplemented, message: "this server does not accept module text"}

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
func (s *Server) checkScript(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	req, err := s.readScript(w, r)
	if err != nil {
		return err
	}
	found, err := s.check(r.Context(), t, req.Name, req.Text)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, checkAnswer{found, !found.Failed()})
}

// formatScript answers with a text as the printer writes it.
func (s *Server) formatScript(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	req, err := s.readScript(w, r)
	if err != nil {
		return err
	}
	out, err := s.format(r.Context(), t, req.Name, req.Text)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, out)
}

// format formats a text.
func (s *Server) format(ctx context.Context, t *share.Ticket, name, text string) (formatAnswer, error) {
	if s.cfg.Compiler == nil {
		return formatAnswer{}, noTexts
	}
	return work(ctx, s, t, checkBytes, func(ctx context.Context) (formatAnswer, error) {
		printed, found, err := s.cfg.Compiler.Format(ctx, name, text)
		return formatAnswer{printed, all(found), !run.Failed(found)}, err
	})
}

// check checks a text.
func (s *Server) check(ctx context.Context, t *share.Ticket, name, text string) (run.Checked, error) {
	if s.cfg.Compiler == nil {
		return run.Checked{}, noTexts
	}
	return work(ctx, s, t, checkBytes, func(ctx context.Context) (run.Checked, error) {
		found, err := s.cfg.Compiler.Check(ctx, name, text)
		found.Diagnostics, found.Functions = all(found.Diagnostics), all(found.Functions)
		return found, err
	})
}

// readScript reads a text as JSON.
func (s *Server) readScript(w http.ResponseWriter, r *http.Request) (scriptRequest, error) {
	var req scriptRequest
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
		return &httpError{status: http.StatusRequestEntityTooLarge, message: fmt.Sprintf("the text has %d bytes; the limit is %s", len(text), size(MaxScript))}
	case !utf8.ValidString(text):
		return badRequest("the text is not valid UTF-8")
	}
	return nil
}
