package main

import (
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
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/target"
	"github.com/spf13/cobra"
)

// defaultPipeline is the pipeline that lowers a model to code.
const defaultPipeline = "default"

// customPipeline is the name of a pipeline whose passes are listed.
const customPipeline = "custom"

// maxOptLevel is the highest level that a pass has.
const maxOptLevel = 4

// compileFlags are shared by the commands that run passes.
type compileFlags struct {
	target   string
	level    int
	pipeline string
	passes   string   // of the commands that take a list of passes in place of a pipeline
	scripts  []string // of the same commands: files with passes and instruments of users
	programs []*starpass.Program
	printed  io.Writer // where scripts print to
	patches  []string  // of the same commands: edited IR by step
	disable  []string
	require  []string
	config   []string

	printBefore, printAfter []string
	onlyChanged             bool
	dumpDir                 string
	timing, verifyEach      bool
	verifyRoundtrip         bool
	json                    bool
}

// register adds the flags; pl is the pipeline that runs where none is named, "" for none.
func (f *compileFlags) register(cmd *cobra.Command, pl string) {
	fl := cmd.Flags()
	fl.StringVar(&f.target, "target", target.DefaultKind, "`target` to generate code for: "+strings.Join(target.Kinds().Names(), ", ")+", with options")
	fl.IntVar(&f.level, "opt-level", pass.DefaultOptLevel, "optimization `level`, 0 to 4")
	fl.StringVar(&f.pipeline, "pipeline", pl, "pipeline by `name`: "+strings.Join(pipeline.Names(), ", "))
	fl.StringSliceVar(&f.disable, "disable-pass", nil, "`passes` not to run, as A,B (repeatable)")
	fl.StringSliceVar(&f.require, "require-pass", nil, "`passes` to run whatever their level")
	fl.StringArrayVar(&f.config, "config", nil, "config option as `key=value` (repeatable); 'explorer passes' lists the keys")
	fl.StringSliceVar(&f.printBefore, "print-ir-before", nil, "print the IR before these `passes`, or all")
	fl.StringSliceVar(&f.printAfter, "print-ir-after", nil, "print the IR after these `passes`, or all")
	fl.BoolVar(&f.onlyChanged, "only-changed", false, "leave out of the table and of printed IR what a pass did not change")
	fl.StringVar(&f.dumpDir, "dump-ir", "", "write the IR after each pass to numbered files in this `folder`")
	fl.BoolVar(&f.timing, "timing", false, "print the time of each pass")
	fl.BoolVar(&f.verifyEach, "verify-each", false, "verify the module after each pass")
	fl.BoolVar(&f.verifyRoundtrip, "verify-roundtrip", false, "check after each pass that what is printed reads back as the same module")
}

// registerPasses adds the flag that lists passes in place of a pipeline.
func (f *compileFlags) registerPasses(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.passes, "passes", "", "`list` of passes in place of a pipeline, separated by commas: each with its options as JSON behind its name, or NAME[...] for a sequence")
}

// registerJSON adds the flag for a report in place of text.
func (f *compileFlags) registerJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "write a JSON report instead of text; printed IR goes to standard error")
}

// request turns the flags into a request; the module is set by the caller. Every mistake is a
// usageError.
func (f *compileFlags) request() (compiler.Request, error) {
	req, err := f.parse()
	if err != nil {
		err = usageError{err}
	}
	return req, err
}

func (f *compileFlags) parse() (compiler.Request, error) {
	req := compiler.Request{OptLevel: &f.level}
	if f.level < 0 || f.level > maxOptLevel {
		return req, fmt.Errorf("--opt-level is %d, expected 0 to %d", f.level, maxOptLevel)
	}
	var err error
	if req.Target, err = target.Parse(f.target); err != nil {
		return req, fmt.Errorf("--target: %w", err)
	}
	if req.Pipeline, err = pipeline.Lookup(f.pipeline); err != nil {
		return req, fmt.Errorf("--pipeline: %w", err)
	}
	reg, err := f.readScripts()
	if err != nil {
		return req, err
	}
	req.Registry = reg
	if f.passes != "" {
		if f.pipeline != defaultPipeline {
			return req, errors.New("name passes with --passes or a --pipeline, not both; a pipeline may stand in --passes")
		}
		list, err := pipeline.ParseWith(f.passes, reg)
		if err != nil {
			return req, fmt.Errorf("--passes: %w", err)
		}
		f.pipeline = customPipeline
		req.Pipeline = pass.NewSequential(customPipeline, list...)
	}
	for _, l := range []struct {
		flag  string
		names []string
		all   bool // "all" may be named too
	}{
		{"--disable-pass", f.disable, false},
		{"--require-pass", f.require, false},
		{"--print-ir-before", f.printBefore, true},
		{"--print-ir-after", f.printAfter, true},
	} {
		for i, n := range l.names {
			if l.all && n == "all" {
				continue
			}
			if l.names[i], err = passName(reg, req.Pipeline, n, l.flag); err != nil {
				return req, err
			}
		}
	}
	req.Disabled, req.Required = f.disable, f.require
	req.Config, err = parseConfig(f.config)
	return req, err
}

// passName returns the name of the pass that is called n, possibly by an alias. where is the
// flag that names it. Pipelines count too, and the sequences in pl, the pipeline that runs.
func passName(reg pass.Registry, pl *pass.Pass, n, where string) (string, error) {
	if p := reg.Lookup(n); p != nil {
		return p.Name, nil
	}
	if slices.Contains(pipeline.Names(), n) || pl.Holds(n) {
		return n, nil
	}
	return "", &pass.UnknownPassError{Name: n, Where: where, Near: reg.Nearest(n)}
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

// instruments returns the instruments that the flags ask for. Printed IR goes to w.
func (f *compileFlags) instruments(cmd *cobra.Command, w io.Writer, snaps *instruments.Snapshots) []*pass.Instrument {
	var list []*pass.Instrument
	if f.verifyEach {
		list = append(list, instruments.WellFormed(false))
	}
	if f.verifyRoundtrip {
		list = append(list, roundtrip.Instrument())
	}
	if len(f.printBefore)+len(f.printAfter) > 0 {
		list = append(list, instruments.Print(w, snaps, instruments.PrintOptions{
			Before: f.printBefore, After: f.printAfter, OnlyChanged: f.onlyChanged,
		}))
	}
	if f.dumpDir != "" {
		list = append(list, instruments.DumpIR(f.dumpDir, true, cmd.ErrOrStderr()))
	}
	return list
}
