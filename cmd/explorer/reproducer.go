package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/irscope/irscope/instruments/driver"
	"github.com/spf13/cobra"
)

// registerReproducer adds the flag that names the file of a reproducer.
func (f *compileFlags) registerReproducer(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.reproducer, "reproducer", "", "if a pass fails, write the module before it, its settings, and the error to a `file` that 'irscope replay' runs")
}

// reproduce writes the reproducer of an error of passes, or offers to. It returns the error.
func (f *compileFlags) reproduce(cmd *cobra.Command, err error) error {
	offered := cmd.Flags().Lookup("reproducer") != nil
	switch {
	case err == nil || !offered:
		return err
	case f.reproducer == "" && f.failing.Offers(err):
		say(cmd.ErrOrStderr(), "The same command with --reproducer FILE.py writes the module before the pass, its settings, and the error to a file.")
		return err
	case f.reproducer == "":
		return err
	}
	return f.saveReproducer(cmd, f.failing.File(f.resolved, readBuild().Version, err), err)
}

// reproduceTask is reproduce for an error of a task, which may also be one of making code or running it: the reproducer is that of the whole run then.
func (f *compileFlags) reproduceTask(cmd *cobra.Command, t *driver.Task, err error) error {
	if err == nil || f.failing.File(f.resolved, "", err) != nil {
		return f.reproduce(cmd, err)
	}
	data := t.Whole(cmd.Context(), readBuild().Version, err)
	if data != nil && f.reproducer == "" {
		if t.Job.Name == driver.CustomPipeline || t.Job.Partial() { // it need not lead to code
			return err
		}
		say(cmd.ErrOrStderr(), "The same command with --reproducer FILE.py writes the model, its settings, and the error to a file.")
		return err
	}
	return f.saveReproducer(cmd, data, err)
}

// saveReproducer writes a reproducer of an error, if there is one. It returns the error.
func (f *compileFlags) saveReproducer(cmd *cobra.Command, data []byte, err error) error {
	if data == nil || f.reproducer == "" {
		return err
	}
	if werr := writeOutput(io.Discard, f.reproducer, data); werr != nil {
		return errors.Join(err, werr)
	}
	say(cmd.ErrOrStderr(), "The reproducer was written; 'irscope replay %s' runs it.", f.reproducer)
	return err
}

// readReproducer reads a file if it is a reproducer.
func readReproducer(name string) ([]byte, *driver.Reproducer, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, nil // who reads it as a session says why
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxReplayFile))
	if err != nil {
		return nil, nil, err
	}
	r, err := driver.ReadReproducer(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", label(name), err)
	}
	return data, r, err
}

// replayReproducer runs the pass of a reproducer again and says whether it fails as it did.
func replayReproducer(ctx context.Context, w io.Writer, name string, data []byte, r *driver.Reproducer, asJSON bool) (same bool, err error) {
	now, err := r.Run(ctx, label(name), data)
	if err != nil {
		return false, err
	}
	same = r.Same(now)
	if asJSON {
		return same, writeJSON(w, map[string]any{"same": same, "reproducer": r, "now": now})
	}
	switch {
	case same:
		say(w, "the same: %s", now.Message)
	case now == nil:
		what := r.Error.Pass
		if r.Whole != nil {
			what = "the run"
		}
		say(w, "changed: %s no longer fails; in version %s it did: %s", what, r.Program, r.Error.Message)
	default:
		fmt.Fprintf(w, "changed: %s\n", now.Message)
		say(w, "in version %s: %s", r.Program, r.Error.Message)
	}
	return same, nil
}
