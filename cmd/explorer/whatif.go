package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/whatif"
	"github.com/spf13/cobra"
)

// whatifFlags are those of whatif alone.
type whatifFlags struct {
	compileFlags
	sourceFlags
	inputs dataFlags
	sort   string
	keep   string
	json   bool
}

func whatifCommand() *cobra.Command {
	var f whatifFlags
	cmd := &cobra.Command{
		Use: "whatif MODEL", GroupID: groupPasses, Short: "Run a model with other passes and levels, and compare what it comes to",
		Long: `Compiles and runs MODEL as it is, without each of its optional passes, with each two passes that run one after the other swapped
where no constraint on their order forbids it, and at each other opt_level. It prints a row for each: the calls and kernels of the last module, the
memory of intermediate tensors, the size of the code, the time of the passes, the latency, and the largest difference of an output from those
of the model as it is, which is marked where it is beyond the tolerance.
` + modelDoc + `

With --keep FILE, each row is added to a file when it is made, and rows that are in the file are not made again: what was interrupted goes
on where it was.`,
		Example: `  # What each pass is good for, the fastest first
  irscope whatif gallery:mlp --sort latency
  # In several sittings, for another program
  irscope whatif model.onnx --keep rows.jsonl --json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return whatIf(cmd, a[0], &f) },
	}
	f.compileFlags.registerSettings(cmd, driver.DefaultPipeline)
	f.registerPasses(cmd, false)
	f.registerScript(cmd)
	f.sourceFlags.register(cmd)
	f.inputs.function = entry
	fl := cmd.Flags()
	fl.StringArrayVar(&f.inputs.inputs, "input", nil, "input as `[name=]FILE`, .pb or .npy (repeatable); random by default")
	fl.Uint64Var(&f.inputs.seed, "seed", 0, "seed of the random inputs")
	fl.IntVar(&f.inputs.repeat, "repeat", 3, "number of timed runs of each variant")
	fl.StringVar(&f.sort, "sort", "", "`column` to sort by: "+strings.Join(whatif.Columns, ", ")+" (default: as they are made)")
	fl.StringVar(&f.keep, "keep", "", "`file` that keeps rows as lines of JSON, and has those that need not be made again")
	fl.BoolVar(&f.json, "json", false, "write the rows as JSON instead of a table")
	return cmd
}

func whatIf(cmd *cobra.Command, in string, f *whatifFlags) error {
	if f.sort != "" && !slices.Contains(whatif.Columns, f.sort) {
		return usageError{fmt.Errorf("--sort is %q, expected %s", f.sort, strings.Join(whatif.Columns, ", "))}
	}
	f.printed = io.Discard // by each variant the same
	j, err := f.job(cmd.Context())
	if err != nil {
		return err
	}
	data, err := f.inputs.load()
	if err != nil {
		return err
	}
	src, done, err := f.source(cmd, in)
	if err != nil {
		return err
	}
	defer done()
	j.Source, j.Inputs, j.Settings.Seed = src, data.inputsOf(&f.inputs), int64(f.inputs.seed)
	m, err := src.Model(cmd.Context())
	if err != nil {
		return err
	}
	printDiagnostics(cmd.ErrOrStderr(), m.Warnings)
	inputs, outputs, err := entryNames(m.Module)
	if err != nil {
		return fmt.Errorf("%s: %w", label(in), err)
	}
	if err := data.place(inputs, outputs); err != nil {
		return err
	}
	known, keep, err := f.kept()
	if err != nil {
		return err
	}
	defer keep.Close()
	f.progress = startProgress(cmd, "")
	defer f.progress.Stop()
	var rows []whatif.Row
	failed := driver.WhatIf(cmd.Context(), j, driver.Hooks{Engine: compiler.NewEngine()}, driver.WhatIfOptions{
		Known: func(key string) *whatif.Row { return known[key] },
		Each: func(row whatif.Row, old bool, total int) error {
			rows = append(rows, row)
			f.progress.Set(fmt.Sprintf("[%d/%d] %s", len(rows), total, row.Name))
			if old || f.keep == "" {
				return nil
			}
			return writeLine(keep, row)
		},
	})
	f.progress.Stop()
	if f.sort != "" {
		whatif.Sort(rows, f.sort)
	}
	if f.json {
		if rows == nil {
			rows = []whatif.Row{}
		}
		err = writeJSON(cmd.OutOrStdout(), rows)
	} else if len(rows) > 0 {
		err = printRows(cmd.OutOrStdout(), colors(cmd), rows)
	}
	if failed != nil && f.keep != "" && len(rows) > 0 {
		failed = fmt.Errorf("%w; the same command goes on after %s", failed, count(len(rows), "row"))
	}
	return errors.Join(err, failed)
}

// kept reads the rows of --keep, and opens the file for more.
func (f *whatifFlags) kept() (map[string]*whatif.Row, io.WriteCloser, error) {
	if f.keep == "" {
		return nil, nopCloser{io.Discard}, nil
	}
	data, err := os.ReadFile(f.keep)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("--keep: %w", err)
	}
	known := map[string]*whatif.Row{}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		var row whatif.Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			if strings.HasSuffix(string(data), lines.Text()) { // it was cut off while it was written
				break
			}
			return nil, nil, fmt.Errorf("--keep: line %d of %s is no row: %w", n, f.keep, err)
		}
		known[row.Key] = &row
	}
	file, err := os.OpenFile(f.keep, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("--keep: %w", err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		_, err = file.WriteString("\n")
	}
	return known, file, err
}

type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }

// printRows writes the table.
func printRows(w io.Writer, when terminal.When, rows []whatif.Row) error {
	name := 0
	for _, r := range rows {
		name = max(name, utf8.RuneCountInString(r.Name))
	}
	width, known := terminal.Width(w)
	if !known { // a file or another program, which wants all of it
		width = name + 100
	}
	t := terminal.NewTable(w, when, width, []terminal.Column{
		{Head: "VARIANT", Width: name},
		{Head: "OPS", Width: 5, Right: true},
		{Head: "KERNELS", Right: true},
		{Head: "MEMORY", Width: len("999.9KiB"), Right: true},
		{Head: "CODE", Width: len("999.9KiB"), Right: true},
		{Head: "COMPILE", Width: timeWidth, Right: true},
		{Head: "LATENCY", Width: timeWidth, Right: true},
		{Head: "ERROR", Width: len("1.2e-07 ✕"), Right: true},
	}, 3, 1, 4, 5)
	if err := t.Head(); err != nil {
		return err
	}
	for _, r := range rows {
		number := func(n *int64, f func(int64) string) terminal.Cell {
			if n == nil {
				return terminal.Cell{Text: "–", Style: terminal.Dim}
			}
			return terminal.Cell{Text: f(*n)}
		}
		decimal := func(n int64) string { return strconv.FormatInt(n, 10) }
		took := func(n int64) string { return short(time.Duration(n)) }
		failed := terminal.Cell{Text: "–", Style: terminal.Dim}
		switch {
		case r.Failed != "":
			failed = terminal.Cell{Text: "failed ✕", Style: terminal.Red}
		case r.Wrong:
			failed = terminal.Cell{Text: errorText(r.Error) + " ✕", Style: terminal.Red}
		case r.Error != nil:
			failed = terminal.Cell{Text: errorText(r.Error)}
		}
		if err := t.Row(terminal.Cell{Text: r.Name}, number(r.Ops, decimal), number(r.Kernels, decimal), number(r.Memory, size), number(r.Code, size),
			number(r.Compile, took), number(r.Latency, took), failed); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r.Failed != "" {
			say(w, "%s: %s", r.Name, terminal.Plain(r.Failed))
		}
	}
	return nil
}

// errorText writes an error of an output.
func errorText(e *event.Float) string {
	if e == nil {
		return "?"
	}
	return strconv.FormatFloat(float64(*e), 'g', 2, 64)
}
