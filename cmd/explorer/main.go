// Command explorer is a machine-learning compiler whose passes can be watched: it compiles
// and runs ONNX models, and serves a page that shows what each pass does.
//
// This package holds flags and wiring only.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/gcfloor"
	"github.com/spf13/cobra"
)

// Exit codes: 1 for what failed, 2 for what was asked wrongly, 128 and the number of the signal for
// what a signal ended. Commands that compare return 1 for what differs and 2 for everything that keeps them from
// comparing, as diff does.
const (
	exitFailed    = 1
	exitUsage     = 2
	exitDifferent = 1
	exitTrouble   = 2
)

// exitError ends the program with a code of its own. Without an error nothing is printed.
type exitError struct {
	error
	code int
}

// Unwrap returns the error.
func (e exitError) Unwrap() error { return e.error }

// usageError is an error in flags or arguments.
type usageError struct{ error }

// Unwrap returns the error.
func (e usageError) Unwrap() error { return e.error }

func main() { os.Exit(invoke()) }

// invoke runs the command line of the process and returns its exit code.
func invoke() int {
	gcfloor.Set(gcfloor.Default)
	ctx, stop := interruptible(context.Background())
	defer stop(nil)
	root := rootCommand()
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var exit exitError
	if errors.As(err, &exit) && exit.error == nil {
		return exit.code
	}
	printError(root.ErrOrStderr(), err)
	var usage usageError
	var signalled interruption
	switch {
	case errors.As(context.Cause(ctx), &signalled):
		return signalled.code()
	case errors.As(err, &usage):
		fmt.Fprintf(root.ErrOrStderr(), "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exitUsage
	case errors.As(err, &exit):
		return exit.code
	}
	return exitFailed
}

// printError writes an error: errors in a text with the lines that they are on.
func printError(w io.Writer, err error) {
	var text *frontend.TextError
	if !errors.As(err, &text) {
		fmt.Fprintf(w, "irscope: error: %v\n", err)
		var fault *event.Error
		if errors.As(err, &fault) {
			printAccesses(w, fault.Accesses)
		}
		return
	}
	printDiagnostics(w, text.Diagnostics)
	n := 0
	for _, d := range text.Diagnostics {
		if d.Severity == ir.Error {
			n++
		}
	}
	fmt.Fprintf(w, "irscope: error: %s in %s\n", count(n, "error"), text.Name)
}

// printAccesses writes what threads did that ended a run, each with its line after the last pass and its place in the source, where they are known.
func printAccesses(w io.Writer, list []event.Access) {
	for _, a := range list {
		fmt.Fprintf(w, "  thread (%s) %s", a.Thread, cmp.Or(a.Does, "does not come to it"))
		if a.Line > 0 {
			fmt.Fprintf(w, " in %s, line %d", a.Function, a.Line)
		}
		if s := a.Span; s != nil && s.Line > 0 {
			fmt.Fprintf(w, ", from %s:%d:%d", s.Source, s.Line, max(s.Column, 1))
		}
		if fmt.Fprintln(w); a.Code != "" {
			fmt.Fprintf(w, "    %s\n", a.Code)
		}
	}
}

// printDiagnostics writes diagnostics, each with the line that it is about where that is known.
func printDiagnostics(w io.Writer, list []ir.Diagnostic) {
	for _, d := range list {
		fmt.Fprint(w, d.Format())
	}
}

func rootCommand() *cobra.Command {
	var root *cobra.Command
	root = &cobra.Command{
		Use:   "irscope",
		Short: "A machine-learning compiler that shows what its passes do",
		Long: `irscope compiles ONNX models and TVMScript pass by pass and runs them. Without a command it
serves the page that shows what each pass does, on this machine only, with the flags of serve.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(root, args[0])
			}
			return nil
		},
		Version: readBuild().String(),
		Example: `  # Compile and run a built-in model, and see what each pass does
  irscope run gallery:mlp
  # The same on a page in the browser
  irscope serve
  # What fusion does to a model of your own
  irscope diff model.onnx --from before:FuseOps --to FuseOps
  # Why it fused a value, or did not
  irscope why gallery:cnn --pass FuseOps --value relu1_Relu`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetFlagErrorFunc(badFlag)
	screen := terminal.NewScreen(os.Stdout, os.Stderr)
	root.SetOut(screen.Out)
	root.SetErr(screen.Err)
	registerColor(root)
	registerHelp(root)
	var f serveFlags
	f.register(root)
	root.RunE = func(cmd *cobra.Command, _ []string) error { return f.serve(cmd) }
	root.AddCommand(serveCommand(), runCommand(), compileCommand(), execCommand(), optCommand(), equalCommand(), diffCommand(), importCommand(), replayCommand(),
		scriptCommand(), scheduleCommand(), passesCommand(), opsCommand(), simplifyCommand(), whyCommand(), bisectCommand(), reduceCommand(), whatifCommand(), licensesCommand(), manCommand(), adminCommand(), lessonsCommand())
	registerCompletion(root)
	refuseTopics(root)
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	var known []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			known = append(known, c.Name())
		}
	}
	hint := ": the"
	if near := nearest.Name(name, slices.Values(known)); near != "" {
		hint = fmt.Sprintf("; did you mean %q? The", near)
	}
	return usageError{fmt.Errorf("unknown command %q%s commands are %s", name, hint, strings.Join(known, ", "))}
}
