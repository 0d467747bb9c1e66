package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/spf13/cobra"
)

// registerPatch adds the flag for IR that was edited behind a step.
func (f *compileFlags) registerPatch(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.patches, "patch", nil, "edited functions that take the place of those behind a step, as `STEP=FILE` (repeatable); STEP is import, a pass, or PASS#1 for the second of that name")
}

// patched puts the edits of the flags into a pipeline, which is to run on source.
func (f *compileFlags) patched(pl *pass.Pass, source *ir.Module) (*pass.Pass, error) {
	for i, flag := range f.patches {
		after, file, ok := strings.Cut(flag, "=")
		after = strings.TrimSuffix(after, "#0")
		if !ok || after == "" || file == "" {
			return nil, usageError{fmt.Errorf("--patch %s: expected STEP=FILE", flag)}
		}
		for _, other := range f.patches[:i] {
			if name, _, _ := strings.Cut(other, "="); strings.TrimSuffix(name, "#0") == after {
				return nil, usageError{fmt.Errorf("--patch %s: there are two after %s; put them into one file", flag, after)}
			}
		}
		text, err := readText(file)
		if err != nil {
			return nil, fmt.Errorf("--patch %s: %w", flag, err)
		}
		pl, err = patch.Insert(pl, after, patch.FromFile(after, text).Pass(source))
		var missing *patch.MissingStepError
		if errors.As(err, &missing) {
			return nil, usageError{fmt.Errorf("--patch %s: %w; 'explorer passes' lists the steps of pipelines", flag, err)}
		}
		if err != nil {
			return nil, usageError{fmt.Errorf("--patch %s: %w", flag, err)}
		}
	}
	return pl, nil
}

// readText reads a file of TVMScript.
func readText(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, frontend.DefaultTextBytes+1))
	if err == nil && len(data) > frontend.DefaultTextBytes {
		err = fmt.Errorf("the file has more than %d MiB", frontend.DefaultTextBytes>>20)
	}
	return string(data), err
}
