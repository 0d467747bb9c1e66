package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/request"
	"github.com/spf13/cobra"
)

// registerPatch adds the flag for IR that was edited behind a step.
func (f *compileFlags) registerPatch(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.patches, "patch", nil, "edited functions that replace the result of a step, as `STEP=FILE` (repeatable); STEP is import, a pass, or PASS#1 for the second pass of that name")
}

// edits reads the edits that the flags name.
func (f *compileFlags) edits() ([]request.Patch, error) {
	var out []request.Patch
	for i, flag := range f.patches {
		after, file, ok := editedStep(flag)
		if !ok {
			return nil, usageError{fmt.Errorf("--patch %s: expected STEP=FILE", flag)}
		}
		for _, other := range f.patches[:i] {
			if name, _, _ := editedStep(other); name == after {
				return nil, usageError{fmt.Errorf("--patch %s: there are two edits after %s; combine them in one file", flag, after)}
			}
		}
		text, err := readText(file)
		if err != nil {
			return nil, fmt.Errorf("--patch %s: %w", flag, err)
		}
		p := patch.FromFile(after, text)
		out = append(out, request.Patch{After: after, Text: p.Text, Removed: p.Removed, Before: p.Before})
	}
	return out, nil
}

// editedStep splits a flag STEP=FILE.
func editedStep(flag string) (after, file string, ok bool) {
	after, file, ok = strings.Cut(flag, "=")
	after = strings.TrimSuffix(after, "#0")
	return after, file, ok && after != "" && file != ""
}

// editError names the flag of an edit that cannot be applied.
func (f *compileFlags) editError(e *driver.EditError) error {
	flag := e.After
	for _, x := range f.patches {
		if after, _, _ := editedStep(x); after == e.After {
			flag = x
		}
	}
	var missing *patch.MissingStepError
	if errors.As(e.Err, &missing) {
		return usageError{fmt.Errorf("--patch %s: %w; 'irscope passes' lists the steps of pipelines", flag, e.Err)}
	}
	return usageError{fmt.Errorf("--patch %s: %w", flag, e.Err)}
}

// readText reads a file of TVMScript.
func readText(name string) (string, error) {
	text, err := readStart(name, frontend.DefaultTextBytes+1)
	if err == nil && len(text) > frontend.DefaultTextBytes {
		err = fmt.Errorf("the file exceeds %d MiB", frontend.DefaultTextBytes>>20)
	}
	return text, err
}
