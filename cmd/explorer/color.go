package main

import (
	"fmt"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/spf13/cobra"
)

const colorFlag = "color"

// registerColor adds the flag to the root, and so to every command.
func registerColor(root *cobra.Command) {
	root.PersistentFlags().String(colorFlag, string(terminal.Auto), "`when` to use color: auto (on a terminal, unless NO_COLOR is set), always, or never")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := terminal.ParseWhen(cmd.Flag(colorFlag).Value.String()); err != nil {
			return usageError{fmt.Errorf("--%s is %w", colorFlag, err)}
		}
		return nil
	}
}

// colors returns when a command uses color. The flag was checked before the command ran.
func colors(cmd *cobra.Command) terminal.When {
	if f := cmd.Flag(colorFlag); f != nil {
		return terminal.When(f.Value.String())
	}
	return terminal.Auto
}
