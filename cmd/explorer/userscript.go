package main

import (
	"github.com/irscope/irscope/instruments/request"
	"github.com/spf13/cobra"
)

// registerScript adds the flag that reads passes and instruments of users.
func (f *compileFlags) registerScript(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.scripts, "script", nil, "Starlark `file`: its instruments watch the passes, and --passes can name its passes as "+request.UserPrefix+"NAME (repeatable)")
}

// readScripts reads the scripts that the flags name.
func (f *compileFlags) readScripts() ([]request.Script, error) {
	var out []request.Script
	for _, file := range f.scripts {
		source, err := readScript(file)
		if err != nil {
			return nil, err
		}
		out = append(out, request.Script{Name: file, Source: source})
	}
	return out, nil
}
