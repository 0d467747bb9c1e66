package hostile

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/program"
)

// bin is the path of the command, set by TestMain.
var bin string

func TestMain(m *testing.M) { os.Exit(program.Main(m, &bin)) }

// freshProcess is set in the process that inFreshProcess starts.
const freshProcess = "IRSCOPE_HOSTILE_FRESH"

// inFreshProcess runs the calling test in a process of its own. Linux counts what a parent
// had in memory when it started a program as that program's peak, so whoever measures a
// program must be small.
func inFreshProcess(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), freshProcess+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestCommandLine gives the files that must be refused to the command: exit code 1, one
// line on standard error, and no more memory than promised.
func TestCommandLine(t *testing.T) {
	if os.Getenv(freshProcess) == "" {
		inFreshProcess(t)
		return
	}
	dir := t.TempDir()
	for _, s := range specimens() {
		if s.want == imports {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			file := filepath.Join(dir, "model.onnx")
			if err := os.WriteFile(file, s.data(), 0o600); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), bin, "run", file)
			cmd.Stderr = &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			code := cmd.ProcessState.ExitCode()
			msg := stderr.String()
			if (s.want == refused || s.want == fails) && code != 1 || s.want == works && code != 0 || code > 1 || code < 0 {
				t.Errorf("exit code %d, standard error %s", code, cut(msg))
			}
			if code != 0 {
				s.clear(t, msg)
				if !strings.HasPrefix(msg, "irscope: error: ") || strings.Count(msg, "\n") != 1 {
					t.Errorf("standard error is not one line that starts with \"irscope: error: \": %s", cut(msg))
				}
			}
			// The program itself takes about 40 MiB.
			if peak := peakMemory(cmd.ProcessState.SysUsage()); peak > maxHeap+64<<20 {
				t.Errorf("the command takes %d MiB", peak>>20)
			}
		})
	}
}
