package main

import (
	"fmt"

	"github.com/irscope/irscope/web/store/sqlite"
	"github.com/spf13/cobra"
)

func adminCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "admin", GroupID: groupServe, Short: "Check the data of a server", Args: args(cobra.NoArgs),
		Example: `  # Your own data
  irscope admin check
  # The data of a service
  irscope admin check --data /var/lib/irscope`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(adminCheckCommand())
	return cmd
}

func adminCheckCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use: "check", Short: "Verify the checksums of all stored data", Args: args(cobra.NoArgs),
		Long: `Reads every session, note, run, event and text in the folder of the data and compares it with its checksum,
whether a server has it open or not. It changes nothing. What is damaged is listed; exit code 1 says that something is.`,
		Example: `  # Your own data
  irscope admin check
  # The data of a service
  irscope admin check --data /var/lib/irscope`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := folderOf(data)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			done, err := sqlite.Check(cmd.Context(), dir, func(what, id string, err error) {
				fmt.Fprintf(w, "damaged: %s %s: %v\n", what, id, err)
			})
			if err != nil {
				return exitError{err, exitTrouble}
			}
			fmt.Fprintf(w, "%d sessions, %d notes, %d runs with %d events, %d texts: %d damaged\n",
				done.Sessions, done.Notes, done.Runs, done.Events, done.Texts, done.Damaged)
			if done.Damaged > 0 {
				return exitError{nil, exitDifferent}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "data `folder` (default: the user's data folder for this program)")
	return cmd
}
