// Command explorer is a machine-learning compiler whose passes can be watched: it compiles
// and runs ONNX models, and serves a page that shows what each pass does.
//
// This package holds flags and wiring only.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes: 1 for what failed, 2 for what was asked wrongly, 130 for what was interrupted.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is a mistake in flags or arguments.
type usageError struct{ error }

// Unwrap returns the mistake.
func (e usageError) Unwrap() error { return e.error }

func main() { os.Exit(invoke()) }

// invoke runs the command line of the process and returns its exit code. A first interrupt
// stops what is going on in order, a second one at once.
func invoke() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := rootCommand()
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(root.ErrOrStderr(), "explorer: error: %v\n", err)
	var usage usageError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintf(root.ErrOrStderr(), "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailed
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "explorer",
		Short: "A machine-learning compiler whose passes can be watched",
		Long: `explorer compiles ONNX models pass by pass and runs them. Without a command it serves
the page that shows what each pass does, on this machine only.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q: known are serve, run, compile, exec, passes", args[0])}
			}
			return nil
		},
		Version:       version(),
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	var f serveFlags
	f.register(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), cmd.OutOrStdout(), f) }
	root.AddCommand(serveCommand(), runCommand(), compileCommand(), execCommand(), passesCommand())
	return root
}

// args wraps a cobra argument check so that its failure is a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, list []string) error {
		if err := check(cmd, list); err != nil {
			return usageError{fmt.Errorf("%s: %w", cmd.Name(), err)}
		}
		return nil
	}
}

// version returns the version of the module that the program was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
