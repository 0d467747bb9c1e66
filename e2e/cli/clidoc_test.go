package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	listed   = regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`) // a command in a group of help
	flagLine = regexp.MustCompile(`(?m)^ +(?:-(\w), )?--([a-z][a-z-]*)`)
	flagName = regexp.MustCompile("--([a-z][a-z-]*)")
)

func help(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, append(args, "--help")...).Output()
	if err != nil {
		t.Fatalf("irscope %v --help: %v", args, err)
	}
	return string(out)
}

// TestCommandLineDoc checks that docs/cli.md has every command, in its table and with a section, and every flag, in its
// long and its short form, and no other flags.
func TestCommandLineDoc(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	var known []string
	for _, m := range listed.FindAllStringSubmatch(help(t), -1) {
		name := m[1]
		if name == "help" || name == "completion" {
			continue
		}
		if !strings.Contains(doc, "\n## irscope "+name+"\n") {
			t.Errorf("docs/cli.md has no section on %s", name)
		}
		if !strings.Contains(doc, "](#irscope-"+name+") |") {
			t.Errorf("the table of commands in docs/cli.md lacks %s", name)
		}
		text := help(t, name)
		_, flags, ok := strings.Cut(text, "\nFlags:\n")
		if !ok {
			t.Errorf("%s has no flags", name)
		}
		for _, f := range flagLine.FindAllStringSubmatch(flags, -1) {
			known = append(known, f[2])
			if !regexp.MustCompile("`--" + f[2] + "[` =]").MatchString(doc) {
				t.Errorf("docs/cli.md does not mention --%s of %s", f[2], name)
			}
			if f[1] != "" && f[1] != "h" && !strings.Contains(doc, "`-"+f[1]) {
				t.Errorf("docs/cli.md does not mention -%s of %s", f[1], name)
			}
		}
	}
	if len(known) < 50 {
		t.Fatalf("found only the flags %v", known)
	}
	known = append(known, "version")
	for _, f := range flagName.FindAllStringSubmatch(doc, -1) {
		if !slices.Contains(known, f[1]) {
			t.Errorf("docs/cli.md mentions --%s, which no command has", f[1])
		}
	}
}
