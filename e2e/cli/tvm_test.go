package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// stubTVM stands for the parts of TVM that docs/irscope_tvm.py uses: instruments as tvm.instrument declares them, called as
// src/ir/transform.cc calls them: before and after each pass, a Sequential around the passes that it runs.
const stubTVM = `
class instrument:
    @staticmethod
    def pass_instrument(cls):
        return cls

class Info:
    def __init__(self, name):
        self.name = name

class Module:
    def __init__(self, body):
        self.body = body
    def script(self):
        return "@T.prim_func\ndef main(x: T.Buffer((4,), \"float32\")):\n    %s" % self.body

class Pass:
    def __init__(self, name, body=None, passes=()):
        self.info, self.body, self.passes = Info(name), body, passes
    def run(self, mod, instruments):
        for i in instruments:
            i.run_before_pass(mod, self.info)
        for p in self.passes:
            mod = p.run(mod, instruments)
        if self.body:
            mod = Module(self.body)
        for i in instruments:
            i.run_after_pass(mod, self.info)
        return mod
`

const watchTVM = `
import sys
import irscope_tvm
import tvm
with irscope_tvm.watch(sys.argv[1], name="stub") as live:
    print(live.url, flush=True)
    todo = tvm.Pass("sequential", passes=[tvm.Pass("Simplify", "T.evaluate(1)"), tvm.Pass("Nothing"), tvm.Pass("Unroll", "T.evaluate(2)")])
    todo.run(tvm.Module("T.evaluate(0)"), [live.instrument])
# A server that is gone does not end a compilation.
live.server, live.failed = "http://127.0.0.1:1", None
assert tvm.Pass("Late", "T.evaluate(3)").run(tvm.Module("T.evaluate(0)"), [live.instrument]).body == "T.evaluate(3)"
`

// TestLiveFromTVM has a stub of TVM compile with the instrument of docs/irscope_tvm.py: its passes come to a server, nested as they ran.
func TestLiveFromTVM(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted on Windows")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("E2E_REQUIRED") != "" {
			t.Fatal("python3 is missing")
		}
		t.Skip("python3 is missing; on Debian, .ci/run installs it")
	}
	dir := t.TempDir()
	source, err := os.ReadFile("../../docs/irscope_tvm.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"irscope_tvm.py": string(source), "tvm.py": stubTVM, "compile.py": watchTVM} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	serve := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0", "--data", "memory")
	serve.Stderr = t.Output()
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	m := address.FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("the first line is %q (%v), expected the address", line, err)
	}
	compile := exec.CommandContext(t.Context(), python, "compile.py", m[1])
	compile.Dir = dir
	var failed strings.Builder
	compile.Stderr = &failed
	url, err := compile.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, failed.String())
	}
	if !strings.Contains(failed.String(), "irscope: nothing more is sent: ") || strings.Count(failed.String(), "\n") != 1 {
		t.Errorf("a server that is gone is reported as %q, expected one line", failed.String())
	}
	var sess struct{ Session struct{ Runs []string } }
	if err := json.Unmarshal([]byte(get(t, strings.Replace(strings.TrimSpace(string(url)), "/s/", "/api/sessions/", 1))), &sess); err != nil || len(sess.Session.Runs) != 1 {
		t.Fatalf("the session has the runs %v (%v)", sess.Session.Runs, err)
	}
	var log struct {
		Events []struct {
			Type, Step string
			Body       struct {
				Changed any // a number at the end of the run
				Status  string
			}
		}
	}
	if err := json.Unmarshal([]byte(get(t, m[1]+"/api/runs/"+sess.Session.Runs[0]+"/events?from=0&wait=10")), &log); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range log.Events {
		if e.Type == "pass_finished" {
			got[e.Step] = e.Body.Changed == true
		}
	}
	want := map[string]bool{"1/sequential": true, "1.1/Simplify": true, "1.2/Nothing": false, "1.3/Unroll": true}
	for step, changed := range want {
		if is, ok := got[step]; !ok || is != changed {
			t.Errorf("%s: changed is %t (%t), want %t; all are %v", step, is, ok, changed, got)
		}
	}
	if last := log.Events[len(log.Events)-1]; len(got) != len(want) || last.Body.Status != "ok" {
		t.Errorf("the log has %v and ends with %+v", got, last)
	}
	if err := serve.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("serve: %v", err)
	}
}
