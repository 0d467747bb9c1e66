package cli

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdminCheck lets a server store a session, checks what it stored while it runs and after that, and then damages it.
func TestAdminCheck(t *testing.T) {
	dir := t.TempDir()
	check := func(code int, want string) {
		t.Helper()
		cmd := exec.Command(program, "admin", "check", "--data", dir)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(out.String(), want) {
			t.Errorf("admin check ends with %d and says %q, want %d and %q", got, out.String(), code, want)
		}
	}
	check(2, "no database there")
	t.Run("server", func(t *testing.T) {
		base := start(t, "serve", "--addr", "127.0.0.1:0", "--data", dir)
		resp, err := http.Post(base+"/api/sessions", "application/json", strings.NewReader(`{"gallery":"mlp"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		check(0, "1 sessions, 0 notes, 1 runs with ")
	})
	check(0, "0 damaged")
	path := filepath.Join(dir, "irscope.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(`"opt_level"`))
	if at < 0 {
		t.Fatal("the settings are not in the file")
	}
	for at >= 0 { // wherever settings stand: in the session, and in the request of the run
		data[at+1] = 'O'
		at = bytes.Index(data, []byte(`"opt_level"`))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	check(1, "damaged: session ")
}
