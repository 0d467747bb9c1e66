package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// The table of passes is that of a page without its script. A pipeline of ours fits in; of what another compiler printed it has the
// beginning.
const (
	tableEvents = 5000
	tableRows   = 1000
)

// fillRun fills the table of passes, the head of the IR, and what the script begins with, from the log as it is now.
func (s *Server) fillRun(req *http.Request, v *templates.SessionView, sess store.Session, kin kin, info run.Info) error {
	ctx := req.Context()
	log, err := s.manager.Log(ctx, v.Run)
	if err == nil && info.State == run.StateRunning {
		err = waitForDiff(ctx, log)
	}
	if err != nil {
		return err
	}
	r, err := s.tableState(ctx, v.Run, log)
	if err != nil || r.Events == 0 {
		return err
	}
	for _, step := range r.All() {
		row := passRow(step)
		row.Page = pagedPasses()[row.Name]
		v.Passes = append(v.Passes, row)
	}
	if n, _ := log.Len(); n > tableEvents {
		v.Passes = v.Passes[:min(len(v.Passes), tableRows)]
		v.MorePasses = fmt.Sprintf("These are the first %d passes of the run. With scripts, the page lists all of them.", len(v.Passes))
	}
	if r.Finished != nil && r.Finished.Error != nil {
		v.Message = r.Finished.Error.Message
	}
	if err := s.begin(req, v, sess, kin, info, log, r); err != nil || len(v.Code.Rows) > 0 {
		return err
	}
	hash, title := head(r)
	return s.fillCode(ctx, v, hash, title)
}

// tableState folds a log as far as the table needs it.
func (s *Server) tableState(ctx context.Context, id string, log *run.Log) (*event.Run, error) {
	if n, _ := log.Len(); n <= tableEvents {
		r, _, err := s.manager.State(ctx, id)
		return r, err
	}
	f := run.NewFollower()
	if _, _, err := f.ReadUpTo(ctx, log, tableEvents); err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	return f.Run, nil
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
		row.Time = printTook(step)
	}
	if step.Error != nil {
		row.Text = step.Error.Message
	}
	return row
}

// printTook prints what a step took, as the script does (static/src/store/took.ts).
func printTook(step *event.Step) string {
	m := step.Measured
	switch {
	case step.Reused && m.Total > 0, m.Earlier > 0 && !ran(step):
		return "↺ " + printDuration(m.Total)
	case m.Earlier > 0:
		return printDuration(m.Total-m.Earlier) + " + ↺ " + printDuration(m.Earlier)
	}
	return printDuration(m.Total)
}

// ran tells whether a step that is in another one was computed in this run.
func ran(step *event.Step) bool {
	return slices.ContainsFunc(step.Children, func(in *event.Step) bool {
		if len(in.Children) > 0 {
			return ran(in)
		}
		return !in.Reused && in.Finished != nil
	})
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
