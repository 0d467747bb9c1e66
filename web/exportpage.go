package web

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// exportedPage returns what an exported page has from this server: its elements, and what its script asks for.
func (s *Server) exportedPage(ctx context.Context, b *export.Bundle, one *export.Run, report export.Report) (page export.Page, err error) {
	settings := one.Request.Settings
	view := templates.SessionView{
		Session: export.PageSession, Run: export.PageRun, Title: b.Session.Title, Status: string(one.Status), Shared: true, Reduced: true,
		Reason: "This is an exported page, in which nothing can be run or changed", Link: report.Link,
		Origin: fmt.Sprintf("Run of %s, exported by irscope %s", one.Created.UTC().Format("2 Jan 2006, 15:04 UTC"), report.Program),
		Target: settings.Target, OptLevel: settings.OptLevel, Pipeline: orDefault(settings.Pipeline, "default"),
		Command: report.Command, Dump: b.Session.Source.Kind == store.SourceDump,
	}
	var body bytes.Buffer
	if err := templates.App(view).Render(ctx, &body); err != nil {
		return page, fmt.Errorf("render page: %w", err)
	}
	listed, err := s.listed(ctx, b.Session, one.ID)
	if err != nil {
		return page, err
	}
	listed.ID, listed.Key, listed.Number = export.PageRun, "", 1
	session, info := "/api/sessions/"+export.PageSession, run.Info{ID: export.PageRun, State: string(one.Status), Events: len(one.Events), Created: one.Created, Settings: settings, Hash: one.Hash}
	described := runJSON{info, labelOf(one.Request.Source, settings), report.Command}
	answers := map[string]any{
		session: map[string]any{"session": sessionJSON{
			ID: export.PageSession, Title: b.Session.Title, Source: describeSource(store.Source{Kind: b.Session.Source.Kind, Name: b.Session.Source.Name}),
			Created: b.Session.Created, Settings: settings, Runs: []string{export.PageRun}, Shared: true, Children: []string{},
		}},
		session + "/runs":             map[string]any{"runs": []listedRun{listed}},
		session + "/notes":            map[string]any{"notes": notesOf(b.Session, one.ID)},
		"/api/runs/" + export.PageRun: map[string]any{"run": described},
		"/api/passes":                 map[string]any{"passes": s.passesOf(one.Events)},
	}
	if report.Check != nil {
		answers["/api/runs/"+export.PageRun+"/check"] = report.Check
	}
	page = export.Page{Body: body.String(), Answers: answers}
	if s.cfg.Compiler != nil && b.Session.Source.Kind != store.SourceDump {
		page.Loops = s.cfg.Compiler.Loops
	}
	return page, nil
}

// notesOf returns the notes on a run and on none, as an exported page names them.
func notesOf(sess store.Session, id string) []noteJSON {
	out := []noteJSON{}
	for i, n := range sess.Notes {
		if n.Run != "" && n.Run != id {
			continue
		}
		if n.ID = strconv.Itoa(i + 1); n.Run != "" {
			n.Run = export.PageRun
		}
		n.Created = n.Created.Truncate(time.Second)
		out = append(out, describeNote(n))
	}
	return out
}

// passesOf describes the passes of a run.
func (s *Server) passesOf(events []event.Event) []catalog.Pass {
	names := map[string]bool{}
	for _, step := range event.Fold(events).All() {
		names[step.Name] = true
	}
	return slices.DeleteFunc(s.passes(), func(p catalog.Pass) bool { return !names[p.Name] })
}
