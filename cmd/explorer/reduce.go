package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/reduce"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/spf13/cobra"
)

func reduceCommand() *cobra.Command {
	var f faultFlags
	var output string
	cmd := &cobra.Command{
		Use: "reduce IN --predicate PREDICATE [-o OUT]", GroupID: groupFault, Short: "Make a module smaller while a fault shows, and write it as TVMScript",
		Long: `Removes functions, bindings, statements, and expressions from a module for as long as a fault shows when passes run on it, and
writes the smallest module that was found. What a binding computed becomes a parameter, so inputs are random unless --input names
one that is left. Each module that is tested is well-formed. IN is ` + inputDoc + `.

The passes are those of --pipeline or --passes. Without either, contains, lacks, and script are about the module itself.

` + predicateDoc + `

An interrupt ends the search, and the best module so far is written; so do --tests and --time.`,
		Example: `  # The smallest module on which a pass still makes a text appear
  irscope reduce model.onnx --passes LegalizeOps --predicate 'contains=T\.exp' -o small.py
  # The part of a model that has an operator, found within 200 tests
  irscope reduce gallery:cnn --predicate 'contains=R\.nn\.max_pool2d' --tests 200`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return reduceModule(cmd, a[0], output, &f) },
	}
	f.register(cmd, "")
	cmd.Flags().StringVarP(&output, "output", "o", "", "output `file` (default: standard output)")
	return cmd
}

func reduceModule(cmd *cobra.Command, in, output string, f *faultFlags) error {
	s, err := f.begin(cmd, in)
	if err != nil {
		return err
	}
	defer s.done()
	if f.passes == "" && f.pipeline == "" {
		s.job.Pipeline = nil
	}
	var first *ir.Module
	r, err := driver.Reduce(s.ctx, s.job, s.predicate, s.hooks, reduce.Options{Evaluations: f.tests, Progress: func(n int, best *ir.Module) {
		if first == nil {
			first = best
		}
		f.progress.Set(fmt.Sprintf("%d tests, %s", n, count(linesOf(best), "line")))
	}})
	f.progress.Stop()
	if errors.Is(err, reduce.ErrNotHeld) {
		return fmt.Errorf("--predicate %s: it does not hold for %s", f.predicate, label(in))
	}
	if err != nil {
		return f.notHeld(err)
	}
	why := ""
	if r.Stopped != "" {
		why = ", and stopped: " + r.Stopped
	}
	say(cmd.ErrOrStderr(), "%s became %s with %s%s", count(linesOf(first), "line"), count(linesOf(r.Module), "line"), count(r.Evaluations, "test"), why)
	var out bytes.Buffer
	if err := emit(&out, r.Module, emitScript, script.Options{ShowMeta: true}, false); err != nil {
		return err
	}
	return writeOutput(cmd.OutOrStdout(), output, out.Bytes())
}

// linesOf counts the lines of a printed module that are neither empty nor comments.
func linesOf(m *ir.Module) int {
	n := 0
	for _, l := range strings.Split(script.Module(m, script.Options{}).Source, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			n++
		}
	}
	return n
}
