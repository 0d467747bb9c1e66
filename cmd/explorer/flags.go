package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/target"
	"github.com/spf13/cobra"
)

// compileFlags are shared by the commands that run passes.
type compileFlags struct {
	target    string
	level     int
	pipeline  string
	standard  string    // the pipeline where none is named
	passes    string    // of the commands that take a list of passes in place of a pipeline
	anyLevel  bool      // the passes of the list run whatever their level
	scripts   []string  // of the same commands: files with passes and instruments of users
	printed   io.Writer // where scripts print to
	patches   []string  // of the same commands: edited IR by step
	schedules []string  // of the same commands: schedules by kernel
	disable   []string
	require   []string
	config    []string

	printBefore, printAfter []string
	onlyChanged             bool
	compact                 bool
	dumpDir                 string
	timing, verifyEach      bool
	verifyRoundtrip         bool
	json                    jsonForm

	threads threadsFlag // of the commands that run the program

	progress *progress // of the command that runs

	reproducer string // file for the module before a pass that fails
	failing    driver.Failing
	resolved   *driver.Job
}

// register adds the flags; pl is the pipeline that runs where none is named, "" for none.
func (f *compileFlags) register(cmd *cobra.Command, pl string) {
	f.registerSettings(cmd, pl)
	f.registerWatches(cmd)
}

// registerSettings adds the flags that say which passes run, and how.
func (f *compileFlags) registerSettings(cmd *cobra.Command, pl string) {
	f.standard = pl
	fl := cmd.Flags()
	fl.StringVar(&f.target, "target", target.DefaultKind, "`target` to compile for: "+targetWords())
	fl.IntVar(&f.level, "opt-level", pass.DefaultOptLevel, "optimization `level`, 0 to 4")
	fl.StringVar(&f.pipeline, "pipeline", pl, "pipeline by `name`: "+strings.Join(pipeline.Names(), ", "))
	fl.StringSliceVar(&f.disable, "disable-pass", nil, "`passes` not to run, as A,B (repeatable)")
	fl.StringSliceVar(&f.require, "require-pass", nil, "`passes` to run at any level")
	fl.StringArrayVar(&f.config, "config", nil, "config option as `key=value` (repeatable); 'irscope passes' lists the keys")
}

// preferMachine makes code for this machine's processor the default, where that runs.
func (f *compileFlags) preferMachine(cmd *cobra.Command) {
	f.target = compiler.OwnersTarget().String()
	cmd.Flags().Lookup("target").DefValue = "x86, or wasm where no machine code runs"
}

// registerWatches adds the flags that say what to print and to check on the way.
func (f *compileFlags) registerWatches(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.printBefore, "print-ir-before", nil, "print the IR before these `passes`, or all")
	fl.StringSliceVar(&f.printAfter, "print-ir-after", nil, "print the IR after these `passes`, or all")
	fl.BoolVar(&f.compact, "compact", false, "write IR in a short form for reading: short names, types in a column, no defaults (not valid TVMScript)")
	fl.BoolVar(&f.onlyChanged, "only-changed", false, "omit unchanged passes and functions from the table and the printed IR")
	fl.StringVar(&f.dumpDir, "dump-ir", "", "write the IR after each pass to numbered files in this `folder`")
	fl.BoolVar(&f.timing, "timing", false, "print the time of each pass")
	fl.BoolVar(&f.verifyEach, "verify-each", false, "verify the module after each pass")
	fl.BoolVar(&f.verifyRoundtrip, "verify-roundtrip", false, "check after each pass that the printed module parses back to the same module")
}

// registerPasses adds the flag that lists passes in place of a pipeline; anyLevel runs them whatever their level.
func (f *compileFlags) registerPasses(cmd *cobra.Command, anyLevel bool) {
	f.anyLevel = anyLevel
	level := "from their levels on"
	if anyLevel {
		level = "at any level"
	}
	cmd.Flags().StringVar(&f.passes, "passes", "", "comma-separated `list` of passes to run instead of a pipeline, "+level+": each may have its options as JSON after its name, or NAME[...] for a sequence")
}

// registerJSON adds the flag for a report in place of text.
func (f *compileFlags) registerJSON(cmd *cobra.Command) {
	f.json.register(cmd.Flags(), "write a JSON report instead of text, or with =lines each event as it happens and then the report; printed IR goes to standard error")
}

// request turns the flags into a request of the compiler; the module is set by the caller. Every error is a
// usageError.
func (f *compileFlags) request(ctx context.Context) (compiler.Request, error) {
	j, err := f.job(ctx)
	if err != nil {
		return compiler.Request{}, err
	}
	return j.Compiler(nil, j.Pipeline), nil
}

// job turns the flags into a job; its source is set by the caller. Every error is a usageError, but that a file of --patch cannot be read.
func (f *compileFlags) job(ctx context.Context) (*driver.Job, error) {
	edits, err := f.edits()
	if err != nil {
		return nil, err
	}
	schedules, err := f.readSchedules()
	if err != nil {
		return nil, err
	}
	j, err := f.resolve(ctx, edits, schedules)
	if err != nil {
		err = usageError{err}
	}
	f.resolved = j
	return j, err
}

func (f *compileFlags) resolve(ctx context.Context, edits []request.Patch, schedules []request.Schedule) (*driver.Job, error) {
	if f.level < 0 || f.level > request.MaxOptLevel {
		return nil, fmt.Errorf("--opt-level is %d, expected 0 to %d", f.level, request.MaxOptLevel)
	}
	if f.passes != "" && f.pipeline != f.standard {
		return nil, errors.New("use either --passes or --pipeline; --passes can contain a pipeline")
	}
	config, err := parseConfig(f.config)
	if err != nil {
		return nil, err
	}
	scripts, err := f.readScripts()
	if err != nil {
		return nil, err
	}
	j, problems, err := driver.Resolve(ctx, driver.Request{
		Settings: request.Settings{
			Target: f.target, OptLevel: f.level, Pipeline: f.pipeline, Disabled: f.disable, Required: f.require,
			Config: config, Scripts: scripts, Patches: edits, Schedules: schedules,
		},
		Passes: f.passes, AnyLevel: f.anyLevel, Print: f.printed,
	})
	if err != nil {
		return nil, err
	}
	if p := problems.Fatal(); p != nil {
		return nil, flagError(p)
	}
	if len(problems) > 0 {
		return nil, flagError(&problems[0])
	}
	for flag, names := range map[string][]string{"--print-ir-before": f.printBefore, "--print-ir-after": f.printAfter} {
		for i, n := range names {
			if n == "all" {
				continue
			}
			if names[i], err = j.PassName(n); err != nil {
				return nil, placed(err, flag)
			}
		}
	}
	return j, nil
}

// fieldFlags are the flags of the fields of a request.
var fieldFlags = map[string]string{
	driver.FieldTarget: "--target", driver.FieldPipeline: "--pipeline", driver.FieldPasses: "--passes", driver.FieldScripts: "--script",
	driver.FieldRequired: "--require-pass", driver.FieldDisabled: "--disable-pass", driver.FieldConfig: "--config",
	driver.FieldSchedules: "--schedule",
}

// flagError names the flag that a problem comes from.
func flagError(p *driver.Problem) error { return placed(p.Err, fieldFlags[p.Field]) }

// placed adds the flag to an error of its value.
func placed(err error, flag string) error {
	var unknown *pass.UnknownPassError
	if errors.As(err, &unknown) && unknown.Where == "" && err == error(unknown) {
		return &pass.UnknownPassError{Name: unknown.Name, Where: flag, Near: unknown.Near}
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// parseConfig reads key=value pairs; fields of a structured option add up.
func parseConfig(pairs []string) (map[string]any, error) {
	config := map[string]any{}
	for _, kv := range pairs {
		key, text, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, fmt.Errorf("--config %s: expected key=value", kv)
		}
		k, v, err := pass.ParseConfig(key, text)
		if err != nil {
			return nil, fmt.Errorf("--config %s: %w", kv, err)
		}
		fields, structured := v.(map[string]any)
		have, seen := config[k].(map[string]any)
		if structured && seen {
			maps.Copy(have, fields)
			continue
		}
		config[k] = v
	}
	return config, nil
}

// run runs the passes of a request with the instruments that the flags ask for, and more behind them, and prints their times.
func (f *compileFlags) run(cmd *cobra.Command, req compiler.Request, more ...*pass.Instrument) (*compiler.Result, error) {
	timing := &instruments.Timing{}
	f.progress = startProgress(cmd, "")
	defer f.progress.Stop()
	f.progress.expect(req.Pipeline)
	req.Instruments = slices.Concat(req.Instruments, f.instruments(cmd, cmd.ErrOrStderr(), instruments.NewSnapshots()), []*pass.Instrument{timing.Instrument()}, more)
	res, err := compiler.Passes(cmd.Context(), req)
	f.progress.Stop()
	err = f.reproduce(cmd, err)
	if f.timing {
		err = errors.Join(err, printTimes(cmd.ErrOrStderr(), colors(cmd), timing.Profiles()))
	}
	return res, err
}

// instruments returns the instruments that the flags ask for. Printed IR goes to w.
func (f *compileFlags) instruments(cmd *cobra.Command, w io.Writer, snaps *instruments.Snapshots) []*pass.Instrument {
	list := []*pass.Instrument{f.progress.instrument(), f.failing.Instrument()}
	if f.verifyEach {
		list = append(list, instruments.WellFormed(false))
	}
	if f.verifyRoundtrip {
		list = append(list, roundtrip.Instrument())
	}
	if len(f.printBefore)+len(f.printAfter) > 0 {
		list = append(list, instruments.Print(w, snaps, instruments.PrintOptions{
			Before: f.printBefore, After: f.printAfter, OnlyChanged: f.onlyChanged, Compact: f.compact,
		}))
	}
	if f.dumpDir != "" {
		list = append(list, instruments.DumpIR(f.dumpDir, true, cmd.ErrOrStderr()))
	}
	return list
}

// targetWords says what --target takes.
func targetWords() string {
	var without []string
	for _, k := range target.Kinds() {
		if !k.Code {
			without = append(without, k.Name)
		}
	}
	slices.Sort(without)
	return strings.Join(target.CodeKinds().Names(), ", ") + "; for passes alone also " + strings.Join(without, ", ") + " and TVM's tags; with options"
}
