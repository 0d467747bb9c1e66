package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/spf13/cobra"
)

// passInfo is a pass as the passes command lists it.
type passInfo struct {
	Name     string         `json:"name"`
	Level    int            `json:"opt_level"`
	Kind     event.PassKind `json:"kind"`
	Role     string         `json:"role"`
	Required []string       `json:"required,omitempty"`
	Options  []optionInfo   `json:"options,omitempty"`
	Config   []configInfo   `json:"config,omitempty"`
	Doc      string         `json:"doc"`
}

// optionInfo is an option of a pass, as --passes takes it.
type optionInfo struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Default json.RawMessage `json:"default"`
	Doc     string          `json:"doc"`
}

// String writes the option as it is set in --passes.
func (o optionInfo) String() string {
	return fmt.Sprintf("{%q: %s}: %s; %s", o.Name, o.Default, o.Doc, o.Type)
}

// configInfo is a config option that a pass reads.
type configInfo struct {
	Key     string `json:"key"`
	Type    string `json:"type"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
}

func passesCommand() *cobra.Command {
	var asJSON bool
	var order, of string
	cmd := &cobra.Command{
		Use: "passes [PASS...]", GroupID: groupPasses, Short: "List the passes with their level, kind, and description",
		Long: `Lists all passes or those that are named: from which opt_level each runs, what it works on, whether
it is optional or needed to make code (lowering), what it does, its options with their defaults (for --passes
of opt), and which config options it reads.
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
				p.print(cmd.OutOrStdout())
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
func findPasses(names []string) ([]passInfo, error) {
	var list []passInfo
	seen := map[string]bool{}
	add := func(p *pass.Pass) {
		if !seen[p.Name] {
			seen[p.Name] = true
			list = append(list, describe(p))
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
			return nil, &pass.UnknownPassError{Name: n, Where: "passes", Near: reg.Nearest(n)}
		}
		add(p)
	}
	return list, nil
}

func describe(p *pass.Pass) passInfo {
	info := passInfo{
		Name: p.Name, Level: p.Level, Kind: event.PassKind(p.Kind.String()), Role: string(instruments.Role(p)),
		Required: p.Required, Doc: p.Doc,
	}
	for _, o := range p.Options {
		def, err := json.Marshal(ir.Normalize(o.Default))
		if err != nil {
			panic(fmt.Sprintf("default of option %s of %s: %v", o.Name, p.Name, err))
		}
		info.Options = append(info.Options, optionInfo{o.Name, o.Type(), def, o.Doc})
	}
	known := pass.ListConfigs()
	for _, key := range p.Config {
		c := known[key]
		info.Config = append(info.Config, configInfo{key, c["type"], c["default"], c["doc"]})
	}
	return info
}

// String writes the option as it is set on the command line.
func (c configInfo) String() string {
	if fields, ok := strings.CutPrefix(c.Default, "map["); ok {
		return fmt.Sprintf("--config %s.FIELD=VALUE: %s; defaults %s", c.Key, c.Doc, strings.TrimSuffix(fields, "]"))
	}
	return fmt.Sprintf("--config %s=VALUE: %s; %s, default %s", c.Key, c.Doc, c.Type, c.Default)
}

func (p passInfo) print(w io.Writer) {
	fmt.Fprintf(w, "%s  (level %d, %s, %s)\n", p.Name, p.Level, p.Kind, p.Role)
	printWrapped(w, "    ", p.Doc)
	if len(p.Required) > 0 {
		printWrapped(w, "    ", "requires "+strings.Join(p.Required, ", "))
	}
	for _, o := range p.Options {
		printWrapped(w, "    ", "option "+o.String())
	}
	for _, c := range p.Config {
		printWrapped(w, "    ", c.String())
	}
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
	t, err := target.Parse(of)
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
