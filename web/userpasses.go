package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// noScripts is the answer of a server that takes no passes of visitors.
var noScripts = &httpError{status: http.StatusNotImplemented, message: "this server does not accept user-written passes"}

// scriptAnswer is what the editor is told about a script.
type scriptAnswer struct {
	run.CheckedScript
	OK bool `json:"ok"`
}

// checkPasses answers with what is wrong with a script and which passes it defines.
func (s *Server) checkPasses(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return noScripts
	}
	var text run.Script
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := decodeJSON(r.Body, &text); err != nil {
		return err
	}
	if err := text.Valid(); err != nil {
		return badRequest("%v", err)
	}
	found, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (run.CheckedScript, error) {
		return s.cfg.Compiler.CheckScript(ctx, text)
	})
	if err != nil {
		return err
	}
	found.Diagnostics, found.Passes, found.Instruments = all(found.Diagnostics), all(found.Passes), all(found.Instruments)
	return s.json(w, http.StatusOK, scriptAnswer{found, !run.Failed(found.Diagnostics)})
}

// catalogScripts lists the scripts that come with the server.
func (s *Server) catalogScripts(w http.ResponseWriter, _ *http.Request) error {
	if s.cfg.Compiler == nil {
		return noScripts
	}
	return s.json(w, http.StatusOK, map[string]any{"examples": all(s.cfg.Catalog.Scripts)})
}

// newFromExample makes a session of the module of an example.
func (s *Server) newFromExample(ctx context.Context, c creation, token string) (store.Session, error) {
	if s.cfg.Compiler == nil {
		return store.Session{}, noScripts
	}
	e := s.cfg.Catalog.Example(c.Example)
	if e == nil {
		var names []string
		for _, e := range s.cfg.Catalog.Scripts {
			names = append(names, e.Name)
		}
		return store.Session{}, badRequest("there is no example %.60q; there are %s", c.Example, strings.Join(names, ", "))
	}
	return session.FromScript(ctx, s.cfg.Store, e.ModuleName, e.Module, "", token)
}
