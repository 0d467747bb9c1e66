package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/spf13/cobra"
)

func passesCommand() *cobra.Command {
	var asJSON bool
	var order, of string
	cmd := &cobra.Command{
		Use: "passes [PASS...]", GroupID: groupPasses, Short: "List the passes with their level, kind, and description",
		Long: `Lists all passes or those that are named: from which opt_level each runs, what it works on, whether
it is optional or needed to make code (lowering), what it does, which passes it needs, feeds, or better runs before or after, its
options with their defaults (for --passes of opt), and which config options it reads. --json writes what the page
gets of the same passes.
With --pipeline the passes of a pipeline are listed in the order in which they run for a target.`,
		Example: `  # What a pass does, its options, and the config options that it reads
  irscope passes FuseOps
  # The order in which passes run
  irscope passes --pipeline default
  # Everything, for another program
  irscope passes --json`,
		RunE: func(cmd *cobra.Command, names []string) error {
			if order != "" {
				if len(names) > 0 {
					return usageError{errors.New("use either pass names or --pipeline")}
				}
				return printPipeline(cmd.OutOrStdout(), colors(cmd), order, of, asJSON)
			}
			if cmd.Flags().Changed("target") {
				return usageError{errors.New("--target is what a pipeline is for: name one with --pipeline")}
			}
			list, err := findPasses(names)
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), list)
			}
			for i, p := range list {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				printPass(cmd.OutOrStdout(), p)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.Flags().StringVar(&order, "pipeline", "", "list the passes of this pipeline in order: "+strings.Join(pipeline.Names(), ", "))
	cmd.Flags().StringVar(&of, "target", target.DefaultKind, "`target` that the pipeline is for")
	return cmd
}

// findPasses describes the passes of those names, all if there are none.
func findPasses(names []string) ([]catalog.Pass, error) {
	var list []catalog.Pass
	seen := map[string]bool{}
	add := func(p *pass.Pass) {
		if !seen[p.Name] {
			seen[p.Name] = true
			list = append(list, inproc.DescribePass(p))
		}
	}
	if len(names) == 0 {
		for _, p := range pipeline.All() {
			add(p)
		}
		return list, nil
	}
	reg := pipeline.NewRegistry()
	for _, n := range names {
		p := reg.Lookup(n)
		if p == nil {
			var known []string
			for _, p := range pipeline.All() {
				known = append(known, p.Name)
			}
			return nil, fmt.Errorf("there is no pass %s%s", n, meant(n, known))
		}
		add(p)
	}
	return list, nil
}

func printPass(w io.Writer, p catalog.Pass) {
	fmt.Fprintf(w, "%s  (level %d, %s, %s)\n", p.Name, p.Level, p.Kind, p.Role)
	printWrapped(w, "    ", p.Doc)
	if len(p.Required) > 0 {
		printWrapped(w, "    ", "requires "+strings.Join(p.Required, ", "))
	}
	for _, o := range p.Before {
		printWrapped(w, "    ", fmt.Sprintf("%s %s: %s", o.Earlier(), o.Pass, o.Why))
	}
	for _, o := range p.After {
		printWrapped(w, "    ", fmt.Sprintf("%s %s: %s", o.Later(), o.Pass, o.Why))
	}
	for _, o := range p.Options {
		printWrapped(w, "    ", fmt.Sprintf("option {%q: %s}: %s; %s", o.Name, value(o.Default), o.Doc, o.Type))
	}
	for _, c := range p.Config {
		printWrapped(w, "    ", configText(c))
	}
}

// value writes the value of an option as JSON.
func value(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("%v is no value of JSON: %v", v, err)) // the catalog's are
	}
	return string(text)
}

// configText writes a config option as it is set on the command line.
func configText(c catalog.Option) string {
	fields, ok := c.Default.(map[string]any)
	if !ok {
		return fmt.Sprintf("--config %s=VALUE: %s; %s, default %v", c.Key, c.Doc, c.Type, c.Default)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, fmt.Sprintf("%s=%v", name, fields[name]))
	}
	return fmt.Sprintf("--config %s.FIELD=VALUE: %s; defaults %s", c.Key, c.Doc, strings.Join(list, " "))
}

// docWidth is the width to which docs are wrapped where that of the terminal is not known, and at most.
const docWidth = 96

// printWrapped writes text in lines for reading, each after indent.
func printWrapped(w io.Writer, indent, text string) {
	width, known := terminal.Width(w)
	if !known || width > docWidth {
		width = docWidth
	}
	fmt.Fprintln(w, terminal.Wrap(indent+text, indent, width))
}

// printPipeline writes the steps of a pipeline for a target as a tree.
func printPipeline(w io.Writer, when terminal.When, pl, of string, asJSON bool) error {
	t, err := driver.Target(of)
	if err != nil {
		return usageError{fmt.Errorf("--target: %w", err)}
	}
	p, err := pipeline.Lookup(pl, t)
	if err != nil {
		return usageError{fmt.Errorf("--pipeline: %w", err)}
	}
	plan := instruments.Plan(p)
	if asJSON {
		return writeJSON(w, plan)
	}
	depth, name := map[string]int{}, 0
	for _, s := range plan {
		if s.Parent != "" {
			depth[s.Step] = depth[s.Parent] + 1
		}
		name = max(name, 2*depth[s.Step]+utf8.RuneCountInString(s.Step))
	}
	width, _ := terminal.Width(w)
	tw := terminal.NewTable(w, when, width, []terminal.Column{
		{Head: "STEP", Width: name}, {Head: "LEVEL", Right: true}, {Head: "KIND", Width: len(pass.Function.String()), Style: terminal.Dim}, {Head: "ROLE", Width: len(event.RoleLowering)},
	}, 2, 1)
	if err := tw.Head(); err != nil {
		return err
	}
	for _, s := range plan {
		if err := tw.Row(
			terminal.Cell{Text: strings.Repeat("  ", depth[s.Step]) + s.Step}, terminal.Cell{Text: strconv.Itoa(s.Level)},
			terminal.Cell{Text: string(s.Kind)}, terminal.Cell{Text: string(s.Role)},
		); err != nil {
			return err
		}
	}
	return nil
}
