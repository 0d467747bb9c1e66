package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// downloadPolicy holds for files that visitors get: where a browser shows one after all, it
// is nobody's page.
const downloadPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

// exportTypes are the forms of exports by the ends of their names.
var exportTypes = map[string]string{"html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8", "zip": "application/zip"}

// exportSession sends a session as a file: a page or a report on one run, or an archive.
func (s *Server) exportSession(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	format := chi.URLParam(r, "format")
	kind, ok := exportTypes[format]
	if !ok {
		return &httpError{status: http.StatusNotFound, message: "a session is exported as html, md, or zip"}
	}
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	chosen := r.URL.Query().Get("run")
	if chosen != "" && !slices.Contains(sess.Runs, chosen) {
		return fmt.Errorf("run of another session: %w", store.ErrNotFound)
	}
	data, err := work(r.Context(), s, t, archiveBytes, func(ctx context.Context) ([]byte, error) {
		return s.exported(ctx, sess, format, chosen, s.origin(r))
	})
	if errors.Is(err, export.ErrTooLarge) {
		return &httpError{status: http.StatusRequestEntityTooLarge, message: err.Error() + " (run=ID)"}
	}
	if err != nil {
		return err
	}
	t.Hold(int64(len(data)))
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", `attachment; filename="`+downloadName(sess.Title)+"."+format+`"`)
	h.Set("Content-Security-Policy", downloadPolicy)
	h.Set("Cache-Control", "no-store")
	_, err = w.Write(data)
	return ignore(err)
}

// exported returns a session in a form; origin is the address of the server as the visitor knows it.
func (s *Server) exported(ctx context.Context, sess store.Session, format, chosen, origin string) ([]byte, error) {
	if format == "zip" {
		var ids []string
		if chosen != "" {
			ids = []string{chosen}
		}
		b, err := export.Collect(ctx, s.cfg.Store, sess, ids...)
		if err != nil {
			return nil, err
		}
		return export.Zip(ctx, b, s.program())
	}
	b, err := s.oneRun(ctx, sess, chosen)
	if err != nil {
		return nil, err
	}
	one := &b.Runs[0]
	report := export.Report{Program: s.program(), Command: command(run.Info{Source: one.Request.Source, Settings: one.Request.Settings})}
	if info, err := s.manager.Run(ctx, one.ID); err == nil {
		report.Check = s.checkOf(ctx, info)
	}
	// Who has the link to a session may read it: only one that was shared is named.
	if sess.Shared {
		report.Link = origin + "/s/" + sess.ID + "?run=" + one.ID
	}
	if format == "md" {
		return export.Markdown(ctx, b, one, report)
	}
	page, err := s.exportedPage(ctx, b, one, report)
	if err != nil {
		return nil, err
	}
	return export.HTML(ctx, b, one, page)
}

// oneRun collects the run that was chosen, or else the latest one that has finished.
func (s *Server) oneRun(ctx context.Context, sess store.Session, chosen string) (*export.Bundle, error) {
	for _, id := range slices.Backward(sess.Runs) {
		if chosen != "" && id != chosen {
			continue
		}
		b, err := export.Collect(ctx, s.cfg.Store, sess, id)
		if err != nil || len(b.Runs) > 0 {
			return b, err
		}
	}
	return nil, &httpError{status: http.StatusConflict, message: "no run has finished; wait for one to finish"}
}

// runProgram sends the program of a run as a zip of the folder that irscope compile writes.
func (s *Server) runProgram(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not compile"}
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	if info.State != string(event.StatusOK) {
		return &httpError{status: http.StatusConflict, message: "this run has no program: it is " + info.State}
	}
	data, err := work(r.Context(), s, t, archiveBytes, func(ctx context.Context) ([]byte, error) {
		return s.cfg.Compiler.Program(ctx, run.Request{Source: info.Source, Settings: info.Settings, Limits: s.cfg.Limits})
	})
	if err != nil {
		return err
	}
	t.Hold(int64(len(data)))
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="`+downloadName(info.Source.Name)+`-program.zip"`)
	h.Set("Content-Security-Policy", downloadPolicy)
	h.Set("Cache-Control", "no-store")
	_, err = w.Write(data)
	return ignore(err)
}

// origin returns the scheme and host by which a request addresses the server.
func (s *Server) origin(r *http.Request) string {
	if s.cfg.Secure || r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// program names this program in what it exports.
func (s *Server) program() string {
	return strings.TrimSpace(orDefault(s.cfg.Version, "unknown") + " " + s.cfg.Build)
}

// downloadName makes a name of a file without its extension: letters, digits, dots,
// hyphens and underscores only.
func downloadName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			return c
		}
		return '_'
	}, name)
	return orDefault(name[:min(len(name), 100)], "session")
}

// importSession makes a session of an archive.
func (s *Server) importSession(r *http.Request, data []byte, token string) (store.Session, error) {
	return within(s, r, s.gates.archives, archiveBytes, func(ctx context.Context) (store.Session, error) {
		b, err := export.Read(data)
		if err != nil {
			return store.Session{}, badRequest("%v", err)
		}
		return export.Restore(ctx, s.cfg.Store, b, token)
	})
}

// readArchive reads a body that is an archive.
func (s *Server) readArchive(r *http.Request) (creation, error) {
	data, err := readPart(r.Body, r.ContentLength, export.MaxArchive)
	if err != nil {
		return creation{}, err
	}
	if !export.IsArchive(data) {
		return creation{}, badRequest("the body is not a zip archive")
	}
	return asArchive(creation{data: data}), nil
}

// asArchive marks a creation from an archive: its runs are in it, none is started.
func asArchive(c creation) creation {
	start := false
	c.Start = &start
	return c
}
