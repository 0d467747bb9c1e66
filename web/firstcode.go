package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/store"
)

// plainRows is the number of rows that a page shows before its script, or without it: those of a large window.
const plainRows = 80

// diffBlock returns the first n rows of a diff in the unified view.
func diffBlock(title string, l *highlight.Layout, n int) (templates.CodeBlock, error) {
	var rows []highlight.WireRow
	if err := json.Unmarshal(l.AppendRows(nil, 0, n), &rows); err != nil {
		return templates.CodeBlock{}, fmt.Errorf("rows of a diff: %w", err)
	}
	before, after := l.Lines()
	out := templates.CodeBlock{Title: title, Lines: l.Rows, Diff: true, Digits: len(strconv.Itoa(max(before, after)))}
	for _, r := range rows {
		row := templates.CodeRow{Kind: string(r.Kind), Mark: string(r.Mark), Before: r.Before, After: r.After, Spans: plainSpans(r.Text)}
		if r.Fold != nil {
			row.Spans = []templates.Span{{Text: hidden(r.Fold)}}
		}
		if r.Compact != nil {
			row.Type = plainSpans(r.Compact.Type)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// hidden says what a fold hides.
func hidden(f *highlight.Fold) string {
	how, what := "unchanged", "line"
	if f.Indented {
		how = "indented"
	}
	if f.Bindings {
		what = "binding"
	}
	if f.Lines != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s %s", f.Lines, how, what)
}

func plainSpans(spans []highlight.Span) []templates.Span {
	out := make([]templates.Span, len(spans))
	for i, s := range spans {
		out[i] = templates.Span{Class: s.Class, Text: s.Text, Differs: s.Mark}
	}
	return out
}

// fillCode fills the rows that the page shows first with the head of a text; one that has expired is left out.
func (s *Server) fillCode(ctx context.Context, v *templates.SessionView, hash, title string) error {
	if hash == "" {
		return nil
	}
	doc, err := s.texts.document(ctx, hash)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Code = templates.CodeBlock{Title: title, Lines: doc.Len(), Digits: len(strconv.Itoa(doc.Len()))}
	for i := range min(doc.Len(), plainRows) {
		spans, _ := highlight.Line(doc.Language(), doc.Line(i))
		v.Code.Rows = append(v.Code.Rows, templates.CodeRow{Kind: "same", After: i + 1, Spans: plainSpans(spans)})
	}
	return nil
}
