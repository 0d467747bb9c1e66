package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/spf13/cobra"
)

// entry is the function that models are imported as.
const entry = compiler.Entry

// modelDoc says what a MODEL argument may be.
const modelDoc = "MODEL is an ONNX file, a TVMScript or JSON file whose module has a Relax function main, - for standard input, or\n" +
	"gallery:NAME for a built-in model."

func runCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var df dataFlags
	var pf profileFlags
	var ck checkFlags
	specialize := true
	cmd := &cobra.Command{
		Use: "run MODEL", GroupID: groupCompile, Short: "Import, compile, and run a model; print what each pass did",
		Long: "Imports MODEL, compiles it, runs it, and prints a table of the passes, the outputs, and the latency.\n" + modelDoc,
		Example: `  # What each pass does to a built-in model, and how fast the model is
  irscope run gallery:mlp
  # The IR after FuseOps, in the short form: only the functions that it changed
  irscope run gallery:cnn --print-ir-after FuseOps --only-changed --compact
  # Inputs and expected outputs from files; exit code 1 if they differ, or if a pass changes what the model computes
  irscope run model.onnx --input input_0.pb --expect output_0.pb --check-every-pass
  # Events for another program, each as it happens
  irscope run gallery:mlp --json=lines`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			rep := &report{Model: a[0]}
			return rep.write(cmd, cf.json, func(w io.Writer) error { return runModel(cmd, w, &cf, &sf, &df, &pf, &ck, specialize, rep) })
		},
	}
	cf.register(cmd, driver.DefaultPipeline)
	cf.preferMachine(cmd)
	cf.registerPasses(cmd, false)
	cf.registerPatch(cmd)
	cf.registerSchedule(cmd)
	cf.registerScript(cmd)
	cf.registerReproducer(cmd)
	cf.registerJSON(cmd)
	cf.threads.register(cmd)
	sf.register(cmd)
	df.register(cmd)
	pf.register(cmd)
	ck.register(cmd)
	cmd.Flags().BoolVar(&specialize, "specialize", true, "if shapes are symbolic, also compile for the sizes of this run and time that code")
	return cmd
}

func runModel(cmd *cobra.Command, w io.Writer, cf *compileFlags, sf *sourceFlags, df *dataFlags, pf *profileFlags, ck *checkFlags, specialize bool, rep *report) error {
	in, err := df.load()
	if err != nil {
		return err
	}
	how := driver.Request{Inputs: in.inputsOf(df)}
	how.Settings.Seed = int64(df.seed)
	if how.Settings.Profile, err = pf.settings(); err != nil {
		return err
	}
	if specialize {
		how.Fixed = driver.FixedInstead
	}
	t, err := importModel(cmd, w, cf, sf, rep, how)
	defer cf.progress.Stop()
	if err != nil {
		return err
	}
	inputs, outputs, err := entryNames(t.Model.Module)
	if err != nil {
		return fmt.Errorf("%s: %w", label(rep.Model), err)
	}
	if err := in.place(inputs, outputs); err != nil {
		return err
	}
	if err := ck.start(t, in, len(outputs)); err != nil {
		return err
	}
	failed := compileModel(cmd, w, cf, t, rep)
	wrong := ck.finish(w, colors(cmd), t, rep)
	if failed != nil {
		return errors.Join(failed, wrong)
	}
	cf.progress.Set("execution")
	failed = t.Execute(cmd.Context())
	cf.progress.Stop()
	rep.Events = rep.sink.Events
	if err := inputError(failed); err != nil {
		return err
	}
	_ = cf.reproduceTask(cmd, t, failed) // printExecution returns the error
	fmt.Fprintln(w)
	if x := t.Executed(); x != nil {
		printSpecialized(w, x, rep)
	}
	if t.Loaded > 0 {
		rep.Load = t.Loaded
		say(w, "import %s, compile %s (code generation %s), load %s",
			short(rep.Import), short(rep.Compile), short(rep.Codegen), short(rep.Load))
		for _, p := range t.Prepared {
			rep.Once += p.Took
		}
		if rep.Once > 0 {
			say(w, "of loading, %s went into preparing weights, once", short(rep.Once))
		}
	}
	printCode(w, rep, t.Job.Target.String(), t.Result, cf.threads)
	err = printExecution(w, t, failed, in, df, rep)
	return errors.Join(err, wrong, pf.print(w, colors(cmd), rep))
}

// importModel checks the flags and imports the model of the report, to be executed as how says. The rows of the table of passes go to w
// while they run. It starts the line of progress, which the caller stops.
func importModel(cmd *cobra.Command, w io.Writer, cf *compileFlags, sf *sourceFlags, rep *report, how driver.Request) (*driver.Task, error) {
	cf.printed = cmd.ErrOrStderr()
	cf.progress = startProgress(cmd, "import")
	j, err := cf.job(cmd.Context())
	if err != nil {
		return nil, err
	}
	engine, err := cf.threads.engine() // it lives as long as the process
	if err != nil {
		return nil, err
	}
	start := time.Now()
	src, done, err := sf.source(cmd, rep.Model)
	if err != nil {
		return nil, err
	}
	defer done()
	j.Source, j.Inputs, j.Fixed = src, how.Inputs, how.Fixed
	j.Settings.Seed, j.Settings.Profile = how.Settings.Seed, how.Settings.Profile
	rep.timing, rep.sink = &instruments.Timing{}, &eventLog{each: newPassRows(w, colors(cmd), cf.onlyChanged).add}
	if cf.json == jsonLines {
		rep.sink.each = func(e event.Event) error { return writeLine(cmd.OutOrStdout(), e) }
	}
	cf.progress.expect(j.Pipeline)
	t, err := driver.Open(cmd.Context(), j, rep.sink, driver.Hooks{
		Engine: engine,
		Quiet:  cf.json == jsonNone,
		Instruments: func(snaps *instruments.Snapshots) (before, behind []*pass.Instrument) {
			printed := cmd.OutOrStdout()
			if cf.json != jsonNone {
				printed = cmd.ErrOrStderr()
			}
			return append(cf.instruments(cmd, printed, snaps), rep.timing.Instrument()), nil
		},
	})
	rep.Import = time.Since(start)
	var edit *driver.EditError
	var many *driver.SeveralError
	switch {
	case errors.As(err, &edit):
		return nil, cf.editError(edit)
	case errors.As(err, &many):
		return nil, several(rep.Model, many.Modules)
	case err != nil:
		return nil, err
	case len(t.Missing) > 0:
		return nil, cf.editError(t.Missing[0])
	}
	printDiagnostics(cmd.ErrOrStderr(), t.Model.Warnings)
	return t, nil
}

// compileModel compiles the model with the instruments that the flags ask for and writes what they say to w, also of a failure.
func compileModel(cmd *cobra.Command, w io.Writer, cf *compileFlags, t *driver.Task, rep *report) error {
	err := t.Compile(cmd.Context())
	if t.Result == nil {
		return fmt.Errorf("--script: %w", err)
	}
	err = cf.reproduceTask(cmd, t, err)
	rep.Compile, rep.Codegen, rep.Events, rep.Timing = t.Compiled, t.Generated, rep.sink.Events, rep.timing
	for _, d := range t.Result.Diagnostics {
		rep.Diagnostics = append(rep.Diagnostics, d.String())
		say(w, "%s", d)
	}
	if cf.timing {
		fmt.Fprintln(w)
		if err := printTimes(w, colors(cmd), rep.timing.Profiles()); err != nil {
			return err
		}
	}
	var failed *pass.Error
	if err != nil && t.Job.Name != driver.DefaultPipeline && !errors.As(err, &failed) {
		return fmt.Errorf("%w (the pipeline %s does not fully lower a model, but %s does)", err, t.Job.Name, driver.DefaultPipeline)
	}
	return err
}

// printSpecialized says whether code for the sizes of an execution runs.
func printSpecialized(w io.Writer, x *driver.Execution, rep *report) {
	s := x.Specialized
	if s == nil {
		return
	}
	rep.Specialized = &specialized{Sizes: s.Sizes}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.Sizes)) {
		list = append(list, fmt.Sprintf("%s=%d", name, s.Sizes[name]))
	}
	if s.Err != nil {
		rep.Specialized.Error = s.Err.Error()
		say(w, "not compiled for %s, so the code for all sizes runs: %v", strings.Join(list, ", "), s.Err)
		return
	}
	rep.Specialized.Compile = s.Took
	say(w, "compiled again for %s in %s (--specialize=false runs the code for all sizes)", strings.Join(list, ", "), short(s.Took))
}

// inputError returns what is to do about an input that cannot be made up, nil where that is not what failed.
func inputError(failed error) error {
	var unmade *driver.InputError
	if !errors.As(failed, &unmade) {
		return nil
	}
	if p := unmade.Param; p.Type.Kind != artifact.KindTensor || p.Type.NDim == nil {
		return fmt.Errorf("input %s of type %s cannot be generated: give it with --input", p.Name, p.Type)
	}
	return unmade
}

// printExecution prints what was made up, outputs and latency, and compares; failed is how the execution ended.
func printExecution(w io.Writer, t *driver.Task, failed error, in *data, df *dataFlags, rep *report) error {
	if err := inputError(failed); err != nil {
		return err
	}
	x := t.Executed()
	if x == nil || t.Loaded == 0 {
		return failed
	}
	printPassedOver(w, rep, t.PassedOver)
	for _, m := range x.MadeUp {
		note := fmt.Sprintf("input %s: %s", m.Name, m.As)
		for _, dim := range m.Ones {
			note += fmt.Sprintf(", dimension %s is 1", dim)
		}
		rep.Inputs = append(rep.Inputs, note)
		say(w, "%s", note)
	}
	if failed != nil {
		return failed
	}
	names := outputNames(t.Result.Artifact.Function(df.function).Outputs, len(x.Outputs))
	for i, out := range x.Outputs {
		s := out.Summarize(8)
		say(w, "output %s: %s  %s", names[i], out, s)
		rep.Outputs = append(rep.Outputs, newOutputReport(names[i], out, s))
	}
	for _, ns := range x.Measured.Latency {
		rep.Latency = append(rep.Latency, time.Duration(ns))
	}
	median, best := event.Spread(rep.Latency)
	say(w, "latency %s (median of %d, best %s)", short(median), len(rep.Latency), short(best))
	var err error
	if rep.Compared, err = in.compare(names, x.Outputs, tensor.Tolerance{RTol: df.rtol, ATol: df.atol}); err != nil {
		return err
	}
	var bad []string
	for _, x := range rep.Compared {
		say(w, "expected %s: %s", x.Output, x.text)
		if !x.Within {
			bad = append(bad, x.Output)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("outputs differ from the expected ones by more than --rtol %g, --atol %g: %s", df.rtol, df.atol, strings.Join(bad, ", "))
	}
	return nil
}

// outputNames returns the names that the model gives its n outputs, and numbers where it
// gives none.
func outputNames(names []string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "output_" + strconv.Itoa(i)
		if i < len(names) {
			out[i] = names[i]
		}
	}
	return out
}
