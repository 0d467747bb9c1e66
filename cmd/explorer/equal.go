package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/spf13/cobra"
)

func equalCommand() *cobra.Command {
	var sf sourceFlags
	var opts ir.EqualOpts
	var quiet bool
	cmd := &cobra.Command{
		Use: "equal A B", GroupID: groupCompare, Short: "Report whether two modules are equal up to names",
		Long: `Compares two modules by structure: names of variables, comments, places in the text and the order of
functions do not matter. Prints the first difference: its path, and the place in both.
A and B are ` + inputDoc + `.

Returns 0 if they are equal, 1 if they differ, and 2 if one cannot be read.`,
		Example: `  # Where two modules differ first
  irscope equal before.py after.py
  # Whether passes and a formatter give the same
  irscope opt in.py | irscope equal in.py -`,
		Args: args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, a []string) error {
			w := cmd.OutOrStdout()
			if quiet {
				w = io.Discard
			}
			same, err := equal(cmd, w, a, &sf, opts)
			return compared(same, err)
		},
	}
	sf.register(cmd)
	cmd.Flags().BoolVar(&opts.MapFreeVars, "map-free-vars", false, "let variables that neither side defines match each other")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print nothing; only return the exit code")
	return cmd
}

func equal(cmd *cobra.Command, w io.Writer, in []string, sf *sourceFlags, opts ir.EqualOpts) (bool, error) {
	if in[0] == "-" && in[1] == "-" {
		return false, usageError{errors.New("only one of the two can be standard input")}
	}
	var sides [2][]frontend.Source
	for i, name := range in {
		var err error
		if sides[i], err = sf.load(cmd, name); err != nil {
			return false, err
		}
	}
	if a, b := len(sides[0]), len(sides[1]); a != b {
		fmt.Fprintf(w, "%s has %s, %s has %s\n", label(in[0]), count(a, "module"), label(in[1]), count(b, "module"))
		return false, nil
	}
	for i, a := range sides[0] {
		b := sides[1][i]
		found := ir.FirstModuleMismatch(narrowed(a.Module), narrowed(b.Module), opts)
		if found == nil {
			continue
		}
		labels := [2]string{label(in[0]), label(in[1])}
		if len(sides[0]) > 1 {
			labels[0] += ": " + a.Name
			labels[1] += ": " + b.Name
		}
		fmt.Fprintf(w, "%s and %s differ at %s\n    %s\n", labels[0], labels[1], orDefault(found.Path, "the module"), found.Reason)
		showSide(w, labels[0], a.Module, found.Path)
		showSide(w, labels[1], b.Module, found.Path)
		return false, nil
	}
	return true, nil
}

// narrowed returns m with the results of its functions known as well as the bodies tell: what is written behind -> may say less.
func narrowed(m *ir.Module) *ir.Module {
	c := &relax.InferContext{Prover: arith.NewAnalyzer()}
	out, err := ir.MapFuncs(m, func(_ *ir.GlobalVar, fn *relax.Function) (ir.Function, error) {
		return relax.NarrowResult(fn, c), nil
	})
	if err != nil {
		return m
	}
	return out
}

// count writes a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// around is how many lines are shown before and behind those that differ.
const around = 2

// showSide prints one of the two modules around the place of a difference, or where that is
// only in the other, around what would hold it.
func showSide(w io.Writer, label string, m *ir.Module, path string) {
	p, err := ir.ParsePath(path)
	if err != nil {
		panic(fmt.Sprintf("path %q of a difference: %v", path, err))
	}
	for len(p) > 0 {
		if _, err := ir.At(m, p); err == nil {
			break
		}
		p = p[:len(p)-1]
	}
	if len(p) < 2 {
		return // the whole module
	}
	lines := around
	text := script.Module(m, script.Options{UnderlinePaths: []ir.Path{p}, NumContextLines: &lines, PrintLineNumbers: true})
	fmt.Fprintf(w, "\n%s\n%s", label, text.Source)
}
