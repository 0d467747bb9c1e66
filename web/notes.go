package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/web/markdown"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// noteJSON is a note as visitors see it.
type noteJSON struct {
	store.Note
	// HTML is the text, which is Markdown, as HTML that a page may show.
	HTML string `json:"html"`
}

func describeNote(n store.Note) noteJSON { return noteJSON{n, markdown.Note(n.Text)} }

// noteRequest is a note as a visitor sends it.
type noteRequest struct {
	Run      string `json:"run"`
	Step     string `json:"step"`
	Function string `json:"function"`
	Line     int    `json:"line"`
	Text     string `json:"text"`
}

// listNotes answers with the notes of a session, in the order in which they were added.
func (s *Server) listNotes(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	out := []noteJSON{}
	for _, n := range sess.Notes {
		out = append(out, describeNote(n))
	}
	return s.json(w, http.StatusOK, map[string]any{"notes": out})
}

// putNote adds a note, or replaces the one that the route names.
func (s *Server) putNote(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	var in noteRequest
	err = fields(w, r, &in, func(f url.Values) error {
		var at pageState
		err := at.fill(f)
		in = noteRequest{f.Get("run"), f.Get("step"), f.Get("function"), at.Line, unixLines(f.Get("text"))}
		return err
	})
	if err != nil {
		return err
	}
	n := store.Note{ID: chi.URLParam(r, "note"), Run: in.Run, Step: in.Step, Function: in.Function, Line: in.Line, Text: strings.TrimSpace(in.Text), Created: time.Now().UTC()}
	if err := checkNote(sess, n); err != nil {
		return err
	}
	status := http.StatusOK
	if n.ID == "" {
		n.ID, status = session.NewID(), http.StatusCreated
	} else {
		i := slices.IndexFunc(sess.Notes, func(old store.Note) bool { return old.ID == n.ID })
		if i < 0 {
			return store.ErrNotFound
		}
		n.Created = sess.Notes[i].Created
	}
	if err := s.cfg.Store.PutNote(r.Context(), sess.ID, n); err != nil {
		return err
	}
	if wantsHTML(r) {
		return s.toNote(w, r, sess, n)
	}
	return s.json(w, status, map[string]any{"note": describeNote(n)})
}

// checkNote says what is wrong with a note for whoever wrote it.
func checkNote(sess store.Session, n store.Note) error {
	switch {
	case n.Text == "":
		return badRequest("the note is empty")
	case len(n.Text) > store.MaxNote:
		return badRequest("the note has %d bytes; the limit is %d", len(n.Text), store.MaxNote)
	case !utf8.ValidString(n.Text + n.Step + n.Function):
		return badRequest("the note is not valid UTF-8")
	case n.Run != "" && !slices.Contains(sess.Runs, n.Run):
		return badRequest("run %.60q does not belong to this session", n.Run)
	case len(n.Step) > store.MaxField || len(n.Function) > store.MaxField:
		return badRequest("step and function are limited to %d bytes each", store.MaxField)
	case n.Line < 0 || n.Line > 1<<31-1:
		return badRequest("line is %d, want 1 or more, or 0 for the whole text", n.Line)
	}
	return nil
}

// toNote shows the page where a note is pinned.
func (s *Server) toNote(w http.ResponseWriter, r *http.Request, sess store.Session, n store.Note) error {
	to, err := pageState{Run: n.Run, Pass: n.Step, Function: n.Function, Line: n.Line}.link(sess)
	if err != nil {
		return err
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// deleteNote takes a note off a session.
func (s *Server) deleteNote(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	if err := s.cfg.Store.DeleteNote(r.Context(), sess.ID, chi.URLParam(r, "note")); err != nil {
		return err
	}
	if wantsHTML(r) {
		http.Redirect(w, r, "/s/"+sess.ID, http.StatusSeeOther)
		return nil
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
