package web_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/run"
)

// listen serves a site as the program does, with its time-outs, and returns the address.
func (s *site) listen() string {
	s.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	hs := web.HTTPServer(s.server, slog.New(slog.NewTextHandler(io.Discard, nil)))
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(ln) }()
	s.t.Cleanup(func() {
		_ = hs.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			s.t.Errorf("the server ended with %v", err)
		}
	})
	return ln.Addr().String()
}

// TestHalfOpenConnections opens a thousand connections that never finish their request. Others
// are served as ever, and the server closes the thousand when the time for a header is over.
func TestHalfOpenConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the time that a header may take")
	}
	s := open(t, nil)
	addr := s.listen()
	const half = 1000
	conns := make([]net.Conn, half)
	opened := time.Now()
	for i := range conns {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		defer func() { _ = c.Close() }()
		if _, err := fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nX-Slow: ", addr); err != nil {
			t.Fatal(err)
		}
		conns[i] = c
	}
	var took []time.Duration
	client := &http.Client{}
	defer client.CloseIdleConnections()
	for range 200 {
		began := time.Now()
		resp, err := client.Get("http://" + addr + "/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("beside slow connections: %d, %v", resp.StatusCode, err)
		}
		_ = resp.Body.Close()
		took = append(took, time.Since(began))
	}
	goal.Time(t, fmt.Sprintf("99th percentile of a page beside %d half-open connections", half), goal.Percentile(took, 99), 200*time.Millisecond)
	for i, c := range conns {
		if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		// What the server still says is at most that the request was bad.
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("connection %d is still open after %v", i, time.Since(opened))
		}
	}
	goal.Time(t, "all of them are closed", time.Since(opened), 10*time.Second)
}

// TestAFullQueueSaysWhenToComeBack fills the queue of a server: visitors get 503 and a time.
func TestAFullQueueSaysWhenToComeBack(t *testing.T) {
	s := open(t, func(c *web.Config) {
		c.Admission = run.DefaultAdmission(1)
		c.Admission.Queue, c.Admission.PerVisitor = 3, 1
	})
	id := s.create("wait").Session.ID
	for seed := range 3 {
		s.post("/api/sessions/"+id+"/runs", fmt.Sprintf(`{"seed":%d}`, seed+1)).want(t, http.StatusAccepted, `"state":"queued"`)
	}
	full := s.post("/api/sessions/"+id+"/runs", `{"seed":9}`).want(t, http.StatusServiceUnavailable, "3 runs are already waiting")
	if full.Header.Get("Retry-After") != "10" {
		t.Errorf("Retry-After is %q", full.Header.Get("Retry-After"))
	}
	s.post("/sessions", `{"gallery":"mlp"}`).want(t, http.StatusCreated) // a session is made all the same
}
