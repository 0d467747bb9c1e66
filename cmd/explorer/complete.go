package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/target"
	"github.com/spf13/cobra"
)

// values lists what may stand at a place, each with a tab and a few words where they help.
type values func() []cobra.Completion

// flagValues returns the values of flags that shells complete; flags that are not listed take files, or anything.
func flagValues() map[string]values {
	return map[string]values{
		"target":          targets,
		"pipeline":        pipeline.Names,
		"passes":          listed(func() []cobra.Completion { return append(passNames(), pipeline.Names()...) }),
		"pass":            listed(passNames),
		"disable-pass":    listed(passNames),
		"require-pass":    listed(passNames),
		"print-ir-before": listed(func() []cobra.Completion { return append(passNames(), "all") }),
		"print-ir-after":  listed(func() []cobra.Completion { return append(passNames(), "all") }),
		"from":            points,
		"to":              points,
		"opt-level":       fixed("0", "1", "2", "3", "4"),
		"config":          configKeys,
		"emit":            fixed(emitForms...),
		"json":            fixed(string(jsonReport), string(jsonLines)),
		"log":             fixed("text", "json"),
		"color":           fixed(string(terminal.Auto), string(terminal.Always), string(terminal.Never)),
		"script":          scripts,
	}
}

// targets lists the kinds of target, with a word on those that no code is made for.
func targets() []cobra.Completion {
	var out []cobra.Completion
	for _, k := range target.Kinds() {
		if k.Code {
			out = append(out, k.Name)
		} else {
			out = append(out, k.Name+"\tpasses only")
		}
	}
	return out
}

// argument is what an argument may be: one of some values, or a file with one of some extensions.
type argument struct {
	values     values
	extensions []string
}

// argPlaces returns what the arguments of a command may be, in order.
func argPlaces(command string) []argument {
	module := argument{models, moduleFiles}
	switch command {
	case "run", "compile", "opt", "why", "bisect", "reduce", "whatif":
		return []argument{module}
	case "equal", "diff":
		return []argument{module, module}
	case "script":
		return []argument{{scripts, []string{"star"}}, module}
	case "replay":
		return []argument{{fixed(), []string{"zip", "py"}}}
	}
	return nil
}

// moduleFiles are the extensions of files that modules are read from.
var moduleFiles = []string{"onnx", "py", "json"}

func fixed(list ...string) values { return func() []cobra.Completion { return list } }

func models() []cobra.Completion {
	var out []cobra.Completion
	for _, m := range gallery.Models() {
		out = append(out, cobra.CompletionWithDesc(galleryPrefix+m.Name, m.Title))
	}
	return out
}

func scripts() []cobra.Completion {
	var out []cobra.Completion
	for _, e := range starpass.Examples() {
		out = append(out, examplePrefix+e.Name)
	}
	return out
}

func passNames() []cobra.Completion {
	var out []cobra.Completion
	for _, p := range pipeline.All() {
		if doc, _, _ := strings.Cut(p.Doc, "\n"); !slices.Contains(out, cobra.CompletionWithDesc(p.Name, doc)) {
			out = append(out, cobra.CompletionWithDesc(p.Name, doc))
		}
	}
	return out
}

// points are the points of a pipeline that diff compares.
func points() []cobra.Completion {
	out := []cobra.Completion{pointStart, pointEnd}
	for _, p := range passNames() {
		out = append(out, p, "before:"+p)
	}
	return out
}

func configKeys() []cobra.Completion {
	var out []cobra.Completion
	known := pass.ListConfigs()
	for _, key := range slices.Sorted(maps.Keys(known)) {
		out = append(out, cobra.CompletionWithDesc(key+"=", known[key]["doc"]))
	}
	return out
}

// comma marks values of which a flag takes a list.
const comma = ","

// listed makes values those of a list with commas: shells complete the last of it.
func listed(v values) values { return func() []cobra.Completion { return append(v(), comma) } }

// complete returns the values that continue what was typed.
func (v values) complete(typed string) []cobra.Completion {
	list := v()
	before := ""
	if n := len(list); n > 0 && list[n-1] == comma {
		list = list[:n-1]
		before = typed[:strings.LastIndexByte(typed, ',')+1]
	}
	var out []cobra.Completion
	for _, c := range list {
		if strings.HasPrefix(before+c, typed) {
			out = append(out, before+c)
		}
	}
	return out
}

// registerCompletion tells shells what arguments and flags of all commands may be.
func registerCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = cobra.ArbitraryArgs
			cmd.RunE = func(_ *cobra.Command, names []string) error {
				text := "name a shell: bash, fish, powershell, or zsh"
				if len(names) > 0 {
					text = "there are no completions for " + names[0] + "; " + text
				}
				return usageError{errors.New(text)}
			}
		}
	}
	known := flagValues()
	flags := func(cmd *cobra.Command) {
		for name, v := range known {
			if cmd.Flags().Lookup(name) == nil && cmd.PersistentFlags().Lookup(name) == nil {
				continue
			}
			directive := cobra.ShellCompDirectiveNoFileComp
			switch name {
			case "config":
				directive |= cobra.ShellCompDirectiveNoSpace
			case "script":
				directive = cobra.ShellCompDirectiveDefault
			}
			err := cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return v.complete(typed), directive
			})
			if err != nil {
				panic(err) // the flag is there, and nothing else registers
			}
		}
	}
	flags(root)
	for _, cmd := range root.Commands() {
		flags(cmd)
		cmd.ValidArgsFunction = func(cmd *cobra.Command, have []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if cmd.Name() == "passes" {
				return values(passNames).complete(typed), cobra.ShellCompDirectiveNoFileComp
			}
			if (cmd.Name() == "exec" || cmd.Name() == "man") && len(have) == 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			places := argPlaces(cmd.Name())
			if len(have) >= len(places) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			// Shells show either values or files: files where what was typed begins no value.
			p := places[len(have)]
			if list := p.values.complete(typed); len(list) > 0 {
				return list, cobra.ShellCompDirectiveNoFileComp
			}
			return p.extensions, cobra.ShellCompDirectiveFilterFileExt
		}
	}
}
