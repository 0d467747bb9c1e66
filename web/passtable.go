package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// headLines is the number of lines of IR that a page shows without its script.
const headLines = 400

// fillRun fills the table of passes, the head of the IR, and what the script begins with, from the log as it is now.
func (s *Server) fillRun(req *http.Request, v *templates.SessionView, sess store.Session, info run.Info) error {
	ctx := req.Context()
	log, err := s.manager.Log(ctx, v.Run)
	if err == nil && info.State == run.StateRunning {
		err = waitForDiff(ctx, log)
	}
	if err != nil {
		return err
	}
	r := run.NewFollower()
	if grown, _, err := r.Read(ctx, log); err != nil {
		return fmt.Errorf("run %s: %w", v.Run, err)
	} else if !grown {
		return nil
	}
	for _, step := range r.All() {
		v.Passes = append(v.Passes, passRow(step))
	}
	if r.Finished != nil && r.Finished.Error != nil {
		v.Message = r.Finished.Error.Message
	}
	hash, title := head(r.Run)
	if err := s.fillCode(ctx, v, hash, title); err != nil {
		return err
	}
	return s.begin(req, v, sess, info, log, r.Run)
}

// passRow is a step as the table of passes shows it.
func passRow(step *event.Step) templates.PassRow {
	row := templates.PassRow{
		Step: step.Path, Depth: depth(step.Path), Name: step.Name, Status: string(step.Status), Text: step.Text,
		Level: step.Level, Lowering: step.Role == event.RoleLowering, Reused: step.Reused,
	}
	if done := step.Finished; done != nil {
		d := done.Delta()
		row.Added, row.Removed, row.Renamed, row.Moved = d.Added, d.Removed, d.Renamed, d.Moved
		row.Time = printDuration(step.Measured.Total)
	}
	if step.Error != nil {
		row.Text = step.Error.Message
	}
	return row
}

// head returns the text that the page shows first and its title: the main function as it was left, or else the first one.
func head(r *event.Run) (hash, title string) {
	for _, c := range r.Changes {
		switch {
		case c.Text == "" || c.Kind == event.CodeKind:
		case c.Step == r.Import && (hash == "" || c.Name == "main"):
			hash, title = c.Text, c.Name+" as imported"
		case c.Step != r.Import && c.Name == "main":
			hash, title = c.Text, "main after "+c.Step.Name
		}
	}
	return hash, title
}

// fillCode fills the head of a text; one that has expired is left out.
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
	v.Code = templates.CodeBlock{Title: title, Lines: doc.Len()}
	for i := range min(doc.Len(), headLines) {
		spans, _ := highlight.Line(doc.Language(), doc.Line(i))
		row := templates.CodeRow{Number: i + 1, Mark: " "}
		for _, sp := range spans {
			row.Spans = append(row.Spans, templates.Span{Class: sp.Class, Text: sp.Text})
		}
		v.Code.Rows = append(v.Code.Rows, row)
	}
	return nil
}
