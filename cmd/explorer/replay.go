package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/sqlite"
	"github.com/spf13/cobra"
)

// maxReplayFile is the size of a file that is read as a session; its error then says why it
// is none.
const maxReplayFile = export.MaxArchive + 1

// replayFlags are those of replay alone.
type replayFlags struct {
	data       string
	rtol, atol float64
	json       bool
}

func replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use: "replay SESSION.zip | replay SESSION --data DIR | replay REPRODUCER.py", GroupID: groupCompare, Short: "Rerun a session or a pass that failed, and report what changed",
		Long: `Runs again what a session of the page ran, with the same model, settings and passes of users, and compares the
IR after each step and the outputs with what the session says. SESSION is an archive that the page exported,
or with --data the id of a session in the folder of a server that is not running.

Runs that were canceled or went beyond a limit are left out. Times and the size of code may differ.

REPRODUCER.py is a file that run, compile, or opt wrote with --reproducer, or the page of a run that failed: the pass that it names
runs again on the module in it, and is to fail as it did.

Returns 0 if nothing changed, 1 if something did, and 2 if the session cannot be read or run.`,
		Example: `  # Whether this version still does what an exported session says
  irscope replay session.zip
  # The same for another program
  irscope replay session.zip --json
  # Whether a pass still fails
  irscope replay reproducer.py
  # A session of a server that is not running
  irscope replay --data /var/lib/irscope -- 5tQpXwHkVx2`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return compared(replay(cmd, a[0], &f)) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "`folder` where a server keeps its sessions")
	fl.Float64Var(&f.rtol, "rtol", 0, "relative `tolerance` of outputs")
	fl.Float64Var(&f.atol, "atol", 0, "absolute `tolerance` of outputs")
	fl.BoolVar(&f.json, "json", false, "write one JSON object instead of text")
	return cmd
}

// replayReport is what replay writes with --json.
type replayReport struct {
	Session string       `json:"session"`
	Program string       `json:"program,omitempty"` // that wrote the archive
	Same    bool         `json:"same"`
	Runs    []*replayRun `json:"runs"`
}

// replayRun is one run of the session.
type replayRun struct {
	Run         int          `json:"run"` // from 1
	Same        bool         `json:"same"`
	Left        string       `json:"left_out,omitempty"` // why it was not run
	Steps       int          `json:"steps"`
	Outputs     int          `json:"outputs"`
	Differences []difference `json:"differences"`
	// More counts steps behind the first that differs whose IR differs too.
	More int `json:"more_steps"`
}

// replay runs a session again and tells whether everything is as it was.
func replay(cmd *cobra.Command, name string, f *replayFlags) (same bool, err error) {
	if !(f.rtol >= 0) || !(f.atol >= 0) {
		return false, usageError{fmt.Errorf("--rtol is %g and --atol %g, expected 0 or more", f.rtol, f.atol)}
	}
	ctx := cmd.Context()
	if f.data == "" {
		if data, r, err := readReproducer(name); r != nil || err != nil {
			if err != nil {
				return false, err
			}
			return replayReproducer(ctx, cmd.OutOrStdout(), name, data, r, f.json)
		}
	}
	w := cmd.OutOrStdout()
	if f.json {
		w = io.Discard
	}
	b, closeData, err := openSession(ctx, name, f.data)
	if err != nil {
		return false, err
	}
	defer closeData()
	rep := &replayReport{Session: b.Session.Title, Program: b.Program, Same: true, Runs: []*replayRun{}}
	if len(b.Runs) == 0 {
		return false, fmt.Errorf("%s: the session has no finished run", label(name))
	}
	again, err := newReplayer(ctx, b)
	if err != nil {
		return false, err
	}
	defer again.close()
	for i := range b.Runs {
		one, err := replayOne(ctx, again, b, i, f)
		if err != nil {
			return false, err
		}
		rep.Runs = append(rep.Runs, one)
		rep.Same = rep.Same && one.Same
		if err := one.print(newDiffWriter(w, colors(cmd), 3)); err != nil {
			return false, err
		}
	}
	if f.json {
		err = writeJSON(cmd.OutOrStdout(), rep)
	}
	return rep.Same, err
}

// openSession reads a session from an archive, or from the folder of a server.
func openSession(ctx context.Context, name, dir string) (*export.Bundle, func(), error) {
	if dir == "" {
		file, err := os.Open(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%w (the id of a session needs --data DIR)", err)
		}
		defer file.Close()
		data, err := io.ReadAll(io.LimitReader(file, maxReplayFile))
		if err != nil {
			return nil, nil, err
		}
		b, err := export.Read(data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", label(name), err)
		}
		return b, func() {}, nil
	}
	// Opening makes what is not there, but a replay only reads.
	if _, err := os.Stat(filepath.Join(dir, sqlite.FileName)); err != nil {
		return nil, nil, fmt.Errorf("--data: %w", err)
	}
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = st.Close() } // nothing was written
	sess, err := st.Session(ctx, name)
	if err == nil {
		var b *export.Bundle
		if b, err = export.Collect(ctx, st, sess); err == nil {
			return b, done, nil
		}
	}
	done()
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no session %q in %s, or it has expired", name, dir)
	}
	return nil, nil, err
}

// replayOne runs a run again and compares it.
func replayOne(ctx context.Context, r *replayer, b *export.Bundle, i int, f *replayFlags) (*replayRun, error) {
	was := &b.Runs[i]
	out := &replayRun{Run: i + 1, Same: true, Differences: []difference{}}
	if was.Status != event.StatusOK && was.Status != event.StatusFailed {
		out.Left = fmt.Sprintf("its status is %s", was.Status)
		return out, nil
	}
	events, err := r.run(ctx, was.Request)
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", i+1, err)
	}
	c := comparer{was: trail(was.Events), is: trail(events), old: b.Blobs, new: r.texts, flags: f, out: out}
	if err := c.compare(ctx); err != nil {
		return nil, err
	}
	out.Same = len(out.Differences) == 0
	return out, nil
}

// print writes what became of a run.
func (r *replayRun) print(d *diffWriter) error {
	switch {
	case r.Left != "":
		fmt.Fprintf(d.w, "run %d: left out: %s\n", r.Run, r.Left)
	case r.Same:
		fmt.Fprintf(d.w, "run %d: the same: %s, %s\n", r.Run, count(r.Steps, "step"), count(r.Outputs, "output"))
	default:
		fmt.Fprintf(d.w, "run %d: changed\n", r.Run)
	}
	for _, x := range r.Differences {
		fmt.Fprintf(d.w, "  %s\n", x.Message)
		if x.shown {
			where := orDefault(x.Step, "imported module")
			if err := d.function("session: "+where, "now: "+where, x.Function, x.before, x.after); err != nil {
				return err
			}
		}
	}
	if r.More > 0 {
		fmt.Fprintf(d.w, "  the IR also differs after %s\n", count(r.More, "later step"))
	}
	return nil
}
