package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", GroupID: groupAbout, Short: "Write the manual pages",
		Long: "Writes the manual page of the program and one for each command to a folder, in the format of man(7).",
		Example: `  # Install them for all users
  irscope man /usr/local/share/man/man1
  # Write them to a folder, and list them
  irscope man man1 && ls man1`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if err := os.MkdirAll(a[0], 0o777); err != nil {
				return fmt.Errorf("cannot make the folder of the pages: %w", err)
			}
			return writePages(cmd.Root(), a[0])
		},
	}
}

// writePages writes the pages of a command and of all below it.
func writePages(cmd *cobra.Command, dir string) error {
	file := filepath.Join(dir, pageName(cmd)+".1")
	if err := os.WriteFile(file, []byte(manPage(cmd)), 0o666); err != nil {
		return fmt.Errorf("cannot write the page of %s: %w", cmd.CommandPath(), err)
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			if err := writePages(c, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageName is the name of a page: irscope-run.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command in the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	made := readBuild()
	day, _, _ := strings.Cut(made.Time, "T")
	fmt.Fprintf(&b, ".TH %s 1 %q %q %q\n", strings.ToUpper(pageName(cmd)), day, "irscope "+made.Version, "irscope")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	b.WriteString(".SH SYNOPSIS\n")
	for i, form := range forms(cmd) {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(&b, "%s\n", roff(form))
	}
	b.WriteString(".SH DESCRIPTION\n")
	for i, p := range strings.Split(strings.TrimSpace(orDefault(cmd.Long, cmd.Short)), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(p) + "\n")
	}
	manCommands(&b, cmd)
	manFlags(&b, "OPTIONS", ownFlags(cmd))
	manFlags(&b, "OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.EX\n" + roff(cmd.Example) + "\n.EE\n")
	}
	if !cmd.HasParent() {
		b.WriteString(".SH EXIT STATUS\n" + roff(exitDoc) + "\n")
	} else {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(cmd.Parent())))
	}
	return b.String()
}

// exitDoc says what the program returns.
const exitDoc = `0 for success, 1 if something failed or an output was not as expected, 2 for a usage error, 130 if interrupted, and
143 if terminated. The commands diff, equal, and replay return 0 for no difference, 1 for a difference, and 2 for anything else.`

// manCommands lists the commands below one.
func manCommands(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	b.WriteString(".SH COMMANDS\n")
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(b, ".TP\n.BR %s (1)\n%s\n", roff(pageName(c)), roff(c.Short))
		}
	}
}

// manFlags lists flags.
func manFlags(b *strings.Builder, title string, list *pflag.FlagSet) {
	if !list.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	list.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		head := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			head = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + head
		}
		switch {
		case f.NoOptDefVal != "" && value != "":
			head += `[=\fI` + roff(value) + `\fR]`
		case value != "":
			head += ` \fI` + roff(value) + `\fR`
		}
		switch f.DefValue {
		case "", "[]", "false", "0", "0s":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", head, roff(usage))
	})
}

// roff returns a text in which nothing is a request or an escape of roff.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
