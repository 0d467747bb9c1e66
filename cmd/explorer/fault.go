package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/spf13/cobra"
)

// predicateDoc says what --predicate takes.
const predicateDoc = `PREDICATE is one of

  wrong               the outputs differ from those of the model before the first pass
  crash, crash=TEXT   a pass fails, with a message that has the text
  invalid             a pass leaves a module that is not well-formed
  slower=5ms          the program takes longer
  slower=2x           an optional pass makes the program so many times slower (bisect)
  contains=REGEXP     the printed module has a text
  lacks=REGEXP        the printed module no longer has a text
  script=FILE.star    the function predicate(mod) of a script returns True for the module`

// faultFlags say what fault is looked for, and for how long.
type faultFlags struct {
	compileFlags
	sourceFlags
	inputs    dataFlags
	predicate string
	tests     int
	time      time.Duration
}

func (f *faultFlags) register(cmd *cobra.Command, pl string) {
	f.compileFlags.registerSettings(cmd, pl)
	f.registerPasses(cmd, false)
	f.registerScript(cmd)
	f.registerSchedule(cmd)
	f.sourceFlags.register(cmd)
	f.inputs.function, f.inputs.repeat = entry, 3
	fl := cmd.Flags()
	fl.StringArrayVar(&f.inputs.inputs, "input", nil, "input of the programs as `[name=]FILE`, .pb or .npy (repeatable); random by default")
	fl.Uint64Var(&f.inputs.seed, "seed", 0, "seed of the random inputs")
	fl.StringVar(&f.predicate, "predicate", "", "the `fault` to look for: "+bisect.Forms+", script=FILE.star")
	fl.IntVar(&f.tests, "tests", 0, "largest `number` of modules to test when the module is reduced (default 2000)")
	fl.DurationVar(&f.time, "time", 0, "largest `time` to search for; the best found by then is printed (default: no limit)")
}

// readPredicate reads what --predicate names.
func (f *faultFlags) readPredicate() (*bisect.Predicate, error) {
	switch {
	case f.predicate == "":
		return nil, usageError{errors.New("name a fault with --predicate: " + bisect.Forms + ", script=FILE.star")}
	case f.tests < 0:
		return nil, usageError{fmt.Errorf("--tests is %d, expected 1 or more, or 0 for the default", f.tests)}
	case f.time < 0:
		return nil, usageError{fmt.Errorf("--time is %v, expected a time, or 0 for no limit", f.time)}
	}
	if file, ok := strings.CutPrefix(f.predicate, "script="); ok {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, usageError{fmt.Errorf("--predicate: %w", err)}
		}
		return &bisect.Predicate{Kind: bisect.Script, Name: file, Text: string(text)}, nil
	}
	p, err := bisect.Parse(f.predicate)
	if err != nil {
		return nil, usageError{fmt.Errorf("--predicate: %w", err)}
	}
	return p, nil
}

// search is what bisect and reduce begin with.
type search struct {
	ctx       context.Context
	job       *driver.Job
	predicate *bisect.Predicate
	hooks     driver.Hooks
	done      func()
}

// begin reads the predicate and the model. The caller calls done in the end.
func (f *faultFlags) begin(cmd *cobra.Command, in string) (s search, err error) {
	if s.predicate, err = f.readPredicate(); err != nil {
		return s, err
	}
	s.ctx, s.job, s.hooks, s.done, err = f.open(cmd, in)
	return s, err
}

// open turns the flags into a job with the source in, and starts the line of progress. The context ends when the time is up.
func (f *faultFlags) open(cmd *cobra.Command, in string) (ctx context.Context, j *driver.Job, hooks driver.Hooks, done func(), err error) {
	f.printed = cmd.ErrOrStderr()
	ctx, done = cmd.Context(), func() {}
	if j, err = f.job(ctx); err != nil {
		return ctx, j, hooks, done, err
	}
	data, err := f.inputs.load()
	if err != nil {
		return ctx, j, hooks, done, err
	}
	src, closed, err := f.source(cmd, in)
	if err != nil {
		return ctx, j, hooks, done, err
	}
	j.Source = src
	m, err := src.Model(ctx)
	if err != nil {
		closed()
		return ctx, j, hooks, done, err
	}
	printDiagnostics(cmd.ErrOrStderr(), m.Warnings)
	if len(data.inputs) > 0 {
		inputs, outputs, err := entryNames(m.Module)
		if err == nil {
			err = data.place(inputs, outputs)
		}
		if err != nil {
			closed()
			return ctx, j, hooks, done, err
		}
	}
	j.Inputs, j.Settings.Seed = data.inputsOf(&f.inputs), int64(f.inputs.seed)
	hooks = driver.Hooks{Engine: compiler.NewEngine(), Model: func(context.Context) (*driver.Model, error) { return m, nil }}
	stop := func() {}
	if f.time > 0 {
		ctx, stop = context.WithTimeoutCause(ctx, f.time, fmt.Errorf("the time of %v is up", f.time))
	}
	f.progress = startProgress(cmd, "")
	return ctx, j, hooks, func() { f.progress.Stop(); stop(); closed() }, nil
}

// notHeld turns an error that says that a fault does not show into one of exit code 1 that names the predicate.
func (f *faultFlags) notHeld(err error) error {
	var not *bisect.NotHeldError
	if errors.As(err, &not) {
		return fmt.Errorf("--predicate %s: %w", f.predicate, err)
	}
	return err
}
