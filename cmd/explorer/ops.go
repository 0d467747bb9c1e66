package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/irscope/irscope/web/catalog"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/spf13/cobra"
)

func opsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ops [OPERATOR...]", GroupID: groupPasses, Short: "List the operators, or show what they take and the shapes that come out",
		Long: `Lists the operators of the graph level with what they compute. Those that are named are shown with their arguments and
attributes, the shapes that come out of static, symbolic and unknown ones, and what LegalizeOps makes of an example.`,
		Example: `  # What conv2d takes and its kernel
  irscope ops nn.conv2d
  # Everything, for another program
  irscope ops --json`,
		RunE: func(cmd *cobra.Command, names []string) error {
			all := inproc.Operators{}
			byName, known := map[string]catalog.Operator{}, []string{}
			for _, o := range all.Operators() {
				byName[o.Name], known = o, append(known, o.Name)
			}
			if len(names) == 0 && asJSON {
				return writeJSON(cmd.OutOrStdout(), all.Operators())
			}
			if len(names) == 0 {
				for _, o := range all.Operators() {
					fmt.Fprintf(cmd.OutOrStdout(), "%-40s %s\n", o.Name, o.Doc)
				}
				return nil
			}
			type shown struct {
				catalog.Operator
				Example *catalog.OperatorExample `json:"example"`
			}
			var list []shown
			for _, name := range names {
				o, ok := byName[strings.TrimPrefix(strings.TrimPrefix(name, "relax."), "R.")]
				if !ok {
					return usageError{fmt.Errorf("there is no operator %s%s", name, meant(name, known))}
				}
				e, err := all.Example(cmd.Context(), o.Name)
				if err != nil {
					return err
				}
				list = append(list, shown{o, e})
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), list)
			}
			for i, o := range list {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				printOperator(cmd.OutOrStdout(), o.Operator, o.Example)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func printOperator(w io.Writer, o catalog.Operator, e *catalog.OperatorExample) {
	fmt.Fprintf(w, "%s: %s\n", o.Name, o.Doc)
	for _, a := range o.Args {
		fmt.Fprintf(w, "  %-20s %s. %s\n", a.Name, a.Kind, a.Doc)
	}
	for _, a := range o.Attrs {
		name := a.Name
		if !a.Required {
			name += "=" + a.Default
		}
		fmt.Fprintf(w, "  %-20s %s. %s\n", name, a.Type, a.Doc)
	}
	for _, row := range e.Shapes {
		fmt.Fprintf(w, "%s shapes: %s -> %s\n", row.Form, strings.Join(row.Args, ", "), row.Result)
	}
	if e.Lowered != "" {
		fmt.Fprintf(w, "LegalizeOps makes of it:\n%s", e.Lowered)
	}
}
