package main

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/spf13/cobra"
)

// userPrefix stands before the names of passes that scripts define, as on the page.
const userPrefix = "user."

// registerScript adds the flag that reads passes and instruments of users.
func (f *compileFlags) registerScript(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.scripts, "script", nil, "`file` in Starlark: its instruments watch the passes, and --passes may name its own as "+userPrefix+"NAME (repeatable)")
}

// userRegistry finds the passes of the compiler and those of scripts.
type userRegistry struct {
	*pipeline.Registry
	user map[string]*pass.Pass
}

// Lookup implements pass.Registry.
func (r userRegistry) Lookup(name string) *pass.Pass {
	if p := r.user[name]; p != nil {
		return p
	}
	return r.Registry.Lookup(name)
}

// readScripts reads the scripts that the flags name.
func (f *compileFlags) readScripts() (userRegistry, error) {
	reg := userRegistry{pipeline.NewRegistry(), map[string]*pass.Pass{}}
	for _, file := range f.scripts {
		source, err := readScript(file)
		if err != nil {
			return reg, err
		}
		prog, err := starpass.Compile(file, source, starpass.Limits{Print: f.printed})
		if err != nil {
			return reg, fmt.Errorf("--script: %w", err)
		}
		f.programs = append(f.programs, prog)
		for _, p := range starpass.Adopt(prog.Passes(), userPrefix, traced) {
			if reg.user[p.Name] != nil {
				return reg, fmt.Errorf("--script %s: there are two passes %s; rename one", file, p.Name)
			}
			reg.user[p.Name] = p
		}
	}
	return reg, nil
}

// traced adds to an error of a script where it came from.
func traced(body pass.RunFunc) pass.RunFunc {
	return func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		out, err := body(c, m)
		if err != nil {
			if trace := starpass.Trace(err); trace != "" {
				c.Report(ir.Diagnostic{Severity: ir.Note, Message: trace})
			}
		}
		return out, err
	}
}

// watches returns the instruments of the scripts.
func (f *compileFlags) watches(cmd *cobra.Command) ([]*pass.Instrument, error) {
	var out []*pass.Instrument
	for _, prog := range f.programs {
		list, err := prog.Instruments(cmd.Context())
		if err != nil {
			return nil, fmt.Errorf("--script: %w", err)
		}
		out = append(out, list...)
	}
	return out, nil
}
