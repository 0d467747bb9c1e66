package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
	"github.com/spf13/cobra"
)

// examplePrefix stands before the names of scripts that come with the program.
const examplePrefix = "example:"

// scriptFlags are those of script alone.
type scriptFlags struct {
	passes []string
	output string
	emit   string
	steps  uint64
}

func scriptCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var of scriptFlags
	var pf printFlags
	var names []string
	for _, e := range starpass.Examples() {
		names = append(names, examplePrefix+e.Name)
	}
	cmd := &cobra.Command{
		Use: "script FILE.star [IN] [-o OUT]", GroupID: groupPasses, Short: "Run passes and instruments written in Starlark",
		Long: `Runs a script in Starlark, a dialect of Python, in which passes, instruments and pipelines can be
written and run. IN is ` + inputDoc + `; it is the variable mod.
If the script has a function main, it is called with the module, and the module that it returns is
written. With --pass the passes of the script that are named run on the module instead.

FILE.star may be ` + strings.Join(names, ", ") + `.
docs/scripting.md tells what scripts can do. They cannot read files and have limits.`,
		Example: `  # A script that comes with the program, on a built-in model
  irscope script example:counter gallery:mlp
  # A script of your own; its main returns the module that is written
  irscope script my_pass.star model.onnx -o out.py
  # One pass of it in place of main
  irscope script my_pass.star in.py --pass KeepMain --emit json`,
		Args: args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, a []string) error {
			in := ""
			if len(a) > 1 {
				in = a[1]
			}
			return runScript(cmd, a[0], in, &cf, &sf, &of, &pf)
		},
	}
	cf.register(cmd, "")
	sf.register(cmd)
	pf.register(cmd)
	fl := cmd.Flags()
	fl.StringSliceVar(&of.passes, "pass", nil, "`passes` of the script to run on the input instead of main, by pass or variable name (repeatable)")
	fl.StringVarP(&of.output, "output", "o", "", "output `file` for the module (default: standard output)")
	fl.StringVar(&of.emit, "emit", emitScript, emitDoc)
	fl.Uint64Var(&of.steps, "max-steps", starpass.DefaultSteps, "maximum `number` of steps that the script can take")
	if err := fl.MarkHidden("pipeline"); err != nil { // pipelines are called in the script
		panic(err)
	}
	return cmd
}

func runScript(cmd *cobra.Command, file, in string, cf *compileFlags, sf *sourceFlags, of *scriptFlags, pf *printFlags) error {
	switch {
	case !slices.Contains(emitForms, of.emit):
		return usageError{fmt.Errorf("--emit is %q, expected %s", of.emit, strings.Join(emitForms, ", "))}
	case cf.pipeline != "":
		return usageError{errors.New("--pipeline: a script runs pipelines itself: pipeline(\"NAME\")(mod)")}
	case len(of.passes) > 0 && in == "":
		return usageError{errors.New("--pass needs an input: irscope script FILE.star IN --pass NAME")}
	}
	if err := pf.checkCompact(cf.compact, of.emit); err != nil {
		return err
	}
	how, err := pf.parse()
	if err != nil {
		return err
	}
	req, err := cf.request(cmd.Context())
	if err != nil {
		return err
	}
	source, err := readScript(file)
	if err != nil {
		return err
	}
	var mod *ir.Module
	if in != "" {
		if mod, err = sf.loadOne(cmd, in); err != nil {
			return err
		}
	}
	s, err := starpass.Parse(file, source, starpass.Limits{Print: cmd.OutOrStdout(), Steps: of.steps})
	if err != nil {
		return err
	}
	engine := compiler.NewEngine()
	defer func() { _ = engine.Close() }() // programs end with the script
	out, err := inContext(cmd, cf, req, func(c *pass.Context) (*ir.Module, error) {
		return s.Run(starpass.RunOptions{Context: c, Module: mod, Passes: of.passes, Build: builder(engine)})
	})
	var unknown *starpass.UnknownPassError
	if errors.As(err, &unknown) {
		return usageError{err}
	}
	if err != nil {
		fmt.Fprint(cmd.ErrOrStderr(), starpass.Trace(err))
		return err
	}
	if out == nil {
		if of.output != "" {
			return fmt.Errorf("%s produced no module to write: its function main must return one", file)
		}
		return nil
	}
	var text bytes.Buffer
	if err := emit(&text, out, of.emit, how, cf.compact); err != nil {
		return err
	}
	return writeOutput(cmd.OutOrStdout(), of.output, text.Bytes())
}

// builder makes the programs of a script, each on a device of its own.
func builder(engine *runtime.Engine) starpass.BuildFunc {
	return func(ctx context.Context, t target.Target, lowered, source *ir.Module) (starpass.Compiled, error) {
		res := &compiler.Result{Module: lowered}
		if err := compiler.Codegen(ctx, t, res, source); err != nil {
			return nil, err
		}
		return res.Artifact.Open(ctx, engine, runtime.DeviceOptions{}, vm.Options{})
	}
}

// inContext calls f under the pass context that the flags ask for, and prints what its passes
// report.
func inContext(cmd *cobra.Command, cf *compileFlags, req compiler.Request, f func(*pass.Context) (*ir.Module, error)) (*ir.Module, error) {
	timing := &instruments.Timing{}
	cf.progress = startProgress(cmd, "script")
	defer cf.progress.Stop()
	req.Instruments = append(cf.instruments(cmd, cmd.ErrOrStderr(), instruments.NewSnapshots()), timing.Instrument())
	c, err := req.Context(cmd.Context())
	if err != nil {
		return nil, usageError{err}
	}
	var out *ir.Module
	var stack pass.Stack
	err = stack.With(c, func(c *pass.Context) error {
		out, err = f(c)
		cf.progress.Stop()
		if cf.timing {
			err = errors.Join(err, printTimes(cmd.ErrOrStderr(), colors(cmd), timing.Profiles()))
		}
		return err
	})
	printDiagnostics(cmd.ErrOrStderr(), c.Diagnostics())
	return out, err
}

// readScript returns the text of a script: of a file or of an example.
func readScript(name string) (string, error) {
	if short, ok := strings.CutPrefix(name, examplePrefix); ok {
		var known []string
		for _, e := range starpass.Examples() {
			if e.Name == short {
				return e.Source, nil
			}
			known = append(known, examplePrefix+e.Name)
		}
		return "", usageError{fmt.Errorf("the program has no built-in script %q: it has %s", short, strings.Join(known, ", "))}
	}
	text, err := readStart(name, starpass.MaxSource+1)
	if err != nil {
		return "", fmt.Errorf("cannot read the script: %w", err)
	}
	return text, nil
}

// readStart returns the first bytes of a file, so that one that is too long is noticed and not read whole.
func readStart(name string, most int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	return string(data), err
}
