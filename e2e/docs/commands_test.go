package docs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// command is a line of a document that begins with "$", and the lines below it, which are what it prints.
type command struct {
	line   string
	output []string
}

// commands returns the commands in the indented blocks of a document. A line that ends in a backslash goes on in the next one.
func commands(text string) []command {
	var out []command
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		code, ok := strings.CutPrefix(line, "    ")
		switch {
		case !ok && strings.TrimSpace(line) == "":
			continue // a block may have empty lines
		case !ok:
			inside = false
		case strings.HasPrefix(code, "$ "):
			out, inside = append(out, command{line: code[2:]}), true
		case inside:
			c := &out[len(out)-1]
			if head, more := strings.CutSuffix(c.line, `\`); more && len(c.output) == 0 {
				c.line = strings.TrimSpace(head) + " " + strings.TrimSpace(code)
			} else {
				c.output = append(c.output, code)
			}
		}
	}
	return out
}

// varying matches what differs from run to run: times, and what is computed from them. The number of a step differs with each pass that the pipeline gets.
var varying = regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s)\b|\d+(\.\d+)? %|\bstep 1(\.\d+)+|\b1(\.\d+)+/`)

// fixed is a line of output without what varies.
func fixed(line string) string { return tidy(varying.ReplaceAllString(line, "T")) }

// missing returns the first line that a document shows and the output has not in this place. "..." stands for any lines.
func missing(shown []string, output string) string {
	lines := strings.Split(output, "\n")
	at, anywhere := 0, false
	for _, want := range shown {
		if strings.TrimSpace(want) == "..." {
			anywhere = true
			continue
		}
		if fixed(want) == "" {
			continue
		}
		found := -1
		for i := at; i < len(lines); i++ {
			if got := fixed(lines[i]); got == fixed(want) {
				found = i
				break
			} else if got != "" && !anywhere {
				return fmt.Sprintf("%s\nwhere it prints\n%s", want, lines[i])
			}
		}
		if found < 0 {
			return want
		}
		at, anywhere = found+1, false
	}
	return ""
}

// TestCommands runs the commands of the documents in a shell, those of one document after the other in one folder, and compares what they
// print with what the document shows.
func TestCommands(t *testing.T) {
	for _, name := range tested {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			list := commands(read(t, name))
			if len(list) < 2 {
				t.Fatalf("found only the commands %q", list)
			}
			dir := t.TempDir()
			data, err := filepath.Abs(filepath.Join(root, "testdata"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(data, filepath.Join(dir, "testdata")); err != nil {
				t.Skip(err)
			}
			for _, c := range list {
				out, err := shell(t, dir, c.line)
				mayFail := strings.Contains(strings.Join(c.output, "\n"), "error:") || strings.HasPrefix(c.line, "irscope diff ") || strings.HasPrefix(c.line, "irscope equal ")
				if err != nil && !mayFail {
					t.Errorf("%s: %v\n%s", c.line, err, out)
					continue
				}
				if line := missing(c.output, out); line != "" {
					t.Errorf("%s does not print\n%s\nbut\n%s", c.line, line, out)
				}
			}
		})
	}
}

// shell runs a line with the built program as irscope, as if in 80 columns without colors.
func shell(t *testing.T, dir, line string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"), "COLUMNS=80", "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestMissing compares outputs with what documents show of them.
func TestMissing(t *testing.T) {
	for _, x := range []struct{ shown, output, want string }{
		{"a 1.5ms\nb", "a 20µs\nb\nc", ""},
		{"FuseOps, step 1.4\nafter 1.4/FuseOps", "FuseOps, step 1.15\nafter 1.15/FuseOps", ""},
		{"a 1.5", "a 1.6", "a 1.5"},
		{"a\n...\nc", "a\nb\nc", ""},
		{"a\nc", "a\nb\nc", "c"},
		{"...\nb\na", "a\nb", "a"},
		{"a 2", "a 3", "a 2"},
	} {
		got := missing(strings.Split(x.shown, "\n"), x.output)
		if (got == "") != (x.want == "") || !strings.HasPrefix(got, x.want) {
			t.Errorf("of %q in %q is missing %q, want %q", x.shown, x.output, got, x.want)
		}
	}
}
