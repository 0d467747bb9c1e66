package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestImportToServer sends a dump to a server while it goes on: the page is named at once, and has the first pass before the end.
func TestImportToServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted on Windows")
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
	send := exec.CommandContext(t.Context(), program, "import", "-", "--name", "x.ll", "--to", m[1])
	in, dump := io.Pipe()
	said, link := io.Pipe()
	var failed bytes.Buffer
	send.Stdin, send.Stdout, send.Stderr = in, link, &failed
	if err := send.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(said).ReadString('\n')
	if err != nil || !regexp.MustCompile(`^`+regexp.QuoteMeta(m[1])+`/s/[\w-]{22}\n$`).MatchString(url) {
		t.Fatalf("it prints %q (%v), expected the address of the session", url, err)
	}
	if _, err := io.WriteString(dump, "*** IR Dump After A on f ***\ndefine void @f() {\n}\n*** IR Dump After B on f ***\n"); err != nil {
		t.Fatal(err)
	}
	var sess struct {
		Session struct {
			Title string
			Runs  []string
		}
	}
	data := get(t, strings.Replace(strings.TrimSpace(url), "/s/", "/api/sessions/", 1))
	if err := json.Unmarshal([]byte(data), &sess); err != nil || len(sess.Session.Runs) != 1 || sess.Session.Title != "x.ll" {
		t.Fatalf("the session is %s (%v)", data, err)
	}
	events := m[1] + "/api/runs/" + sess.Session.Runs[0] + "/events?from=0&wait=1"
	for end := time.Now().Add(time.Minute); !strings.Contains(get(t, events), `"pass_finished"`); {
		if time.Now().After(end) {
			t.Fatal("the first pass does not come while the dump goes on")
		}
	}
	if err := dump.Close(); err != nil {
		t.Fatal(err)
	}
	if err := send.Wait(); err != nil {
		t.Errorf("import: %v: %s", err, failed.String())
	}
	if got := get(t, events); !strings.Contains(got, `"status":"ok"`) {
		t.Errorf("the run has not ended: %s", got)
	}
	if err := serve.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("serve: %v", err)
	}
}
