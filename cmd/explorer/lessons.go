package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/docs"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
	"github.com/spf13/cobra"
)

func lessonsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "lessons", GroupID: groupServe, Short: "Check lessons of your own", Args: args(cobra.NoArgs),
		Example: `  # The lessons of a folder, as students will do them
  irscope lessons check course
  # Those of the current folder
  cd course && irscope lessons check .`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(lessonsCheckCommand())
	return cmd
}

func lessonsCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check DIR", Short: "Give the checks of lessons their solutions and wrong answers", Args: args(cobra.ExactArgs(1)),
		Long: `Reads the lessons of a folder and does what students do: it runs each lesson, gives the checks the solutions of
their steps, which they must take, and the wrong answers, which they must refuse with a word of explanation, and
follows the links to places. Each error is printed with file, line and column.`,
		Example: `  # The lessons of a folder, as students will do them
  irscope lessons check course
  # Those of the current folder
  cd course && irscope lessons check .`,
		RunE: func(cmd *cobra.Command, list []string) error {
			ctx := cmd.Context()
			engine := compiler.NewEngine()
			defer engine.Close()
			c, err := inproc.Catalog(ctx)
			if err != nil {
				return err
			}
			b, done := newBench(&c, engine, slog.New(slog.DiscardHandler))
			defer done()
			own, err := ownLessons(ctx, list[0], &c, b.Compiler)
			if err == nil {
				err = lesson.Try(ctx, own, b)
			}
			if err != nil {
				return fmt.Errorf("lessons in %s:\n%w", list[0], err)
			}
			for _, l := range own {
				printLesson(cmd.OutOrStdout(), l)
			}
			return nil
		},
	}
}

// printLesson says what a lesson has of which all is well.
func printLesson(w io.Writer, l *lesson.Lesson) {
	checks, wrong := 0, 0
	for _, s := range l.Steps {
		if s.Check != nil {
			checks, wrong = checks+1, wrong+len(s.Wrong)
		}
	}
	fmt.Fprintf(w, "%s: %s, %s, %s: ok\n", l.File, count(len(l.Steps), "step"), count(checks, "check"), count(wrong, "wrong answer"))
}

// newBench returns what lessons are tried with, and what ends its runs. It keeps nothing.
func newBench(c *catalog.Catalog, engine *runtime.Engine, log *slog.Logger) (b lesson.Bench, done func()) {
	st := store.NewMemory(memoryBytes)
	r := inproc.New(inproc.Config{Store: st, Gallery: inproc.Gallery, Engine: engine, CacheBytes: inproc.DefaultReuse, Log: log})
	admission, limits := run.DefaultAdmission(1), run.DefaultLimits()
	admission.PerMinute = 1_000_000 // the author's runs are as many as there are answers
	m := run.NewManager(run.Config{Runner: r, Store: st, Build: buildID(), Admission: admission, Limits: limits, Log: log})
	return lesson.Bench{Runs: m, Compiler: r, Store: st, Catalog: c}, func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nobody waits for what still runs
		m.Drain(ctx)
	}
}

// ownLessons reads the lessons of a folder. What is wrong with what they name and hold is an error that says file, line and column.
func ownLessons(ctx context.Context, dir string, c *catalog.Catalog, compiler run.Compiler) ([]*lesson.Lesson, error) {
	own, err := lesson.Load(os.DirFS(dir))
	if err == nil {
		err = lesson.Verify(ctx, own, c, compiler)
	}
	return own, err
}

// readLessons reads the lessons of a folder, if one is named, and all that a server has: those, and of those that come with the program
// the ones whose names they do not have.
func readLessons(ctx context.Context, dir string, c *catalog.Catalog, compiler run.Compiler) (own, all []*lesson.Lesson, err error) {
	ours, err := lesson.Load(docs.Lessons())
	if err != nil || dir == "" {
		return nil, ours, err
	}
	if own, err = ownLessons(ctx, dir, c, compiler); err != nil {
		return nil, nil, fmt.Errorf("lessons in %s:\n%w", dir, err)
	}
	rest := slices.DeleteFunc(ours, func(l *lesson.Lesson) bool {
		same, _ := lesson.Find(own, l.Name)
		return same != nil
	})
	return own, slices.Concat(own, rest), nil
}

// tryLessons tries lessons of a server that is at work already, and logs what is wrong with them.
func tryLessons(ctx context.Context, own []*lesson.Lesson, c *catalog.Catalog, engine *runtime.Engine, log *slog.Logger) {
	b, done := newBench(c, engine, log)
	defer done()
	for _, l := range own {
		err := lesson.Try(ctx, []*lesson.Lesson{l}, b)
		var errs lesson.Errors
		switch {
		case ctx.Err() != nil:
			return
		case errors.As(err, &errs):
			for _, e := range errs {
				log.Warn("lesson", "error", e.Error())
			}
		case err != nil:
			log.Warn("lesson", "error", strings.TrimSpace(err.Error()))
		}
	}
}
