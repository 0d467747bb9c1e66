package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/store"
)

// routes are all routes with ids that exist nowhere.
var routes = []string{
	"GET /", "GET /healthz", "GET /favicon.ico", "GET /static/app.css", "GET /s/x", "POST /sessions", "POST /s/x/runs",
	"GET /runs/x", "GET /runs/x/events", "POST /runs/x/cancel", "GET /ir/x", "GET /diff/x/y",
	"POST /api/sessions", "GET /api/sessions/x", "POST /api/sessions/x/runs", "GET /api/runs/x", "GET /api/runs/x/events",
	"POST /api/runs/x/cancel", "GET /api/ir/x", "GET /api/diff/x/y", "GET /api/gallery", "GET /api/targets", "GET /api/passes",
	"GET /api/pipelines", "GET /none", "DELETE /s/x",
	"GET /api/sessions", "DELETE /api/sessions/x", "POST /api/sessions/x/title", "POST /api/sessions/x/share", "POST /api/sessions/x/fork",
	"POST /api/sessions/x/expiry", "GET /api/sessions/x/notes", "POST /api/sessions/x/notes", "PUT /api/sessions/x/notes/y", "POST /api/sessions/x/notes/y",
	"DELETE /api/sessions/x/notes/y", "GET /api/sessions/x/export.html", "GET /s/x/export.zip", "POST /s/x/title", "POST /s/x/share", "POST /s/x/fork",
	"POST /s/x/expiry", "POST /s/x/notes", "POST /s/x/notes/y", "POST /s/x/notes/y/delete", "POST /s/x/delete",
	"PUT /api/sessions/x", "HEAD /",
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	s := open(t, nil)
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		a := s.do(method, path, "", "Accept", html)
		csp := a.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s has policy %q", route, csp)
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s has headers %v", route, a.Header)
		}
		if a.StatusCode >= 500 {
			t.Errorf("%s answers %d: %s", route, a.StatusCode, a.body)
		}
	}
}

func TestCrossSiteRequestsChangeNothing(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Origins = []string{"https://friend.example"} })
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		if method == "GET" || method == "HEAD" {
			continue
		}
		s.do(method, path, "", "Sec-Fetch-Site", "cross-site").want(t, http.StatusForbidden)
		s.do(method, path, "", "Origin", "https://evil.example").want(t, http.StatusForbidden)
	}
	s.do("POST", "/api/sessions", `{"gallery":"mlp"}`, "Content-Type", "application/json", "Origin", "https://friend.example").want(t, http.StatusCreated)
}

func TestForeignNamesOfTheServerAreRefused(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Hosts = []string{"127.0.0.1", "localhost", "[::1]"} })
	for host, status := range map[string]int{
		"127.0.0.1:8080": 200, "localhost": 200, "LOCALHOST:1": 200, "[::1]:8080": 200, "evil.example": 421, "127.0.0.1.evil.example": 421,
	} {
		s.get("/healthz", "Host", host).want(t, status)
	}
}

func TestConfigIsChecked(t *testing.T) {
	if _, err := web.New(web.Config{}); err == nil {
		t.Error("a server without a runner was made")
	}
	if _, err := web.New(web.Config{Runner: fake{}, Store: store.NewMemory(1), Origins: []string{"friend.example"}}); err == nil || !strings.Contains(err.Error(), "friend.example") {
		t.Errorf("an origin without a scheme gives %v", err)
	}
}

// dial opens the websocket of a run.
func (s *site) dial(path string, header http.Header) (*websocket.Conn, *http.Response, error) {
	c, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.url, "http")+path, header)
	if err == nil {
		s.t.Cleanup(func() { _ = c.Close() })
	}
	return c, resp, err
}

func TestEventsOverTheWebsocket(t *testing.T) {
	s := open(t, nil)
	id := s.create("mlp").Session.Runs[0]
	evs := s.finished(id)
	c, _, err := s.dial("/runs/"+id+"/events?from=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; ; n++ {
		_, msg, err := c.ReadMessage()
		if err != nil {
			if n != len(evs) || !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				t.Errorf("socket ended at event %d of %d with %v", n, len(evs), err)
			}
			break
		}
		if !strings.HasPrefix(string(msg), `{"seq":`) {
			t.Fatalf("message %d is %s", n, msg)
		}
	}
	if _, resp, err := s.dial("/runs/"+id+"/events", http.Header{"Origin": {"https://evil.example"}}); err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another origin gets %v", resp)
	}
	if _, resp, err := s.dial("/runs/none/events", nil); err == nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown run gives %v", resp)
	}
	if _, resp, err := s.dial("/runs/"+id+"/events?from=-1", nil); err == nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("from=-1 gives %v", resp)
	}
}

func TestDrain(t *testing.T) {
	s := open(t, nil)
	sess := s.create("wait").Session
	c, _, err := s.dial("/runs/"+sess.Runs[0]+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		for {
			if _, _, err := c.ReadMessage(); err != nil {
				ended <- err
				return
			}
		}
	}()
	s.get("/healthz").want(t, http.StatusOK, "ok")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	s.server.Drain(ctx)
	// The goal is the 50 ms of the context and the moment in which viewers are told; only a hang fails.
	took := time.Since(began)
	t.Logf("draining took %v", took)
	if took > time.Minute {
		t.Errorf("draining took %v", took)
	}
	if err := <-ended; !websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseServiceRestart) {
		t.Errorf("the viewer's socket ended with %v", err)
	}
	s.state(sess.Runs[0], "cancelled")
	s.get("/healthz").want(t, http.StatusServiceUnavailable)
	refused := s.post("/api/sessions/"+sess.ID+"/runs", `{"seed":9}`).want(t, http.StatusServiceUnavailable)
	if refused.Header.Get("Retry-After") == "" {
		t.Error("refused without Retry-After")
	}
}
