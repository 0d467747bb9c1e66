package web_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/gorilla/websocket"

	"github.com/irscope/irscope/web"
	"github.com/irscope/irscope/web/store"
)

// routes returns all routes of a server, with ids that exist nowhere, and some that it does
// not have. What chi walks over is what it serves, so that no new route is forgotten.
func (s *site) routes() []string {
	s.t.Helper()
	out := []string{"GET /none", "DELETE /s/x", "PUT /api/sessions/x", "POST /", "GET /static/none", "HEAD /"}
	ids := regexp.MustCompile(`\{[^}]*\}`)
	err := chi.Walk(s.server.Routes(), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		path := strings.Replace(ids.ReplaceAllString(route, "x"), "*", "app.css", 1)
		out = append(out, method+" "+path)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(out) < 60 {
		s.t.Fatalf("the walk found %d routes, there are more: %q", len(out), out)
	}
	return out
}

// policy is what pages may load and do.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func TestEveryAnswerIsGuarded(t *testing.T) {
	s := open(t, nil)
	real := s.create("mlp").Session
	s.finished(real.Runs[0])
	there := []string{"GET /s/" + real.ID, "GET /s/" + real.ID + "/export.html", "GET /runs/" + real.Runs[0] + "/events", "GET /api/sessions/" + real.ID}
	for _, route := range append(there, s.routes()...) {
		method, path, _ := strings.Cut(route, " ")
		a := s.do(method, path, "", "Accept", html)
		// Answers may be stricter than pages, as files to download are.
		csp := a.Header.Get("Content-Security-Policy")
		if csp != policy && csp != "default-src 'none'; sandbox; frame-ancestors 'none'" {
			t.Errorf("%s has policy %q", route, csp)
		}
		if a.Header.Get("X-Frame-Options") != "DENY" || a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s has headers %v", route, a.Header)
		}
		if a.StatusCode >= 500 && a.StatusCode != http.StatusNotImplemented { // by a server without a compiler
			t.Errorf("%s answers %d: %.300s", route, a.StatusCode, a.body)
		}
	}
}

// TestEmbedding shows a session in frames of the origins that the operator allows, and nothing else of the server in any frame.
func TestEmbedding(t *testing.T) {
	off := open(t, nil)
	off.get("/embed/"+off.create("mlp").Session.ID, "Accept", html).want(t, http.StatusNotFound)

	s := open(t, func(c *web.Config) { c.Embed = []string{"https://course.example", "https://*.blog.example:8443"} })
	made := s.create("mlp").Session
	s.finished(made.Runs[0])
	a := s.get("/embed/"+made.ID+"?run="+made.Runs[0]+"&pass=1/Fuse%3Ci%3EOps&view=split", "Accept", html).want(t, http.StatusOK, `data-may-edit="false"`, `href="/s/`+made.ID+`?pass=`)
	if want := strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors https://course.example https://*.blog.example:8443", 1); a.Header.Get("Content-Security-Policy") != want {
		t.Errorf("the policy is %s, want %s", a.Header.Get("Content-Security-Policy"), want)
	}
	if a.Header.Get("X-Frame-Options") != "" || a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the headers are %v", a.Header)
	}
	for _, tool := range []string{`id="share"`, `id="delete-session"`, `class="fork-form"`, `id="edit-ir"`, `id="write-pass"`, `"may_edit":true`, `id="show-history"`} {
		if strings.Contains(a.body, tool) {
			t.Errorf("who made the session finds %s in a frame", tool)
		}
	}
	s.get("/embed/"+made.ID+"?only=diff", "Accept", html).want(t, http.StatusOK, "only-diff")
	s.get("/embed/"+made.ID+"?only=x", "Accept", html).want(t, http.StatusBadRequest, "want diff")
	s.get("/embed/none", "Accept", html).want(t, http.StatusNotFound)
	// All else is as before, the errors of embedding too.
	for _, path := range []string{"/", "/s/" + made.ID, "/api/sessions/" + made.ID, "/embed/none", "/embed/" + made.ID + "?only=x"} {
		if h := s.get(path, "Accept", html).Header; h.Get("X-Frame-Options") != "DENY" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s may be shown in a frame: %v", path, h)
		}
	}
	for _, origin := range []string{"course.example", "https://a;script-src *", "https://a b", "*", "https://*", "https://a/b", "'self'", "https://a.example:port", "https://a,https://b", "data:"} {
		if _, err := web.New(web.Config{Runner: fake{}, Store: store.NewMemory(1), Embed: []string{origin}}); err == nil {
			t.Errorf("%q is taken for an origin", origin)
		}
	}
}

func TestCrossSiteRequestsChangeNothing(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Origins = []string{"https://friend.example"} })
	unsafe := 0
	for _, route := range s.routes() {
		method, path, _ := strings.Cut(route, " ")
		if method == "GET" || method == "HEAD" {
			continue
		}
		unsafe++
		s.do(method, path, "", "Sec-Fetch-Site", "cross-site").want(t, http.StatusForbidden)
		s.do(method, path, "", "Sec-Fetch-Site", "same-site").want(t, http.StatusForbidden)
		s.do(method, path, "", "Sec-Fetch-Site", "cross-site", "Origin", s.url).want(t, http.StatusForbidden)
		for _, origin := range []string{"https://evil.example", "null", s.url + ".evil.example", s.url + "0", "https://friend.example.evil.example", "http://friend.example", "https://friend.example:444", "https://evil.example/friend.example"} {
			s.do(method, path, "", "Origin", origin).want(t, http.StatusForbidden)
		}
	}
	if unsafe < 20 {
		t.Errorf("%d routes change something, there are more", unsafe)
	}
	s.do("POST", "/api/sessions", `{"gallery":"mlp"}`, "Content-Type", "application/json", "Origin", "https://friend.example").want(t, http.StatusCreated)
}

func TestForeignNamesOfTheServerAreRefused(t *testing.T) {
	s := open(t, func(c *web.Config) { c.Hosts = []string{"127.0.0.1", "localhost", "[::1]"} })
	for host, status := range map[string]int{
		"127.0.0.1:8080": 200, "localhost": 200, "LOCALHOST:1": 200, "[::1]:8080": 200, "evil.example": 421, "127.0.0.1.evil.example": 421,
	} {
		s.get("/", "Host", host).want(t, status)
	}
}

func TestConfigIsChecked(t *testing.T) {
	if _, err := web.New(web.Config{}); err == nil {
		t.Error("a server without a runner was made")
	}
	if _, err := web.New(web.Config{Runner: fake{}, Store: store.NewMemory(1), Origins: []string{"friend.example"}}); err == nil || !strings.Contains(err.Error(), "friend.example") {
		t.Errorf("an origin without a scheme gives %v", err)
	}
	if _, err := web.New(web.Config{Runner: fake{}, Store: store.NewMemory(1), Origins: []string{"https://friend.example/path"}}); err == nil || !strings.Contains(err.Error(), "/path") {
		t.Errorf("an origin with a path gives %v", err)
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
	s.get("/readyz").want(t, http.StatusServiceUnavailable, "draining")
	s.get("/healthz").want(t, http.StatusOK, "ok")
	refused := s.post("/api/sessions/"+sess.ID+"/runs", `{"seed":9}`).want(t, http.StatusServiceUnavailable)
	if refused.Header.Get("Retry-After") == "" {
		t.Error("refused without Retry-After")
	}
}
