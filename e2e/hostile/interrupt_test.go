package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// interrupted starts a command, waits, sends signals and returns how the command ended and how
// long it took from the first signal on.
func interrupted(t *testing.T, bin string, args []string, after time.Duration, signals ...syscall.Signal) (code int, took time.Duration) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir())
	var out strings.Builder
	cmd.Stderr = &out
	in, err := cmd.StdinPipe() // open until the end: whoever reads it waits
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	told := time.Now()
	for i, s := range signals {
		if i > 0 { // the kernel joins equal signals that nobody has taken yet
			time.Sleep(50 * time.Millisecond)
		}
		_ = cmd.Process.Signal(s) // an error is that of a process that has ended
	}
	_ = cmd.Wait()
	took = time.Since(told)
	state := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() { // before the program took signals
		return 128 + int(state.Signal()), took
	}
	if strings.Contains(out.String(), "panic") || strings.Contains(out.String(), "goroutine ") {
		t.Errorf("%v: %s", args, out.String())
	}
	return state.ExitStatus(), took
}

// endless is a model that does not end.
const endless = `@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        while T.bool(True):
            B[0] = B[0] + A[0]
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
`

// TestInterrupts sends SIGINT and SIGTERM to every command at random moments: it ends soon,
// with the code of the signal unless it was done.
func TestInterrupts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted on Windows")
	}
	file := func(name string) string { return filepath.Join("testdata", name) }
	star := filepath.Join(t.TempDir(), "loop.star")
	if err := os.WriteFile(star, []byte("def main(mod):\n    for i in range(1 << 40):\n        pass\n    return mod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	loops := filepath.Join(t.TempDir(), "loops.py")
	if err := os.WriteFile(loops, []byte(endless), 0o600); err != nil {
		t.Fatal(err)
	}
	r := seed.Rand(t)
	for _, c := range []struct {
		args    string
		endless bool
	}{
		{"opt " + file("concat5000.py") + " --pipeline default", false},
		{"opt " + file("chain_minmax.py") + " --pipeline default", false},
		{"run " + loops, true},
		{"run " + loops + " --opt-level 0", true},
		{"compile " + file("concat5000.py") + " -o " + t.TempDir(), false},
		{"diff " + file("exp_let.py") + " --from import --to tir.Simplify", false},
		{"equal " + file("chain_minmax.py") + " " + file("chain_minmax.py"), false},
		{"script " + star + " " + file("exp_let.py"), false},
		{"opt -", true},
		{"serve --addr 127.0.0.1:0", true},
	} {
		for i := range 3 {
			first := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[r.IntN(2)]
			signals := []syscall.Signal{first}
			if i == 0 {
				signals = append(signals, syscall.SIGTERM)
			}
			after := time.Duration(r.IntN(700)) * time.Millisecond
			args := strings.Fields(c.args)
			code, took := interrupted(t, bin, args, after, signals...)
			goal.Time(t, fmt.Sprintf("%s, %v after %v, ends with %d", c.args, signals, after, code), took, time.Second)
			switch {
			case code == 128+int(first), args[0] == "serve" && code == 0:
			case c.endless || code == 130 || code == 143:
				t.Errorf("%s: exit code %d after %v, expected %d", c.args, code, signals, 128+int(first))
			}
		}
	}
}
