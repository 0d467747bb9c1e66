package cli

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/irscope/irscope/runtime/native"
)

var address = regexp.MustCompile(`^irscope: serving on (http://127\.0\.0\.1:\d+)\n$`)

// TestServe starts the server, with and without the name of the command, asks it for a page
// and stops it by an interrupt.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted on Windows")
	}
	for _, args := range [][]string{{"--addr", "127.0.0.1:0"}, {"serve", "--addr", "127.0.0.1:0", "--workers", "2"}} {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Stderr = t.Output()
		home := t.TempDir()
		cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+home)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		line, err := lines.ReadString('\n')
		m := address.FindStringSubmatch(line)
		if err != nil || m == nil {
			t.Fatalf("%v: first line is %q (%v), expected the address", args, line, err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "irscope: data is kept in "+home) {
			t.Errorf("%v: second line is %q (%v), expected the folder of the data", args, line, err)
		}
		for path, want := range map[string]string{"/healthz": "ok", "/": "Transformer block", "/api/passes": `"FuseOps"`} {
			if body := get(t, m[1]+path); !strings.Contains(body, want) {
				t.Errorf("%v: GET %s lacks %q", args, path, want)
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: interrupted: %v, expected exit code 0", args, err)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s (%v)", url, resp.Status, err)
	}
	return string(body)
}

// TestServeMachineCode looks for the target x86 in the list of a server: it is there for the owner of the machine, where machine code runs, and never for others.
func TestServeMachineCode(t *testing.T) {
	for _, c := range []struct {
		more []string
		want bool
	}{
		{nil, native.Available() == nil},
		{[]string{"--host", "scope.example"}, false},
	} {
		base := start(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", "memory"}, c.more...)...)
		resp, err := http.Get(base + "/api/targets")
		if err != nil {
			t.Fatal(err)
		}
		list, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status, err)
		}
		if !strings.Contains(string(list), `"name":"interp"`) {
			t.Errorf("the server lists no targets: %s", list)
		}
		if got := strings.Contains(string(list), `"name":"x86"`); got != c.want {
			t.Errorf("%v: the server offers machine code: %v", c.more, got)
		}
		if got := strings.HasPrefix(string(list), `{"targets":[{"name":"x86"`); got != c.want {
			t.Errorf("%v: machine code is the default: %v", c.more, got)
		}
	}
}
