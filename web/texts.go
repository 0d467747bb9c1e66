package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Sizes of the caches of texts that are open, in bytes, and limits of windows.
const (
	documentCache = 64 << 20
	diffCache     = 16 << 20
	maxRows       = 2000
	maxHunks      = 10_000
	maxContext    = 99
	// maxDiffText is what two texts may have together to be compared, in bytes.
	maxDiffText = 64 << 20
)

// noText stands in a URL for the empty text.
const noText = "-"

// immutable is how long an answer is kept that a hash addresses.
const immutable = "private, max-age=31536000, immutable"

// texts opens texts and diffs by hash and keeps the ones in use open.
type texts struct {
	store store.Store
	docs  *lru.Cache[string, *highlight.Document]
	diffs *lru.Cache[[2]string, *highlight.Diff]
	// openings are the diffs that pages opened on, by the address at which a script asks for them.
	openings *lru.Cache[string, *opening]
}

func newTexts(st store.Store) *texts {
	return &texts{
		store: st, docs: lru.New[string, *highlight.Document](documentCache), diffs: lru.New[[2]string, *highlight.Diff](diffCache),
		openings: lru.New[string, *opening](openingCache),
	}
}

// document opens a text; "-" is the empty one.
func (t *texts) document(ctx context.Context, hash string) (*highlight.Document, error) {
	if hash == noText {
		return highlight.NewDocument(event.LangTVMScript, ""), nil
	}
	if !event.IsHash(hash) {
		return nil, badRequest("%.60q is not the hash of a text, which has %d hexadecimal digits", hash, event.HashLen)
	}
	if d, ok := t.docs.Get(hash); ok {
		return d, nil
	}
	b, err := t.store.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	if b.Language == store.LangBinary {
		return nil, fmt.Errorf("text %s is a model: %w", hash, store.ErrNotFound)
	}
	d := highlight.NewDocument(b.Language, string(b.Data))
	t.docs.Put(hash, d, int64(d.Size()))
	return d, nil
}

// diff opens the diff of two texts.
func (t *texts) diff(ctx context.Context, before, after string) (*highlight.Diff, error) {
	key := [2]string{before, after}
	if d, ok := t.diffs.Get(key); ok {
		return d, nil
	}
	a, err := t.document(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := t.document(ctx, after)
	if err != nil {
		return nil, err
	}
	if n := len(a.Text()) + len(b.Text()); n > maxDiffText {
		return nil, &httpError{
			status:  http.StatusRequestEntityTooLarge,
			message: fmt.Sprintf("the two texts have %s, and diffs are limited to %s: see the texts instead", size(int64(n)), size(maxDiffText)),
		}
	}
	// The side that is not empty says how both are highlighted.
	if before == noText {
		a = highlight.NewDocument(b.Language(), "")
	}
	d := highlight.NewDiff(a, b)
	t.diffs.Put(key, d, int64(d.Size()))
	return d, nil
}

// text answers with a window of a text, or with all of it where raw is set.
func (s *Server) text(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	hash := chi.URLParam(r, "hash")
	if r.URL.Query().Get("raw") != "" {
		doc, err := work(r.Context(), s, t, textBytes, func(ctx context.Context) (*highlight.Document, error) {
			return s.texts.document(ctx, hash)
		})
		if err != nil {
			return err
		}
		t.Hold(int64(doc.Size()))
		return rawText(w, r, doc)
	}
	from, err := number(r, "from", 1, 1, 1<<31-1)
	if err != nil {
		return err
	}
	count, err := number(r, "count", 400, 0, maxRows)
	if err != nil {
		return err
	}
	form, err := formOf(r)
	if err != nil {
		return err
	}
	return s.immutable(w, r, t, func(ctx context.Context) ([]byte, error) {
		doc, err := s.texts.document(ctx, hash)
		if err != nil {
			return nil, err
		}
		body := fmt.Appendf(nil, `{"hash":%q,"language":%q,"lines":%d,"from":%d,"form":%q,"rows":`, hash, doc.Language(), doc.Len(), from, form)
		return append(doc.AppendRows(body, form, from-1, count), "}\n"...), nil
	})
}

// formOf returns the form of lines that a request asks for.
func formOf(r *http.Request) (highlight.Form, error) {
	form := highlight.Form(orDefault(r.URL.Query().Get("form"), string(highlight.Exact)))
	if form != highlight.Exact && form != highlight.Compact {
		return "", badRequest("form is %.60q, want exact or compact", form)
	}
	return form, nil
}

// rawText sends a whole text as a file.
func rawText(w http.ResponseWriter, r *http.Request, doc *highlight.Document) error {
	name := downloadName(orDefault(r.URL.Query().Get("name"), "text"))
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+"."+extension(doc.Language())+`"`)
	h.Set("Content-Security-Policy", downloadPolicy)
	h.Set("Cache-Control", immutable)
	_, err := w.Write([]byte(doc.Text()))
	return ignore(err)
}

// extension returns the end of the name of a file in a language.
func extension(language string) string {
	switch language {
	case event.LangTVMScript:
		return "py"
	case event.LangWAT:
		return "wat"
	case event.LangHistory, event.LangRewrites:
		return "json"
	default:
		return "txt"
	}
}

// diff answers with a window of a diff.
func (s *Server) diff(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	view := highlight.View(orDefault(r.URL.Query().Get("view"), string(highlight.Unified)))
	if view != highlight.Unified && view != highlight.Split {
		return badRequest("view is %.60q, want unified or split", view)
	}
	around := highlight.All
	if r.URL.Query().Get("context") != "all" {
		var err error
		if around, err = number(r, "context", 3, 0, maxContext); err != nil {
			return err
		}
	}
	form, err := formOf(r)
	if err != nil {
		return err
	}
	from, err := number(r, "from", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	count, err := number(r, "count", 400, 0, maxRows)
	if err != nil {
		return err
	}
	before, after := chi.URLParam(r, "before"), chi.URLParam(r, "after")
	// One that is known does not wait behind those of others that are not.
	d, ok := s.texts.diffs.Get([2]string{before, after})
	if !ok {
		d, err = within(s, r, s.gates.diffs, diffBytes, func(ctx context.Context) (*highlight.Diff, error) {
			return s.texts.diff(ctx, before, after)
		})
		if err != nil {
			return err
		}
	}
	return s.immutable(w, r, t, func(context.Context) ([]byte, error) {
		return appendDiff(before, after, d.Read(view, around, form), from, count), nil
	})
}

// immutable answers with what is made in a turn of the request and never changes.
func (s *Server) immutable(w http.ResponseWriter, r *http.Request, t *share.Ticket, make func(context.Context) ([]byte, error)) error {
	body, err := work(r.Context(), s, t, textBytes, make)
	if err != nil {
		return err
	}
	t.Hold(int64(len(body)))
	return immutableJSON(w, body)
}

// appendDiff returns the JSON of a window of a diff.
func appendDiff(before, after string, l *highlight.Layout, from, count int) []byte {
	shown := strconv.Itoa(l.Context)
	if l.Context == highlight.All {
		shown = `"all"`
	}
	linesBefore, linesAfter := l.Lines()
	b := fmt.Appendf(nil, `{"before":%q,"after":%q,"view":%q,"form":%q,"context":%s,"added":%d,"removed":%d,"renamed":%d,"moved":%d,"lines_before":%d,"lines_after":%d,"total":%d,"from":%d,"hunks":[`,
		before, after, l.View, l.Form, shown, l.Added, l.Removed, l.Renamed, l.Moved, linesBefore, linesAfter, l.Rows, from)
	for i, h := range l.Hunks[:min(len(l.Hunks), maxHunks)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"row":%d,"rows":%d,"before":%d,"after":%d}`, h.Row, h.Rows, h.Before, h.After)
	}
	b = fmt.Appendf(b, `],"more_hunks":%t,"rows":`, len(l.Hunks) > maxHunks)
	return append(l.AppendRows(b, from, count), "}\n"...)
}

// immutableJSON sends an answer that never changes.
func immutableJSON(w http.ResponseWriter, body []byte) error { return keptJSON(w, body, immutable) }

// keptJSON writes what may be kept as the value of Cache-Control says.
func keptJSON(w http.ResponseWriter, body []byte, cached string) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", cached)
	_, err := w.Write(body)
	return ignore(err)
}
