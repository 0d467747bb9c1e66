package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/store"
)

// headLines is the number of lines of IR that a page shows without its script.
const headLines = 400

// brief is what a page needs of an event.
type brief struct {
	Type     event.Type      `json:"type"`
	Step     string          `json:"step"`
	Reused   bool            `json:"reused"`
	Body     json.RawMessage `json:"body"`
	Measured event.Measured  `json:"measured"`
}

// briefBody is what a page needs of the bodies of events; the rest, the hunks above
// all, is not decoded.
type briefBody struct {
	Name      string           `json:"name"`
	Level     int              `json:"level"`
	Role      event.Role       `json:"role"`
	Changed   bool             `json:"changed"`
	Added     int              `json:"added"`
	Removed   int              `json:"removed"`
	Renamed   int              `json:"renamed"`
	Moved     int              `json:"moved"`
	Text      string           `json:"text"`
	Plan      []event.PlanStep `json:"plan"`
	Functions []struct {
		Name  string `json:"name"`
		Text  string `json:"text"`
		After string `json:"after"`
	} `json:"functions"`
	Error *event.Error `json:"error"`
}

// fillPasses fills the table of passes and the head of the IR from the log as it is now.
func (s *Server) fillPasses(ctx context.Context, v *templates.SessionView) error {
	log, err := s.manager.Log(ctx, v.Run)
	if err != nil {
		return err
	}
	if n, _ := log.Len(); n == 0 {
		return nil
	}
	lines, _, err := log.Next(ctx, 0)
	if err != nil {
		return err
	}
	at := map[string]int{} // step to its index in v.Passes
	row := func(step, name string) *templates.PassRow {
		i, ok := at[step]
		if !ok {
			i = len(v.Passes)
			at[step] = i
			v.Passes = append(v.Passes, templates.PassRow{Step: step, Depth: depth(step), Name: name, Status: "waiting"})
		}
		return &v.Passes[i]
	}
	hash, title := "", ""
	for _, line := range lines {
		var e brief
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("decode event of run %s: %w", v.Run, err)
		}
		var b briefBody
		switch e.Type {
		case event.TypeRunFinished:
			var done event.RunFinished
			err = json.Unmarshal(e.Body, &done)
			b.Error = done.Error
		case event.TypeRunStarted, event.TypePassStarted, event.TypePassFinished, event.TypePassSkipped, event.TypePassFailed:
			err = json.Unmarshal(e.Body, &b)
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("decode %s of run %s: %w", e.Type, v.Run, err)
		}
		switch e.Type {
		case event.TypeRunStarted:
			for _, p := range b.Plan {
				p0 := row(p.Step, p.Name)
				p0.Level, p0.Lowering = p.Level, p.Role == event.RoleLowering
			}
			for _, f := range b.Functions {
				if hash == "" || f.Name == "main" {
					hash, title = f.Text, f.Name+" as imported"
				}
			}
		case event.TypePassStarted:
			p := row(e.Step, b.Name)
			p.Status, p.Level, p.Lowering = "running", b.Level, b.Role == event.RoleLowering
		case event.TypePassFinished:
			p := row(e.Step, b.Name)
			d := event.FunctionChange{Added: b.Added, Removed: b.Removed, Renamed: b.Renamed, Moved: b.Moved}.Delta()
			p.Status, p.Added, p.Removed, p.Renamed, p.Moved = "same", d.Added, d.Removed, d.Renamed, d.Moved
			if b.Changed {
				p.Status = "changed"
			}
			p.Time, p.Reused = printDuration(e.Measured.Total), e.Reused
			for _, f := range b.Functions {
				if f.Name == "main" && f.After != "" {
					hash, title = f.After, "main after "+b.Name
				}
			}
		case event.TypePassSkipped:
			p := row(e.Step, b.Name)
			p.Status, p.Text, p.Level, p.Lowering = "skipped", b.Text, b.Level, b.Role == event.RoleLowering
		case event.TypePassFailed:
			p := row(e.Step, b.Name)
			p.Status = "failed"
			if b.Error != nil {
				p.Text = b.Error.Message
			}
		case event.TypeRunFinished:
			if b.Error != nil {
				v.Message = b.Error.Message
			}
		}
	}
	return s.fillCode(ctx, v, hash, title)
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
