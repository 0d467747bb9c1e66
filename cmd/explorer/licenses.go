package main

import (
	"io"

	"github.com/irscope/irscope/cmd/explorer/licenses"
	"github.com/spf13/cobra"
)

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "licenses", GroupID: groupAbout, Short: "Print the licenses of the program and of what it contains",
		Example: `  # A file for those who get the program from you
  irscope licenses > LICENSES.txt
  # The license of one dependency
  irscope licenses | grep -A 30 tetratelabs/wazero`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), licenses.Text())
			return err
		},
	}
}
