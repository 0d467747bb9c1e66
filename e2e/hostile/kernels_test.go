package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
)

var serving = regexp.MustCompile(`^irscope: serving on (http://127\.0\.0\.1:\d+)\n$`)

// kernelServer is the program serving in a process of its own, which a kernel may freeze.
type kernelServer struct {
	t     *testing.T
	url   string
	token string
}

func serveKernels(t *testing.T, bin string) *kernelServer {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "serve", "--addr", "127.0.0.1:0", "--workers", "2", "--data", "memory")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its end by a signal is an error
		if strings.Contains(log.String(), "panic") || strings.Contains(log.String(), "goroutine ") {
			t.Errorf("a panic in the log:\n%s", log.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	m := serving.FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("the first line is %q (%v), expected the address", line, err)
	}
	return &kernelServer{t: t, url: m[1]}
}

// call sends a request and decodes the answer.
func (s *kernelServer) call(method, path string, body, answer any) (status int) {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	client := &http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err = io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if answer != nil {
		if err := json.Unmarshal(data, answer); err != nil {
			s.t.Fatalf("%s %s: %v: %s", method, path, err, cut(string(data)))
		}
	}
	return resp.StatusCode
}

// session makes a session of a text and returns its name; the run that it starts ends by itself.
func (s *kernelServer) session(text string) (id, run string) {
	s.t.Helper()
	var made struct {
		Session struct {
			ID   string
			Runs []string
		}
		EditToken string `json:"edit_token"`
	}
	s.token = ""
	s.call("POST", "/api/sessions", map[string]any{"kind": "tvmscript", "source": text, "name": "f.py"}, &made)
	if len(made.Session.Runs) != 1 {
		s.t.Fatalf("the session has the runs %v", made.Session.Runs)
	}
	s.token = made.EditToken
	return made.Session.ID, made.Session.Runs[0]
}

// state waits until a run has one of the states and returns it with the log.
func (s *kernelServer) state(run string, want ...string) (state, log string) {
	s.t.Helper()
	for range 3000 {
		var got struct{ Run struct{ State string } }
		s.call("GET", "/api/runs/"+run, nil, &got)
		for _, w := range want {
			if got.Run.State == w {
				resp, err := http.Get(s.url + "/api/runs/" + run + "/events")
				if err != nil {
					s.t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				data, err := io.ReadAll(resp.Body)
				if err != nil {
					s.t.Fatal(err)
				}
				return w, string(data)
			}
		}
		state = got.Run.State
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatalf("run %s is %s, expected %v", run, state, want)
	return "", ""
}

func kernelText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "kernels", name+".py"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestHostileKernels runs kernels that overwrite all that they can reach, or that never end, on
// the server without checks of bounds: others are served meanwhile, and the run ends when it is
// canceled. With the checks, which are on at first, the error names the access.
func TestHostileKernels(t *testing.T) {
	s := serveKernels(t, bin)
	for name, access := range map[string]string{
		"out_of_bounds_store": "f.py:5:13: store to B: the index is outside of dimension 0, whose extent is 4 (it is -65632)",
		"overwrite_all":       "f.py:5:13: store to B: the index is outside of dimension 0, whose extent is 4 (it is -65536)",
		"tiny_turns":          "",
		"unknown_turns":       "",
	} {
		t.Run(name, func(t *testing.T) {
			s := &kernelServer{t: t, url: s.url}
			id, first := s.session(kernelText(t, name))
			if access != "" {
				if _, log := s.state(first, "failed"); !strings.Contains(log, access) {
					t.Errorf("the log lacks %q:\n%s", access, log[max(0, len(log)-2000):])
				}
			} else {
				s.call("POST", "/api/runs/"+first+"/cancel", nil, nil)
				s.state(first, "cancelled")
			}
			var started struct{ Run struct{ ID string } }
			if status := s.call("POST", "/api/sessions/"+id+"/runs", map[string]any{"opt_level": 2, "pipeline": "default", "config": map[string]any{}, "seed": 1}, &started); status/100 != 2 {
				t.Fatalf("starting a run: status %d", status)
			}
			run := started.Run.ID
			s.state(run, "running", "failed")
			var worst time.Duration
			for range 30 {
				begin := time.Now()
				if status := s.call("GET", "/healthz", nil, nil); status != http.StatusOK {
					t.Fatalf("/healthz: status %d", status)
				}
				worst = max(worst, time.Since(begin))
				time.Sleep(20 * time.Millisecond)
			}
			goal.Time(t, "/healthz beside the kernel, worst", worst, 200*time.Millisecond)
			begin := time.Now()
			s.call("POST", "/api/runs/"+run+"/cancel", nil, nil)
			if state, log := s.state(run, "cancelled", "failed"); state == "failed" && !strings.Contains(log, "out of bounds memory access") && !strings.Contains(log, "access outside of the memory") {
				t.Errorf("the run fails, but not because it left the memory: %s", log[max(0, len(log)-2000):])
			}
			goal.Time(t, "from the cancel to the end", time.Since(begin), time.Second)
		})
	}
}

// TestForgedHandles gives the server a kernel that makes an address of a number.
func TestForgedHandles(t *testing.T) {
	s := serveKernels(t, bin)
	var got json.RawMessage
	status := s.call("POST", "/api/sessions", map[string]any{"kind": "tvmscript", "source": kernelText(t, "handle_forge"), "name": "f.py"}, &got)
	if status/100 != 4 || !strings.Contains(string(got), "T.reinterpret from int64 to handle: an address is not a number") || !strings.Contains(string(got), "line 3") {
		t.Errorf("status %d: %s", status, got)
	}
}

// TestInterruptedKernels sends Ctrl-C to the command while a kernel overwrites all that it
// can reach.
func TestInterruptedKernels(t *testing.T) {
	for _, name := range []string{"out_of_bounds_store", "overwrite_all"} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(kernelText(t, name), "\n", "\n    ")
			text = strings.Replace(text, "def f(B: ", "def f(A: T.Buffer((4,), \"int32\"), B: ", 1)
			text = "@I.ir_module\nclass Module:\n    " + text + `
    @R.function
    def main(a: R.Tensor((4,), "int32")) -> R.Tensor((4,), "int32"):
        cls = Module
        return R.call_tir(cls.f, (a,), out_sinfo=R.Tensor((4,), "int32"))
`
			file := filepath.Join(t.TempDir(), "f.py")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), bin, "run", file)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			select {
			case <-ended:
				t.Fatalf("the command ended by itself: %s", stderr.String())
			case <-time.After(3 * time.Second): // it compiles in a fraction of that; then it spins
			}
			begin := time.Now()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-time.After(time.Minute):
				_ = cmd.Process.Kill()
				t.Fatal("the command does not end by Ctrl-C")
			}
			goal.Time(t, "from Ctrl-C to the end", time.Since(begin), time.Second)
			if code := cmd.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d, want 130: %s", code, stderr.String())
			}
		})
	}
}
