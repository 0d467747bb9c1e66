package web

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

//go:embed examples/*.py
var exampleFiles embed.FS

// example is a text to start from.
type example struct{ name, title, file, pipeline string }

// examples are the texts that the editor offers, the first of which it opens with.
var examples = [...]example{
	{"mlp", "Relax MLP", "mlp.py", "default"},
	{"matmul", "Matmul PrimFunc", "matmul.py", "tir"},
	{"symbolic", "Symbolic shape", "symbolic.py", "default"},
	{"both", "Graph and kernel", "both.py", "default"},
}

// text returns the text of an example.
func (e example) text() string {
	data, err := exampleFiles.ReadFile("examples/" + e.file)
	if err != nil {
		panic(fmt.Sprintf("web: example %s is not embedded: %v", e.file, err))
	}
	return string(data)
}

// editorPage shows the editor: with an example, or with the text of a session.
func (s *Server) editorPage(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotFound, message: "this server does not accept module text"}
	}
	q := r.URL.Query()
	c := creation{Kind: store.SourceScript, Name: scriptName, Source: examples[0].text(), Pipeline: examples[0].pipeline}
	if parent := q.Get("from"); parent != "" {
		filled, err := s.forkOf(r.Context(), parent)
		if err != nil {
			return err
		}
		return s.page(w, r, http.StatusOK, templates.Editor(s.editorView(filled, "", nil)))
	}
	if name := q.Get("example"); name != "" {
		found := false
		for _, e := range examples {
			if e.name == name {
				c.Source, c.Pipeline, c.Name, found = e.text(), e.pipeline, e.file, true
			}
		}
		if !found {
			return &httpError{status: http.StatusNotFound, message: "there is no such example"}
		}
	}
	return s.page(w, r, http.StatusOK, templates.Editor(s.editorView(c, "", nil)))
}

// forkOf fills the editor with the text of a session and the settings of its last run.
func (s *Server) forkOf(ctx context.Context, id string) (creation, error) {
	var c creation
	sess, err := s.cfg.Store.Session(ctx, id)
	if err != nil {
		return c, err
	}
	if sess.Source.Kind != store.SourceScript {
		return c, badRequest("this session starts from a model, not from text")
	}
	b, err := s.cfg.Store.Blob(ctx, sess.Source.Blob)
	if err != nil {
		return c, err
	}
	settings, err := s.settingsOf(sess)
	if err != nil {
		return c, err
	}
	return creation{Kind: store.SourceScript, Name: sess.Source.Name, Source: string(b.Data), Parent: sess.ID, Pipeline: settings.Pipeline}, nil
}

// submitEditor is the button "Check" or "Format" of the editor where there is no script: the
// same page comes back, with what was found, or formatted.
func (s *Server) submitEditor(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	c, done, err := s.readCreation(w, r)
	defer done()
	if err == nil {
		c.Kind, c.Name = store.SourceScript, nameOfScript(c.Name)
		err = validScript(c.Source)
	}
	if err != nil {
		return err
	}
	out, err := s.format(r.Context(), t, c.Name, c.Source)
	if err != nil {
		return err
	}
	c.Source = out.Text
	return s.page(w, r, http.StatusOK, templates.Editor(s.editorView(c, "", out.Diagnostics)))
}

// newScript makes a session of a text, if it has no errors.
func (s *Server) newScript(r *http.Request, c creation, token string) (store.Session, error) {
	if strings.TrimSpace(c.Source) == "" {
		return store.Session{}, badRequest("the text is empty")
	}
	if err := validScript(c.Source); err != nil {
		return store.Session{}, err
	}
	ctx, name := r.Context(), nameOfScript(c.Name)
	t, err := s.gates.checks.Enter(s.visitor(r))
	if err != nil {
		return store.Session{}, err
	}
	defer t.Leave()
	found, err := s.check(ctx, t, name, c.Source)
	if err != nil {
		return store.Session{}, err
	}
	if found.Failed() {
		return store.Session{}, &httpError{status: http.StatusUnprocessableEntity, message: whatIsWrong(found.Diagnostics), found: found.Diagnostics}
	}
	if c.Parent != "" {
		if _, err := s.cfg.Store.Session(ctx, c.Parent); errors.Is(err, store.ErrNotFound) {
			c.Parent = "" // it has expired meanwhile
		} else if err != nil {
			return store.Session{}, err
		}
	}
	return session.FromScript(ctx, s.cfg.Store, name, c.Source, c.Parent, token)
}

// nameOfScript returns the name that a text goes by.
func nameOfScript(name string) string {
	if name == "" {
		return scriptName
	}
	return session.FileName(name)
}

// whatIsWrong says in a sentence what is wrong with a text.
func whatIsWrong(found []event.Diagnostic) string {
	n, first := 0, ""
	for _, d := range found {
		if d.Severity != event.SeverityError {
			continue
		}
		if n++; n == 1 {
			first = d.Message
			if d.Span != nil {
				first = fmt.Sprintf("line %d: %s", d.Span.Line, d.Message)
			}
		}
	}
	if n == 1 {
		return "the text has an error: " + first
	}
	return fmt.Sprintf("the text has %d errors; the first, %s", n, first)
}

// editorView is the page of the editor with a text, and what was found in it.
func (s *Server) editorView(c creation, problem string, found []event.Diagnostic) templates.EditorView {
	v := templates.EditorView{
		Assets: assets("sourcepage"), CodeMirrorJS: static.URL("codemirror.js"),
		Name: nameOfScript(c.Name), Text: c.Source, Parent: c.Parent, Error: problem, Max: MaxScript,
		Pipeline: orDefault(c.Pipeline, "default"),
	}
	seen := map[string]bool{}
	for _, p := range s.cfg.Catalog.Pipelines {
		if !seen[p.Name] {
			seen[p.Name] = true
			v.Pipelines = append(v.Pipelines, templates.PipelineChoice{Name: p.Name, Doc: p.Doc})
		}
	}
	for _, e := range examples {
		v.Examples = append(v.Examples, templates.Example{Name: e.name, Title: e.title, File: e.file, Text: e.text(), Pipeline: e.pipeline})
	}
	for _, d := range found {
		m := templates.Diagnostic{Severity: string(d.Severity), Message: d.Message, Help: d.Help}
		if d.Span != nil {
			m.Line, m.Column = d.Span.Line, d.Span.Column
		}
		v.Diagnostics = append(v.Diagnostics, m)
	}
	return v
}
