package cli

import (
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// commandLines returns the lines that help on a command gives as examples, in order.
func commandLines(ts *testscript.TestScript, command ...string) []string {
	ts.Check(ts.Exec("irscope", append(slices.Clone(command), "--help")...))
	_, text, ok := strings.Cut(ts.ReadFile("stdout"), "\nExamples:\n")
	if !ok {
		ts.Fatalf("%v has no examples", command)
	}
	text, _, _ = strings.Cut(text, "\n\n")
	var out []string
	said := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "# ") {
			said = true
			continue
		}
		if !said {
			ts.Fatalf("%v: nothing says what %q is for", command, line)
		}
		said = false
		out = append(out, line)
	}
	return out
}

// served matches examples that serve, or need the data of a server: of these the flags are checked alone.
var served = regexp.MustCompile(`^irscope (serve|admin)\b|/var/lib/|/usr/local/`)

// there tells whether a program can be run.
func there(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// examples runs the examples of all commands in a shell, as help has them.
func examples(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, "examples")
	ts.Check(ts.Exec("irscope", "--help"))
	text := ts.ReadFile("stdout")
	commands := [][]string{nil, {"admin", "check"}}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		if m[1] != "help" && m[1] != "completion" {
			commands = append(commands, []string{m[1]})
		}
	}
	if len(commands) < 15 {
		ts.Fatalf("found only the commands %q", commands)
	}
	for _, command := range commands {
		lines := commandLines(ts, command...)
		if len(lines) < 2 || len(lines) > 4 {
			ts.Fatalf("%v has %d examples, expected 2 to 4", command, len(lines))
		}
		for _, line := range lines {
			if !strings.Contains(line, "irscope "+strings.Join(command, " ")) {
				ts.Fatalf("%v: %q runs another command", command, line)
			}
			if served.MatchString(line) {
				head, args, last := strings.Cut(line, " -- ")
				if line = head + " --help"; last {
					line += " -- " + args
				}
			}
			if other, own, piped := strings.Cut(line, " | "); piped && (!there(strings.Fields(other)[0]) || strings.Contains(own, " --to ")) {
				line = own + " --help" // the compiler whose output it reads is missing, or the server that it sends it to
			}
			var failed *exec.ExitError
			err := ts.Exec("sh", "-c", "set -e; "+line)
			differs := errors.As(err, &failed) && failed.ExitCode() == 1 && (strings.HasPrefix(line, "irscope diff ") || strings.HasPrefix(line, "irscope equal before.py"))
			if err != nil && !differs {
				ts.Fatalf("%s: %v", line, err)
			}
		}
	}
}
