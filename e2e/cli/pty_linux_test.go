package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// onTerminal runs the program on a terminal of some width, with more in its environment, and returns what it writes there.
func onTerminal(t *testing.T, width int, env []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer master.Close()
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "COLUMNS=") || strings.HasPrefix(kv, "NO_COLOR=") || strings.HasPrefix(kv, "CLICOLOR")
	}), append([]string{"TERM=xterm"}, env...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	var out bytes.Buffer
	_, _ = io.Copy(&out, master) // it ends in an error when the last of the other side is closed
	_ = cmd.Wait()
	return strings.ReplaceAll(out.String(), "\r\n", "\n")
}

var style = regexp.MustCompile(`\x1b\[\d*m`)

// shown returns the lines that are left on a terminal: a line starts anew where its beginning is erased.
func shown(text string) []string {
	lines := strings.Split(style.ReplaceAllString(text, ""), "\n")
	for i, l := range lines {
		if at := strings.LastIndex(l, "\r\x1b[K"); at >= 0 {
			lines[i] = l[at+len("\r\x1b[K"):]
		}
	}
	return lines
}

// slow is an instrument that takes a while in each pass.
const slow = `
def before(mod, info):
    n = 0
    for i in range(8000):
        n += i

watch = pass_instrument(name = "Slow", run_before_pass = before)

def main(mod):
    n = 0
    for i in range(450000):
        n += i
`

// TestTerminal runs a model on terminals of several widths: no line is wider, rows are colored, and a line of progress comes and goes.
func TestTerminal(t *testing.T) {
	script := filepath.Join(t.TempDir(), "slow.star")
	if err := os.WriteFile(script, []byte(slow), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 80, 120} {
		text := onTerminal(t, width, nil, "run", "gallery:mlp", "--script", script, "--timing", "--profile=2", "--memory-plan")
		if m := regexp.MustCompile(`\r\x1b\[K\[(\d+)/(\d+)\] [^\r\n]+  \d+\.\ds`).FindStringSubmatch(text); m == nil {
			t.Errorf("%d columns: no progress in %.500q", width, text)
		}
		lines := shown(text)
		for _, l := range lines {
			if utf8.RuneCountInString(l) > width {
				t.Errorf("%d columns: a line of %d: %q", width, utf8.RuneCountInString(l), l)
			}
			if strings.Contains(l, "\x1b") || strings.HasPrefix(l, "[") {
				t.Errorf("%d columns: progress stays: %q", width, l)
			}
		}
		if !slices.ContainsFunc(lines, regexp.MustCompile(`^ +FuseOps +● changed .* +[0-9.]+(µs|ms|s)$`).MatchString) {
			t.Errorf("%d columns: no row of FuseOps in\n%s", width, strings.Join(lines, "\n"))
		}
		if width > 40 && (!strings.Contains(text, "\x1b[32m+") || !strings.Contains(text, "\x1b[31m-")) {
			t.Errorf("%d columns: numbers of lines have no colors", width)
		}
	}
	// A command that prints nothing leaves nothing.
	if text := onTerminal(t, 80, nil, "script", script, "gallery:mlp"); !strings.Contains(text, "[Kscript  0.") || strings.Join(shown(text), "") != "" {
		t.Errorf("a script leaves %q of %.300q", shown(text), text)
	}
	for _, c := range []struct {
		env  string
		args []string
	}{{"NO_COLOR=1", nil}, {"CLICOLOR=0", nil}, {"LANG=C", []string{"--color=never"}}} {
		if text := onTerminal(t, 80, []string{c.env}, append([]string{"run", "gallery:mlp"}, c.args...)...); style.MatchString(text) || !strings.Contains(text, "FuseOps") {
			t.Errorf("%s %v: colored: %.300q", c.env, c.args, text)
		}
	}
	if text := onTerminal(t, 80, []string{"TERM=dumb"}, "run", "gallery:mlp", "--script", script); strings.ContainsAny(text, "\r\x1b") {
		t.Errorf("a dumb terminal gets %.300q", text)
	}
	if text := onTerminal(t, 60, nil, "diff", "gallery:mlp", "--from", "before:FuseOps", "--to", "FuseOps"); !strings.Contains(text, "\x1b[31m-") || !strings.Contains(text, "\x1b[32m+") {
		t.Errorf("a difference has no colors: %.300q", text)
	}
	text := onTerminal(t, 60, nil, "passes", "--pipeline", "default")
	for _, l := range shown(text) {
		if utf8.RuneCountInString(l) > 60 {
			t.Errorf("passes --pipeline: %q", l)
		}
	}
}

// TestRowsStream checks that a row is written when its pass ends: what an instrument prints comes between the rows.
func TestRowsStream(t *testing.T) {
	out, err := exec.Command(program, "run", "gallery:mlp", "--print-ir-after", "FuseOps", "--compact").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	at := []int{strings.Index(text, "\n  LegalizeOps "), strings.Index(text, "Print IR after: FuseOps"), strings.Index(text, "\n  FuseOps ")}
	if at[0] < 0 || !slices.IsSorted(at) {
		t.Errorf("the row of LegalizeOps, the IR after FuseOps, and its row are at %v", at)
	}
}
