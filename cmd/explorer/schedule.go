package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/spf13/cobra"
)

// scheduleFlags are those of schedule alone.
type scheduleFlags struct {
	steps, output, trace string
	showMeta             bool
	seed                 int64
	maxSteps             uint64
}

func scheduleCommand() *cobra.Command {
	var sf sourceFlags
	var of scheduleFlags
	cmd := &cobra.Command{
		Use: "schedule IN --steps FILE.star [-o OUT]", GroupID: groupPasses, Short: "Apply schedule primitives to the PrimFuncs of a module",
		Long: `Runs a script in which sch is the schedule of the module, a tir.Schedule with TVM's primitives, and writes
the module that the schedule holds in the end. IN is ` + inputDoc + `.
An error names the step that failed and shows the program with the place underlined.`,
		Example: `  # Schedule a function as a script says
  irscope schedule matmul.py --steps steps.star -o scheduled.py
  # Also write the trace of the calls
  irscope schedule matmul.py --steps steps.star --trace trace.json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return runSchedule(cmd, a[0], &sf, &of) },
	}
	sf.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&of.steps, "steps", "", "script `file` with the calls (needed)")
	fl.StringVarP(&of.output, "output", "o", "", "output `file` for the module (default: standard output)")
	fl.StringVar(&of.trace, "trace", "", "output `file` for the trace of the calls, as JSON")
	fl.BoolVar(&of.showMeta, "show-meta", false, "write the values of constants before the module to make the text complete")
	fl.Int64Var(&of.seed, "seed", -1, "`seed` of sampling primitives")
	fl.Uint64Var(&of.maxSteps, "max-steps", starpass.DefaultSteps, "maximum `number` of steps that the script can take")
	return cmd
}

func runSchedule(cmd *cobra.Command, in string, sf *sourceFlags, of *scheduleFlags) error {
	if of.steps == "" {
		return usageError{errors.New("--steps is missing: the script that calls the primitives")}
	}
	source, err := readScript(of.steps)
	if err != nil {
		return err
	}
	m, err := sf.loadOne(cmd, in)
	if err != nil {
		return err
	}
	s, err := starpass.Parse(of.steps, source, starpass.Limits{Print: cmd.ErrOrStderr(), Steps: of.maxSteps})
	if err != nil {
		return err
	}
	done, err := s.Schedule(cmd.Context(), m, of.seed, nil)
	if err != nil {
		return err
	}
	if of.trace != "" {
		data, err := json.MarshalIndent(sch.JSON(done.Trace()), "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(of.trace, append(data, '\n'), 0o666); err != nil {
			return fmt.Errorf("cannot write the trace: %s", strings.TrimPrefix(err.Error(), "open "))
		}
	}
	var text bytes.Buffer
	if err := emit(&text, done.Module(), emitScript, script.Options{ShowMeta: of.showMeta}, false); err != nil {
		return err
	}
	return writeOutput(cmd.OutOrStdout(), of.output, text.Bytes())
}
