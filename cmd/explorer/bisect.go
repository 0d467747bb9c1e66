package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/driver"
	findings "github.com/irscope/irscope/instruments/fault"
	"github.com/spf13/cobra"
)

// bisectFlags are those of bisect alone.
type bisectFlags struct {
	faultFlags
	output string
	json   bool
}

func bisectCommand() *cobra.Command {
	var f bisectFlags
	cmd := &cobra.Command{
		Use: "bisect MODEL --predicate PREDICATE", GroupID: groupFault, Short: "Find the pass, the function, and the rewrite at fault",
		Long: `Runs passes on MODEL and finds which of them is at fault, in which function, and by which of the rewrites that it reports. Then it
removes passes that the fault does not need, under the constraints on their order, and makes the module smaller, as
irscope reduce does. It prints the smallest module and what the pass makes of it.
MODEL is ` + inputDoc + `.

` + predicateDoc + `

Outputs are computed by the interpreter, with random inputs unless --input names files, and compared within tolerances by type. An
interrupt ends the reduction, and the best so far is printed; so do --tests and --time.`,
		Example: `  # Which pass first brings a text into the module
  irscope bisect gallery:cnn --predicate 'contains=T\.vectorized'
  # Which pass, the ones of a script included, makes the output wrong; the files go to a folder
  irscope bisect model.onnx --script my_pass.star --passes 'user.KeepMain,default' --predicate contains=alloc_storage -o fault`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return bisectModel(cmd, a[0], &f) },
	}
	f.register(cmd, driver.DefaultPipeline)
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "`folder` for module.py (the smallest module), before.py and after.py (of the pass at fault), and finding.json")
	cmd.Flags().BoolVar(&f.json, "json", false, "write the finding as JSON instead of text")
	return cmd
}

func bisectModel(cmd *cobra.Command, in string, f *bisectFlags) error {
	s, err := f.begin(cmd, in)
	if err != nil {
		return err
	}
	defer s.done()
	found, err := driver.Bisect(s.ctx, s.job, s.predicate, s.hooks, bisect.Options{Evaluations: f.tests, Progress: f.progress.Set})
	f.progress.Stop()
	if err != nil {
		return f.notHeld(err)
	}
	if f.output != "" {
		if err := saveFinding(f.output, found); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), found)
	}
	return printFinding(cmd.OutOrStdout(), colors(cmd), found)
}

// saveFinding writes the files of a finding to a folder.
func saveFinding(dir string, found *bisect.Finding) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	var json strings.Builder
	if err := writeJSON(&json, found); err != nil {
		return err
	}
	for _, file := range []struct{ name, text string }{
		{"module.py", script.Module(found.Module, script.Options{ShowMeta: true}).Source}, {"before.py", found.Before}, {"after.py", found.After}, {"finding.json", json.String()},
	} {
		if err := writeOutput(io.Discard, filepath.Join(dir, file.name), []byte(file.text)); err != nil {
			return err
		}
	}
	return nil
}

// howKnown says how the rewrites of a finding are known.
var howKnown = map[findings.How]string{
	findings.HowOnly:    "the only one that the pass reports in the function",
	findings.HowApplied: "applied without the others, the fault shows",
	findings.HowLast:    "the last that the pass reported before it failed",
	findings.HowAny:     "the pass reports these in the function; which of them is at fault is not known",
}

// insideWords names a step inside of a pass, with its place in the script if a user wrote it.
func insideWords(in *findings.Inside) string {
	step := strings.TrimSuffix(in.Step, "/"+in.Pass)
	if in.Line == 0 {
		return fmt.Sprintf("%s, step %s", in.Pass, step)
	}
	return fmt.Sprintf("%s, step %s, line %d: %s", in.Pass, step, in.Line, terminal.Plain(in.Title))
}

// printFinding writes a finding for people.
func printFinding(w io.Writer, when terminal.When, f *bisect.Finding) error {
	say(w, "pass       %s, step %s", f.Pass, strings.TrimSuffix(f.Step, "/"+f.Pass))
	if in := f.Inside; in != nil {
		say(w, "inside     %s", insideWords(in))
	}
	if len(f.Candidates) > 1 {
		say(w, "           or one of %s: the modules between them could not be judged", strings.Join(f.Candidates, ", "))
	}
	if f.Detail != "" {
		say(w, "           %s", f.Detail)
	}
	say(w, "function   %s", orDefault(strings.Join(f.Functions, ", "), "not known"))
	if len(f.Also) > 0 {
		say(w, "           also at fault: %s", strings.Join(f.Also, ", "))
	}
	if f.AlsoStopped {
		say(w, "           others may be at fault, too: the search was stopped")
	}
	switch {
	case f.How == findings.HowNone:
		say(w, "rewrite    the pass reports none")
	default:
		say(w, "rewrite    %s", howKnown[f.How])
		for _, r := range f.Rewrites {
			say(w, "           %s", r.Name)
			for _, side := range []struct {
				mark string
				list []string
			}{{"-", r.Before}, {"+", r.After}} {
				for _, text := range side.list {
					first, _, more := strings.Cut(text, "\n")
					if more {
						first += " ..."
					}
					say(w, "             %s %s", side.mark, terminal.Plain(first))
				}
			}
		}
	}
	say(w, "passes     %s", f.Passes)
	if f.Stopped != "" {
		say(w, "stopped    the module may not be the smallest: %s", f.Stopped)
	}
	fmt.Fprintf(w, "\n%s", f.Source)
	if f.After == "" {
		return nil
	}
	fmt.Fprintln(w)
	return newDiffWriter(w, when, 3).function("before "+f.Pass, "after "+f.Pass, "module", f.Before, f.After)
}
