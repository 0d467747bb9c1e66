package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeChecksNames asks a server for a page under names that are its own and under others.
func TestServeChecksNames(t *testing.T) {
	for _, more := range [][]string{nil, {"--host", "scope.example,10.0.0.9"}} {
		base := start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", "memory"}, more...)...)
		for host, own := range map[string]bool{"localhost": true, "127.0.0.1:1": true, "evil.example": false, "scope.example": more != nil, "10.0.0.9": more != nil} {
			req, err := http.NewRequest("GET", base+"/", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = host
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if want := map[bool]int{true: http.StatusOK, false: http.StatusMisdirectedRequest}[own]; resp.StatusCode != want {
				t.Errorf("%v: under the name %s the server answers %d, want %d", more, host, resp.StatusCode, want)
			}
		}
	}
}

// TestServeRefuses starts servers that must not start, and looks for the reason.
func TestServeRefuses(t *testing.T) {
	for _, c := range []struct {
		env  string
		args []string
		want string
	}{
		{"", []string{"--addr", "0.0.0.0:0"}, "can be reached from other machines"},
		{"", []string{"--addr", ":0"}, "--host NAME"},
		{"IRSCOPE_ADDR=0.0.0.0:0", nil, "can be reached from other machines"},
		{"", []string{"--host", "https://x.example"}, "without scheme or port"},
		{"", []string{"--host", "x.example:80"}, "without scheme or port"},
		{"", []string{"--host", "*"}, "expected a name or address"},
		{"", []string{"--trusted-proxy", "proxy.example"}, "expected an address or a range"},
		{"", []string{"--origin", "x.example"}, "not of the form https://host"},
		{"", []string{"--embed-origin", "x.example"}, "not of the form https://host"},
		{"", []string{"--log", "xml"}, "expected text or json"},
		{"", []string{"--queue", "0"}, "--queue is 0"},
		{"", []string{"--runs-per-minute", "-1"}, "--runs-per-minute is -1"},
		{"", []string{"--run-time", "0s"}, "--run-time is 0s"},
		{"", []string{"--run-memory-mib", "0"}, "--run-memory-mib is 0"},
		{"IRSCOPE_RUN_TIME=soon", nil, "IRSCOPE_RUN_TIME is"},
		{"IRSCOPE_WORKERS=0", nil, "--workers is 0"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, program, append([]string{"serve", "--addr=127.0.0.1:0", "--data=memory"}, c.args...)...)
		if strings.HasPrefix(c.env, "IRSCOPE_ADDR") {
			cmd.Args = []string{program, "serve", "--data=memory"}
		}
		cmd.Env = append(os.Environ(), c.env)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		cancel()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s %v ends with %d (%v) and says %q, want 2 and %q", c.env, c.args, code, err, stderr.String(), c.want)
		}
	}
}

// TestServeTakesLimits starts servers with a limit from a flag and from the environment, where the flag wins, and runs into it.
func TestServeTakesLimits(t *testing.T) {
	t.Setenv("IRSCOPE_RUNS_PER_MINUTE", "2")
	for want, args := range map[int][]string{
		2: {"serve", "--addr", "127.0.0.1:0", "--data", "memory"},
		3: {"serve", "--addr", "127.0.0.1:0", "--data", "memory", "--runs-per-minute", "3"},
	} {
		base := start(t, args...)
		client := &http.Client{}
		resp, err := client.Post(base+"/api/sessions", "application/json", strings.NewReader(`{"gallery":"mlp"}`))
		if err != nil {
			t.Fatal(err)
		}
		var made struct {
			Session struct{ ID string }
			Token   string `json:"edit_token"`
		}
		err = json.NewDecoder(resp.Body).Decode(&made)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		admitted := 1
		for ; admitted < 10; admitted++ {
			req, err := http.NewRequest("POST", base+"/api/sessions/"+made.Session.ID+"/runs", strings.NewReader(`{"seed":`+string(rune('1'+admitted))+`}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+made.Token)
			req.Header.Set("Content-Type", "application/json")
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode == http.StatusTooManyRequests {
				break
			} else if resp.StatusCode != http.StatusAccepted {
				t.Fatalf("a run answers %s", resp.Status)
			}
		}
		if admitted != want {
			t.Errorf("with %v %d runs were admitted, want %d", args, admitted, want)
		}
	}
}

// TestServeLogsJSON looks at the log of a request that goes wrong.
func TestServeLogsJSON(t *testing.T) {
	cmd := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--data", "memory", "--log", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1000)
	if _, err := out.Read(buf); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	found := false
	for line := range strings.Lines(stderr.String()) {
		var entry struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level == "" {
			t.Errorf("the log has the line %q, expected JSON", line)
		}
		found = found || entry.Msg == "serving"
	}
	if !found {
		t.Errorf("the log does not say that the server serves:\n%s", stderr.String())
	}
}

// TestServeLessons serves a lesson of a folder before those of the program, in the place of one of the same name.
func TestServeLessons(t *testing.T) {
	dir := t.TempDir()
	const lesson = "---\ntitle: %s\nsummary: Ours.\nmodel: mlp\n---\n\n## Read\n\nText.\n"
	for name, title := range map[string]string{"10-own.md": "First of ours", "20-order.md": "Another order", "README.md": "Not one"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(lesson, "%s", title)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	base := start(t, "serve", "--addr", "127.0.0.1:0", "--data", "memory", "--lessons", dir)
	var got struct {
		Lessons []struct{ Name, Title string }
	}
	if err := json.Unmarshal([]byte(get(t, base+"/api/lessons")), &got); err != nil {
		t.Fatal(err)
	}
	orders := 0
	for _, l := range got.Lessons {
		if l.Name == "order" {
			orders++
		}
	}
	if len(got.Lessons) < 12 || got.Lessons[0].Title != "First of ours" || got.Lessons[1].Title != "Another order" || orders != 1 {
		t.Errorf("the lessons are %+v", got.Lessons)
	}
}

// TestServeTriesLessons: a server gives the checks of its own lessons their answers while it is at work, and logs what is wrong.
func TestServeTriesLessons(t *testing.T) {
	dir := t.TempDir()
	const lesson = "---\ntitle: One\nsummary: Ours.\nmodel: mlp\n---\n\n## Do\n\n```starlark check\ndef check(run):\n    return True\n```\n\n### Solution\n\nSo.\n\n### Wrong answer\n\n```yaml answer\nopt_level: 1\n```\n"
	if err := os.WriteFile(filepath.Join(dir, "10-own.md"), []byte(lesson), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0", "--data", "memory", "--lessons", dir)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for in := bufio.NewScanner(log); in.Scan(); {
		lines = append(lines, in.Text())
		if strings.Contains(in.Text(), "10-own.md:18:5: the check takes this wrong answer") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the server ends with %v", err)
			}
			return
		}
	}
	t.Errorf("the log does not say what is wrong with the lesson: %q", lines)
}
