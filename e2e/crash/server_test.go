package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

var address = regexp.MustCompile(`^irscope: serving on (http://127\.0\.0\.1:\d+)\n$`)

// server is a running server.
type server struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
}

// start starts a server on a folder.
func start(t *testing.T, data string) *server {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0", "--workers", "2", "--data", data)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	m := address.FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("the first line is %q (%v), expected the address", line, err)
	}
	return &server{t, cmd, m[1]}
}

// kill ends the server without a word.
func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	_ = s.cmd.Wait() // its end by a signal is an error
}

// call sends a request and decodes the answer, which must have a status of success.
func (s *server) call(method, path, token string, body, answer any) {
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
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err = io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s (%v): %.300s", method, path, resp.Status, err, data)
	}
	if raw, ok := answer.(*[]byte); ok {
		*raw = data
		return
	}
	if err := json.Unmarshal(data, answer); err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// follow reads the events of a run from a number on, until the connection ends. It calls got
// for each, and tells whether the server said that there are no more.
func (s *server) follow(run string, from int, got func(line []byte)) (ended bool, err error) {
	url := fmt.Sprintf("ws%s/runs/%s/events?from=%d", strings.TrimPrefix(s.url, "http"), run, from)
	conn, _, err := websocket.DefaultDialer.DialContext(s.t.Context(), url, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	for {
		_, line, err := conn.ReadMessage()
		if err != nil {
			return websocket.IsCloseError(err, websocket.CloseNormalClosure), err
		}
		got(line)
	}
}
