package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of commands, in the order in which help lists them.
const (
	groupCompile = "compile"
	groupPasses  = "passes"
	groupFault   = "fault"
	groupCompare = "compare"
	groupServe   = "serve"
	groupAbout   = "about"
)

var groups = []*cobra.Group{
	{ID: groupCompile, Title: "Compile and run:"},
	{ID: groupPasses, Title: "Look at passes:"},
	{ID: groupFault, Title: "Find faults:"},
	{ID: groupCompare, Title: "Compare:"},
	{ID: groupServe, Title: "Serve the page:"},
	{ID: groupAbout, Title: "About this program:"},
}

// helpWidth is the greatest width of a text for reading.
const helpWidth = 100

// registerHelp makes a root command and all below it print their help in the width of the terminal, with commands in groups.
func registerHelp(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(g)
	}
	root.SetHelpCommandGroupID(groupAbout)
	root.SetCompletionCommandGroupID(groupAbout)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		h := newHelp(cmd)
		h.text(orDefault(cmd.Long, cmd.Short))
		h.line("")
		h.usage(cmd)
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		newHelp(cmd).usage(cmd)
		return nil
	})
}

// refuseTopics makes 'help NAME' an error where there is no such command. All commands are there.
func refuseTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			describe := c.Run
			c.Run, c.RunE = nil, func(c *cobra.Command, names []string) error {
				if cmd, _, err := root.Find(names); cmd == nil || err != nil || cmd == root && len(names) > 0 {
					return unknownCommand(root, strings.Join(names, " "))
				}
				describe(c, names)
				return nil
			}
		}
	}
}

// help writes the help of a command.
type help struct {
	w       io.Writer
	width   int
	colored bool
}

func newHelp(cmd *cobra.Command) *help {
	h := &help{w: cmd.OutOrStdout(), colored: terminal.Colors(cmd.OutOrStdout(), colors(cmd))}
	h.width, _ = terminal.Width(h.w)
	h.width = min(h.width, helpWidth)
	return h
}

func (h *help) line(text string) { fmt.Fprintln(h.w, text) }

// head writes the title of a section.
func (h *help) head(title string) {
	if h.colored {
		title = terminal.Paint(terminal.Bold, title)
	}
	fmt.Fprintln(terminal.Raw(h.w), title)
}

// text writes paragraphs. Lines that are indented stay as they are.
func (h *help) text(text string) {
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			h.line("")
		}
		if strings.HasPrefix(p, " ") {
			h.line(p)
			continue
		}
		h.line(terminal.Wrap(strings.ReplaceAll(p, "\n", " "), "", h.width))
	}
}

// usage writes everything but the description.
func (h *help) usage(cmd *cobra.Command) {
	h.head("Usage:")
	for _, form := range forms(cmd) {
		h.line(terminal.Wrap("  "+form, "      ", h.width))
	}
	if cmd.Example != "" {
		h.line("")
		h.head("Examples:")
		h.line(cmd.Example)
	}
	for _, g := range cmd.Groups() {
		h.commands(g.Title, cmd, g.ID)
	}
	if len(cmd.Groups()) == 0 && cmd.HasAvailableSubCommands() {
		h.commands("Commands:", cmd, "")
	}
	h.flags("Flags:", ownFlags(cmd))
	h.flags("Flags of every command:", cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		h.line("")
		h.line(fmt.Sprintf("'%s COMMAND --help' says more about a command.", cmd.CommandPath()))
	}
}

// flags lists flags.
func (h *help) flags(title string, list *pflag.FlagSet) {
	if text := list.FlagUsagesWrapped(h.width); text != "" {
		h.line("")
		h.head(title)
		fmt.Fprint(h.w, text)
	}
}

// ownFlags returns the flags of a command that its help lists: the program alone has those of serve, whose help lists them.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	if cmd.HasParent() {
		return cmd.LocalFlags()
	}
	list := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == "version" || cmd.PersistentFlags().Lookup(f.Name) != nil {
			list.AddFlag(f)
		}
	})
	return list
}

// forms returns the ways in which a command is called: Use has them with bars between.
func forms(cmd *cobra.Command) []string {
	parent := ""
	if cmd.HasParent() {
		parent = cmd.Parent().CommandPath() + " "
	}
	out := strings.Split(cmd.Use, " | ")
	for i := range out {
		out[i] = parent + out[i]
		if cmd.HasAvailableFlags() {
			out[i] += " [flags]"
		}
	}
	if cmd.HasAvailableSubCommands() {
		out = append(out, cmd.CommandPath()+" COMMAND")
	}
	return out
}

// commands lists the commands of a group.
func (h *help) commands(title string, cmd *cobra.Command, group string) {
	var list []*cobra.Command
	name := 0
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			name = max(name, utf8.RuneCountInString(c.Name()))
			if c.GroupID == group {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		return
	}
	h.line("")
	h.head(title)
	for _, c := range list {
		indent := strings.Repeat(" ", name+4)
		h.line(fmt.Sprintf("  %-*s  %s", name, c.Name(), terminal.Wrap(indent+c.Short, indent, h.width)[len(indent):]))
	}
}
